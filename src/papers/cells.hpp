// SPDX-License-Identifier: BSD-3-Clause
// What every figure is made of: charts, and cells that compare our number with another.
#pragma once

#include "papers/figure.hpp"

namespace trill::papers {
// Origins of the values that ours are compared with.
inline const CellOrigin independent{OriginKind::independent};
inline const CellOrigin closed_form{OriginKind::closed_form};
inline CellOrigin published_in(std::string where) { return {OriginKind::published, std::move(where)}; }
inline CellOrigin computed_by(std::string how) { return {OriginKind::independent, std::move(how)}; }
inline CellOrigin form_of(std::string which) { return {OriginKind::closed_form, std::move(which)}; }
inline CellOrigin own_by(std::string how) { return {OriginKind::own, std::move(how)}; }
inline CellOrigin expected_since(std::string why) { return {OriginKind::expected, std::move(why)}; }

FigureCell near(std::string label, double ours, double expected, double tolerance, CellOrigin origin = independent);
FigureCell relative(std::string label, double ours, double expected, double tolerance, CellOrigin origin = independent);
FigureCell by_factor(std::string label, double ours, double expected, double max_factor,
                     CellOrigin origin = independent);
// The expected value is 0.
FigureCell at_most(std::string label, double ours, double bound, CellOrigin origin = independent);
// Ours may fall behind the expected value by `behind`.
FigureCell at_least(std::string label, double ours, double expected, double behind, CellOrigin origin = independent);
FigureCell shown(FigureCell cell);  // shown, but not part of the verdict
FigureCell judged_if(bool judged, FigureCell cell);

void add_point(ChartSeries& series, double x, double y);
Chart time_chart(std::string title, std::string note, ChartAxis y, std::vector<ChartSeries> series = {});
// Both axes logarithmic.
Chart log_chart(std::string title, std::string note, std::string x, std::string y,
                std::vector<ChartSeries> series = {});
}  // namespace trill::papers
