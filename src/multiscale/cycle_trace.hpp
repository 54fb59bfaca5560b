// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <vector>

namespace trill {
// What every unknown did during one cycle. An integrator feeds it step by step: points of the motion, and values with
// the weights of a quadrature in time.
class CycleTrace {
 public:
  void keep_points(bool keep) { keeps_points_ = keep; }  // false: only the figures below
  bool keeps_points() const { return keeps_points_; }
  void begin(Index unknowns);
  void point(double t, In x);           // on the motion, in the order of time; two at one time where it jumps
  void integrate(double weight, In x);  // adds weight times x, and weight times x^2; the weights add up to the time

  double duration() const { return duration_; }
  const Vec& min() const { return min_; }
  const Vec& max() const { return max_; }
  Vec mean() const;
  Vec rms() const;
  // The points, if they are kept: one column of values per time.
  const std::vector<double>& times() const { return times_; }
  Eigen::Map<const Mat> values() const { return {values_.data(), min_.size(), static_cast<Index>(times_.size())}; }

 private:
  bool keeps_points_ = false;
  double duration_ = 0;
  Vec min_, max_, integral_, square_;
  std::vector<double> times_, values_;
};
}  // namespace trill
