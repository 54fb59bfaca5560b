// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/analysis/stability.hpp"
#include "trill/report/chart.hpp"

namespace trill::cli {
std::vector<Chart> stability_charts(const std::string& method, const StabilityReport& report);

// Call it before a long computation: IoError if a file cannot be written there. An empty path is accepted.
void check_place(const std::string& path);
// The same for a page; UsageError if its name is that of a solution, which it would overwrite.
void check_page(const std::string& path);

// Writes charts and tables without a run as a page (if `page` is not empty) and as PREFIX-1.svg, ... (if `svg_prefix`
// is not empty). Prints the file names unless `silent`.
void write_charts(const std::vector<Chart>& charts, const std::string& title, const std::string& page,
                  const std::string& svg_prefix, bool silent, const std::vector<Table>& tables = {});
}  // namespace trill::cli
