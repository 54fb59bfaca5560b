// SPDX-License-Identifier: BSD-3-Clause
#include "driver/steady.hpp"

#include "base/text.hpp"
#include "driver/period_watch.hpp"
#include "driver/steady_figures.hpp"
#include "model/netlist/netlist_problem.hpp"
#include "multiscale/charge_step.hpp"
#include "multiscale/circuit_shooting.hpp"
#include "multiscale/shooting.hpp"
#include "problem/driven.hpp"
#include "problem/least_values.hpp"
#include "problem/quantity_kind.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr const char* steady_asker = "the steady state";
constexpr double steady_rtol = 1e-7;  // of a cycle, unless the user says otherwise
// Absolute tolerances never exceed these. Those that are a few times as large as the signals ask for do no harm.
constexpr double most_tolerance = 1e-6, most_tolerance_of_currents = 1e-9, share_of_currents = 1e-3;
constexpr double near_enough = 16, rounding_of_signals = 1e-16;
constexpr int most_adaptations = 3;
constexpr double part_of_a_run = 0.381966;  // after which a formula of the time has another value, if it has no period
constexpr double check_refinement = 10, check_share = 0.5, transient_rtol = 1e-6;
// Share of the swings of the guess: a periodic motion that swings less counts as an equilibrium, not as an oscillation.
constexpr double least_share_of_guess = 0.02;
// How much the last swings of an oscillation may differ for a first guess; a smaller number means a longer transient,
// for oscillators where Newton's method fails from farther away.
constexpr double swing_agreements[] = {0.1, 0.01, 0.001};
// Small capacitances and leakage inductances may ring for thousands of periods of their own in a cycle. Where cycles
// with the usual tolerance take too many steps, or Newton's method fails, the steady state is found with the loosest of
// these tolerances and then with tighter ones as long as these are affordable.
constexpr long most_steps_of_cycle = 20'000, most_steps_of_better_cycle = 60'000;
constexpr double loosest = 1000, better[] = {100, 10};
constexpr double share_of_steps = 0.1;        // of the tolerance of cycles: what they may differ by
constexpr int longer_warm_ups[] = {30, 300};  // where Newton's method fails from the first cycles

void check_steady_plan(const RunPlan& plan) {
  if (plan.h)
    throw UsageError("a steady state is computed with a tolerance; give --rtol instead of a fixed step size --h");
  if (!std::holds_alternative<EveryStep>(plan.output))
    throw UsageError("the rows of a steady state are the steps of its period; leave out --dt");
  if (*plan.to < *plan.from) throw UsageError("a steady state cannot run backwards; leave out --to");
}

Index find_signal(const Problem& problem, const std::string& name) {
  if (name.empty()) return -1;
  std::vector<std::string> names;
  for (const Quantity& q : problem.components()) names.push_back(q.name);
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end())
    throw UsageError(fmt::format("'{}' has no component '{}'{}", problem.name(), name, suggest(name, names)));
  return place - names.begin();
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

void add_work(const CycleCounts& counts, const ShootingResult& result, Counters& work) {
  work.steps += counts.steps;
  work.rejected += counts.rejected;
  work.newton_iterations += counts.iterations;
  work.forces[0] += counts.iterations;
  work.factorisations += counts.factorisations;
  work.products += result.products;
  work.micro_steps += result.cycles;
}

// A steady state cannot be continued later, so this says what another search would have to do.
std::string stopped_text(const ShootingResult& result, const CycleCounts& counts, double rtol) {
  const auto steps = counts.steps / std::max<Index>(result.cycles, 1);
  return fmt::format(
      "{}; this was cycle {}, cycles take {} steps or more with rtol = {:.0e}, and a search takes 5 to 40 of them; a "
      "larger --rtol makes them quicker, and where something rings after every switching a transient (--want full --to "
      "TIME) may get there first",
      result.message, result.cycles, steps, rtol);
}
}  // namespace

struct SteadyRun::Found {
  RunStatus status = RunStatus::reached_end;
  std::string message;
  SteadyState state;
  State start;
  Vec swings;  // in the guess for an oscillator
  CycleTrace period;
  Counters work;
  double rtol = 0;  // of the cycles
  FastOscillation fast;
  bool ran_out_of_steps = false;
  long rounded = 0;  // see CycleCounts
};

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

