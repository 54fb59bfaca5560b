// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/stored_run.hpp"
#include "report/energy_balance.hpp"
#include "solution/cycle_shapes.hpp"
#include "trill/report/report.hpp"
#include "trill/solution/solution_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trill::cli {
// Where files that the model of a stored run reads are looked for.
std::vector<std::filesystem::path> folders_for(const std::string& input);

// A stored run with what can be said about it only with its model.
struct OpenRun {
  SolutionFile file;
  // Empty: it cannot be made again, because files that it reads are missing, or because it is not one of trill.
  std::optional<PreparedRun> model;
  std::optional<std::filesystem::path> model_folder{};
  std::unique_ptr<RowSource> filled{};  // empty: only the rows of the file
  std::optional<EnergyBalance> balance{};

  explicit OpenRun(const std::string& input);
  const RowSource& drawn() const { return filled ? *filled : static_cast<const RowSource&>(file); }
  std::vector<ChartMark> frequencies() const;
  std::shared_ptr<const CycleShapes> cycles(const std::string& input) const;

 private:
  void prepare(const std::string& input);
};

// For a page; it refers to the open run. `spectrum` as in ReportRun.
ReportRun shown_run(const OpenRun& open, const std::string& input,
                    const std::optional<std::vector<std::string>>& spectrum);
}  // namespace trill::cli
