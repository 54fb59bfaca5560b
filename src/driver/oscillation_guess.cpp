// SPDX-License-Identifier: BSD-3-Clause
#include "driver/oscillation_guess.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double period_agreement = 0.02;
constexpr double least_swing = 1e-6;  // of the size of a component: less is no oscillation
constexpr std::size_t periods_that_agree = 3;
constexpr std::size_t most_steps_kept = 20000;
}  // namespace

void OscillationWatch::begin(const Problem&, const State& start) { steps_.assign(1, start); }

void OscillationWatch::accepted(const State& s, const StepResult&) {
  if (interrupted_ && interrupted_->load()) stop_ = true;
  if (found()) return;
  steps_.push_back(s);
  if (steps_.size() < next_look_) return;
  look();
  if (steps_.size() > most_steps_kept) steps_.erase(steps_.begin(), steps_.begin() + most_steps_kept / 2);
  next_look_ = steps_.size() + std::max<std::size_t>(16, steps_.size() / 16);
}

// The component that oscillates most, relative to its size, decides.
void OscillationWatch::look() {
  double most = 0;
  for (Index k = 0; k < steps_[0].y.size(); ++k) {
    if (only_ >= 0 && k != only_) continue;
    double low = steps_.back().y[k], high = low, size = 0;
    for (std::size_t i = steps_.size() / 2; i < steps_.size(); ++i) {
      low = std::min(low, steps_[i].y[k]);
      high = std::max(high, steps_[i].y[k]);
      size = std::max(size, std::abs(steps_[i].y[k]));
    }
    std::size_t crossing = 0;
    if (!(high - low > std::max(most, least_swing) * size)) continue;
    const double period = period_of(k, crossing);
    if (!(period > 0)) continue;
    most = (high - low) / size;
    period_ = period;
    state_ = steps_[crossing];
    measure_swings(crossing);
  }
  stop_ = found();
}

void OscillationWatch::measure_swings(std::size_t last) {
  Vec low = steps_[last].y, high = low;
  for (std::size_t i = last; i > 0 && steps_[i].t >= steps_[last].t - period_; --i) {
    low = low.cwiseMin(steps_[i].y);
    high = high.cwiseMax(steps_[i].y);
  }
  swings_ = high - low;
}

// Times at which the component rises through the middle of its range. 0: the last periods differ.
double OscillationWatch::period_of(Index k, std::size_t& last_crossing) const {
  const std::size_t begin = steps_.size() / 2;
  double low = steps_[begin].y[k], high = low;
  for (std::size_t i = begin; i < steps_.size(); ++i) {
    low = std::min(low, steps_[i].y[k]);
    high = std::max(high, steps_[i].y[k]);
  }
  const double middle = (low + high) / 2;
  std::vector<double> times, swings;
  double lowest = high, highest = low;
  for (std::size_t i = begin + 1; i < steps_.size(); ++i) {
    const double a = steps_[i - 1].y[k] - middle, b = steps_[i].y[k] - middle;
    lowest = std::min(lowest, b);
    highest = std::max(highest, b);
    if (!(a < 0 && b >= 0)) continue;
    times.push_back(steps_[i - 1].t + (steps_[i].t - steps_[i - 1].t) * a / (a - b));
    swings.push_back(highest - lowest);
    lowest = highest = b;
    last_crossing = i;
  }
  const std::size_t n = times.size();
  if (n < periods_that_agree + 2) return 0;
  const double period = times[n - 1] - times[n - 2];
  for (std::size_t j = 1; j < periods_that_agree; ++j) {
    if (std::abs(times[n - 1 - j] - times[n - 2 - j] - period) > period_agreement * period) return 0;
    if (std::abs(swings[n - 1 - j] - swings[n - 1]) > agreement_ * swings[n - 1]) return 0;
  }
  return period;
}
}  // namespace trill
