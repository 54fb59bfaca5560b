// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_windows.hpp"

#include "driver/check_repetition.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int further_windows = 3;
constexpr double least_covered = 0.01;  // of a full motion: errors cannot be carried farther than that

// By how much the run deviates in a window that begins at a state of the run itself. Such a window covers no more time
// than the first one.
struct Further {
  double error = 0, covered = 0;
  Index value = -1;
};

std::optional<Further> further(const WindowTask& task, const Auditor& by, double share, double length, double seconds,
                               const CheckClock& clock) {
  const JudgedCurve& rows = task.rows;
  const auto first = static_cast<std::size_t>(share * static_cast<double>(rows.columns()));
  std::size_t last = first;
  while (last < rows.t.size() && std::abs(rows.t[last] - rows.t[first]) <= length) ++last;
  if (last - first < static_cast<std::size_t>(least_columns)) return std::nullopt;
  const Index n = task.run.start.y.size(), begin = static_cast<Index>(first), count = static_cast<Index>(last - first);
  State start = task.run.start;
  start.t = rows.t[first];
  start.y = rows.values.col(begin).head(n);
  const JudgedCurve own{{rows.t.begin() + begin, rows.t.begin() + begin + count}, rows.values.middleCols(begin, count)};
  const Vec scales = task.scales.head(n);
  const auto found = audit(task.run, by, {start, own.t, own.t.back(), scales, seconds}, clock);
  if (!found || found->curve.columns() < least_columns) return std::nullopt;
  const Comparison comparison = compare(own, found->curve, task.scales, task.values);
  return Further{comparison.error, std::abs(comparison.t.back() - comparison.t.front()), comparison.value};
}
}  // namespace

std::string WindowEstimate::covered_text() const {
  return fmt::format("{} {:.2g} %", count == 1 ? "the first" : fmt::format("{} stretches,", count), 100 * covered);
}

std::optional<WindowEstimate> estimate_by_windows(const WindowTask& task, const Audit& begun, const CheckClock& clock) {
  const JudgedCurve reference = task.averages ? task.averages->of(begun.curve) : begun.curve;
  if (reference.columns() < least_columns) return std::nullopt;
  JudgedCurve own = task.rows;
  if (task.averages) {
    const std::vector<double>& times = begun.curve.t;
    own = task.averages->of(curve_at(task.run, times, times.back()));
  }
  WindowEstimate found;
  found.first = compare(own, reference, task.scales, task.values);
  const double span = std::abs(task.to - *task.run.plan.from);
  const double length = std::abs(found.first.t.back() - *task.run.plan.from);
  found.covered = length / span;
  if (!task.averages && found.covered < least_covered) return std::nullopt;
  const Carried carried = carried_on(found.first, task.scales, task.values, span / length);
  found.error = carried.error;
  found.value = carried.value;
  for (int k = 1; task.from_own_states && !task.averages && k <= further_windows; ++k) {
    const double seconds = clock.left() / (further_windows + 1 - k);
    if (!(seconds > 0)) break;
    const auto more = further(task, begun.by, static_cast<double>(k) / (further_windows + 1), length, seconds, clock);
    if (!more || !(more->covered > 0)) continue;
    ++found.count;
    found.covered += more->covered / span;
    // Where the run makes larger errors than at its start, they count as if it made them all the time.
    const double worse = more->error * length / more->covered / found.first.error;
    if (found.first.error > 0 && worse * carried.error > found.error) {
      found.error = worse * carried.error;
      found.value = std::max<Index>(more->value, 0);
    }
  }
  return found;
}
}  // namespace trill
