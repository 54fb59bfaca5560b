// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/onset.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr double same_periods = 0.02;    // the most by which the three periods may differ
constexpr double same_motion = 0.1;      // the most by which y' may differ at both ends of a cycle
constexpr double least_variation = 10;   // tolerances: a smaller oscillation does not count
constexpr double clearly_more = 2;       // varies so much more than the followed component that it is followed instead
constexpr double crossings_without = 2;  // of another component, after which the followed one has stopped oscillating
}  // namespace

void OnsetWatch::start(Index size) {
  rate_before_ = crossing_rate_ = last_crossing_rate_ = variation_ = missed_ = largest_ = weights_ = Vec::Zero(size);
  least_ = most_ = Vec::Zero(size);
  rest_until_ = -std::numeric_limits<double>::infinity();
  forget();
}

void OnsetWatch::forget() {
  known_ = false;
  least_.setConstant(std::numeric_limits<double>::infinity());
  most_.setConstant(-std::numeric_limits<double>::infinity());
  variation_.setZero();
  largest_.setZero();
  begin_with(-1);
}

void OnsetWatch::begin_with(Index component) {
  component_ = component;
  agreeing_ = periods_known_ = crossings_ = 0;
  missed_.setZero();
}

// Takes note of the step. Returns the component that varies most among those whose derivative changed sign upwards in
// it, -1: none.
Index OnsetWatch::pass(In y, In rate, const ErrorScale& scale) {
  least_ = least_.cwiseMin(y);
  most_ = most_.cwiseMax(y);
  largest_ = largest_.cwiseMax(y.cwiseAbs());
  scale.weights(largest_, weights_);
  if (!known_) return -1;
  Index crossed = -1;
  for (Index i = 0; i < y.size(); ++i) {
    if (!(rate_before_[i] < 0 && rate[i] >= 0)) continue;
    variation_[i] = 0.5 * (most_[i] - least_[i]) * weights_[i];
    least_[i] = most_[i] = y[i];
    if (variation_[i] < least_variation) continue;
    missed_[i] += 1;
    if (i == component_ || crossed < 0 || (crossed != component_ && variation_[i] > variation_[crossed])) crossed = i;
  }
  return crossed;
}

// Whether this component is the one to be followed, perhaps from now on.
bool OnsetWatch::follow(Index component) {
  if (component == component_) return true;
  const bool better = component_ < 0 || variation_[component] > clearly_more * variation_[component_] ||
                      missed_[component] > crossings_without;
  if (better) begin_with(component);
  return better;
}

void OnsetWatch::take(double when, const ErrorScale& scale) {
  missed_.setZero();
  if (crossings_ > 0) {
    for (int k = needed_periods - 1; k > 0; --k) periods_[k] = periods_[k - 1];
    periods_[0] = when - crossing_;
    periods_known_ = std::min(periods_known_ + 1, needed_periods);
    const bool same = (crossing_rate_ - last_crossing_rate_).cwiseProduct(weights_).norm() <=
                      same_motion * crossing_rate_.cwiseProduct(weights_).norm();
    const auto [least, most] = std::minmax_element(periods_.begin(), periods_.begin() + periods_known_);
    const bool agree = *most - *least <= same_periods * *most;
    last_crossing_rate_ = crossing_rate_ * (periods_[0] / (2 * std::acos(-1.0)));
    const bool large = scale.norm(last_crossing_rate_, largest_, largest_) > least_variation;
    if (!agree) periods_known_ = 1;
    agreeing_ = !(same && large) ? 0 : agree ? std::min(agreeing_ + 1, needed_periods) : 1;
  }
  ++crossings_;
  crossing_ = when;
  last_crossing_rate_ = crossing_rate_;
}

void OnsetWatch::memory(Archive& archive) {
  archive(component_, known_, agreeing_, periods_known_, crossings_, crossing_, rest_until_, periods_, rate_before_,
          last_crossing_rate_, least_, most_, variation_, missed_, largest_);
}
}  // namespace trill
