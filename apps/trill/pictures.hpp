// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/analysis/stability.hpp"
#include "trill/report/chart.hpp"

namespace trill::cli {
std::vector<Chart> stability_charts(const std::string& method, const StabilityReport& report);

// Writes charts and tables without a run as a page (if `page` is not empty) and as PREFIX-1.svg, ... (if `svg_prefix`
// is not empty). Prints the file names unless `silent`.
void write_charts(const std::vector<Chart>& charts, const std::string& title, const std::string& page,
                  const std::string& svg_prefix, bool silent, const std::vector<Table>& tables = {},
                  const std::vector<std::string>& summary = {});
}  // namespace trill::cli
