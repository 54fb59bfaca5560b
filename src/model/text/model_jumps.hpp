// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/compiled_model.hpp"

namespace trill {
// One sentence for each switch of a kernel at which energies, forces, constraints or rates or their derivatives jump. A
// point on the switch is looked for near the start; if none is found, the switch is not mentioned.
std::vector<std::string> find_jumps(const CompiledModel& model, const Kernel& kernel);
}  // namespace trill
