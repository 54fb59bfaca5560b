// SPDX-License-Identifier: BSD-3-Clause
// Averages and distributions of the measures of a run, as text, numbers and pictures.
#pragma once

#include "driver/averages.hpp"
#include "trill/driver/plan.hpp"
#include "trill/report/chart.hpp"

namespace trill {
struct MeasureStatistics {
  Quantity quantity;
  Average average;
  Distribution distribution;       // empty: the measure has only a few different values
  std::vector<double> law;         // the exact density in the bins; empty: not known
  double distance = 0, noise = 0;  // half the integral of |density - law|, and what random errors alone would give
};

// Averages were asked for, or the motion is random and nothing else can be told about it.
bool has_statistics(const PreparedRun& run);
std::vector<MeasureStatistics> statistics_of(const Problem& problem, const RunInfo& info, const RowSource& rows);

std::string statistics_text(const MeasureStatistics& m, const std::string& time_unit);  // in one line
Table statistics_table(const std::vector<MeasureStatistics>& all, const std::string& time_unit);
// The answer in short: one line for each of the first measures.
std::vector<std::string> statistics_summary(const std::vector<MeasureStatistics>& all);
std::vector<Chart> statistics_charts(const std::vector<MeasureStatistics>& all);
}  // namespace trill
