// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/averaging_weights.hpp"

#include "base/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace trill {
namespace {
using std::numbers::pi;

AveragingWeights normalised(Vec half) {
  half /= 2 * half.sum() - half[0];
  return AveragingWeights(std::move(half));
}

// cos(theta), cos(2 theta), ... as the real parts of powers.
class Cosines {
 public:
  explicit Cosines(double theta) : c_(std::cos(theta)), s_(std::sin(theta)) {}
  double next() {
    const double x = x_ * c_ - y_ * s_;
    y_ = x_ * s_ + y_ * c_;
    return x_ = x;
  }

 private:
  double c_, s_, x_ = 1, y_ = 0;
};

double chebyshev(Index degree, double x) {
  const auto n = static_cast<double>(degree);
  return std::abs(x) <= 1 ? std::cos(n * std::acos(x)) : std::cosh(n * std::acosh(std::abs(x)));
}
}  // namespace

double AveragingWeights::response(double theta) const {
  double sum = half_[0];
  Cosines cosine(theta);
  for (Index k = 1; k < half_.size(); ++k) sum += 2 * half_[k] * cosine.next();
  return sum;
}

double AveragingWeights::second_moment() const {
  double sum = 0;
  for (Index k = 1; k < half_.size(); ++k) sum += 2 * half_[k] * static_cast<double>(k * k);
  return sum;
}

double AveragingWeights::largest_response(double theta_from, double theta_to) const {
  // Two zeros of the ripple are about pi / reach apart: eight points between them give its height to 1 %.
  const auto points =
      static_cast<Index>(std::ceil(8.0 * static_cast<double>(reach() + 1) * (theta_to - theta_from) / pi)) + 2;
  double largest = 0;
  for (Index i = 0; i <= points; ++i)
    largest = std::max(largest, std::abs(response(theta_from + (theta_to - theta_from) * static_cast<double>(i) /
                                                                   static_cast<double>(points))));
  return largest;
}

AveragingWeights bump_weights(Index steps) {
  Vec half(steps);
  for (Index k = 0; k < steps; ++k) {
    const double x = static_cast<double>(k) / static_cast<double>(steps);
    half[k] = std::exp(5 / (x * x - 1));
  }
  return normalised(std::move(half));
}

// The response T_2M(x0 cos(theta/2)) is a cosine polynomial of degree M; its coefficients follow from its samples.
AveragingWeights dolph_chebyshev_weights(Index reach, double theta_stop) {
  const double x0 = 1 / std::cos(theta_stop / 2), top = chebyshev(2 * reach, x0);
  const Index samples = 2 * reach + 1;
  Vec half = Vec::Zero(reach + 1);
  for (Index j = 0; j <= reach; ++j) {
    const double theta = 2 * pi * static_cast<double>(j) / static_cast<double>(samples);
    const double value = (j == 0 ? 1 : 2) * chebyshev(2 * reach, x0 * std::cos(theta / 2)) / top;
    Cosines cosine(theta);
    half[0] += value;
    for (Index k = 1; k <= reach; ++k) half[k] += value * cosine.next();
  }
  return normalised(std::move(half));
}

AveragingWeights flattened(const AveragingWeights& weights) {
  const double m2 = weights.second_moment();
  const auto at = [&](Index k) { return std::abs(k) <= weights.reach() ? weights[std::abs(k)] : 0; };
  Vec half(weights.reach() + 2);
  for (Index k = 0; k < half.size(); ++k) half[k] = (1 + m2) * at(k) - m2 / 2 * (at(k - 1) + at(k + 1));
  return normalised(std::move(half));
}

Index least_reach(const StopBand& band) {
  const double decay = 2 * std::acosh(1 / std::cos(band.from / 2));
  return static_cast<Index>(std::clamp(std::ceil(std::acosh(std::max(1.0, 1 / band.leak)) / decay), 1.0, 1e9));
}

// Starts from a reach that is enough for the ripple before flattening; flattening multiplies the ripple, and rounding
// errors, by up to 1 + 2 m2.
AveragingWeights stopping_weights(const StopBand& band) {
  for (Index reach = least_reach(band); reach < 2 * longest_reach; reach += 1 + reach / 50) {
    const AveragingWeights base = dolph_chebyshev_weights(reach, band.from);
    AveragingWeights weights = flattened(base);
    if (weights.largest_response(band.from, band.to) <=
        std::max(band.leak, tolerance::unit * (1 + 2 * base.second_moment())))
      return weights;
  }
  throw std::invalid_argument("averaging weights: the band of frequencies to be removed begins too low");
}
}  // namespace trill
