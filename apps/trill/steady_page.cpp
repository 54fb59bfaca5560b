// SPDX-License-Identifier: BSD-3-Clause
#include "steady_page.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace trill::cli {
namespace {
constexpr std::size_t harmonics_shown = 3;

std::string six_digits(double value) { return fmt::format("{:.6g}", value); }

Table signal_table(const SteadyState& state) {
  Table table{.title = "One period",
              .note = "Ripple is from the lowest to the highest value. Harmonics are peak amplitudes of sines.",
              .columns = {"quantity", "unit", "mean", "rms", "lowest", "highest", "ripple"},
              .rows = {},
              .marks = {}};
  for (std::size_t k = 1; k <= harmonics_shown; ++k) table.columns.push_back(fmt::format("harmonic {}", k));
  for (const SteadySignal& x : state.signals) {
    std::vector<std::string> row{x.name,
                                 x.unit,
                                 six_digits(x.mean),
                                 six_digits(x.rms),
                                 six_digits(x.min),
                                 six_digits(x.max),
                                 six_digits(x.ripple())};
    for (std::size_t k = 0; k < harmonics_shown; ++k)
      row.push_back(k < x.harmonics.size() ? six_digits(x.harmonics[k]) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table power_table(const SteadyState& state) {
  Table table{.title = "Mean powers", .note = "", .columns = {"element", "", "power / W"}, .rows = {}, .marks = {}};
  for (const SteadyPower& p : state.powers)
    table.rows.push_back({p.element, p.is_source ? "delivers" : "takes up", six_digits(p.mean)});
  return table;
}
}  // namespace

std::vector<std::string> steady_summary(const SteadyState& state, const std::string& time_unit) {
  std::string stability = state.stability;
  if (!stability.empty()) stability[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(stability[0])));
  std::vector<std::string> lines{fmt::format("Period {}{}, frequency {}{}.", six_digits(state.period),
                                             time_unit.empty() ? "" : " " + time_unit, six_digits(1 / state.period),
                                             time_unit == "s"    ? " Hz"
                                             : time_unit.empty() ? ""
                                                                 : " 1/" + time_unit)};
  if (!stability.empty()) lines.push_back(stability + (stability.ends_with('.') ? "" : "."));
  if (state.efficiency) lines.push_back(fmt::format("Efficiency {:.4g} %.", 100 * *state.efficiency));
  return lines;
}

std::vector<Table> steady_tables(const SteadyState& state) {
  std::vector<Table> tables{signal_table(state)};
  if (!state.powers.empty()) tables.push_back(power_table(state));
  return tables;
}
}  // namespace trill::cli
