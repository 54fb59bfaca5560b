// SPDX-License-Identifier: BSD-3-Clause
#include "component_speeds.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
void ComponentSpeeds::allocate(Index n) {
  slope_ = size_ = predicted_ = sorted_ = Vec::Zero(n);
  fast_.assign(static_cast<std::size_t>(n), 0);
  fast_count_ = 0;
  ratio_ = 1;
}

void ComponentSpeeds::forget() {
  slope_.setZero();
  size_.setZero();
}

void ComponentSpeeds::see(In error, double h, In y) {
  const double scale = std::pow(h, -4);
  for (Index i = 0; i < slope_.size(); ++i) {
    slope_[i] = std::max(slope_[i], scale * std::abs(error[i]));
    size_[i] = std::max(size_[i], std::abs(y[i]));
  }
}

bool ComponentSpeeds::divide(const ErrorScale& scale) {
  constexpr double resting = 1e6;  // predicted steps of components that do not move, in terms of the smallest
  const Index n = slope_.size();
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    predicted_[i] = std::pow((scale.atol[i] + scale.rtol * size_[i]) / slope_[i], 0.25);
    smallest = std::min(smallest, predicted_[i]);
  }
  std::fill(fast_.begin(), fast_.end(), 0);
  fast_count_ = 0;
  ratio_ = 1;
  if (!(smallest > 0) || !std::isfinite(smallest)) return false;
  for (Index i = 0; i < n; ++i) predicted_[i] = std::min(predicted_[i], resting * smallest);
  sorted_ = predicted_;
  std::sort(sorted_.begin(), sorted_.end());
  double widest = least_gap, below = 0;
  for (Index k = 0; k + 1 < n; ++k)
    if (const double gap = sorted_[k + 1] / sorted_[k]; gap >= widest) {
      widest = gap;
      below = sorted_[k];
      ratio_ = sorted_[k + 1] / smallest;
    }
  for (Index i = 0; i < n; ++i)
    if (predicted_[i] <= below) {
      fast_[static_cast<std::size_t>(i)] = 1;
      ++fast_count_;
    }
  return fast_count_ > 0;
}

void ComponentSpeeds::save(Archive& archive) const {
  archive.write(slope_);
  archive.write(size_);
  archive.write(fast_);
  archive.write(fast_count_);
  archive.write(ratio_);
}

void ComponentSpeeds::load(Archive& archive) {
  archive.read(slope_);
  archive.read(size_);
  archive.read(fast_);
  archive.read(fast_count_);
  archive.read(ratio_);
}
}  // namespace trill
