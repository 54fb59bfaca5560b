// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/compiled_model.hpp"

namespace trill {
// A run corrects a start that is off its constraints by less than this, relative to the size of coordinates or
// velocities.
inline constexpr double movable_start = 1e-2;

// Energies, forces, gaps and constraints and their slopes must be finite at the start, gaps and constraints must move
// with some coordinate, and the start, which is taken at the time t, must lie on the constraints. Otherwise throws a
// ModelError that points at the term to blame.
void check_start(const CompiledModel& model, double t);
// The multipliers at the start; zero if constraints depend on each other, which runs refuse.
Vec start_multipliers(const CompiledModel& model, double t);
}  // namespace trill