// A transient with the method of the model, until its last periods are alike. false: they never are.
bool SteadyRun::guess(double agreement, const std::atomic<bool>* stop, Found& found) const {
  RunPlan transient = plan_;
  transient.want = Want::full;
  transient.method = "radau";  // serves all problems, stiff or not
  transient.options.clear();
  transient.rtol = std::max(defaults_.rtol, transient_rtol);
  transient.atol.reset();
  transient.output = Times{{*plan_.to}};
  PreparedRun run = prepare(transient, problem_->clone(), defaults_);
  PeriodWatch watch(find_signal(*problem_, options_.signal), agreement, stop);
  run.options.observers.push_back(&watch);
  run.options.stop = &watch.stop();
  const RunOutcome outcome = run.run().outcome;
  found.work.steps += outcome.counters.steps;
  found.work.forces[0] += outcome.counters.most_forces();
  if (const OscillationFinder& finder = watch.finder(); finder.found()) {
    found.start.t = finder.state().t;
    found.start.y = finder.state().y.head(found.start.y.size());
    found.start.mode = finder.state().mode;
    found.state.period = finder.period();
    found.swings = finder.swings().head(found.start.y.size());
    found.state.transient += found.start.t - *plan_.from;
    return true;
  }
  found.status = outcome.ok() ? RunStatus::refused : outcome.status;
  found.message = outcome.message;
  if (outcome.ok())
    found.message = fmt::format(
        "no regular oscillation was found up to t = {:.6g}, and no source repeats; "
        "follow it longer by --to, or give the period of what drives it by --set period=TIME",
        *plan_.to);
  return false;
}

// Where Newton's method fails, after a longer warm-up.
void SteadyRun::shoot_from_afar(const CircuitCycleOptions& accuracy, const std::atomic<bool>* stop,
                                Found& found) const {
  shoot(accuracy, options_.warm_up, stop, found);
  for (const int warm_up : longer_warm_ups)
    if (found.status == RunStatus::newton_failed && !found.ran_out_of_steps && warm_up > options_.warm_up)
      shoot(accuracy, warm_up, stop, found);
}

void SteadyRun::shoot_with_some_tolerance(const Known* known, const std::atomic<bool>* stop, Found& found) const {
  CircuitCycleOptions accuracy = cycle_options(*plan_.rtol, known);
  if (!may_loosen_) return shoot_from_afar(accuracy, stop, found);
  accuracy.most_steps = most_steps_of_cycle;
  shoot(accuracy, options_.warm_up, stop, found);
  if (found.status != RunStatus::newton_failed) return;
  shoot_from_afar(cycle_options(loosest * *plan_.rtol), stop, found);
  for (const double times : better) {
    if (found.status != RunStatus::reached_end) return;
    Found next = found;
    next.start.y = found.period.values().col(0);
    accuracy = cycle_options(times * *plan_.rtol);
    accuracy.most_steps = most_steps_of_better_cycle;
    shoot(accuracy, 0, stop, next);
    if (next.status == RunStatus::newton_failed) return;
    found = std::move(next);
  }
}

CircuitCycleOptions SteadyRun::cycle_options(double rtol, const Known* known) const {
  CircuitCycleOptions options;
  options.rtol = rtol;
  options.absolute = absolute_tolerances(rtol, known ? known->signals : std::vector<SteadySignal>());
  if (known) options.longest_share = known->longest_share;
  return options;
}

// signals: empty as long as they are not known.
Vec SteadyRun::absolute_tolerances(double rtol, const std::vector<SteadySignal>& signals) const {
  const std::vector<Quantity> unknowns = circuit().components();
  std::map<std::string, double> largest = largest_of_units(signals);
  const auto* known = dynamic_cast<const HasLeastValues*>(problem_.get());
  const Vec least = known ? known->least_values() : Vec();
  Vec tolerances(static_cast<Index>(unknowns.size()));
  for (Index k = 0; k < tolerances.size(); ++k) {
    const std::string& unit = unknowns[static_cast<std::size_t>(k)].unit;
    double& tolerance = tolerances[k];
    tolerance =
        unit == "A" ? std::min(most_tolerance_of_currents, share_of_currents * rtol) : std::min(most_tolerance, rtol);
    const double size = largest[unit];
    if (!(size > 0)) continue;
    tolerance = std::min(tolerance, rtol * size);
    if (known) tolerance = std::min(tolerance, least[k]);
    tolerance = std::max(tolerance, rounding_of_signals * size);
  }
  return tolerances;
}

// How large the signals are, and with them what is small, is known after a first search only.
void SteadyRun::shoot(CircuitCycleOptions accuracy, int warm_up, const std::atomic<bool>* stop, Found& found) const {
  search(accuracy, warm_up, stop, found);
  for (int k = 0; k < most_adaptations && found.status == RunStatus::reached_end; ++k) {
    const Vec wanted = absolute_tolerances(accuracy.rtol, signals_of(found.period, circuit().components(), 0));
    if ((accuracy.absolute.array() <= near_enough * wanted.array()).all()) return;
    accuracy.absolute = wanted;
    found.start.y = found.period.values().col(0);
    search(accuracy, 0, stop, found);
  }
}

