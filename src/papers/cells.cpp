// SPDX-License-Identifier: BSD-3-Clause
#include "papers/cells.hpp"

namespace trill::papers {
FigureCell near(std::string label, double ours, double expected, double tolerance, CellOrigin origin) {
  return {.label = std::move(label),
          .ours = ours,
          .expected = expected,
          .tolerance = tolerance,
          .origin = std::move(origin)};
}

FigureCell relative(std::string label, double ours, double expected, double tolerance, CellOrigin origin) {
  FigureCell cell = near(std::move(label), ours, expected, tolerance, std::move(origin));
  cell.relative = true;
  return cell;
}

FigureCell by_factor(std::string label, double ours, double expected, double max_factor, CellOrigin origin) {
  FigureCell cell = near(std::move(label), ours, expected, max_factor, std::move(origin));
  cell.factor = true;
  return cell;
}

FigureCell at_most(std::string label, double ours, double bound, CellOrigin origin) {
  return near(std::move(label), ours, 0, bound, std::move(origin));
}

FigureCell at_least(std::string label, double ours, double expected, double behind, CellOrigin origin) {
  FigureCell cell = near(std::move(label), ours, expected, behind, std::move(origin));
  cell.more_is_better = true;
  return cell;
}

FigureCell shown(FigureCell cell) {
  cell.gated = false;
  return cell;
}

FigureCell judged_if(bool judged, FigureCell cell) { return judged ? cell : shown(std::move(cell)); }

void add_point(ChartSeries& series, double x, double y) {
  series.x.push_back(x);
  series.y.push_back(y);
}

Chart time_chart(std::string title, std::string note, ChartAxis y, std::vector<ChartSeries> series) {
  return {.title = std::move(title),
          .note = std::move(note),
          .x = {"t", "", false},
          .y = std::move(y),
          .style = ChartStyle::line,
          .series = std::move(series)};
}

Chart log_chart(std::string title, std::string note, std::string x, std::string y, std::vector<ChartSeries> series) {
  return {.title = std::move(title),
          .note = std::move(note),
          .x = {std::move(x), "", true},
          .y = {std::move(y), "", true},
          .style = ChartStyle::both,
          .series = std::move(series)};
}
}  // namespace trill::papers
