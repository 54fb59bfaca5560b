// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/envelope_gain.hpp"

#include "multiscale/cycle_matrix.hpp"
#include "multiscale/cycle_methods.hpp"
#include "trill/control/advance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int first_cycles = 3;  // a circuit often begins without any currents, so its first cycles are peculiar
constexpr std::size_t most_corners = 4;  // that are looked at; what comes after is taken to be like the last of them
constexpr Index most_with_matrix = 60;   // unknowns
constexpr double forecast_tolerance = 1e-3;
constexpr std::int64_t most_rehearsed_steps = 20000;
constexpr double nearly_a_cycle = 1e-6;
// A rehearsal that has computed so many cycles looks again whether cycles are still what they were, and again after
// twice as many: diodes change what a cycle does along the way.
constexpr double until_next_look = 12;
constexpr int most_looks = 4;
constexpr double alike = 0.2;  // difference of two maps that are still the same one

// What a cycle does near a state: z(n+1) = z(n) + change + derivative (z(n) - at).
struct LinearCycle {
  Vec at, change;
  Mat derivative;
};

class LinearCycles final : public CycleMap {
 public:
  // cycle: may be replaced in the course of a rehearsal.
  LinearCycles(std::shared_ptr<const LinearCycle> cycle, In start, bool in_tolerances)
      : cycle_(std::move(cycle)), start_(start), in_tolerances_(in_tolerances) {}
  std::string name() const override { return "linear cycles"; }
  Layout layout() const override { return {.nq = start_.size()}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(start_.size()));
  }
  State initial_state() const override {
    State s(layout());
    s.y = start_;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<LinearCycles>(*this); }
  bool change(double, In z, Out change) const override {
    change = cycle_->change + cycle_->derivative * (z - cycle_->at);
    return true;
  }
  bool change_and_derivative(double n, In z, Out change_here, Mat& derivative) const override {
    derivative = cycle_->derivative;
    return change(n, z, change_here);
  }
  bool derives_cheaply() const override { return true; }
  void sizes(In, In largest, Out sizes) const override {
    sizes = largest;
    if (in_tolerances_) sizes.setZero();
  }

 private:
  std::shared_ptr<const LinearCycle> cycle_;
  Vec start_;
  bool in_tolerances_;
};

// A run of cycle_bdf over linear cycles.
class Rehearsal {
 public:
  Rehearsal(LinearCycles map, double cycles, const AdaptiveStep& control, const OptionSet& options = {})
      : map_(std::move(map)),
        cycles_(cycles),
        whole_(std::max(1.0, std::floor(cycles + nearly_a_cycle))),
        stepper_(cycle_methods().method("cycle_bdf").make(map_, options)),
        advancer_(*stepper_, control),
        state_(map_.initial_state()) {
    advancer_.start(state_, whole_);
  }

  // To the end, or until so many cycles have been computed.
  void follow(double most_computed = HUGE_VAL) {
    while (!is_over() && computed() < most_computed)
      failed_ = advancer_.one(state_, whole_).status != AdvanceStatus::ok;
  }
  bool is_over() const { return failed_ || state_.t >= whole_ || advancer_.counters().steps >= most_rehearsed_steps; }
  double computed() const {
    return failed_ ? cycles_ : std::min(cycles_, static_cast<double>(advancer_.counters().micro_steps));
  }
  double passed() const { return state_.t; }
  const Vec& z() const { return state_.y; }

 private:
  LinearCycles map_;
  double cycles_, whole_;
  std::unique_ptr<Stepper> stepper_;
  Advancer advancer_;
  State state_;
  bool failed_ = false;
};

AdaptiveStep rehearsed_control(double tolerance) {
  return {.rtol = tolerance, .atol = Vec::Constant(1, 1e-3 * tolerance)};
}

// Many unknowns: the changes within the space that the slow directions of the map span, in tolerances.
double rehearse_slow_part(const CycleMap& map, In change, In at, Vec& z, double cycles, double tolerance) {
  KrylovCycleMatrix matrix(at.size(), [&](In v, Out av) {
    if (!map.tangent(v, av)) av.setConstant(std::numeric_limits<double>::quiet_NaN());
  });
  matrix.set_tolerance(forecast_tolerance);
  Vec settled(at.size());
  if (!matrix.solve(change, settled)) return cycles;
  const Vec sizes = at.cwiseAbs().cwiseMax((at + settled).cwiseAbs());
  const Vec in_tolerances = (tolerance * sizes.array().max(sizes.maxCoeff() * 1e-3)).inverse();
  matrix.rescale(in_tolerances);
  const Mat &directions = matrix.directions(), &images = matrix.images();
  const Index p = directions.cols();
  const Vec slow_change = directions.transpose() * change.cwiseProduct(in_tolerances);
  const Vec slow_start = directions.transpose() * (z - at).cwiseProduct(in_tolerances);
  const auto slow_cycle = std::make_shared<const LinearCycle>(
      LinearCycle{Vec::Zero(p), slow_change, directions.transpose() * images - Mat::Identity(p, p)});
  const double least = std::sqrt(static_cast<double>(at.size()) / static_cast<double>(p));
  Rehearsal rehearsal(LinearCycles(slow_cycle, slow_start, true), cycles,
                      {.rtol = tolerance, .atol = Vec::Constant(1, least)}, {{"solver", "picard"}});
  rehearsal.follow();
  z += (directions * (rehearsal.z() - slow_start)).cwiseQuotient(in_tolerances);
  return rehearsal.computed();
}