void SteadyRun::search(const CircuitCycleOptions& accuracy, int warm_up, const std::atomic<bool>* stop,
                       Found& found) const {
  SteadyState& state = found.state;
  CircuitCycleOptions stoppable = accuracy;
  stoppable.stop = stop;
  CircuitCycle cycle(circuit(), found.start, state.period, stoppable);
  cycle.keep_waveform(true);
  CircuitShooting shooting(cycle);
  ShootingOptions options;
  options.warm_up = warm_up;
  options.max_iterations = options_.iterations;
  options.noise = share_of_steps * accuracy.rtol;
  options.stop = stop;
  if (!state.has_clock) options.free_period = state.period;
  const ShootingResult result = find_periodic(shooting, cycle.initial_state().y, options);

  found.status = result.converged ? RunStatus::reached_end
                 : result.stopped ? RunStatus::stopped
                                  : RunStatus::newton_failed;
  found.message = result.message;
  if (result.stopped)
    found.message = stopped_text(result, cycle.counts(), accuracy.rtol);
  else if (!result.converged && !cycle.failure().empty())
    found.message += ": " + cycle.failure();
  found.period = cycle.trace();
  found.rtol = accuracy.rtol;
  found.rounded = cycle.counts().rounded;
  found.ran_out_of_steps = !result.converged && cycle.ran_out_of_steps();
  add_work(cycle.counts(), result, found.work);
  add_work(shooting.half_step_counts(), {}, found.work);
  if (result.converged && !state.has_clock &&
      ((found.period.max() - found.period.min()).array() < least_share_of_guess * found.swings.array()).all()) {
    found.status = RunStatus::newton_failed;
    found.message =
        "Newton's method found an equilibrium instead of an oscillation; this happens where amplitudes are "
        "arbitrary, as in systems that conserve energy";
  }
  if (!state.has_clock) state.period = result.period;
  state.multipliers = result.multipliers;
  state.multiplier_error = result.multiplier_error;
  found.fast = result.fast;
  state.residual = result.residual;
  state.iterations += result.iterations;
  state.cycles += result.cycles;
  state.cycles_with_sensitivities += result.cycles_with_derivative;
  state.products += result.products;
}

SteadyRun::Found SteadyRun::find(const std::atomic<bool>* stop, const Known* known) const {
  Found found;
  SteadyState& state = found.state;
  found.start = circuit().initial_state();
  found.start.t = *plan_.from;
  state.has_clock = period_.has_value();
  if (state.has_clock) {
    state.period = *period_;
    if (known) {
      found.start = known->start;
      shoot(cycle_options(*plan_.rtol, known), 0, stop, found);
    }
    if (!known || found.status == RunStatus::newton_failed) shoot_with_some_tolerance(known, stop, found);
  } else {
    for (const double agreement : swing_agreements) {
      const auto failed_before = std::pair(found.status, found.message);
      if (!guess(agreement, stop, found)) {
        if (state.cycles > 0) std::tie(found.status, found.message) = failed_before;  // says more
        break;
      }
      shoot(cycle_options(*plan_.rtol, known), 0, stop, found);
      if (found.status != RunStatus::newton_failed) break;
    }
  }
  if (found.status != RunStatus::reached_end) return found;
  const Stability stability = judge_stability(state.multipliers, state.has_clock, state.multiplier_error, found.fast);
  state.is_stable = stability.is_stable;
  state.is_stability_known = stability.is_decided;
  state.stability = stability.text;
  if (!state.has_clock)
    state.stability += fmt::format("; the multiplier that is 1 in theory is {:.8g}", stability.trivial.real());
  state.signals = signals_of(found.period, circuit().components(), options_.harmonics);
  fill_powers(state, *problem_, found.period, options_.load);
  return found;
}

Solution SteadyRun::run(PreparedRun& run) const {
  const auto begin = std::chrono::steady_clock::now();
  Found found = find(run.options.stop, nullptr);
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
                                                     found.rtol, *plan_.rtol, most_steps_of_cycle),
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
  const Known start{run.start, run.steady_state->signals},
      finer_start{run.start, run.steady_state->signals, check_share};
  const Found again = SteadyRun(*problem_, finer, defaults_).find(run.options.stop, &finer_start);
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
    const Found same = SteadyRun(*problem_, finer, defaults_).find(run.options.stop, &start);
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
