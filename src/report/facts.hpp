// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/run_view.hpp"

#include <string>
#include <vector>

namespace trill {
using TextRows = std::vector<std::vector<std::string>>;

bool is_random(const RunInfo& info);  // a path in a heat bath, whose energy is not kept
// "10 revolutions", where the run ends after so many; empty where it ends at a time.
std::string cycles_asked(const RunInfo& info);
// What was asked, as far as the run tells: "the full motion from t = 0 to 10 s, to an accuracy of 1e-06 of r".
std::string question_of(const RunInfo& info);
// "Two springs: the slow motion, by slow (dop853)".
std::string title_of(const RunInfo& info);
std::string label_of(const ReportRun& run);
TextRows facts_of(const ReportRun& run, const RunView& view);
TextRows settings_of(const RunInfo& info);     // columns: name, value
TextRows parameters_of(const ReportRun& run);  // columns: name, value, unit, description
TextRows counters_of(const ReportRun& run);

// Largest |value - start| of a series; 0 when there is none.
double largest_deviation(const DecimatedSeries& series);
}  // namespace trill
