// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_compare.hpp"

#include "formulation/frequencies.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double periods_in_window = 8, most_windows = 100, least_windows = 4;
constexpr double points_per_period = 12, least_points = 96, most_points = 768;
constexpr Index most_unknowns_to_analyse = 120;

// The frequencies above the widest gap between neighbouring nonzero ones.
struct FastBand {
  double lowest = 0, highest = 0;  // 0: not known
};

FastBand fast_band(const Problem& problem, const State& start) {
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical && !dynamic_cast<const FirstOrderProblem*>(&problem)) return {};
  if (start.y.size() > most_unknowns_to_analyse) {
    const double highest = fastest_frequency(problem, start);
    return {highest / 3, highest};
  }
  std::vector<double> all;
  for (const auto& value : local_eigenvalues(problem, start)) all.push_back(std::abs(value.imag()));
  std::sort(all.begin(), all.end());
  if (all.empty() || !(all.back() > 0)) return {};
  std::erase_if(all, [&, floor = 1e-8 * all.back()](double omega) { return omega <= floor; });
  FastBand band{all.front(), all.back()};
  double widest = 1;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i] / all[i - 1] > widest) {
      widest = all[i] / all[i - 1];
      band.lowest = all[i];
    }
  return band;
}

double relative_of(double deviation, double scale) { return scale > 0 ? deviation / scale : deviation; }

// The deviation of one value at one time. Where values jump, the median of it and its neighbours: one of the times may
// lie between the edges of the two runs.
double deviation_at(const JudgedCurve& run, const JudgedCurve& reference, Index i, Index k, Index columns) {
  const auto at = [&](Index column) { return std::abs(run.values(i, column) - reference.values(i, column)); };
  if (!run.may_jump(i) && !reference.may_jump(i)) return at(k);
  const double here = at(k), before = at(std::max<Index>(0, k - 1)), after = at(std::min(columns - 1, k + 1));
  return std::max(std::min(here, before), std::min(std::max(here, before), after));
}

// The largest error of all values that count at one time; NaN: there is nothing to compare with.
double error_at(const JudgedCurve& run, const JudgedCurve& reference, const Vec& scales,
                const std::vector<JudgedValue>& values, Index k, Index columns) {
  if (!reference.values.col(k).allFinite()) return std::nan("");
  double worst = 0;
  for (Index i = 0; i < scales.size(); ++i)
    if (values[static_cast<std::size_t>(i)].counts)
      worst = std::max(worst, relative_of(deviation_at(run, reference, i, k, columns), scales[i]));
  return worst;
}

struct Moments {
  double error = 0;         // the largest in them
  double above = HUGE_VAL;  // at all other times errors are no larger than this
};

Moments find_moments(const std::vector<double>& t, const std::vector<double>& errors) {
  constexpr double far_smaller = 0.3;
  const std::size_t n = errors.size();
  if (n < 3) return {};
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < n; ++k)
    if (!std::isnan(errors[k])) order.push_back(k);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  const double span = std::abs(t[n - 1] - t[0]);
  Moments found;
  double last = 0;
  for (const std::size_t k : order) {
    last += 0.5 * std::abs(t[std::min(k + 1, n - 1)] - t[k == 0 ? 0 : k - 1]);
    found.above = errors[k];
    if (last > shortest_moment * span) break;
  }
  found.error = order.empty() ? 0 : errors[order.front()];
  return found.above < far_smaller * found.error ? found : Moments{};
}

// The range of a value up to each of these times.
std::vector<double> range_so_far(const std::vector<double>& t, const JudgedCurve& reference, Index value,
                                 double scale) {
  std::vector<double> shares;
  double low = HUGE_VAL, high = -HUGE_VAL;
  Index k = 0;
  for (const double time : t) {
    for (; k < reference.columns() &&
           std::abs(reference.t[static_cast<std::size_t>(k)] - reference.t[0]) <= std::abs(time - reference.t[0]);
         ++k) {
      low = std::min(low, reference.values(value, k));
      high = std::max(high, reference.values(value, k));
    }
    shares.push_back(relative_of(high - low, scale));
  }
  return shares;
}
}  // namespace

double Comparison::first_above(double limit) const {
  for (std::size_t k = 0; k < worst.size(); ++k)
    if (!(worst[k] <= limit)) return t[k == 0 ? 0 : k - 1];
  return std::nan("");
}

Comparison compare(const JudgedCurve& run, const JudgedCurve& reference, const Vec& scales,
                   const std::vector<JudgedValue>& values) {
  Comparison found;
  found.deviation = found.halfway = Vec::Zero(scales.size());
  const Index columns = std::min(run.columns(), reference.columns());
  std::vector<double> errors;
  for (Index k = 0; k < columns; ++k) errors.push_back(error_at(run, reference, scales, values, k, columns));
  const Moments moments = find_moments(run.t, errors);
  found.error_in_moments = moments.error;
  for (Index k = 0; k < columns; ++k) {
    if (k == (columns + 1) / 2) found.halfway = found.deviation;
    const double here = errors[static_cast<std::size_t>(k)];
    if (std::isnan(here) || here > moments.above) continue;
    for (Index i = 0; i < scales.size(); ++i) {
      const double deviation = deviation_at(run, reference, i, k, columns);
      if (deviation > found.deviation[i]) found.deviation[i] = deviation;
      if (!values[static_cast<std::size_t>(i)].counts) continue;
      if (const double relative = relative_of(deviation, scales[i]); relative > found.error) {
        found.error = relative;
        found.value = i;
      }
    }
    found.t.push_back(run.t[static_cast<std::size_t>(k)]);
    found.worst.push_back(found.error);
  }
  if (found.value >= 0) found.moved = range_so_far(found.t, reference, found.value, scales[found.value]);
  return found;
}

