// SPDX-License-Identifier: BSD-3-Clause
#include "pictures.hpp"

#include "places.hpp"
#include "report/svg.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/report/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill::cli {
std::vector<Chart> stability_charts(const std::string& method, const StabilityReport& r) {
  const auto chart = [&](const char* title, const char* note, const char* label) {
    return Chart{.title = title,
                 .note = note,
                 .x = {"h*omega", "", false},
                 .y = {label, "", false},
                 .style = ChartStyle::line,
                 .series = {{method, {}, {}}}};
  };
  Chart radius =
      chart("Amplitude after a step", "1: the amplitude is preserved; above 1: unstable", "largest |eigenvalue|");
  Chart frequency = chart("Frequency distortion", "1: the exact frequency; there are gaps where nothing oscillates",
                          "b = phase / (h*omega)");
  Chart damping = chart("Damping", "|eigenvalue| = exp(-a h*omega); negative: growth", "a");
  const auto add = [](Chart& c, double mu, double value, bool shown) {
    c.series[0].x.push_back(mu);
    c.series[0].y.push_back(shown ? value : std::nan(""));
  };
  const auto drawn = [](const StabilityRow& row) { return row.radius <= 3; };
  const auto end = std::find_if(r.rows.rbegin(), r.rows.rend(), drawn).base();
  for (auto row = r.rows.begin(); row != end; ++row) {
    add(radius, row->mu, row->radius, drawn(*row));
    add(frequency, row->mu, row->phase / row->mu, drawn(*row) && row->oscillates);
    add(damping, row->mu, row->damping, drawn(*row));
  }
  return {radius, frequency, damping};
}

void write_charts(const std::vector<Chart>& charts, const std::string& title, const std::string& page,
                  const std::string& svg_prefix, bool silent, const std::vector<Table>& tables,
                  const std::vector<std::string>& summary) {
  if (!page.empty()) {
    Report report;
    report.title = title;
    report.version = TRILL_VERSION;
    report.charts = charts;
    report.tables = tables;
    report.summary = summary;
    write_whole(page, report_page(report));
    if (!silent) print(fmt::format("page: {}\n", page));
  }
  const Paths pictures = svg_files(svg_prefix, charts.size());
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    write_whole(pictures[i], svg_chart(charts[i]));
    if (!silent) print(fmt::format("picture: {}\n", pictures[i].string()));
  }
}
}  // namespace trill::cli
