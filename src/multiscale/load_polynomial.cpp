// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/load_polynomial.hpp"

#include "linalg/dense_decompositions.hpp"
#include "problem/time_marks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double agreement = 1e-12;
constexpr int most_halvings = 40, halvings_of_rounding = 3;
constexpr double relative_rounding = 1e-6, absolute_rounding = 1e-14;
constexpr double test_places[] = {0.004, 0.31, 0.5371, 0.83, 0.997};
constexpr int samples_of_piece = 32;
constexpr double sampling_margin = 1.01;  // of a total variation that is the sum of differences of samples
}  // namespace

LoadPolynomial::LoadPolynomial(const LinearStructure& structure) : structure_(structure), places_(points) {
  const Index loads = structure.load_shapes().cols();
  Mat powers(points, points);
  for (Index j = 0; j < points; ++j) {
    // Chebyshev's points: none is an end of the interval, where a factor may jump.
    places_[j] = 0.5 - 0.5 * std::cos((static_cast<double>(j) + 0.5) * std::numbers::pi / static_cast<double>(points));
    double power = 1;
    for (Index k = 0; k < points; ++k, power *= places_[j]) powers(j, k) = power;
  }
  to_coefficients_ = inverse_of(powers).matrix;
  now_ = first_ = Vec::Zero(loads);
  size_ = Vec::Zero(loads);
  values_ = coefficients_ = derivatives_ = Mat::Zero(points, loads);
}

void LoadPolynomial::look(double t) {
  structure_.load_factors(t, now_);
  size_ = size_.cwiseMax(now_.cwiseAbs());
}

LoadPolynomial::Misfit LoadPolynomial::try_fit(double t, double h) {
  for (Index j = 0; j < points; ++j) {
    look(t + h * places_[j]);
    values_.row(j) = now_.transpose();
  }
  // Differences from the first value: rounding in the inverse then becomes small with h.
  first_ = values_.row(0).transpose();
  values_.rowwise() -= first_.transpose();
  coefficients_.noalias() = to_coefficients_ * values_;
  coefficients_.row(0) += first_.transpose();
  Misfit worst;
  for (const double x : test_places) {
    look(t + h * x);
    for (Index i = 0; i < now_.size(); ++i) {
      double value = 0;
      for (Index k = points; k-- > 0;) value = value * x + coefficients_(k, i);
      const double off = std::abs(value - now_[i]);
      if (off == 0) continue;
      if (!(off <= worst.absolute)) worst.absolute = off;
      if (const double share = off / size_[i]; !(share <= worst.relative)) worst.relative = share;
    }
  }
  return worst;
}

// A factor such as 1 - cos(t) consists of rounding where it is small: then shorter pieces do not agree better, and the
// longest one that agrees as well is taken.
double LoadPolynomial::fit(double t, double h) {
  double length = h, best_length = h;
  Misfit best{HUGE_VAL, HUGE_VAL};
  int stuck = 0;
  for (int k = 0; now_.size() > 0 && k < most_halvings; ++k, length *= 0.5) {
    const Misfit found = try_fit(t, length);
    if (found.relative <= agreement) break;
    if (found.absolute < 0.5 * best.absolute) {
      best = found;
      best_length = length;
      stuck = 0;
    } else if (++stuck == halvings_of_rounding &&
               (best.relative <= relative_rounding || best.absolute <= absolute_rounding)) {
      length = best_length;
      try_fit(t, length);
      break;
    }
  }
  double factor = 1;  // k! / length^k
  for (Index k = 0; k < points; ++k) {
    derivatives_.row(k) = factor * coefficients_.row(k);
    factor *= static_cast<double>(k + 1) / length;
  }
  return length;
}

double LoadPolynomial::at(int k, Index i, double s) const {
  double value = 0;
  for (Index j = points; j-- > k;) value = derivatives_(j, i) + value * s / static_cast<double>(j - k + 1);
  return value;
}

std::vector<double> load_breaks(const LinearStructure& structure, double t0, double t1) {
  std::vector<double> times{t0, t1};
  for (const double t : structure.breakpoints(t0, t1))
    if (t > t0 && t < t1) times.push_back(t);
  // A short pulse must not lie between the points of a fit.
  for (const TimeMark& mark : time_marks_of(structure, t0, t1))
    if (mark.t > t0 && mark.t < t1) times.push_back(mark.t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

namespace {
void require_followed(const LinearStructure& structure, const Mat& now, double t, double h) {
  for (Index i = 0; i < now.cols(); ++i)
    if (!now.col(i).allFinite() || !(t + h > t))
      throw structure.factor_error(
          i,
          fmt::format("near t = {:.4g} the factor of load {} grows without bound or is no number, so that the motion "
                      "cannot be computed; let the run end before, or give a factor that stays finite",
                      t, i + 1));
}
}  // namespace

LoadVariation load_variation(const LinearStructure& structure, double t0, double t1) {
  const Index loads = structure.load_shapes().cols(), orders = most_load_derivative + 1;
  LoadPolynomial piece(structure);
  const Mat none = Mat::Zero(orders, loads);
  LoadVariation v{none, none, none};
  Mat last = none, now = none;
  const auto look = [&](double s) {
    for (Index i = 0; i < loads; ++i)
      for (Index k = 0; k < orders; ++k) now(k, i) = piece.at(static_cast<int>(k), i, s);
    v.largest = v.largest.cwiseMax(now.cwiseAbs());
  };
  const std::vector<double> breaks = load_breaks(structure, t0, t1);
  for (std::size_t b = 0; b + 1 < breaks.size(); ++b)
    for (double t = breaks[b]; t < breaks[b + 1];) {
      const double left = breaks[b + 1] - t, h = piece.fit(t, left);
      look(0);
      require_followed(structure, now, t, h);
      v.jumps += (now - last).cwiseAbs();
      last = now;
      for (int k = 1; k <= samples_of_piece; ++k) {
        look(h * k / samples_of_piece);
        v.total += sampling_margin * (now - last).cwiseAbs();
        last = now;
      }
      t = h == left ? breaks[b + 1] : t + h;
    }
  return v;
}
}  // namespace trill