double error_of_conserved(const Comparison& comparison, const JudgedCurve& reference, const Vec& scales,
                          const std::vector<JudgedValue>& values) {
  double error = 0;
  for (Index i = 0; i < scales.size(); ++i) {
    const auto curve = reference.values.row(i);
    const bool conserved =
        curve.allFinite() && curve.maxCoeff() - curve.minCoeff() <= conserved_by_run * curve.cwiseAbs().maxCoeff();
    if (conserved && values[static_cast<std::size_t>(i)].counts)
      error = std::max(error, relative_of(comparison.deviation[i], scales[i]));
  }
  return error;
}

Carried carried_on(const Comparison& comparison, const Vec& scales, const std::vector<JudgedValue>& values,
                   double times_as_late) {
  constexpr double noise = 1e-6;  // of means over windows
  Carried found;
  for (Index i = 0; i < scales.size(); ++i) {
    if (!values[static_cast<std::size_t>(i)].counts) continue;
    const double first = relative_of(comparison.halfway[i], scales[i]);
    const double whole = relative_of(comparison.deviation[i], scales[i]);
    const double power = std::clamp(std::log2(std::max(whole, noise) / std::max(first, noise)), 0.0, 2.0);
    if (const double error = whole * std::pow(times_as_late, power); error > found.error) found = {error, i};
  }
  return found;
}

std::optional<double> folding_time(const Comparison& accurate_ones) {
  constexpr double saturated = 1e-2, exponential = 30;  // growth in the second half of the time; a cubic law has 8
  // A pulse or a switch makes an error at once. Errors that grow by themselves do so more than once: also without two
  // neighbouring parts of the time, growth is a good share of the whole and more than that of a power law.
  constexpr int parts = 10;
  constexpr double least_share = 0.15, least_growth = 1.5;
  const std::vector<double>&t = accurate_ones.t, &worst = accurate_ones.worst;
  const auto end = std::find_if(worst.begin(), worst.end(), [](double w) { return w > saturated; });
  const std::size_t last = static_cast<std::size_t>(end - worst.begin()) - (end == worst.end() ? 1 : 0);
  if (worst.size() < 8 || last < 4) return std::nullopt;
  const auto column_at = [&](double share) {
    std::size_t k = last;
    while (k > 0 && std::abs(t[k] - t.front()) > share * std::abs(t[last] - t.front())) --k;
    return k;
  };
  const std::size_t half = column_at(0.5);
  if (!(worst[half] > 0) || worst[last] < exponential * worst[half]) return std::nullopt;
  // A motion that begins at rest under a force that sets in smoothly grows itself, and its errors grow with it.
  const std::vector<double>& moved = accurate_ones.moved;
  const auto growth_between = [&](std::size_t a, std::size_t b) {
    return std::log(worst[b] / worst[a]) - std::log(moved[b] / moved[a]);
  };
  if (!(moved[half] > 0)) return std::nullopt;
  const double growth = growth_between(half, last);
  if (growth < std::log(exponential)) return std::nullopt;
  const auto column_of_part = [&](int part) { return column_at(0.5 + 0.5 * part / parts); };
  double most = 0;
  for (int part = 0; part + 2 <= parts; ++part)
    most = std::max(most, growth_between(column_of_part(part), column_of_part(part + 2)));
  if (growth - most < std::max(least_share * growth, least_growth)) return std::nullopt;
  return std::abs(t[last] - t[half]) / growth;
}

Averages::Averages(const Problem& problem, const State& start, double t_end) {
  const FastBand band = fast_band(problem, start);
  const double span = t_end - start.t;
  double width = band.lowest > 0 ? periods_in_window * 2 * std::numbers::pi / band.lowest : HUGE_VAL;
  width = std::min(width, std::abs(span) / least_windows);
  const double windows = std::clamp(std::floor(std::abs(span) / width), least_windows, most_windows);
  const double ratio = band.lowest > 0 ? band.highest / band.lowest : 1;
  const auto points =
      static_cast<Index>(std::clamp(points_per_period * periods_in_window * ratio, least_points, most_points));
  for (Index j = 0; j < points; ++j) {
    const double x = (2.0 * static_cast<double>(j) + 1) / static_cast<double>(points) - 1;
    weights_.push_back(std::pow(std::cos(0.5 * std::numbers::pi * x), 4));
  }
  double sum = 0;
  for (const double weight : weights_) sum += weight;
  for (double& weight : weights_) weight /= sum;
  const double direction = span > 0 ? 1 : -1, spacing = std::abs(span) / windows;
  for (double window = 0; window < windows; ++window)
    for (Index j = 0; j < points; ++j) {
      const double inside = width * (static_cast<double>(j) + 0.5) / static_cast<double>(points);
      times_.push_back(start.t + direction * (window * spacing + inside));
    }
}

JudgedCurve Averages::of(const JudgedCurve& curve) const {
  const auto points = static_cast<Index>(weights_.size());
  const Index windows = curve.columns() / points;
  JudgedCurve averages{{}, Mat::Zero(curve.values.rows(), windows)};
  for (Index w = 0; w < windows; ++w) {
    for (Index j = 0; j < points; ++j)
      averages.values.col(w) += weights_[static_cast<std::size_t>(j)] * curve.values.col(w * points + j);
    averages.t.push_back(curve.t[static_cast<std::size_t>(w * points + points / 2)]);
  }
  return averages;
}
}  // namespace trill
