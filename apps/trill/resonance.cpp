// SPDX-License-Identifier: BSD-3-Clause
#include "resonance.hpp"

#include "analysis/resonance.hpp"
#include "terminal.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;
constexpr double pi = std::numbers::pi;
constexpr double reach = 4.5 * pi;
constexpr double squares[] = {0.01, 0.1, 1, -0.1};  // values of h^2 eps

std::string filter_text(double value) { return fmt::format("{:.6f}", std::abs(value) < 5e-7 ? 0.0 : value); }

std::string interval_text(const UnstableInterval& i) {
  return fmt::format("{:.6g} to {:.6g}: {:.3g}", i.from / pi, i.to / pi, i.growth);
}

std::string intervals_text(const std::vector<UnstableInterval>& intervals) {
  if (intervals.empty()) return "none";
  std::string text;
  for (const UnstableInterval& i : intervals) text += (text.empty() ? "" : "; ") + interval_text(i);
  return text;
}
}  // namespace

Table unstable_table(const SplitForm& form) {
  Table table{.title = "Instability on q'' = -omega^2 q - eps q, with a fast and a slow force",
              .note = "Unstable intervals of h*omega/pi up to 4.5, with the largest |eigenvalue| - 1 in each.",
              .columns = {"h^2 eps", "from, to: growth per step"},
              .rows = {},
              .marks = {}};
  for (const double square : squares)
    table.rows.push_back({fmt::format("{:g}", square), intervals_text(unstable_intervals(form, square, reach))});
  return table;
}

std::string resonance_text(const SplitForm& form) {
  std::vector<std::vector<std::string>> filters{
      {"h*omega/pi", "filter of positions", "filter of forces", "energy exchange of fast modes"}};
  for (const ResonanceRow& row : resonance_rows(form, pi / 4, reach))
    filters.push_back({fmt::format("{:.2f}", row.theta / pi), filter_text(row.average), filter_text(row.mollify),
                       filter_text(row.exchange())});
  const Table unstable = unstable_table(form);
  std::vector<std::vector<std::string>> rows{unstable.columns};
  rows.insert(rows.end(), unstable.rows.begin(), unstable.rows.end());
  return fmt::format("\n{}\n{}\n\n{}\n{}", text_table(filters), unstable.title, unstable.note + "\n", text_table(rows));
}

json resonance_json(const SplitForm& form) {
  json rows = json::array(), unstable = json::array();
  for (const ResonanceRow& row : resonance_rows(form, pi / 16, reach))
    rows.push_back({{"h_omega", row.theta},
                    {"filter_of_positions", row.average},
                    {"filter_of_forces", row.mollify},
                    {"exchange_factor", row.exchange()}});
  for (const double square : squares) {
    json intervals = json::array();
    for (const UnstableInterval& i : unstable_intervals(form, square, reach))
      intervals.push_back({{"from", i.from}, {"to", i.to}, {"growth", i.growth}});
    unstable.push_back({{"h2_eps", square}, {"intervals", intervals}});
  }
  return {{"filters", rows}, {"unstable", unstable}};
}

Chart filter_chart(const SplitForm& form) {
  Chart chart{.title = "Filters",
              .note = "Their product is the speed of the exchange of energy between fast modes.",
              .x = {"h*omega/pi", "", false},
              .y = {"filter", "", false},
              .style = ChartStyle::line,
              .series = {{"of positions", {}, {}}, {"of forces", {}, {}}, {"product", {}, {}}}};
  for (const ResonanceRow& row : resonance_rows(form, pi / 64, reach)) {
    const double values[] = {row.average, row.mollify, row.exchange()};
    for (std::size_t i = 0; i < 3; ++i) {
      chart.series[i].x.push_back(row.theta / pi);
      chart.series[i].y.push_back(values[i]);
    }
  }
  return chart;
}
}  // namespace trill::cli
