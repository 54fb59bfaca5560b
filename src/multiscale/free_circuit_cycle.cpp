// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/free_circuit_cycle.hpp"

#include "multiscale/circuit_cycle.hpp"
#include "problem/driven.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double longest_free_cycle = 2;    // times the expected period; then a piece takes the place of a cycle
constexpr double nearly_same_period = 0.2;  // a period that differs by more is the new expected one
constexpr double least_whole = 0.6;         // of the expected period
}  // namespace

FreeCircuitCycle::FreeCircuitCycle(const CircuitProblem& problem, const State& start, ChargeCycle::Section section,
                                   double period, double rtol)
    : start_(start),
      section_(section),
      rtol_(rtol),
      engine_(problem, start, {.rtol = rtol, .period = period}),
      period_(period),
      expected_(period),
      mode_(start.mode) {}

std::unique_ptr<Problem> FreeCircuitCycle::clone() const {
  return std::make_unique<FreeCircuitCycle>(problem(), start_, section_, expected_, rtol_);
}

std::vector<Quantity> FreeCircuitCycle::components() const {
  std::vector<Quantity> all = charge_quantities(problem(), engine_.coordinates());
  all.push_back({"t", time_unit()});
  return all;
}

State FreeCircuitCycle::initial_state() const {
  State s(layout(), start_.t);
  s.y << reduce(start_.y), start_.t;
  return s;
}

Vec FreeCircuitCycle::reduce(In x) const { return reduced_charges(problem(), engine_.coordinates(), x); }

bool FreeCircuitCycle::expand(In z, Out x) const {
  std::vector<int> mode = mode_;
  return engine_.find_start({z[charges()], expected_}, z.head(charges()), x, mode);
}

bool FreeCircuitCycle::run(In z, ChargeCycle::Derivative derivative, const Mat* directions, Out change) const {
  const Index n = charges();
  engine_.end_at(section_);
  if (!engine_.run({z[n], longest_free_cycle * expected_}, z.head(n), mode_, derivative, directions)) return false;
  engine_.coordinates().reduce(engine_.charges(), change.head(n));
  change.head(n) -= z.head(n);
  change[n] = engine_.t() - z[n];
  // A cycle that does not begin on the section, as the first one, is shorter and says nothing about the period.
  if (!engine_.reached_section() || change[n] < least_whole * expected_) return true;
  period_ = change[n];
  if (std::abs(period_ - expected_) > nearly_same_period * expected_) {
    expected_ = period_;
    engine_.set_period(expected_);
  }
  return true;
}

bool FreeCircuitCycle::change(double, In z, Out change) const {
  return run(z, ChargeCycle::Derivative::none, nullptr, change);
}

// Sources that change slowly with the time enter through t alone, which is left out of the derivative.
bool FreeCircuitCycle::change_and_derivative(double, In z, Out change, Mat& derivative) const {
  const Index n = charges();
  const Mat all = Mat::Identity(n, n);
  if (!run(z, ChargeCycle::Derivative::propagate, &all, change)) return false;
  derivative.setZero(n + 1, n + 1);
  for (Index k = 0; k < n; ++k) engine_.coordinates().reduce(engine_.derivatives().col(k), derivative.col(k).head(n));
  derivative.topLeftCorner(n, n) -= all;
  if (engine_.reached_section()) derivative.row(n).head(n) = engine_.end_delays();
  return true;
}

bool FreeCircuitCycle::record(double, In z, Out change) const {
  return run(z, ChargeCycle::Derivative::tape, nullptr, change);
}

bool FreeCircuitCycle::tangent(In v, Out image) const {
  const Index n = charges();
  Mat moved(engine_.coordinates().all(), 1);
  engine_.coordinates().complete_direction(v.head(n), moved.col(0));
  engine_.tape().sweep(moved);
  engine_.coordinates().reduce(moved.col(0), image.head(n));
  image[n] = v[n] + (engine_.reached_section() ? engine_.tape().last_delays()(0, 0) : 0);
  return !engine_.tape().is_full() && all_finite(image);
}

double FreeCircuitCycle::cycles_until(double t, double, In z) const {
  return std::max(0.0, std::floor((t - z[charges()]) / period_));
}

bool FreeCircuitCycle::part(double, In z, double t, Out end) const {
  const Index n = charges();
  engine_.end_at(std::nullopt);
  std::vector<int> mode = mode_;
  if (!engine_.run({z[n], t - z[n]}, z.head(n), mode, ChargeCycle::Derivative::none)) return false;
  mode_ = mode;  // the next cycle goes on from here
  engine_.coordinates().reduce(engine_.charges(), end.head(n));
  end[n] = t;
  return true;
}

void FreeCircuitCycle::memory(Archive& archive) {
  archive(period_, expected_, mode_);
  engine_.set_period(expected_);
}

void FreeCircuitCycle::sizes(In, In largest, Out sizes) const {
  sizes = largest;
  sizes[charges()] = period_ / (2 * std::numbers::pi);
}

std::vector<double> FreeCircuitCycle::breakpoints(double t0, double t1) const {
  const auto* driven = dynamic_cast<const Driven*>(&problem());
  return driven ? driven->slow_corners(expected_, t0, t1) : std::vector<double>();
}
}  // namespace trill
