// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/ticks.hpp"
#include "trill/report/chart.hpp"

#include <array>
#include <string>
#include <vector>

namespace trill {
struct PlotArea {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

using Pixel = std::array<double, 2>;  // x, y; a gap if x is NaN

// The part of a chart that can be drawn: points that are finite and, on a log axis, positive.
struct Drawable {
  std::vector<ChartSeries> series;                // points that cannot be drawn are gaps in both x and y
  double x_lo = 1, x_hi = 0, y_lo = 1, y_hi = 0;  // lo > hi if there is nothing to draw
  std::size_t not_positive = 0;
  bool one_way = true;  // x only rises or only falls in every series, as in a function of time
  bool empty() const { return y_lo > y_hi; }
};
Drawable drawable(const Chart& chart);

// In pixels, reduced to what can be seen: for a function the min and max of every half pixel column, for any other
// curve its extreme points.
std::vector<Pixel> curve_pixels(const ChartSeries& series, bool one_way, const AxisTicks& x, const AxisTicks& y,
                                const PlotArea& area);
// One pixel per marker, without two at the same place.
std::vector<Pixel> marker_pixels(const ChartSeries& series, const AxisTicks& x, const AxisTicks& y,
                                 const PlotArea& area);
std::vector<Pixel> lone_pixels(const std::vector<Pixel>& pixels);  // points alone between gaps: no line shows them
// Outlines of the bands between gaps, as path data, from the min and max of every half pixel column.
std::string band_path(const ChartSeries& series, const AxisTicks& x, const AxisTicks& y, const PlotArea& area);
double path_length(const std::vector<Pixel>& pixels);

// The "d" attribute of a path element.
std::string line_path(const std::vector<Pixel>& pixels);
std::string marker_path(const std::vector<Pixel>& pixels, std::size_t shape, double radius);
bool marker_is_open(std::size_t shape);  // drawn by strokes, not filled

const char* curve_colour(std::size_t i);             // palette of Okabe and Ito without its yellow, too pale on white
std::string curve_dash(std::size_t i, bool smooth);  // stroke-dasharray, empty for a solid line
}  // namespace trill
