// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/envelope_form.hpp"

#include "multiscale/circuit_cycle.hpp"
#include "multiscale/orbit_cycle.hpp"
#include "problem/clocked.hpp"
#include "problem/driven.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double cycles_share = 0.1;  // tolerance of a cycle in that of the envelope
constexpr double usual_tolerance = 3e-5;
constexpr Index most_bands = 48;  // more would not be readable
constexpr double least_gain = 1.5;
constexpr double room_for_the_rest = 1.2;  // cycles may become longer

std::optional<double> period_of(const CircuitProblem& circuit, double given) {
  if (given > 0) return given;
  const auto* driven = dynamic_cast<const Driven*>(&circuit);
  if (driven && driven->cycle_wish().period > 0) return driven->cycle_wish().period;
  return common_period(circuit);
}

std::unique_ptr<CycleView> view_of_circuit(const CircuitProblem& circuit, const State& start, double period,
                                           double rtol, double until) {
  if (const auto known = period_of(circuit, period)) return view_circuit(circuit, start, *known, rtol);
  return view_free_circuit(circuit, start, rtol, until);
}

std::unique_ptr<CycleView> view_of(const Problem& problem, const State& start, double period, double rtol,
                                   double until) {
  if (const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem))
    return view_of_circuit(*circuit, start, period, rtol, until);
  if (period > 0) return view_driven(problem, start, period, rtol);
  // Errors of a revolution add up over thousands of them, those of the envelope only over its steps.
  if (why_no_orbit(problem, start).empty()) return view_orbit(problem, start, 0.01 * rtol);
  if (const auto drive = drive_period_of(problem)) return view_driven(problem, start, *drive, rtol);
  throw UsageError(fmt::format(
      "envelope: the length of a cycle of '{}' is not known; give it by --set period=..., or use the method "
      "envelope_switching, which finds it",
      problem.name()));
}
}  // namespace

EnvelopeForm::EnvelopeForm(const Problem& given, const EnvelopeOptions& options) : given_(given), options_(options) {
  show(given.initial_state());
  name_quantities();
}

void EnvelopeForm::show(const State& start) {
  map_.show(view_of(given_, start, options_.period, cycles_share * tolerance(), scope_.t_end));
  map_.end_after(options_.revolutions);
}

void EnvelopeForm::name_quantities() {
  const auto components = given_.components();
  if (static_cast<Index>(components.size()) > most_bands || !map_.view().trace()) return;
  banded_ = static_cast<Index>(components.size());
  for (const Quantity& c : components) quantities_.push_back({"middle_" + c.name, c.unit, QuantityKind::middle});
  for (const Quantity& c : components) quantities_.push_back({"amplitude_" + c.name, c.unit, QuantityKind::amplitude});
  for (const Quantity& c : components) quantities_.push_back({"mean_" + c.name, c.unit});
}

void EnvelopeForm::enter(const State& given, State& in, Notes& notes) {
  show(given);
  in = map_.initial_state();
  begin_ = in.t;
  if (scope_.t_end == scope_.t_begin) return;  // the span of the run is not known
  if (!(scope_.t_end > given.t)) throw UsageError("an envelope cannot be followed backwards in time");
  const double cycles =
      options_.revolutions > 0 ? options_.revolutions : (scope_.t_end - given.t) / map_.view().period();
  if (cycles < 2)
    throw UsageError(
        fmt::format("the run from {:g} to {:g} has less than two cycles of length {:g}, so it has no envelope", given.t,
                    scope_.t_end, map_.view().period()));
  predict(in, notes);
}

// The cycles around which sources change for good.
std::vector<double> EnvelopeForm::corners(const State& in) const {
  const double period = map_.view().period();
  std::vector<double> corners;
  for (const double t : map_.breakpoints(in.t, scope_.t_end)) {
    const double n = std::round((t - in.t) / period);
    if (corners.empty() || n > corners.back() + 1) corners.push_back(n);
    corners.back() = n;
  }
  return corners;
}

void EnvelopeForm::predict(const State& in, Notes& notes) {
  const double cycles = options_.revolutions > 0 ? options_.revolutions : (scope_.t_end - in.t) / map_.view().period();
  const double before = map_.view().cycles_before();
  const State from = map_.typical_state();
  Vec change(in.y.size());
  if (!(map_.view().is_foreseeable() ? predict_gain(map_, from.y, cycles - before, corners(from), tolerance(), gain_)
                                     : map_.change(0, in.y, change)) &&
      !map_.change_plainly(0, in.y, change))
    throw UsageError(
        fmt::format("envelope: the first cycles of '{}' cannot be computed: {}", given_.name(), map_.trouble()));
  gain_.cycles = cycles;
  if (gain_.computed == 0) return;
  gain_.computed += 2 * before;  // once to find out what a cycle is, and once more in the run
  notes.raise_with(
      in.t, "envelope_forecast",
      [&] { return fmt::format("About {} of {:.0f} cycles will have to be computed.", foreseen(gain_), gain_.cycles); },
      Severity::info, gain_.gain(), 1);
}

std::string EnvelopeForm::reluctance() const {
  if (gain_.computed == 0 || gain_.gain() >= least_gain) return "";
  return fmt::format("its envelope would need about {} of its {:.0f} cycles, so that it does not pay", foreseen(gain_),
                     gain_.cycles);
}

void EnvelopeForm::leave(const State& in, State& out) const { left_ = map_.leave(in.t, in.y, out); }

AfterStep EnvelopeForm::after_step(State& in, Notes&) {
  State out = given_.initial_state();
  leave(in, out);
  return left_ ? AfterStep::kept : AfterStep::refused;
}

std::optional<double> EnvelopeForm::end(const State& in) const {
  if (options_.revolutions == 0) return std::nullopt;
  const double done = map_.reached(), left = options_.revolutions - done;
  const double period = done > 0 ? (in.t - begin_) / done : map_.view().period();
  return left > 0 ? in.t + room_for_the_rest * left * period : in.t;
}

std::string EnvelopeForm::refusal() const {
  const std::string trouble = map_.trouble();
  return "no state of the model was found that belongs to the envelope" + (trouble.empty() ? "" : ": " + trouble) +
         "; use a smaller rtol";
}

double EnvelopeForm::tolerance() const { return scope_.tolerance > 0 ? scope_.tolerance : usual_tolerance; }

std::string EnvelopeForm::summary() const {
  const double computed = static_cast<double>(map_.computed()), all = map_.reached();
  const std::string predicted = gain_.computed > 0 ? ", predicted about " + foreseen(gain_) : "";
  const std::string products =
      map_.products() > 0 ? fmt::format(", with {} products with the derivative of a cycle", map_.products()) : "";
  // The first one may be computed twice, to find its period.
  if (computed >= all) return fmt::format("all {:.0f} cycles were computed{}{}", all, predicted, products);
  return fmt::format("{:.0f} of {:.0f} cycles were computed{}{}", computed, all, predicted, products);
}

void EnvelopeForm::account(Counters& work) const {
  work.forces.fill(0);
  map_.view().count(work);
}

void EnvelopeForm::diagnose(Out values) const {
  if (banded_ == 0) return;
  const CycleTrace& trace = *map_.view().trace();
  values.head(banded_) = (trace.max() + trace.min()) / 2;
  values.segment(banded_, banded_) = (trace.max() - trace.min()) / 2;
  values.tail(banded_) = trace.mean();
}
}  // namespace trill
