// SPDX-License-Identifier: BSD-3-Clause
#include "papers/figure.hpp"

#include "commands.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;

json finite(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json result_json(const FigureEntry& entry, const FigureResult& result) {
  json cells = json::array();
  for (const FigureCell& c : result.cells)
    cells.push_back({{"what", c.label},
                     {"ours", finite(c.ours)},
                     {"expected", finite(c.expected)},
                     {"deviation", finite(c.deviation())},
                     {"tolerance", c.tolerance},
                     {"relative", c.relative},
                     {"factor", c.factor},
                     {"more_is_better", c.more_is_better},
                     {"gated", c.gated},
                     {"ok", c.ok()},
                     {"origin", c.origin.text()},
                     {"published", c.origin.kind == OriginKind::published}});
  json tables = json::array();
  for (const Table& t : result.tables) tables.push_back({{"title", t.title}, {"columns", t.columns}, {"rows", t.rows}});
  return {{"figure", entry.name}, {"title", entry.title},    {"reference", entry.reference},
          {"ok", result.ok()},    {"remark", result.remark}, {"cells", cells},
          {"tables", tables}};
}

std::string table_text(const Table& table) {
  std::vector<std::vector<std::string>> rows{table.columns};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return text_table(rows);
}
// What the page begins with.
std::vector<std::string> summary_of(const FigureEntry& entry, const FigureResult& result) {
  const auto judged = std::count_if(result.cells.begin(), result.cells.end(), [](const auto& c) { return c.gated; });
  const auto out = std::count_if(result.cells.begin(), result.cells.end(), [](const auto& c) { return !c.ok(); });
  return {
      fmt::format("Recomputed from {}.", entry.reference),
      fmt::format(
          "{}{}",
          out == 0 ? fmt::format("All {} values are within their tolerance.", judged)
                   : fmt::format("{} of {} values are out of tolerance.", out, judged),
          has_published_numbers(result) ? "" : " No published numbers: the table says what they are compared with.")};
}
}  // namespace

int figure(const FigureArguments& a) {
  const FigureEntry& entry = FigureRegistry::all().find(a.name);
  check_page(a.report);
  check_pictures(a.svg);
  const FigureResult result = entry.compute(a.full);
  std::vector<Table> tables = result.tables;
  tables.push_back(table_of(result));
  if (a.json) {
    print(result_json(entry, result).dump(2) + "\n");
  } else {
    print(paragraph(fmt::format("{}: {} ({})", entry.name, entry.title, entry.reference)));
    for (const Table& table : tables) print("\n" + table_text(table));
    if (!tables.back().note.empty()) print("\n" + paragraph(tables.back().note));
    print(result.ok() ? "\nall values are within tolerance\n" : "\nsome values are OUT OF TOLERANCE\n");
  }
  write_charts(result.charts, entry.name + ": " + entry.title, a.report, a.svg, a.json, tables,
               summary_of(entry, result));
  return result.ok() ? ExitCode::ok : ExitCode::numerical_failure;
}
}  // namespace trill::cli
