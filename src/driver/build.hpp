// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/advice.hpp"

namespace trill {
// Makes the objects of a run. What a method, a formulation or a step control refuses, it refuses here.
PreparedRun build(const Resolved& asked, const Facts& known, const Advice& advice, std::unique_ptr<Problem> problem);

// The same run once more, on a problem of its own, with the numbers of another plan.
PreparedRun build_again(const PreparedRun& run, const RunPlan& plan);
// Makes formulation and stepper anew, as for a run that was run before.
void build_objects(PreparedRun& run);
}  // namespace trill
