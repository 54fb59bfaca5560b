// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_trace.hpp"

#include <limits>

namespace trill {
void CycleTrace::begin(Index unknowns) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  duration_ = 0;
  min_.setConstant(unknowns, infinity);
  max_.setConstant(unknowns, -infinity);
  integral_.setZero(unknowns);
  square_.setZero(unknowns);
  times_.clear();
  values_.clear();
}

void CycleTrace::point(double t, In x) {
  min_ = min_.cwiseMin(x);
  max_ = max_.cwiseMax(x);
  if (!keeps_points_) return;
  times_.push_back(t);
  values_.insert(values_.end(), x.data(), x.data() + x.size());
}

void CycleTrace::integrate(double weight, In x) {
  duration_ += weight;
  integral_ += weight * x;
  square_ += weight * x.cwiseAbs2();
}

Vec CycleTrace::mean() const { return duration_ > 0 ? Vec(integral_ / duration_) : integral_; }

// Quadratures with negative weights may leave a little less than nothing.
Vec CycleTrace::rms() const { return duration_ > 0 ? Vec((square_ / duration_).cwiseMax(0).cwiseSqrt()) : square_; }
}  // namespace trill
