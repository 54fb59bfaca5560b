// SPDX-License-Identifier: BSD-3-Clause
#include "driver/sweep_order.hpp"

#include "linalg/dense_decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trill {
namespace {
constexpr std::size_t most_axes_with_all_corners = 3;
}

// The corners of the grid come first: between them nothing has to be extrapolated.
SweepOrder::SweepOrder(const Sweep& sweep, std::size_t blocks) : taken_(blocks), natural_(blocks) {
  std::iota(natural_.begin(), natural_.end(), std::size_t{0});
  for (const SweepAxis& axis : sweep.axes) axis_sizes_.push_back(axis.values.size());
  longest_ = natural_;
  if (axis_sizes_.size() > most_axes_with_all_corners) return;
  std::stable_partition(longest_.begin(), longest_.end(), [&](std::size_t member) {
    const Vec place = place_of(member);
    return ((place.array() == 0) || (place.array() == 1)).all();
  });
}

Vec SweepOrder::place_of(std::size_t member) const {
  Vec place(static_cast<Index>(axis_sizes_.size()));
  for (std::size_t k = axis_sizes_.size(); k-- > 0;) {
    const std::size_t size = axis_sizes_[k];
    place[static_cast<Index>(k)] = size > 1 ? static_cast<double>(member % size) / static_cast<double>(size - 1) : 0;
    member /= size;
  }
  return place;
}

std::size_t SweepOrder::take_first_of(const std::vector<std::size_t>& order, std::size_t& at) {
  while (taken_[order[at]]) ++at;
  taken_[order[at]] = true;
  return order[at];
}

std::size_t SweepOrder::next() {
  const std::lock_guard lock(mutex_);
  return take_first_of(natural_, next_natural_);
}

std::size_t SweepOrder::next_longest() {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= 2 * std::max(known_when_predicted_, axis_sizes_.size())) predict();
  return take_first_of(longest_, next_longest_);
}

void SweepOrder::learn(std::size_t member, std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  known_.emplace_back(member, std::log(static_cast<double>(std::max<std::int64_t>(steps, 1))));
}

void SweepOrder::predict() {
  known_when_predicted_ = known_.size();
  const Index n = 1 + static_cast<Index>(axis_sizes_.size());
  // Normal equations with a little more on the diagonal, so that values which did not change yet have no effect.
  Mat normal = 1e-9 * Mat::Identity(n, n);
  Vec right = Vec::Zero(n), row = Vec::Ones(n);
  for (const auto& [member, log_steps] : known_) {
    row.tail(n - 1) = place_of(member);
    normal += row * row.transpose();
    right += log_steps * row;
  }
  Cholesky factors(n);
  if (!factors.compute(normal)) return;
  Mat fit = right;
  factors.solve(fit);
  std::vector<double> predicted(taken_.size());
  for (std::size_t member = 0; member < predicted.size(); ++member)
    predicted[member] = fit.col(0).tail(n - 1).dot(place_of(member));
  std::erase_if(longest_, [&](std::size_t member) { return taken_[member]; });
  std::stable_sort(longest_.begin(), longest_.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] > predicted[b]; });
  next_longest_ = 0;
}
}  // namespace trill
