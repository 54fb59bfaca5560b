// SPDX-License-Identifier: BSD-3-Clause
#include "report/run_statistics.hpp"

#include "problem/known_law.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_charts = 12;
constexpr int points_in_bin = 8;  // of the integral of a law

// The mean density in each bin, so that it can be compared with a histogram.
std::vector<double> law_in_bins(const KnownLaw& known, Index measure, const Distribution& d) {
  std::vector<double> law;
  double sum = 0;
  for (std::size_t bin = 0; bin < d.density.size(); ++bin) {
    double mean = 0;
    for (int k = 0; k < points_in_bin; ++k)
      mean += known.law(measure, d.from + (static_cast<double>(bin) + (k + 0.5) / points_in_bin) * d.width);
    law.push_back(mean / points_in_bin);
    sum += law.back() * d.width;
  }
  if (!(sum > 0) || !std::isfinite(sum)) return {};
  for (double& value : law) value /= sum;
  return law;
}

void compare(MeasureStatistics& m) {
  const double mean_of_normal = std::sqrt(2 / 3.141592653589793);  // of |x|
  for (std::size_t k = 0; k < m.law.size(); ++k) {
    m.distance += 0.5 * m.distribution.width * std::abs(m.distribution.density[k] - m.law[k]);
    m.noise += 0.5 * m.distribution.width * mean_of_normal * m.distribution.error[k];
  }
}

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}
}  // namespace

bool has_statistics(const PreparedRun& run) {
  return run.plan.want == Want::statistics || dynamic_cast<const LangevinProblem*>(run.problem.get());
}

std::vector<MeasureStatistics> statistics_of(const Problem& problem, const RunInfo& info, const RowSource& rows) {
  const MeasuredColumns columns(info, rows);
  const auto* known = dynamic_cast<const KnownLaw*>(&problem);
  std::vector<MeasureStatistics> all;
  if (columns.rows() < least_rows_for_averages) return all;
  const std::vector<Quantity> own = problem.quantities();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    MeasureStatistics m{columns.quantity(k), columns.average(k), {}, {}, 0, 0};
    const auto place =
        std::find_if(own.begin(), own.end(), [&](const Quantity& q) { return q.name == m.quantity.name; });
    const auto measure = static_cast<Index>(place - own.begin());
    const auto range = known && place != own.end() ? known->law_range(measure) : std::nullopt;
    m.distribution = distribution_of(columns.values(k), m.average,
                                     range ? ValueRange{range->low, range->high} : range_of(columns.values(k)));
    if (range && !m.distribution.density.empty()) m.law = law_in_bins(*known, measure, m.distribution);
    compare(m);
    all.push_back(std::move(m));
  }
  return all;
}

std::string statistics_text(const MeasureStatistics& m, const std::string& time_unit) {
  const Average& a = m.average;
  if (a.deviation == 0)
    return fmt::format("{} = {}", m.quantity.name, with_unit(fmt::format("{:.6g}", a.mean), m.quantity.unit));
  std::string text =
      fmt::format("{} = {}, spread {:.3g}, correlation time {}, {:.2g} independent values", m.quantity.name,
                  with_unit(fmt::format("{:.5g} +- {:.2g}", a.mean, a.error), m.quantity.unit), a.deviation,
                  with_unit(fmt::format("{:.2g}", a.correlation), time_unit), a.independent);
  if (!a.is_settled)
    text +=
        changes_slowly(a) ? " (and a slow change: the error is hardly known)" : " (too few: the error is hardly known)";
  if (!m.law.empty())
    text += fmt::format("; {:.2g} of its distribution differs from the exact one, and random errors alone give {:.2g}",
                        m.distance, m.noise);
  return text;
}

Table statistics_table(const std::vector<MeasureStatistics>& all, const std::string& time_unit) {
  Table table{
      .title = "Averages",
      .note =
          "The first tenth of the run is left out. Standard errors are those of means of blocks that are as "
          "long as it takes for them to be uncorrelated.",
      .columns = {"measure", "unit", "average", "standard error", "spread",
                  with_unit("correlation time", time_unit.empty() ? "" : "(" + time_unit + ")"), "independent values"},
      .rows = {},
      .marks = {}};
  for (const MeasureStatistics& m : all) {
    const Average& a = m.average;
    table.rows.push_back({m.quantity.name, m.quantity.unit, fmt::format("{:.6g}", a.mean),
                          fmt::format("{:.2g}", a.error), fmt::format("{:.3g}", a.deviation),
                          fmt::format("{:.2g}", a.correlation),
                          a.deviation > 0 ? fmt::format("{:.3g}", a.independent) : ""});
    table.marks.push_back(a.is_settled ? "" : "bad");
  }
  return table;
}

std::vector<std::string> statistics_summary(const std::vector<MeasureStatistics>& all) {
  constexpr std::size_t most = 6;
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k) {
    const Average& a = all[k].average;
    lines.push_back(fmt::format("{} is {} on average (standard error {:.2g}), and varies by {:.3g}.",
                                all[k].quantity.name, with_unit(fmt::format("{:.5g}", a.mean), all[k].quantity.unit),
                                a.error, a.deviation));
  }
  if (all.size() > most) lines.push_back(fmt::format("{} more averages are in the table below.", all.size() - most));
  return lines;
}

std::vector<Chart> statistics_charts(const std::vector<MeasureStatistics>& all) {
  std::vector<Chart> charts;
  for (const MeasureStatistics& m : all) {
    const Distribution& d = m.distribution;
    if (d.density.empty() || charts.size() == most_charts) continue;
    Chart chart{.title = "Distribution of " + m.quantity.name,
                .note = "Sampled, with two standard errors to either side.",
                .x = {m.quantity.name, m.quantity.unit, false},
                .y = {"density", m.quantity.unit.empty() ? "" : "1/" + m.quantity.unit, false},
                .style = ChartStyle::line,
                .series = {{"sampled", {}, {}}, {"two errors above", {}, {}}, {"two errors below", {}, {}}}};
    if (!m.law.empty()) {
      chart.series.push_back({"exact", {}, {}});
      chart.note += fmt::format(
          " Exact: with stiff bonds. {:.2g} of the distribution differs from the exact one; random errors alone "
          "give {:.2g}.",
          m.distance, m.noise);
    }
    for (std::size_t k = 0; k < d.density.size(); ++k) {
      const double values[] = {d.density[k], d.density[k] + 2 * d.error[k],
                               std::max(0.0, d.density[k] - 2 * d.error[k]), m.law.empty() ? 0 : m.law[k]};
      for (std::size_t s = 0; s < chart.series.size(); ++s) {
        chart.series[s].x.push_back(d.middle(k));
        chart.series[s].y.push_back(values[s]);
      }
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}
}  // namespace trill
