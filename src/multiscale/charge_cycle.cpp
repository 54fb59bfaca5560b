// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/charge_cycle.hpp"

#include "problem/driven.hpp"
#include "problem/time_marks.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double looks_in_one_cycle = 50;  // steps at least, if the problem does not limit them
constexpr double usual_tolerance = 1e-6, usual_tolerance_of_currents = 1e-9;
constexpr double shortest_step = 1e-13;    // of the cycle
constexpr double corner_accuracy = 1e-10;  // corners closer than this share of a cycle are one
constexpr double safety = 0.9, most_growth = 100, most_shrinking = 0.05, after_failure = 0.25;
constexpr int order = 3;
constexpr double moments[] = {1e-8, 1e-6, 1e-4};  // of the cycle

ChargeTolerances tolerances_of(const CircuitProblem& problem, const ChargeCycle::Settings& settings,
                               const ChargeCoordinates& coordinates) {
  ChargeTolerances tolerances{settings.rtol, Vec(problem.layout().size()), coordinates.capacity()};
  const auto components = problem.components();
  for (Index k = 0; k < tolerances.unknown.size(); ++k)
    tolerances.unknown[k] =
        components[static_cast<std::size_t>(k)].unit == "A" ? usual_tolerance_of_currents : usual_tolerance;
  if (settings.absolute.size() > 0) tolerances.unknown = settings.absolute;
  tolerances.charge.array() *= tolerances.unknown.array();
  return tolerances;
}
}  // namespace

ChargeCycle::ChargeCycle(const CircuitProblem& problem, const State& start, const Settings& settings)
    : owner_(problem.clone()),
      problem_(&owner_->as<CircuitProblem>("a cycle of a circuit")),
      switched_(dynamic_cast<const Switched*>(problem_)),
      session_(*problem_, Formulas::held),
      start_(start),
      state_(start),
      scratch_(start),
      after_(start),
      settings_(settings),
      coordinates_(*problem_, start.t, start.y),
      consistent_(*problem_, start.t, start.y),
      step_(*problem_, tolerances_of(*problem_, settings, coordinates_), counts_),
      tape_(*problem_, step_.tableau(), settings.tape_bytes),
      last_(*problem_, step_.tableau(), settings.tape_bytes),
      charges_(Vec::Zero(start.y.size())),
      current_(charges_),
      rate_(charges_),
      gradient_(charges_),
      values_(charges_),
      events_(problem_->events()),
      sides_(events_.size(), 0),
      step_share_(settings.longest_share) {
  session_.enter(start_);
}

void ChargeCycle::set_period(double period) { settings_.period = period; }

// The error of a step has order 3.
void ChargeCycle::halve_steps() {
  step_share_ /= 2;
  step_.tighten(8);
  settings_.most_steps *= 8;
}

void ChargeCycle::watch_fast_oscillations(Vec sizes) { fast_.watch(std::move(sizes)); }

void ChargeCycle::end_at(const std::optional<Section>& section) {
  section_ = section;
  sides_.resize(events_.size() + (section ? 1 : 0));
}

bool ChargeCycle::fail(const std::string& what) {
  failure_ = fmt::format("at t = {:.9g} {}", state_.t, what);
  return false;
}

double ChargeCycle::longest_step(const Span& span) const {
  double longest = settings_.period / looks_in_one_cycle;
  if (const auto marks = time_marks_of(*problem_, span.t0, span.t0 + settings_.period); !marks.empty()) {
    longest = HUGE_VAL;
    for (const TimeMark& mark : marks) longest = std::min(longest, mark.longest_step);
  }
  return step_share_ * std::min(longest, settings_.period);
}

void ChargeCycle::enter_mode() {
  session_.enter(state_);
  step_.forget_factors();
  step_.forget_past();
}

bool ChargeCycle::find_start(const Span& span, In z, Out x, std::vector<int>& mode) {
  if (const auto* driven = dynamic_cast<const Driven*>(problem_))
    driven->see_slow_sources_later(settings_.period, span.ahead);
  coordinates_.complete(z, charges_);
  state_.t = span.t0;
  const std::vector<int> mode_before = mode;
  if (find_values(x, mode)) return true;
  // The end of the last cycle is often near.
  x = state_.y;
  mode = mode_before;
  return find_values(x, mode) ||
         fail("no voltages and currents were found that belong to the charges at the start of a cycle");
}

// The values at the time of the state that belong to the charges, and the switches that belong to the values.
bool ChargeCycle::find_values(Out x, std::vector<int>& mode) {
  for (std::size_t round = 0; round <= mode.size() + 1; ++round) {
    state_.mode = mode;
    session_.enter(state_);
    const bool found = consistent_.find(state_.t, charges_, x) == ConsistentCharges::Status::ok && all_finite(x);
    if (consistent_.is_rounded()) ++counts_.rounded;
    if (!found) step_.begin_cycle(charges_, x, settings_.period);
    if (!found && !find_values_later(x)) return false;
    if (!switched_ || !switched_->turn_switches(x, mode)) return true;
  }
  return true;
}

