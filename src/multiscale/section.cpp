// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/section.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double difference_share = 1e-5;      // of a cycle, for the slope of s along the motion
constexpr double flow_step_share = 1.0 / 300;  // of a cycle, for one step of order 4 along the flow
constexpr double close_share = 1e-6;           // of a cycle
constexpr double reached_share = 1e-7;         // the step after one as small as this would be below rounding
}  // namespace

SectionValue::SectionValue(const Problem& problem, const State& start, Section section, std::string_view asker)
    : form_(problem, asker), section_(std::move(section)) {
  form_.start(start);
  kernel_.start(form_.size());
  rate_ = later_rate_ = later_ = Vec::Zero(form_.size());
}

bool SectionValue::rate(double t, In y, Out dy) {
  work_.count_forces(form_.counted_groups());
  return form_.rhs(t, y, dy) && all_finite(dy);
}

bool SectionValue::at(double t, In y, double& value) {
  if (section_.of_rate) {
    if (!rate(t, y, rate_)) return false;
    value = section_.direction.dot(rate_);
  } else {
    value = section_.direction.dot(y) - section_.offset;
  }
  return std::isfinite(value);
}

// s and its slope along the motion; rate_ is y' there.
bool SectionValue::rise(double t, In y, double period, double& value, double& slope) {
  if (!rate(t, y, rate_)) return false;
  if (!section_.of_rate) {
    value = section_.direction.dot(y) - section_.offset;
    slope = section_.direction.dot(rate_);
    return true;
  }
  const double ahead = difference_share * period;
  later_ = y + ahead * rate_;
  if (!rate(t + ahead, later_, later_rate_)) return false;
  value = section_.direction.dot(rate_);
  slope = (section_.direction.dot(later_rate_) - value) / ahead;
  return true;
}

bool SectionValue::is_close(double t, In y, double period) {
  double value = 0, slope = 0;
  return rise(t, y, period, value, slope) && slope > 0 && std::abs(value) <= close_share * period * slope;
}

// rate_ is y' at the start.
bool SectionValue::follow(double& t, Out y, double time, double period) {
  const auto steps = static_cast<int>(std::ceil(std::abs(time) / (flow_step_share * period)));
  const double h = time / std::max(steps, 1);
  for (int k = 0; k < std::max(steps, 1); ++k) {
    if (k > 0 && !rate(t, y, rate_)) return false;
    const auto slope_at = [&](double share, In stage, Out slope) { return rate(t + share * h, stage, slope); };
    if (!kernel_.step(h, y, rate_, slope_at)) return false;
    y += kernel_.increment;
    t += h;
  }
  return true;
}

bool SectionValue::reach(double& t, Out y, double period, double longest, int most_iterations) {
  const double from = t;
  for (int k = 0; k < most_iterations; ++k) {
    double value = 0, slope = 0;
    if (!rise(t, y, period, value, slope) || !(slope > 0)) return false;
    const double time = -value / slope;
    if (!(std::abs(t + time - from) <= longest) || !follow(t, y, time, period)) return false;
    if (std::abs(time) <= reached_share * period) return true;
  }
  return false;
}
}  // namespace trill
