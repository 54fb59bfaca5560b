// SPDX-License-Identifier: BSD-3-Clause
#include "papers/figure.hpp"

#include "base/text.hpp"
#include "base/words.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
double FigureCell::deviation() const {
  if (factor) return ours * expected > 0 ? std::max(ours / expected, expected / ours) : HUGE_VAL;
  if (more_is_better) return expected - ours > 0 ? expected - ours : ours - ours;  // NaN stays NaN
  const double difference = std::abs(ours - expected);
  return relative ? difference / std::abs(expected) : difference;
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

const char* to_text(OriginKind kind) {
  constexpr std::array<EnumWord<OriginKind>, 5> words{{{OriginKind::published, "published"},
                                                       {OriginKind::closed_form, "closed form"},
                                                       {OriginKind::independent, "independent computation"},
                                                       {OriginKind::own, "own computation"},
                                                       {OriginKind::expected, "expected"}}};
  return word_for(kind, words);
}

std::string CellOrigin::text() const {
  return !detail.empty() ? fmt::format("{}: {}", to_text(kind), detail) : std::string(to_text(kind));
}

bool has_published_numbers(const FigureResult& result) {
  return std::any_of(result.cells.begin(), result.cells.end(),
                     [](const FigureCell& c) { return c.origin.kind == OriginKind::published; });
}

namespace {
// Numbers that all come from one place need no column that says so again and again.
void say_common_origin_once(Table& table) {
  if (table.rows.size() < 2) return;
  const std::string origin = table.rows.front().back();
  if (std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row.back() != origin; })) return;
  table.columns.pop_back();
  for (auto& row : table.rows) row.pop_back();
  table.note =
      fmt::format("Origin of all numbers compared with: {}.{}{}", origin, table.note.empty() ? "" : " ", table.note);
}
}  // namespace

Table table_of(const FigureResult& result) {
  const char* none = "No published numbers: the values beside ours do not come from print.";
  Table table{.title = has_published_numbers(result) ? "Our values and those they are compared with"
                                                     : "Our values, no published numbers",
              .note = has_published_numbers(result)
                          ? result.remark
                          : fmt::format("{}{}{}", none, result.remark.empty() ? "" : " ", result.remark),
              .columns = {"what", "ours", "compared with", "deviation", "tolerance", "verdict", "origin"},
              .rows = {},
              .marks = {}};
  for (const FigureCell& c : result.cells) {
    const std::string unit = c.factor ? " times" : c.relative ? " relative" : "";
    table.rows.push_back({c.label, fmt::format("{:.10g}", c.ours), fmt::format("{:.10g}", c.expected),
                          number(c, c.deviation(), 3) + unit, c.gated ? number(c, c.tolerance, 2) + unit : "none",
                          c.gated ? (c.ok() ? "ok" : "OUT") : "shown", c.origin.text()});
    table.marks.emplace_back(c.gated ? (c.ok() ? "ok" : "bad") : "");
  }
  say_common_origin_once(table);
  return table;
}
}  // namespace trill
