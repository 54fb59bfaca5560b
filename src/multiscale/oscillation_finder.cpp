// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/oscillation_finder.hpp"

#include "multiscale/period.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double period_agreement = 0.02;
constexpr double least_swing = 1e-6;  // of the size of a component: less is no oscillation
constexpr std::size_t periods_that_agree = 3;
constexpr std::size_t most_steps_kept = 20000;
constexpr int slow_degree_of_guess = 1;  // amplitudes and means may drift
constexpr double most_misfit = 0.2;      // of the motion: beyond, the fit says nothing about the period
}  // namespace

void OscillationFinder::take(const State& s) {
  if (found()) return;
  steps_.push_back(s);
  if (steps_.size() < next_look_) return;
  look();
  if (steps_.size() > most_steps_kept) steps_.erase(steps_.begin(), steps_.begin() + most_steps_kept / 2);
  next_look_ = steps_.size() + std::max<std::size_t>(16, steps_.size() / 16);
}

// The component that oscillates most, relative to its size, decides.
void OscillationFinder::look() {
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
    double middle = 0;
    if (!(high - low > std::max(most, least_swing) * size)) continue;
    const double period = period_of(k, crossing, middle);
    if (!(period > 0) || !repeats(crossing, period)) continue;
    most = (high - low) / size;
    component_ = k;
    middle_ = middle;
    state_ = steps_[crossing];
  }
}

Vec OscillationFinder::swings_before(std::size_t last, double period) const {
  Vec low = steps_[last].y, high = low;
  for (std::size_t i = last; i > 0 && steps_[i].t >= steps_[last].t - period; --i) {
    low = low.cwiseMin(steps_[i].y);
    high = high.cwiseMax(steps_[i].y);
  }
  return high - low;
}

// One component may repeat sooner than all of them do: the current of the supply of a ring of three equal stages has
// three equal peaks in a period. And where its mean drifts its crossings are not a period apart. The whole motion of
// two periods says more about both. Takes the period if it is one of all components.
bool OscillationFinder::repeats(std::size_t last, double period) {
  const Vec swings = swings_before(last, period);
  const Vec weights = swings.unaryExpr([](double swing) { return swing > 0 ? 1 / swing : 0.0; });
  const PeriodFit fit = fit_period([&](double t, Out y, Out rate) { motion(last, t, y, rate); }, weights,
                                   steps_[last].t - 2 * period, period, slow_degree_of_guess);
  if (fit.misfit > most_misfit) return false;
  const bool is_near = std::abs(fit.period - period) <= period_agreement * period;
  period_ = fit.converged && is_near ? fit.period : period;
  swings_ = swings;
  return true;
}

// Cubics through four neighbouring steps.
void OscillationFinder::motion(std::size_t last, double t, Out y, Out rate) const {
  const auto after =
      std::upper_bound(steps_.begin(), steps_.end(), t, [](double at, const State& s) { return at < s.t; });
  const std::size_t i = std::clamp<std::size_t>(static_cast<std::size_t>(after - steps_.begin()), 2, last);
  const std::size_t first = std::min(i - 2, steps_.size() - 4);
  y.setZero();
  rate.setZero();
  for (std::size_t j = first; j < first + 4; ++j) {
    double weight = 1, slope = 0;
    for (std::size_t k = first; k < first + 4; ++k) {
      if (k == j) continue;
      const double gap = steps_[j].t - steps_[k].t;
      if (gap == 0) continue;  // two states at one time, where a switch turns
      slope = slope * (t - steps_[k].t) / gap + weight / gap;
      weight *= (t - steps_[k].t) / gap;
    }
    y += weight * steps_[j].y;
    rate += slope * steps_[j].y;
  }
}

// Times at which the component rises through the middle of its range. 0: the last periods differ.
double OscillationFinder::period_of(Index k, std::size_t& last_crossing, double& middle) const {
  const std::size_t begin = steps_.size() / 2;
  double low = steps_[begin].y[k], high = low;
  for (std::size_t i = begin; i < steps_.size(); ++i) {
    low = std::min(low, steps_[i].y[k]);
    high = std::max(high, steps_[i].y[k]);
  }
  middle = (low + high) / 2;
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
