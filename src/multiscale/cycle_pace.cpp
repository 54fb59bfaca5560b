// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_pace.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double pace_safety = 0.9, most_growth = 2.5, least_shrinkage = 0.2;
// A step length is kept, and with it the matrix of an implicit method, if another would be hardly better.
constexpr double keep_from = 0.9, keep_to = 1.3;
constexpr int most_in_a_row = 6, first_pause = 4, longest_pause = 64;

double factor_for(double error, int order) {
  const double factor = pace_safety * std::pow(std::max(error, 1e-10), -1.0 / (order + 1));
  return std::clamp(factor, least_shrinkage, most_growth);
}
}  // namespace

void CyclePace::restart() {
  singles_ = first_;
  cycles_ = smallest_ + 1;
  pause_ = first_pause;
  rejections_ = 0;
}

void CyclePace::took_single() { singles_ = std::max(singles_ - 1, 0); }

void CyclePace::accept(double cycles, double error, int order) {
  rejections_ = 0;
  pause_ = first_pause;
  const double factor = factor_for(error, order);
  // A step that was shortened to end at a given point says nothing against longer ones.
  const double proposed = factor >= keep_from && factor <= keep_to ? cycles : std::floor(factor * cycles);
  cycles_ =
      cycles < cycles_ ? std::max(cycles_, proposed) : std::max(proposed, cycles > smallest_ ? smallest_ + 1.0 : 1.0);
}

void CyclePace::reject(double cycles, double error, int order) {
  shorten(++rejections_ > most_in_a_row ? 0 : std::floor(std::min(factor_for(error, order), 0.9) * cycles));
}

void CyclePace::fail(double cycles) { shorten(++rejections_ > most_in_a_row ? 0 : std::floor(cycles / 4)); }

void CyclePace::shorten(double cycles) {
  cycles_ = std::max(cycles, smallest_ + 1.0);
  if (cycles > smallest_) return;
  singles_ = pause_;
  pause_ = std::min(2 * pause_, longest_pause);
  rejections_ = 0;
}
}  // namespace trill
