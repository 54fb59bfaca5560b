// SPDX-License-Identifier: BSD-3-Clause
#include "driver/steady.hpp"

#include "base/text.hpp"
#include "driver/steady_figures.hpp"
#include "model/netlist/netlist_problem.hpp"
#include "multiscale/charge_step.hpp"
#include "problem/driven.hpp"
#include "problem/quantity_kind.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr const char* steady_asker = "the steady state";
constexpr double steady_rtol = 1e-7;        // of a cycle, unless the user says otherwise
constexpr double part_of_a_run = 0.381966;  // after which a formula of the time has another value, if it has no period
constexpr double check_refinement = 10, check_share = 0.5;

void check_steady_plan(const RunPlan& plan) {
  if (plan.h)
    throw UsageError("a steady state is computed with a tolerance; give --rtol instead of a fixed step size --h");
  if (!std::holds_alternative<EveryStep>(plan.output))
    throw UsageError("the rows of a steady state are the steps of its period; leave out --dt");
  if (*plan.to < *plan.from) throw UsageError("a steady state cannot run backwards; leave out --to");
}

// Without a common period the motion would be taken for that of an oscillator.
void refuse_sources_without_common_period(const CircuitProblem& circuit) {
  const auto* driven = dynamic_cast<const Driven*>(&circuit);
  if (!driven) return;
  std::vector<double> periods = driven->source_periods();
  if (periods.empty()) return;
  std::sort(periods.begin(), periods.end());
  periods.erase(std::unique(periods.begin(), periods.end()), periods.end());
  throw UsageError(
      fmt::format("the sources of '{}' repeat after {:.6g}, and no small multiple of the longest of these periods is "
                  "one of all; give the period of all sources by --set period=TIME, or use --want envelope or "
                  "--want full, which need no common period",
                  circuit.name(), fmt::join(periods, " and ")));
}

// Sources that repeat more slowly than the given period are left out; the answer names them.
std::string sources_left_out(const Problem& problem, double period) {
  const auto* netlist = dynamic_cast<const NetlistProblem*>(&problem);
  if (!netlist) return "";
  std::string left_out;
  for (const auto& [source, once] : netlist->sources_with_other_periods(period)) {
    if (once < period)
      throw UsageError(
          fmt::format("{} repeats after {:.10g} and not after {:.10g}; the period of a steady state has to be a "
                      "multiple of the periods of all sources",
                      source, once, period));
    left_out += fmt::format("; {} repeats after {:.6g} only, so that this is the steady state of its first {:.6g}",
                            source, once, period);
  }
  return left_out;
}

}  // namespace

SteadyRun::SteadyRun(const Problem& problem, RunPlan plan, const RunDefaults& defaults)
    : problem_(problem.clone()),
      plan_(std::move(plan)),
      defaults_(defaults),
      options_(read_options<SteadyOptions>(plan_.options, steady_asker)),
      may_loosen_(!plan_.rtol) {
  if (!plan_.rtol) plan_.rtol = std::min(defaults.rtol, steady_rtol);
  find_signal(problem, options_.signal);
  check_load(problem, options_.load);
  if (!dynamic_cast<const CircuitProblem*>(problem_.get()))
    rates_ = std::make_unique<RatesAsCharges>(*problem_, steady_asker);
  take_card();
  if (options_.period > 0) {
    period_ = options_.period;
    left_out_ = sources_left_out(*problem_, *period_);
  } else if (!rates_)
    period_ = period_of_sources();
  else if (rates_->depends_on_time())
    throw UsageError(
        fmt::format("the period after which '{}' is driven in the same way is not known; give it by "
                    "--set period=TIME, or compute its motion by --want full",
                    problem.name()));
}

