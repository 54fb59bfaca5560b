// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_audit.hpp"

#include "driver/build.hpp"
#include "driver/check_scales.hpp"
#include "driver/pilot.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double share_of_accuracy = 1e-4, loosest_rtol = 1e-7;
constexpr double time_to_forecast = 0.1;  // share of the time after which progress tells whether it will end in time
const char* const explicit_first[] = {"dop853", "radau"};
const char* const implicit_first[] = {"radau", "dop853"};
// Where diodes switch at nodes whose voltages no capacitance holds, radau may fail.
const char* const last_of_circuits = "circuit_sdirk";
// Damps oscillations, but shares nothing with radau, which alone solves some problems as accurately as an audit needs.
const char* const last_resort = "bdf";

double audit_rtol(const RunPlan& plan) {
  double rtol = std::min(share_of_accuracy * accuracy_of(plan), loosest_rtol);
  if (plan.rtol) rtol = std::min(rtol, *plan.rtol / 10);
  return std::max(rtol, smallest_rtol);
}

// Differences fill such a matrix, and one step of an implicit method would take longer than a whole check.
bool has_large_dense_matrix(const Problem& problem) {
  constexpr Index large = 400;
  const MechanicalProblem* mechanics = mechanics_of(problem);
  return mechanics && mechanics->layout().nq > large && !mechanics->stiffness_pattern().is_sparse();
}

bool accepts(const MethodEntry& method, const Problem& problem, const OptionSet& options) {
  try {
    method.make(problem, options);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

PreparedRun prepare_audit(const PreparedRun& run, const Auditor& by, const AuditTask& task) {
  RunPlan plan = run.plan;
  plan.method = by.method->info.name;
  plan.formulation.clear();
  plan.control.clear();
  plan.options = by.options;
  plan.h.reset();
  plan.rtol = by.rtol;
  plan.atol.reset();
  plan.from = task.start.t;
  plan.to = task.to;
  plan.h_max = std::abs(*run.plan.to - *run.plan.from) / task.least_steps;
  plan.max_steps = RunPlan{}.max_steps;
  plan.output = Times{{task.times.begin() + (task.times.front() == task.start.t ? 1 : 0), task.times.end()}};
  if (run.options.info.code != "compiled") plan.native = Native::never;
  Facts known;
  known.start = task.start;
  const Way way{by.method, nullptr, by.options, {}};
  PreparedRun prepared = build({plan, {}, way}, known, {way, ""}, run.problem->clone());
  prepared.options.events = run.options.events;
  const Vec atol = by.rtol * task.scales;
  if (atol.minCoeff() > 0 && atol.allFinite()) std::get<AdaptiveStep>(prepared.options.control).atol = atol;
  return prepared;
}
}  // namespace

double CheckClock::now() { return processor_seconds(); }

Solution run_in_time(PreparedRun& run, const CheckClock& clock, double seconds, Patience patience) {
  const double begun = clock.spent();
  std::atomic<bool> stop{false};
  run.options.stop = &stop;
  run.options.progress = [&](double fraction) {
    const double spent = clock.spent() - begun;
    const bool hopeless =
        patience == Patience::unless_hopeless && spent > time_to_forecast * seconds && spent > fraction * seconds;
    if (hopeless || spent > seconds || clock.interrupted()) stop = true;
  };
  Solution solution = run.run();
  run.options.stop = nullptr;
  run.options.progress = nullptr;
  return solution;
}

std::string Auditor::text() const { return fmt::format("{} with rtol {:.0e}", method->info.name, rtol); }

std::vector<Auditor> auditors_of(const PreparedRun& run) {
  const double rtol = audit_rtol(run.plan);
  const bool stiff = run.stepper->info().implicit_step && run.start.layout.nx > 0;
  std::vector<Auditor> others, own;
  const auto look_at = [&](const char* name) {
    const MethodEntry& method = Catalogue::all().method(name);
    Auditor auditor{&method, {}, rtol};
    if (method.info.name == "radau") auditor.options = {{"fast", "resolve"}};
    if (method.info.implicit_step && !others.empty() && has_large_dense_matrix(*run.problem)) return;
    if (!accepts(method, *run.problem, auditor.options)) return;
    const bool same = &method == run.way.method && !run.way.formulation;
    if (same) auditor.rtol = std::max(std::min(rtol, run.plan.rtol.value_or(rtol) / 100), smallest_rtol);
    (same ? own : others).push_back(std::move(auditor));
  };
  for (const char* name : stiff ? implicit_first : explicit_first) look_at(name);
  if (others.empty()) look_at(last_resort);
  others.insert(others.end(), own.begin(), own.end());
  if (dynamic_cast<const CircuitProblem*>(run.problem.get())) {
    own.clear();
    look_at(last_of_circuits);
    others.insert(others.end(), own.begin(), own.end());
  }
  return others;
}

std::optional<Audit> audit(const PreparedRun& run, const Auditor& by, const AuditTask& task, const CheckClock& clock) {
  const Index n = run.start.y.size();
  CurveRecorder recorder(task.times, n, judged_values(*run.problem) - n);
  MotionWatch watch(task.scales);
  const double begun = clock.spent();
  std::optional<PreparedRun> prepared;
  RunOutcome outcome;
  try {
    prepared.emplace(prepare_audit(run, by, task));
    prepared->options.recorder = &recorder;
    prepared->options.observers.push_back(&watch);
    outcome = run_in_time(*prepared, clock, task.seconds, task.patience).outcome;
  } catch (const UsageError&) {
    return std::nullopt;
  }
  Audit found{by, recorder.take(), std::move(outcome), watch.extent()};
  found.curve.jumps = values_that_jump(run);
  found.turns = watch.most_turns(&found.turning);
  found.complete = found.outcome.ok();
  found.reached = watch.reached();
  found.seconds = clock.spent() - begun;
  return found;
}
}  // namespace trill
