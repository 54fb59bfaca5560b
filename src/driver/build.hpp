// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/advice.hpp"

namespace trill {
inline constexpr const char* every_step_text = "every step";  // the setting `output` of a run that records all of them
// Makes the objects of a run. If a method, a formulation or a step control refuses the problem, it does so here.
PreparedRun build(const Resolved& asked, const Facts& known, const Advice& advice, std::unique_ptr<Problem> problem);

// The same run again, on its own copy of the problem, with the numbers of another plan, whose end time alone decides
// when it ends.
PreparedRun build_again(const PreparedRun& run, const RunPlan& plan);
// The plan with the way of this run by name, as if the user had given it.
RunPlan named_plan(const PreparedRun& run, const RunPlan& asked);
// A run for the same question as `run`, by another way or with another step: the numbers of `plan` hold.
PreparedRun build_instead(const PreparedRun& run, const RunPlan& plan, const Way& way, const std::string& choice);
// Copies what does not depend on the way: names, texts, origin, notices of the model, events, observers.
void take_over(PreparedRun& built, const PreparedRun& run);
// Makes formulation and stepper again, for a run that has been run before.
void build_objects(PreparedRun& run);
}  // namespace trill
