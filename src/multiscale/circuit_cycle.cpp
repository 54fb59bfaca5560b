// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/circuit_cycle.hpp"

#include "problem/driven.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double nearly_whole = 1e-9;  // cycle numbers this near to a whole number are one
constexpr double commensurate = 1e-6;  // of a period
constexpr int most_multiples = 16;     // of the longest period
constexpr double small_change = 1e-3;  // in volts and amperes: junctions are nearly linear within it
constexpr double plain_looks = 50;     // steps at least in a cycle by an ordinary method
}  // namespace

CircuitCycle::CircuitCycle(const CircuitProblem& problem, const State& start, double period,
                           const CircuitCycleOptions& options)
    : start_(start),
      period_(period),
      options_(options),
      engine_(problem, start,
              {.rtol = options.rtol,
               .tape_bytes = options.tape_bytes,
               .absolute = options.absolute,
               .longest_share = options.longest_share,
               .period = period,
               .most_steps = options.most_steps,
               .stop = options.stop}),
      mode_(start.mode) {
  if (!(period > 0 && std::isfinite(period)))
    throw UsageError(fmt::format("the period of a cycle must be positive; {:g} was given", period));
}

std::unique_ptr<Problem> CircuitCycle::clone() const {
  auto copy = std::make_unique<CircuitCycle>(problem(), start_, period_, options_);
  copy->mode_ = mode_;
  copy->keep_waveform(trace().keeps_points());
  return copy;
}

void CircuitCycle::set_period(double period) {
  period_ = period;
  engine_.set_period(period);
}

std::vector<Quantity> charge_quantities(const CircuitProblem& problem, const ChargeCoordinates& coordinates) {
  const std::vector<Quantity> unknowns = problem.components();
  std::vector<Quantity> all;
  for (Index k = 0; k < coordinates.independent(); ++k) {
    const Quantity& of = unknowns[static_cast<std::size_t>(coordinates.row(k))];
    const bool is_flux = of.unit == "A";
    all.push_back({fmt::format("{} of {}", is_flux ? "flux" : "charge", of.name),
                   is_flux ? "Wb" : (of.unit == "V" ? "C" : ""), QuantityKind::auxiliary});
  }
  return all;
}

Vec reduced_charges(const CircuitProblem& problem, const ChargeCoordinates& coordinates, In x) {
  Vec charges(x.size()), z(coordinates.independent());
  problem.charge(x, charges);
  coordinates.reduce(charges, z);
  return z;
}

Vec charge_scale(In x, const std::function<Vec(In)>& reduce) {
  const Vec z = reduce(x);
  Vec scale = Vec::Zero(z.size()), moved = x;
  for (Index j = 0; j < x.size(); ++j) {
    moved[j] += small_change;
    scale = scale.cwiseMax((reduce(moved) - z).cwiseAbs() / small_change);
    moved[j] = x[j];
  }
  return scale;
}

std::vector<Quantity> CircuitCycle::components() const { return charge_quantities(problem(), engine_.coordinates()); }

State CircuitCycle::initial_state() const {
  State s(layout());
  s.y = reduce(start_.y);
  return s;
}

Vec CircuitCycle::reduce(In x) const { return reduced_charges(problem(), engine_.coordinates(), x); }

ChargeCycle::Span CircuitCycle::span(double n, double duration) const {
  double whole = std::floor(n);
  if (n - whole > 1 - nearly_whole) ++whole;
  const double rest = std::abs(n - whole) <= nearly_whole ? 0 : n - whole;
  return {start_.t + whole * period_, duration, rest * period_};
}

bool CircuitCycle::expand(double n, In z, Out x) const {
  std::vector<int> mode = mode_;
  return engine_.find_start(span(n, period_), z, x, mode);
}

Vec CircuitCycle::end_rate() const {
  Vec current(problem().layout().size()), rate(independent());
  engine_.end_current(current);
  engine_.coordinates().reduce(-current, rate);
  return rate;
}

bool CircuitCycle::run(double n, In z, Out change, ChargeCycle::Derivative derivative, const Mat* directions) const {
  if (!engine_.run(span(n, period_), z, mode_, derivative, directions)) return false;
  engine_.coordinates().reduce(engine_.charges(), change);
  change -= z;
  return true;
}

bool CircuitCycle::change(double n, In z, Out change) const { return run(n, z, change, ChargeCycle::Derivative::none); }

bool CircuitCycle::change_and_derivative(double n, In z, Out change, Mat& derivative) const {
  const Mat all = Mat::Identity(independent(), independent());
  if (!run(n, z, change, ChargeCycle::Derivative::propagate, &all)) return false;
  derivative.resize(independent(), independent());
  for (Index k = 0; k < independent(); ++k)
    engine_.coordinates().reduce(engine_.derivatives().col(k), derivative.col(k));
  derivative -= all;
  return true;
}