// Sources with formulas of the time may have periods of their own, which are not known.
std::optional<double> SteadyRun::period_of_sources() const {
  const std::optional<double> period = common_period(circuit());
  if (!period) refuse_sources_without_common_period(circuit());
  const auto* netlist = dynamic_cast<const NetlistProblem*>(problem_.get());
  if (!netlist) return period;
  const double part = part_of_a_run * defaults_.to;
  const double after = period ? std::max(1.0, std::round(part / *period)) * *period : part;
  const std::string formula = netlist->formula_that_does_not_repeat(after, defaults_.to);
  if (formula.empty()) return period;
  const std::string others = period ? fmt::format(" after the period of the other sources, {:.6g}", *period) : "";
  throw UsageError(
      fmt::format("the formula of {} depends on the time and does not repeat{}; give the period of all sources by "
                  "--set period=TIME, or compute the motion by --want full",
                  formula, others));
}

// What --set says counts before the .pss line of a netlist.
void SteadyRun::take_card() {
  const auto* netlist = dynamic_cast<const NetlistProblem*>(problem_.get());
  if (!netlist) return;
  const SteadyCard& card = netlist->circuit().steady;
  if (options_.period == 0) options_.period = card.period;
  if (options_.signal.empty() && card.node != ground)
    options_.signal = netlist->components()[static_cast<std::size_t>(card.node)].name;
}

const CircuitProblem& SteadyRun::circuit() const {
  return rates_ ? *rates_ : dynamic_cast<const CircuitProblem&>(*problem_);
}

std::string SteadyRun::description() const {
  if (period_)
    return fmt::format("the steady state is sought by shooting, with the period {:.10g}{}", *period_, left_out_);
  return "no source repeats, so the steady state is sought as that of an oscillator, whose period is unknown; a "
         "transient gives the first guess";
}

SteadyFound SteadyRun::find(const std::atomic<bool>* stop, const KnownSteadyState* known) const {
  return find_steady_state({*problem_, circuit(), plan_, defaults_, options_, may_loosen_, period_, stop, known});
}

Solution SteadyRun::run(PreparedRun& run) const {
  const auto begin = std::chrono::steady_clock::now();
  SteadyFound found = find(run.options.stop, nullptr);
  Solution solution;
  solution.info = run.options.info;
  solution.info.layout = problem_->layout();
  solution.info.time_unit = problem_->time_unit();
  solution.info.components = problem_->components();
  give_kinds(solution.info.components, solution.info.layout);
  solution.info.quantities = measures_of(*problem_);

  State s = problem_->initial_state();
  s.mode = found.start.mode;
  Vec measured = Vec::Zero(static_cast<Index>(solution.info.quantities.size()));
  const int stride = std::get<EveryStep>(plan_.output).stride;
  const auto& times = found.period.times();
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (k % static_cast<std::size_t>(stride) != 0 && k + 1 != times.size()) continue;
    s.t = times[k];
    s.y.head(found.period.values().rows()) = found.period.values().col(static_cast<Index>(k));
    problem_->measure(s, measured);
    solution.append(s.t, s.y, measured);
  }

  RunOutcome& outcome = solution.outcome;
  outcome.status = found.status;
  if (!found.message.empty()) outcome.message = "in the search for the steady state: " + found.message;
  if (!outcome.ok() && outcome.status != RunStatus::stopped) outcome.message += "; --want full computes the motion";
  outcome.notices = run.options.notices;
  outcome.counters = found.work;
  outcome.counters.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.steady_state.reset();
  if (outcome.ok()) {
    if (found.rtol > *plan_.rtol)
      outcome.notices.push_back({.t = s.t,
                                 .code = "summary",
                                 .text = fmt::format("cycles were computed with rtol = {:.0e}: with {:.0e} no steady "
                                                     "state was found in {} steps for each cycle",
                                                     found.rtol, *plan_.rtol, most_steps_of_usual_cycle),
                                 .severity = Severity::info});
    if (found.rounded > 0)
      outcome.notices.push_back(
          {.t = s.t, .code = "rounding", .text = rounded_text(found.rounded), .severity = Severity::info});
    run.plan.rtol = found.rtol;
    run.start = found.start;
    run.start.y = found.period.values().col(0);
    solution.info.settings["rtol"] = format_number(found.rtol);
    for (const std::string& line : steady_sentences(found.state, problem_->time_unit()))
      outcome.notices.push_back({.t = s.t, .code = "summary", .text = line, .severity = Severity::info});
    if (!found.state.is_stable)
      outcome.notices.push_back(
          {.t = s.t, .code = "stability", .text = found.state.stability, .severity = Severity::warning});
    run.steady_state = std::move(found.state);
  }
  if (run.options.recorder) replay(solution, *run.options.recorder);
  if (run.options.progress) run.options.progress(outcome.ok() ? 1.0 : -1.0);
  return solution;
}

