// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/compiled_model.hpp"

namespace trill {
// One number for each element; ModelError unless all are positive.
std::vector<double> positive_stiffness(KernelScope& scope, const FileStiff& s);

// Whether this is a direction of a bushing that is much softer than the stiffest one: then it is an ordinary force.
// given_mass: for which coordinates the file gives a mass, rather than a kinetic energy. The model needs its start and
// its masses.
bool is_soft_direction(const FileStiff& s, const CompiledModel& model, const std::vector<bool>& given_mass);
}  // namespace trill