// Where diodes block on both sides of an inductor, its current determines voltages by leakage alone, and they cannot be
// found in this way. A step needs the charges where it begins and no more; where a short one ends, the inductor itself
// determines the voltages.
bool ChargeCycle::find_values_later(Out x) {
  step_.forget_factors();
  for (const double moment : moments)
    if (step_.attempt(state_.t, moment * settings_.period, charges_, x)) {
      x = step_.end();
      return true;
    }
  return false;
}

bool ChargeCycle::run(const Span& span, In z, std::vector<int>& mode, Derivative derivative, const Mat* directions) {
  failure_.clear();
  wanted_ = derivative;
  ++counts_.cycles;
  if (derivative != Derivative::none) ++counts_.derivatives;
  if (derivative == Derivative::tape) tape_.clear();
  trace_.begin(state_.y.size());
  fast_.begin(settings_.period);
  if (!all_finite(z)) return fail("a cycle begins with charges that are not finite");
  values_ = start_.y;
  if (!find_start(span, z, values_, mode)) return false;
  state_.y = values_;
  if (directions) {
    derivatives_.resize(state_.y.size(), directions->cols());
    for (Index k = 0; k < directions->cols(); ++k)
      coordinates_.complete_direction(directions->col(k), derivatives_.col(k));
  }
  const bool done = integrate(span);
  mode = state_.mode;
  return done;
}

// A common period of the sources may have thousands of periods of the fastest one.
double ChargeCycle::clocks_in_cycle() const {
  return std::max(1.0, settings_.period / problem_->clock_period().value_or(HUGE_VAL));
}

bool ChargeCycle::integrate(const Span& span) {
  const double end = span.t0 + span.duration, one = corner_accuracy * settings_.period;
  budget_.begin(span.t0, settings_.period, clocks_in_cycle(), settings_.most_steps);
  longest_ = wish_ = longest_step(span);
  step_.begin_cycle(charges_, state_.y, settings_.period);
  find_sides();
  has_stepped_ = reached_ = false;
  begin_ = span.t0;
  trace_.point(state_.t, state_.y);
  for (const double corner : problem_->breakpoints(span.t0, end))
    if (!reached_ && corner > state_.t + one && corner < end - one && !pass(corner)) return false;
  if (!reached_ && !pass(end)) return false;
  if (!all_finite(charges_) || (wanted_ == Derivative::propagate && !derivatives_.allFinite()))
    return fail("the values are no longer finite");
  return true;
}

bool ChargeCycle::pass(double end) {
  while (end - state_.t > corner_accuracy * settings_.period) {
    const Outcome outcome = pass_smoothly(state_.t, end);
    if (outcome == Outcome::failed) return false;
    if (reached_) return true;
    if (outcome == Outcome::end) break;
  }
  state_.t = end;
  step_.forget_past();
  return true;
}

// Equal parts of the time, each of which is halved as often as the error requires.
ChargeCycle::Outcome ChargeCycle::pass_smoothly(double from, double end) {
  const double parts = std::max(1.0, std::ceil((end - from) / longest_ * (1 - 1e-9)));
  const double part = (end - from) / parts;
  double done = 0;  // a sum of powers of 1/2, without rounding
  while (done < parts) {
    double share = 1;
    while (share * part > wish_ * (1 + 1e-9) || share > parts - done) share *= 0.5;
    const double h = share * part;
    if (h < shortest_step * settings_.period) {
      fail("steps became too short: the circuit changes too quickly, or has no solution there");
      return Outcome::failed;
    }
    if (settings_.stop && settings_.stop->load(std::memory_order_relaxed)) {
      fail("stopped");
      return Outcome::failed;
    }
    budget_.look(state_.t);
    if (!budget_.take_step()) {
      fail(budget_.reason());
      return Outcome::failed;
    }
    if (!step_.attempt(state_.t, h, charges_, state_.y)) {
      ++counts_.rejected;
      wish_ = after_failure * h;
      step_.forget_past();
      continue;
    }
    const double error = step_.error();
    const double factor =
        std::clamp(safety * std::pow(std::max(error, 1e-12), -1.0 / order), most_shrinking, most_growth);
    if (error > 1) {
      ++counts_.rejected;
      wish_ = factor * h;
      continue;
    }
    wish_ = factor < 1 ? factor * h : std::max(wish_, factor * h);
    if (const auto crossing = first_crossing()) {
      const Outcome landed = land_on_event(*crossing);
      if (landed != Outcome::end) return landed;
      continue;
    }
    if (!take_step()) return Outcome::failed;
    done += share;
    state_.t = from + done * part;
    arm_section();
  }
  return Outcome::end;
}

bool ChargeCycle::take_step() {
  step_.accept();
  for (int i = 0; i < ChargeStep::stages; ++i) trace_.integrate(step_.weight(i) * step_.h(), step_.values().col(i));
  if (wanted_ == Derivative::tape && !tape_.add_step(step_, counts_) && !tape_.is_full())
    return fail("the matrix of a step is singular");
  if (wanted_ == Derivative::propagate) {
    last_.clear();
    if (!last_.add_step(step_, counts_)) return fail("the matrix of a step is singular");
    last_.sweep(derivatives_);
    fast_.look(last_, coordinates_, step_.h());
  }
  charges_ = step_.end_charges();
  state_.y = step_.end();
  state_.t = step_.t() + step_.h();
  trace_.point(state_.t, state_.y);
  has_stepped_ = true;
  return true;
}
}  // namespace trill
