// SPDX-License-Identifier: BSD-3-Clause
// What `trill run` says at the end.
#pragma once

#include "analysis/run_digest.hpp"
#include "commands.hpp"
#include "driver/run_results.hpp"
#include "report/run_statistics.hpp"

namespace trill::cli {
struct RunSummary {
  const RunArguments& asked;
  const PreparedRun& prepared;
  const RunOutcome& outcome;
  const Trust& trust;
  const std::optional<RunDigest>& digest;            // empty: there are no rows
  const std::vector<RunResult>& results;             // the numbers that the model asks for
  const std::vector<MeasureStatistics>& statistics;  // of random motion, and where averages are wanted
  const std::vector<Attempt>& attempts;              // that were given up
  const std::string& shortfall;                      // why the accuracy was not reached
  std::string solution, report;                      // files; empty: there is none
};
std::string text_of(const RunSummary& summary);  // about a dozen lines
std::string json_of(const RunSummary& summary);  // docs/guide/answers.md lists its keys
// What would be done, for --dry-run; the same keys where they apply.
std::string json_of(const RunArguments& asked, const PreparedRun& prepared);
}  // namespace trill::cli
