// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/resonance.hpp"

#include "base/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double pi = std::numbers::pi;

double growth_of(double excess) {
  return excess > 0 ? excess + std::sqrt(excess * (2 + excess)) : 0;  // eigenvalues t +- sqrt(t^2 - 1), t = 1 + excess
}

// Points ever closer to the multiples of pi, which unstable intervals touch even if they are very narrow.
std::vector<double> sample_points(double from, double to) {
  constexpr double closest = 1e-8, closer = 0.9;
  std::vector<double> points{from, to};
  const auto add = [&](double theta) {
    if (theta > from && theta < to) points.push_back(theta);
  };
  for (int k = 0; k * pi <= to + pi; ++k) {
    add(k * pi);
    for (double distance = pi / 2; distance > closest; distance *= closer) {
      add(k * pi - distance);
      add(k * pi + distance);
    }
    for (int i = 1; i < 64; ++i) add((k + i / 64.0) * pi);
  }
  std::sort(points.begin(), points.end());
  return points;
}

double edge_between(const SplitForm& form, double square, double a, double b) {
  const bool first = excess_trace(form, a, square) > 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (a + b);
    ((excess_trace(form, middle, square) > 0) == first ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

// Golden-section search; the excess has one maximum in an interval.
double largest_growth(const SplitForm& form, double square, double from, double to) {
  const double part = (std::sqrt(5.0) - 1) / 2;
  for (int i = 0; i < 60; ++i) {
    const double a = to - part * (to - from), b = from + part * (to - from);
    if (excess_trace(form, a, square) > excess_trace(form, b, square))
      to = b;
    else
      from = a;
  }
  return growth_of(excess_trace(form, 0.5 * (from + to), square));
}
}  // namespace

// With theta = k pi + d the half trace is (-1)^k (cos d - c), c = square/2 sin(d)/theta average mollify.
double excess_trace(const SplitForm& form, double theta, double square) {
  const double d = theta - pi * std::round(theta / pi), half = std::sin(d / 2);
  const double sinc = theta == 0 ? 1 : std::sin(d) / theta;
  const double kick = 0.5 * square * sinc * form.average(theta) * form.mollify(theta);
  return std::max(-2 * half * half - kick, kick - 2 + 2 * half * half);
}

std::vector<UnstableInterval> unstable_intervals(const SplitForm& form, double square, double to) {
  const double from = square < 0 ? std::sqrt(-square) * (1 + 1e-9) : 0;
  std::vector<UnstableInterval> intervals;
  double before = from;
  bool unstable = false;
  for (const double theta : sample_points(from, to)) {
    const bool now = excess_trace(form, theta, square) > 0;
    if (now && !unstable) intervals.push_back({theta == from ? from : edge_between(form, square, before, theta), to});
    if (!now && unstable) intervals.back().to = edge_between(form, square, before, theta);
    unstable = now;
    before = theta;
  }
  for (UnstableInterval& i : intervals) i.growth = largest_growth(form, square, i.from, i.to);
  std::erase_if(intervals, [](const UnstableInterval& i) { return i.growth * i.growth <= tolerance::unit; });
  return intervals;
}

std::vector<ResonanceRow> resonance_rows(const SplitForm& form, double step, double to) {
  std::vector<ResonanceRow> rows;
  for (int i = 0; i * step <= to * (1 + 1e-12); ++i)
    rows.push_back({i * step, form.average(i * step), form.mollify(i * step)});
  return rows;
}
}  // namespace trill
