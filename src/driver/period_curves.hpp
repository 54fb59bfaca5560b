// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/cycle_trace.hpp"

namespace trill {
// The signals of one period between its points, as parabolas (base/curve_piece.hpp).
class PeriodCurves {
 public:
  explicit PeriodCurves(const CycleTrace& period);  // which must outlive this
  Index signals() const { return values_.rows(); }
  Index pieces() const { return bends_.cols(); }
  double begin(Index piece) const { return times_[static_cast<std::size_t>(piece)]; }
  double length(Index piece) const { return times_[static_cast<std::size_t>(piece + 1)] - begin(piece); }
  double period() const { return times_.back() - times_.front(); }
  auto left(Index piece) const { return values_.col(piece); }
  auto right(Index piece) const { return values_.col(piece + 1); }
  Vec middle(Index piece) const { return (left(piece) + right(piece)) / 2 + bends_.col(piece) / 4; }

  // Peak amplitudes a_k of the harmonics, one row for each signal, one column for each k = 1, 2, ...
  Mat harmonics(int count) const;

 private:
  const std::vector<double>& times_;
  Eigen::Map<const Mat> values_;
  Mat bends_;  // x = line + bend s (1 - s), with s from 0 to 1
};
}  // namespace trill
