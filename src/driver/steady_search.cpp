// SPDX-License-Identifier: BSD-3-Clause
#include "driver/steady_search.hpp"

#include "base/text.hpp"
#include "driver/build.hpp"
#include "driver/period_watch.hpp"
#include "driver/steady_figures.hpp"
#include "multiscale/circuit_shooting.hpp"
#include "multiscale/shooting.hpp"
#include "problem/least_values.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

namespace trill {
namespace {
// Absolute tolerances never exceed these. Those that are a few times as large as the signals ask for do no harm.
constexpr double most_tolerance = 1e-6, most_tolerance_of_currents = 1e-9, share_of_currents = 1e-3;
constexpr double near_enough = 16, rounding_of_signals = 1e-16;
constexpr int most_adaptations = 3;
constexpr double transient_rtol = 1e-6;
// Share of the swings of the guess: a periodic motion that swings less counts as an equilibrium, not as an oscillation.
constexpr double least_share_of_guess = 0.02;
// How much the last swings of an oscillation may differ for a first guess; a smaller number means a longer transient,
// for oscillators where Newton's method fails from farther away.
constexpr double swing_agreements[] = {0.1, 0.01, 0.001};
// Small capacitances and leakage inductances may ring for thousands of periods of their own in a cycle. Where cycles
// with the usual tolerance take too many steps, or Newton's method fails, the steady state is found with the loosest of
// these tolerances and then with tighter ones as long as these are affordable.
constexpr long most_steps_of_better_cycle = 60'000;
constexpr double loosest = 1000, better[] = {100, 10};
constexpr double share_of_steps = 0.1;        // of the tolerance of cycles: what they may differ by
constexpr int longer_warm_ups[] = {30, 300};  // where Newton's method fails from the first cycles

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

class SteadySearch {
 public:
  explicit SteadySearch(const SteadyTask& task) : at_(task) {}
  SteadyFound find() const;

 private:
  bool guess(double agreement, SteadyFound& found) const;
  void shoot_from_afar(const CircuitCycleOptions& accuracy, SteadyFound& found) const;
  void shoot_with_some_tolerance(SteadyFound& found) const;
  CircuitCycleOptions cycle_options(double rtol) const;
  CircuitCycleOptions known_cycle_options() const;
  Vec absolute_tolerances(double rtol, const std::vector<SteadySignal>& signals) const;
  void shoot(CircuitCycleOptions accuracy, int warm_up, SteadyFound& found) const;
  void search(const CircuitCycleOptions& accuracy, int warm_up, SteadyFound& found) const;

