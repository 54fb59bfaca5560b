// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/compiled_model.hpp"

namespace trill {
// Drivers and joints may determine velocities at the start that the file leaves open: the crank turns, so its rod
// moves. If the velocities of the file do not satisfy the constraints, the open ones are set so that they do, where
// there is only one way, and a remark names them. Otherwise nothing changes.
void find_open_velocities(CompiledModel& model, double t);
}  // namespace trill
