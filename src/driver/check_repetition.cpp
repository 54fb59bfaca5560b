// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_repetition.hpp"

#include "driver/build.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double smallest_repeated_rtol = 1e-14;  // below this there is only rounding
constexpr double repeated_steps = 1000;           // with error control

RunPlan more_accurate(const PreparedRun& run, const Refinement& by) {
  const RunPlan& plan = run.plan;
  RunPlan repeated = plan;
  repeated.max_steps = RunPlan{}.max_steps;
  if (plan.h) {
    // A step longer than the run is cut at its end; a shorter one could be cut to the same step.
    repeated.h = std::min(*plan.h, std::abs(*plan.to - *plan.from)) / by.h;
  } else {
    repeated.rtol = std::max(*plan.rtol / by.rtol, smallest_repeated_rtol);
    repeated.atol = *plan.atol / by.rtol;
    // Both runs could step over something short. Twice as many steps as a line in a plot has points do not.
    if (!run.stepper->info().owns_step) repeated.h_max = std::abs(*plan.to - *plan.from) / repeated_steps;
    if (plan.h_max) repeated.h_max = std::min(*repeated.h_max, *plan.h_max / by.h);
  }
  return repeated;
}

PreparedRun again(const PreparedRun& run, RunPlan plan, const std::vector<double>& times, double to) {
  plan.to = to;
  plan.output = Times{{times.begin() + (times.front() == *plan.from ? 1 : 0), times.end()}};
  if (run.options.info.code != "compiled") plan.native = Native::never;
  PreparedRun prepared = build_again(run, plan);
  prepared.options.newton_retries = run.options.newton_retries;
  prepared.options.events = run.options.events;
  return prepared;
}
}  // namespace

double repetition_cost(const RunPlan& plan, const Counters& work) {
  const double steps = std::max<double>(1, static_cast<double>(work.steps));
  return plan.h ? first_refinement.h : std::max(2.0, repeated_steps / steps);
}

Repetition repeat(const PreparedRun& run, const RunOutcome& outcome, const std::vector<double>& times, double to,
                  const Refinement& by, const CheckClock& clock, double seconds) {
  PreparedRun finer = again(run, more_accurate(run, by), times, to);
  finer.stepper->refine();
  const Index n = run.start.y.size();
  CurveRecorder recorder(times, n, judged_values(*run.problem) - n);
  finer.options.recorder = &recorder;
  Repetition repetition;
  repetition.outcome = run_in_time(finer, clock, seconds, Patience::to_the_last).outcome;
  repetition.curve = recorder.take();
  repetition.how = run.plan.h ? fmt::format("h/{:.4g}", by.h) : fmt::format("rtol/{:g}", by.rtol);
  // A formulation of the full motion becomes more accurate by itself, not by its steps.
  const bool other_equations = run.way.formulation && run.way.formulation->delivers == Delivers::full;
  repetition.decides = repetition.outcome.counters.steps > outcome.counters.steps || other_equations ||
                       finer.stepper->info().order != run.stepper->info().order;
  return repetition;
}

JudgedCurve curve_at(const PreparedRun& run, const std::vector<double>& times, double to) {
  PreparedRun same = again(run, run.plan, times, to);
  const Index n = run.start.y.size();
  CurveRecorder recorder(times, n, judged_values(*run.problem) - n);
  same.options.recorder = &recorder;
  same.run();
  return recorder.take();
}
}  // namespace trill
