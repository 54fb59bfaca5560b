// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/compiled_model.hpp"

namespace trill {
// Energies, forces, gaps and constraints and their slopes must be finite at the start, gaps and constraints must move
// with some coordinate, and the start must lie on the constraints. ModelError that points at the term to blame. Fills
// in the multipliers at the start.
void check_start(CompiledModel& model);
}  // namespace trill
