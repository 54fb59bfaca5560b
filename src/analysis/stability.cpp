// SPDX-License-Identifier: BSD-3-Clause
#include "trill/analysis/stability.hpp"

#include "analysis/stability_parts.hpp"

#include <cmath>
#include <numbers>

namespace trill {
namespace {
using Belongs = bool (*)(const CriticalPoint&);
bool finite_there(const CriticalPoint& p) { return !p.pole; }
bool bounded_there(const CriticalPoint& p) { return !p.pole && (!p.double_eigenvalue || p.identity); }

std::vector<StabilityWindow> join_gaps(const std::vector<CriticalPoint>& points, const StableAt& stable,
                                       Belongs belongs) {
  std::vector<StabilityWindow> windows;
  Extended from = 0;
  // joins: the gap before this point was stable, and the point between the two gaps belongs to both.
  bool has_from = true, joins = false;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const bool last = i == points.size();
    const Extended to = last ? HUGE_VALL : points[i].mu;
    const bool has_to = !last && belongs(points[i]), holds = stable(last ? 2 * from + 1 : from + (to - from) / 2);
    if (holds && !joins) windows.push_back({static_cast<double>(from), 0, has_from, false});
    if (holds) {
      windows.back().to = static_cast<double>(to);
      windows.back().has_to = has_to;
    }
    joins = holds && has_to;
    from = to;
    has_from = has_to;
  }
  return windows;
}

double first_end(const std::vector<StabilityWindow>& windows) {
  return !windows.empty() && windows.front().from == 0 ? windows.front().to : 0;
}

bool inside_or_at_end(const std::vector<StabilityWindow>& windows, double mu) {
  for (const StabilityWindow& w : windows)
    if (w.from <= mu && mu <= w.to) return true;
  return false;
}
}  // namespace

StabilityRow stability_row(const StepMatrix& m, double mu) {
  const Extended discriminant = m.discriminant(), half_trace = m.half_trace();
  StabilityRow row{.mu = mu};
  if (discriminant >= 0) {
    row.radius = static_cast<double>(std::sqrt(1 + m.det_minus_one));
    row.damping = static_cast<double>(0 - std::log1p(m.det_minus_one) / (2 * mu));  // avoids -0
    row.oscillates = true;
    // M = [[cos, k sin], [-sin / k, cos]] up to a factor, so m12 has the sign of the sine.
    row.phase = static_cast<double>(std::atan2(std::copysign(std::sqrt(discriminant), m.m12), half_trace));
  } else {
    row.radius = static_cast<double>(std::abs(half_trace) + std::sqrt(-discriminant));
    row.damping = -std::log(row.radius) / mu;
    row.phase = half_trace < 0 ? std::numbers::pi : 0;
  }
  if (!std::isfinite(row.radius)) row = {.mu = mu, .radius = HUGE_VAL, .damping = -HUGE_VAL};
  return row;
}

std::vector<StabilityRow> stability_rows(const MatrixAt& matrix, double mu_max) {
  constexpr double step = 0.025;  // small enough to continue phases from row to row
  std::vector<StabilityRow> rows;
  double before = 0;
  for (int i = 1; i * step <= mu_max; ++i) {
    StabilityRow row = stability_row(matrix(i * step), i * step);
    constexpr double turn = 2 * std::numbers::pi;
    row.phase += turn * std::round((before - row.phase) / turn);
    before = row.phase;
    rows.push_back(row);
  }
  return rows;
}

std::vector<StabilityWindow> closed_windows(const std::vector<CriticalPoint>& points, const StableAt& stable) {
  return join_gaps(points, stable, finite_there);
}

std::vector<StabilityWindow> open_windows(const std::vector<CriticalPoint>& points, const StableAt& stable) {
  return join_gaps(points, stable, bounded_there);
}

void conclude(StabilityReport& report, const std::vector<CriticalPoint>& points) {
  for (const CriticalPoint& p : points)
    if (const auto mu = static_cast<double>(p.mu); p.double_eigenvalue && inside_or_at_end(report.closed.absolute, mu))
      report.touching.push_back({mu, p.identity});
  report.periodicity_end = first_end(report.closed.periodicity);
  report.absolute_end = first_end(report.closed.absolute);
  report.p_stable = std::isinf(report.periodicity_end);
  report.i_stable = std::isinf(report.absolute_end);
  report.strictly_p_stable = std::isinf(first_end(report.open.periodicity));
}

StabilityReport analyse_stability(const MethodEntry& method, const OptionSet& options, double mu_max) {
  if (const auto form = method.linear_form(options)) return analyse_stability(*form, mu_max);
  return analyse_steps(method, options, mu_max);
}
}  // namespace trill