std::optional<CircuitCycle::HalfSteps> CircuitCycle::with_half_steps(double n, In z, const Mat& directions,
                                                                     const Vec& sizes) const {
  CircuitCycle finer(problem(), start_, period_, options_);
  finer.mode_ = mode_;
  finer.engine_.halve_steps();
  if (directions.cols() == independent()) finer.engine_.watch_fast_oscillations(sizes);
  Vec change(independent());
  if (!finer.run(n, z, change, ChargeCycle::Derivative::propagate, &directions)) return std::nullopt;
  HalfSteps found{Mat(independent(), directions.cols()), finer.engine_.fast_oscillations().slowest(), finer.counts()};
  for (Index k = 0; k < directions.cols(); ++k)
    engine_.coordinates().reduce(finer.engine_.derivatives().col(k), found.moved.col(k));
  return found;
}

// Only the cycles themselves can be passed in this way, not those between two of them that stages of methods need.
bool CircuitCycle::change_plainly(double n, In z, Out change) const {
  if (std::abs(n - std::round(n)) > nearly_whole) return false;
  State s = start_;
  s.t = time(std::round(n), z);
  s.mode = mode_;
  if (!engine_.find_start(span(n, period_), z, s.y, s.mode)) return false;
  if (!plain_) plain_ = std::make_unique<SwitchedMotion>(problem(), start_, options_.rtol, period_ / plain_looks);
  const double end = s.t + period_;
  CycleTrace& trace = engine_.trace();
  trace.begin(s.y.size());
  trace.point(s.t, s.y);
  plain_->start(s, end);
  while (plain_->state().t < end) {
    const State before = plain_->state();
    if (!plain_->step(end)) return false;
    const State& after = plain_->state();
    trace.integrate((after.t - before.t) / 2, before.y);
    trace.integrate((after.t - before.t) / 2, after.y);
    trace.point(after.t, after.y);
  }
  mode_ = plain_->state().mode;
  change = reduce(plain_->state().y) - z;
  return true;
}

std::vector<double> CircuitCycle::breakpoints(double t0, double t1) const {
  std::vector<double> ends;
  const auto* driven = dynamic_cast<const Driven*>(&problem());
  if (!driven) return ends;
  for (const double corner : driven->slow_corners(period_, t0, t1)) {
    const double n = (corner - start_.t) / period_;
    for (const double whole : {std::floor(n + nearly_whole), std::ceil(n - nearly_whole)})
      if (const double end = start_.t + whole * period_; end > t0 && end < t1) ends.push_back(end);
  }
  return ends;
}

bool CircuitCycle::part(double n, In z, double t, Out end) const {
  std::vector<int> mode = mode_;
  if (!engine_.run(span(n, t - time(n, z)), z, mode, ChargeCycle::Derivative::none)) return false;
  engine_.coordinates().reduce(engine_.charges(), end);
  return true;
}

bool CircuitCycle::record(double n, In z, Out change) const {
  recorded_n_ = n;
  recorded_z_ = z;
  recorded_mode_ = mode_;
  return run(n, z, change, ChargeCycle::Derivative::tape);
}

bool CircuitCycle::tangent(In v, Out phi_v) const {
  Mat direction = v;
  if (engine_.tape().is_full()) {
    std::vector<int> mode = recorded_mode_;
    if (!engine_.run(span(recorded_n_, period_), recorded_z_, mode, ChargeCycle::Derivative::propagate, &direction))
      return false;
    engine_.coordinates().reduce(engine_.derivatives().col(0), phi_v);
    return true;
  }
  Mat moved(engine_.coordinates().all(), 1);
  engine_.coordinates().complete_direction(v, moved.col(0));
  engine_.tape().sweep(moved);
  engine_.coordinates().reduce(moved.col(0), phi_v);
  return all_finite(phi_v);
}

std::optional<double> common_period(const CircuitProblem& problem) {
  const auto* driven = dynamic_cast<const Driven*>(&problem);
  if (!driven) return problem.clock_period();
  const std::vector<double> periods = driven->source_periods();
  if (periods.empty()) return std::nullopt;
  const double longest = *std::max_element(periods.begin(), periods.end());
  for (int k = 1; k <= most_multiples; ++k) {
    const double multiple = k * longest;
    const auto divides = [&](double period) {
      return std::abs(multiple - std::round(multiple / period) * period) <= commensurate * period;
    };
    if (std::all_of(periods.begin(), periods.end(), divides)) return multiple;
  }
  return std::nullopt;
}
}  // namespace trill
