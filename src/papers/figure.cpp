// SPDX-License-Identifier: BSD-3-Clause
#include "papers/figure.hpp"

#include "base/text.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
double FigureCell::deviation() const {
  if (factor) return ours * published > 0 ? std::max(ours / published, published / ours) : HUGE_VAL;
  if (more_is_better) return published - ours > 0 ? published - ours : ours - ours;  // NaN stays NaN
  const double difference = std::abs(ours - published);
  return relative ? difference / std::abs(published) : difference;
}

bool FigureResult::ok() const {
  return !cells.empty() && std::all_of(cells.begin(), cells.end(), [](const FigureCell& c) { return c.ok(); });
}

const FigureEntry& FigureRegistry::find(std::string_view name) const {
  const std::string wanted = lower_snake(name);
  std::vector<std::string> known;
  for (const FigureEntry& entry : entries_) {
    if (entry.name == wanted) return entry;
    known.push_back(entry.name);
  }
  throw UsageError("unknown figure '" + std::string(name) + "'" + suggest(wanted, known) +
                   " (run 'trill list figures' to see all)");
}

namespace {
std::string number(const FigureCell& c, double value, int digits) {
  return c.factor ? fmt::format("{:.{}g}", value, digits) : fmt::format("{:.{}e}", value, digits - 1);
}
}  // namespace

Table table_of(const FigureResult& result) {
  Table table{
      .title = "Our values and the published ones",
      .note = result.remark,
      .columns = {"what", "ours", "published", "deviation", "tolerance", "verdict", "origin of the published value"},
      .rows = {},
      .marks = {}};
  for (const FigureCell& c : result.cells) {
    const std::string unit = c.factor ? " times" : c.relative ? " relative" : "";
    table.rows.push_back({c.label, fmt::format("{:.10g}", c.ours), fmt::format("{:.10g}", c.published),
                          number(c, c.deviation(), 3) + unit, c.gated ? number(c, c.tolerance, 2) + unit : "none",
                          c.gated ? (c.ok() ? "ok" : "OUT") : "shown", c.origin});
    table.marks.emplace_back(c.gated ? (c.ok() ? "ok" : "bad") : "");
  }
  return table;
}
}  // namespace trill
