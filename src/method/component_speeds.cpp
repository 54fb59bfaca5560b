// SPDX-License-Identifier: BSD-3-Clause
#include "method/component_speeds.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
void ComponentSpeeds::allocate(Index n, Index pairs) {
  pairs_ = pairs;
  slope_ = size_ = predicted_ = sorted_ = Vec::Zero(n);
  fast_.assign(static_cast<std::size_t>(n), 0);
  fast_count_ = 0;
  ratio_ = 1;
}

void ComponentSpeeds::fade() { slope_ *= 0.1; }

void ComponentSpeeds::see(In error, double h, In y) {
  const double scale = std::abs(1 / (h * h * h));
  for (Index i = 0; i < slope_.size(); ++i) {
    slope_[i] = std::max(slope_[i], scale * std::abs(error[i]));
    size_[i] = std::max(size_[i], std::abs(y[i]));
  }
}

void ComponentSpeeds::divide(const ErrorScale& scale) {
  // Components that do not move get this many times the smallest predicted step.
  constexpr double resting = 1e6;
  const Index n = slope_.size();
  const double least_speed = pairs_ > 0 ? 0.1 * size_.tail(pairs_).maxCoeff() : 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = pairs_; i < n; ++i) {
    const double tolerance = scale.atol[i] + scale.rtol * std::max(size_[i], least_speed);
    predicted_[i] = std::cbrt(tolerance / slope_[i]);
    smallest = std::min(smallest, predicted_[i]);
  }
  predicted_.head(pairs_) = predicted_.tail(pairs_);
  ratio_ = 1;
  double below = std::numeric_limits<double>::infinity();
  if (smallest > 0 && std::isfinite(smallest)) {
    for (Index i = 0; i < n; ++i) sorted_[i] = predicted_[i] = std::min(predicted_[i], resting * smallest);
    std::sort(sorted_.begin(), sorted_.end());
    double widest = 1;
    for (Index k = 0; k + 1 < n; ++k) widest = std::max(widest, sorted_[k + 1] / sorted_[k]);
    const double wide = std::max(least_gap, std::sqrt(widest));
    for (Index k = 0; k + 1 < n && ratio_ == 1; ++k)
      if (sorted_[k + 1] / sorted_[k] >= wide) {
        below = sorted_[k];
        ratio_ = sorted_[k + 1] / smallest;
      }
  }
  fast_count_ = 0;
  for (Index i = 0; i < n; ++i) {
    const bool fast = !(predicted_[i] > below);
    fast_[static_cast<std::size_t>(i)] = fast;
    fast_count_ += fast;
  }
}

double ComponentSpeeds::shortest_time() const {
  double fastest = 0;  // its rate, cubed
  for (Index i = 0; i < slope_.size(); ++i)
    if (size_[i] > 0) fastest = std::max(fastest, slope_[i] / size_[i]);
  return 1 / std::cbrt(fastest);
}

void ComponentSpeeds::memory(Archive& archive) { archive(slope_, size_, fast_, fast_count_, ratio_); }
}  // namespace trill