bool is_alike(const LinearCycle& a, const LinearCycle& b, double tolerance) {
  const Vec size = a.at.cwiseAbs().cwiseMax(b.at.cwiseAbs()).array().max(1e-300);
  const auto in_sizes = [&](const Mat& m) { return Mat(size.cwiseInverse().asDiagonal() * m); };
  const Vec expected = a.change + a.derivative * (b.at - a.at);
  const double most = in_sizes(b.change).cwiseAbs().maxCoeff();
  if (!(in_sizes(b.change - expected).cwiseAbs().maxCoeff() <= alike * most + tolerance)) return false;
  const Mat mine = in_sizes(a.derivative) * size.asDiagonal(), other = in_sizes(b.derivative) * size.asDiagonal();
  return (mine - other).norm() <= alike * other.norm() + tolerance;
}

// Follows linear cycles from z in cycle n to the end. They are replaced where those of the map have become others.
double rehearse_with_looks(const CycleMap& map, const LinearCycle& first, double n, double end, Vec& z,
                           double tolerance) {
  const auto cycle = std::make_shared<LinearCycle>(first);
  Rehearsal rehearsal(LinearCycles(cycle, z, false), end - n, rehearsed_control(tolerance));
  int looks = 0;
  double until_look = until_next_look;
  while (looks < most_looks) {
    rehearsal.follow(until_look);
    const double here = std::round(n + rehearsal.passed());
    LinearCycle next{rehearsal.z(), Vec(z.size()), Mat(z.size(), z.size())};
    if (rehearsal.is_over() || here + 1 >= end ||
        !map.change_and_derivative(here, next.at, next.change, next.derivative))
      break;
    ++looks;
    if (is_alike(*cycle, next, tolerance)) {
      until_look *= 2;
    } else {
      *cycle = std::move(next);
      until_look = rehearsal.computed() + until_next_look;
    }
  }
  rehearsal.follow();
  z = rehearsal.z();
  return rehearsal.computed() + looks;
}

}  // namespace

std::string foreseen(const EnvelopeGain& gain) {
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", gain.computed, gain.computed / forecast_factor,
                     std::min(gain.computed * forecast_factor, gain.cycles));
}

double rehearse(In change, const Mat& derivative, In at, Vec& z, double cycles, double tolerance) {
  const auto cycle = std::make_shared<const LinearCycle>(LinearCycle{at, change, derivative});
  Rehearsal rehearsal(LinearCycles(cycle, z, false), cycles, rehearsed_control(tolerance));
  rehearsal.follow();
  z = rehearsal.z();
  return rehearsal.computed();
}

namespace {
// Computes the first cycles from z in cycle n on, and follows the others as linear ones. false: a cycle could not be
// computed.
bool look_ahead(const CycleMap& map, double n, double end, double tolerance, Vec& z, double& looked,
                double& rehearsed) {
  const bool has_matrix = z.size() <= most_with_matrix;
  LinearCycle linear{z, Vec(z.size()), has_matrix ? Mat(Mat::Zero(z.size(), z.size())) : Mat()};
  looked = 0;
  for (; looked < first_cycles && n + looked + 1 < end; ++looked, linear.at += linear.change)
    if (!map.change(n + looked, linear.at, linear.change)) return false;
  const double here = n + looked++;
  if (!(has_matrix ? map.change_and_derivative(here, linear.at, linear.change, linear.derivative)
                   : map.record(here, linear.at, linear.change)))
    return false;
  rehearsed = has_matrix ? rehearse_with_looks(map, linear, n, end, z, tolerance)
                         : rehearse_slow_part(map, linear.change, linear.at, z, end - n, tolerance);
  return true;
}

}  // namespace

bool predict_gain(const CycleMap& map, In start, double cycles, const std::vector<double>& corners, double tolerance,
                  EnvelopeGain& gain) {
  gain = {cycles, 0};
  Vec z = start;
  double n = 0, looked = 0, last = 0;
  bool looks = true;  // where linear cycles have led astray, those of a later corner may fail
  for (std::size_t k = 0; k <= corners.size() && n < cycles; ++k) {
    const double end = k < corners.size() ? std::min(corners[k], cycles) : cycles;
    if (!(end > n)) continue;
    looks = looks && k <= most_corners && look_ahead(map, n, end, tolerance, z, looked, last);
    if (!looks && last == 0) return false;
    gain.computed += (looks ? looked : 0) + std::min(last, end - n);
    n = end;
  }
  gain.computed = std::min(gain.computed, cycles);
  return true;
}
}  // namespace trill
