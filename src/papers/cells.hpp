// SPDX-License-Identifier: BSD-3-Clause
// What every figure is made of: charts, and cells that compare our number with the published one.
#pragma once

#include "papers/figure.hpp"

namespace trill::papers {
// Origins of published values that several papers share.
inline constexpr const char* independent = "independent program";
inline constexpr const char* closed_form = "closed form";

FigureCell near(std::string label, double ours, double published, double tolerance, std::string origin = independent);
FigureCell relative(std::string label, double ours, double published, double tolerance,
                    std::string origin = independent);
FigureCell by_factor(std::string label, double ours, double published, double max_factor,
                     std::string origin = independent);
// The expected value is 0.
FigureCell at_most(std::string label, double ours, double bound, std::string origin = independent);
// Ours may fall behind the published value by `behind`.
FigureCell at_least(std::string label, double ours, double published, double behind, std::string origin = independent);
FigureCell shown(FigureCell cell);  // shown, but not part of the verdict
FigureCell judged_if(bool judged, FigureCell cell);

void add_point(ChartSeries& series, double x, double y);
Chart time_chart(std::string title, std::string note, ChartAxis y, std::vector<ChartSeries> series = {});
// Both axes logarithmic.
Chart log_chart(std::string title, std::string note, std::string x, std::string y,
                std::vector<ChartSeries> series = {});
}  // namespace trill::papers