Trust SteadyRun::check(const PreparedRun& run) const {
  Trust trust;
  if (!run.steady_state) {
    trust.headline = "Not checked, because no steady state was found.";
    return trust;
  }
  RunPlan finer = plan_;
  finer.rtol = *run.plan.rtol / check_refinement;
  const KnownSteadyState start{run.start, run.steady_state->signals},
      finer_start{run.start, run.steady_state->signals, check_share};
  const SteadyFound again = SteadyRun(*problem_, finer, defaults_).find(run.options.stop, &finer_start);
  trust.how = fmt::format(
      "the steady state was computed again with rtol/{:g} and steps at most half as long, and mean, rms, min and max "
      "of every component were compared",
      check_refinement);
  if (again.status != RunStatus::reached_end) {
    trust.headline = "Not checked: the more accurate steady state could not be computed.";
    return trust;
  }
  const Vec least = least_sizes(*problem_, again.state.signals);
  trust.rows = compare_steady(run.steady_state->signals, {again.period, again.state.signals}, least);
  const auto largest = [&] {
    double worst = 0;
    for (const TrustRow& row : trust.rows) worst = std::max(worst, row.relative());
    return worst;
  };
  std::string peaks;
  if (verdict_of(largest()) != Verdict::green) {
    finer.rtol = *run.plan.rtol;
    const SteadyFound same = SteadyRun(*problem_, finer, defaults_).find(run.options.stop, &start);
    if (same.status == RunStatus::reached_end)
      peaks = judge_without_short_peaks({same.period, same.state.signals}, {again.period, again.state.signals}, least,
                                        trust.rows);
  }
  if (!again.state.multipliers.empty()) {
    const double size = std::abs(run.steady_state->multipliers[0]), size_again = std::abs(again.state.multipliers[0]);
    trust.rows.push_back({"largest multiplier", "", std::abs(size - size_again), 1});
  }
  const double worst = largest();
  const std::string doubt = doubt_of_oscillation(again.state);
  trust.verdict = doubt.empty() ? verdict_of(worst) : Verdict::red;
  trust.headline = fmt::format(
      "The figures change by at most {:.2g} of the size of a component when cycles are computed "
      "{:g} times as accurately.{}{}",
      worst, check_refinement, peaks, doubt);
  return trust;
}

PreparedRun prepare_steady(const Resolved& asked, std::unique_ptr<Problem> problem) {
  check_steady_plan(asked.plan);
  PreparedRun run;
  run.plan = asked.plan;
  run.plan.method = "shooting";
  const auto steady = std::make_shared<const SteadyRun>(*problem, run.plan, asked.defaults);
  run.plan.rtol = steady->rtol();
  run.steady = steady;
  run.problem = std::move(problem);
  run.start = run.problem->initial_state();
  run.start.t = *run.plan.from;
  run.choice = steady->description();
  run.options.output = run.plan.output;
  run.options.notices.push_back({.t = run.start.t, .code = "method", .text = run.choice, .severity = Severity::info});

  RunInfo& info = run.options.info;
  info.problem = run.problem->name();
  info.method = "shooting";
  info.method_title = "Periodic steady state by shooting";
  info.method_reference =
      "T. J. Aprille and T. N. Trick, Steady-state analysis of nonlinear circuits with periodic "
      "inputs, Proc. IEEE 60 (1972) 108-114";
  info.delivers = to_text(Delivers::full);
  for (const OptionRow& row : list_options(steady->options())) info.options[row.name] = row.value;
  for (const Parameter& p : run.problem->parameters()) info.parameters[p.name] = value_text(p);
  info.settings["from"] = format_number(*run.plan.from);
  info.settings["to"] = format_number(*run.plan.to);
  info.settings["rtol"] = format_number(*run.plan.rtol);
  info.settings["want"] = "steady";
  return run;
}
}  // namespace trill