  const SteadyTask& at_;
};

// A transient with the method of the model, until its last periods are alike. false: they never are.
bool SteadySearch::guess(double agreement, SteadyFound& found) const {
  RunPlan transient = at_.plan;
  transient.want = Want::full;
  transient.method = "radau";  // serves all problems, stiff or not
  transient.options.clear();
  transient.rtol = std::max(at_.defaults.rtol, transient_rtol);
  transient.atol.reset();
  transient.output = Times{{*at_.plan.to}};
  PreparedRun run = prepare(transient, at_.problem.clone(), at_.defaults);
  PeriodWatch watch(find_signal(at_.problem, at_.options.signal), agreement, at_.stop);
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
    found.state.transient += found.start.t - *at_.plan.from;
    return true;
  }
  found.status = outcome.ok() ? RunStatus::refused : outcome.status;
  found.message = outcome.message;
  if (outcome.ok())
    found.message = fmt::format(
        "no regular oscillation was found up to t = {:.6g}, and no source repeats; "
        "follow it longer by --to, or give the period of what drives it by --set period=TIME",
        *at_.plan.to);
  return false;
}

// Where Newton's method fails, after a longer warm-up.
void SteadySearch::shoot_from_afar(const CircuitCycleOptions& accuracy, SteadyFound& found) const {
  shoot(accuracy, at_.options.warm_up, found);
  for (const int warm_up : longer_warm_ups)
    if (found.status == RunStatus::newton_failed && !found.ran_out_of_steps && warm_up > at_.options.warm_up)
      shoot(accuracy, warm_up, found);
}

void SteadySearch::shoot_with_some_tolerance(SteadyFound& found) const {
  const double rtol = *at_.plan.rtol;
  CircuitCycleOptions accuracy = known_cycle_options();
  if (!at_.may_loosen) return shoot_from_afar(accuracy, found);
  accuracy.most_steps = most_steps_of_usual_cycle;
  shoot(accuracy, at_.options.warm_up, found);
  if (found.status != RunStatus::newton_failed) return;
  shoot_from_afar(cycle_options(loosest * rtol), found);
  for (const double times : better) {
    if (found.status != RunStatus::reached_end) return;
    SteadyFound next = found;
    next.start.y = found.period.values().col(0);
    accuracy = cycle_options(times * rtol);
    accuracy.most_steps = most_steps_of_better_cycle;
    shoot(accuracy, 0, next);
    if (next.status == RunStatus::newton_failed) return;
    found = std::move(next);
  }
}

CircuitCycleOptions SteadySearch::cycle_options(double rtol) const {
  CircuitCycleOptions options;
  options.rtol = rtol;
  options.absolute = absolute_tolerances(rtol, {});
  options.stop = at_.stop;
  return options;
}

CircuitCycleOptions SteadySearch::known_cycle_options() const {
  CircuitCycleOptions options = cycle_options(*at_.plan.rtol);
  if (!at_.known) return options;
  options.absolute = absolute_tolerances(*at_.plan.rtol, at_.known->signals);
  options.longest_share = at_.known->longest_share;
  return options;
}

// signals: empty as long as they are not known.
Vec SteadySearch::absolute_tolerances(double rtol, const std::vector<SteadySignal>& signals) const {
  const std::vector<Quantity> unknowns = at_.circuit.components();
  std::map<std::string, double> largest = largest_of_units(signals);
  const auto* known = dynamic_cast<const HasLeastValues*>(&at_.problem);
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
void SteadySearch::shoot(CircuitCycleOptions accuracy, int warm_up, SteadyFound& found) const {
  search(accuracy, warm_up, found);
  for (int k = 0; k < most_adaptations && found.status == RunStatus::reached_end; ++k) {
    const Vec wanted = absolute_tolerances(accuracy.rtol, signals_of(found.period, at_.circuit.components(), 0));
    if ((accuracy.absolute.array() <= near_enough * wanted.array()).all()) return;
    accuracy.absolute = wanted;
    found.start.y = found.period.values().col(0);
    search(accuracy, 0, found);
  }
}

void SteadySearch::search(const CircuitCycleOptions& accuracy, int warm_up, SteadyFound& found) const {
  SteadyState& state = found.state;
  CircuitCycle cycle(at_.circuit, found.start, state.period, accuracy);
  cycle.keep_waveform(true);
  CircuitShooting shooting(cycle);
  ShootingOptions options;
  options.warm_up = warm_up;
  options.max_iterations = at_.options.iterations;
  options.noise = share_of_steps * accuracy.rtol;
  options.stop = at_.stop;
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

SteadyFound SteadySearch::find() const {
  SteadyFound found;
  SteadyState& state = found.state;
  found.start = at_.circuit.initial_state();
  found.start.t = *at_.plan.from;
  state.has_clock = at_.period.has_value();
  if (state.has_clock) {
    state.period = *at_.period;
    if (at_.known) {
      found.start = at_.known->start;
      shoot(known_cycle_options(), 0, found);
    }
    if (!at_.known || found.status == RunStatus::newton_failed) shoot_with_some_tolerance(found);
  } else {
    for (const double agreement : swing_agreements) {
      const auto failed_before = std::pair(found.status, found.message);
      if (!guess(agreement, found)) {
        if (state.cycles > 0) std::tie(found.status, found.message) = failed_before;  // says more
        break;
      }
      shoot(known_cycle_options(), 0, found);
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
  state.signals = signals_of(found.period, at_.circuit.components(), at_.options.harmonics);
  fill_powers(state, at_.problem, found.period, at_.options.load);
  return found;
}

}  // namespace

SteadyFound find_steady_state(const SteadyTask& task) { return SteadySearch(task).find(); }

Index find_signal(const Problem& problem, const std::string& name) {
  if (name.empty()) return -1;
  std::vector<std::string> names;
  for (const Quantity& q : problem.components()) names.push_back(q.name);
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end())
    throw UsageError(fmt::format("'{}' has no component '{}'{}", problem.name(), name, suggest(name, names)));
  return place - names.begin();
}
}  // namespace trill
