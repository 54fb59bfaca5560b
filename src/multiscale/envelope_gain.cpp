// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/envelope_gain.hpp"

#include "multiscale/cycle_matrix.hpp"
#include "multiscale/cycle_methods.hpp"
#include "trill/control/advance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr int first_cycles = 3;  // a circuit often begins without any currents, so its first cycles are peculiar
constexpr std::size_t most_corners = 4;  // that are looked at; what comes after is taken to be like the last of them
constexpr Index most_with_matrix = 60;   // unknowns
constexpr double forecast_tolerance = 1e-3;
constexpr std::int64_t most_rehearsed_steps = 20000;
constexpr double nearly_a_cycle = 1e-6;

// z(n+1) = z(n) + change + derivative (z(n) - at).
class AffineCycles final : public CycleMap {
 public:
  AffineCycles(In change, const Mat& derivative, In at, In start, bool in_tolerances)
      : change_(change), derivative_(derivative), at_(at), start_(start), in_tolerances_(in_tolerances) {}
  std::string name() const override { return "linear cycles"; }
  Layout layout() const override { return {.nq = change_.size()}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(change_.size()));
  }
  State initial_state() const override {
    State s(layout());
    s.y = start_;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<AffineCycles>(*this); }
  bool change(double, In z, Out change) const override {
    change = change_ + derivative_ * (z - at_);
    return true;
  }
  bool change_and_derivative(double n, In z, Out change_here, Mat& derivative) const override {
    derivative = derivative_;
    return change(n, z, change_here);
  }
  bool derives_cheaply() const override { return true; }
  void sizes(In, In largest, Out sizes) const override {
    sizes = largest;
    if (in_tolerances_) sizes.setZero();
  }

 private:
  Vec change_;
  Mat derivative_;
  Vec at_, start_;
  bool in_tolerances_;
};

double follow(const AffineCycles& map, Vec& z, double cycles, const AdaptiveStep& control,
              const OptionSet& options = {}) {
  const double whole = std::max(1.0, std::floor(cycles + nearly_a_cycle));
  const auto stepper = cycle_methods().method("cycle_bdf").make(map, options);
  Advancer advancer(*stepper, control);
  State s = map.initial_state();
  advancer.start(s, whole);
  while (s.t < whole && advancer.counters().steps < most_rehearsed_steps)
    if (advancer.one(s, whole).status != AdvanceStatus::ok) return cycles;
  z = s.y;
  return std::min(cycles, static_cast<double>(advancer.counters().micro_steps));
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
  const AffineCycles affine(slow_change, directions.transpose() * images - Mat::Identity(p, p), Vec::Zero(p),
                            slow_start, true);
  const double least = std::sqrt(static_cast<double>(at.size()) / static_cast<double>(p));
  Vec end = slow_start;
  const double computed =
      follow(affine, end, cycles, {.rtol = tolerance, .atol = Vec::Constant(1, least)}, {{"solver", "picard"}});
  z += (directions * (end - slow_start)).cwiseQuotient(in_tolerances);
  return computed;
}

}  // namespace

double rehearse(In change, const Mat& derivative, In at, Vec& z, double cycles, double tolerance) {
  const AffineCycles affine(change, derivative, at, z, false);
  return follow(affine, z, cycles, {.rtol = tolerance, .atol = Vec::Constant(1, 1e-3 * tolerance)});
}

namespace {
// Computes the first cycles from z in cycle n on, and follows the others as linear ones. false: a cycle could not be
// computed.
bool look_ahead(const CycleMap& map, double n, double end, double tolerance, Vec& z, double& looked,
                double& rehearsed) {
  const bool has_matrix = z.size() <= most_with_matrix;
  Vec at = z, change(z.size());
  Mat derivative = has_matrix ? Mat(Mat::Zero(z.size(), z.size())) : Mat();
  looked = 0;
  for (; looked < first_cycles && n + looked + 1 < end; ++looked, at += change)
    if (!map.change(n + looked, at, change)) return false;
  const double here = n + looked++;
  if (!(has_matrix ? map.change_and_derivative(here, at, change, derivative) : map.record(here, at, change)))
    return false;
  rehearsed = has_matrix ? rehearse(change, derivative, at, z, end - n, tolerance)
                         : rehearse_slow_part(map, change, at, z, end - n, tolerance);
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
