// SPDX-License-Identifier: BSD-3-Clause
// For programs that draw: the data of charts and tables.
#pragma once

#include <string>
#include <vector>

namespace trill {
struct ChartAxis {
  std::string label, unit;
  bool log = false;
};

// x and y have the same length; a value that is not finite makes a gap in the line. The band, of the same length or
// empty, is drawn from y - band to y + band behind the line; y must then be a function of x.
struct ChartSeries {
  std::string label;
  std::vector<double> x, y, band{};
};

// A place on the x axis with a name, drawn as a line from top to bottom.
struct ChartMark {
  double x = 0;
  std::string label;
};

enum class ChartStyle { line, points, both };
const char* to_text(ChartStyle style);

// A plot as data: drawn by the report page and by svg_chart.
struct Chart {
  std::string title, note;
  ChartAxis x, y;
  ChartStyle style = ChartStyle::line;
  std::vector<ChartSeries> series;
  std::string band_label{};  // what bands mean, for the legend
  std::vector<ChartMark> marks{};
};

// A table as text. Each row may have a mark: "ok", "bad" or empty; fewer marks than rows are allowed.
struct Table {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> marks;
};
}  // namespace trill
