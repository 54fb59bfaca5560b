// SPDX-License-Identifier: BSD-3-Clause
// For programs that read and write solution files.
#pragma once

#include "trill/solution/solution.hpp"

#include <filesystem>
#include <memory>

namespace trill {
class StoredRun;

// A solution in a file: .h5, .csv with its NAME.csv.meta.json, .json, or the .part directory of a run that has not
// ended (also found when run.h5 is asked for and only run.h5.part exists). Rows of .h5, .csv and .part are read block
// by block as they are visited. A missing or truncated file, or one that is no trill solution, is an IoError.
class SolutionFile final : public RowSource {
 public:
  explicit SolutionFile(const std::filesystem::path& path);
  ~SolutionFile() override;
  SolutionFile(SolutionFile&&) noexcept;
  SolutionFile& operator=(SolutionFile&&) noexcept;
  const RunInfo& info() const;
  const RunOutcome& outcome() const;
  const Trust& trust() const;
  bool unfinished() const;
  Index rows() const override;
  void visit(const Visitor& visitor) const override;
  Solution load() const;

 private:
  std::unique_ptr<StoredRun> run_;
};

// The extension decides the format. The file is written completely or not at all. UsageError for an unknown extension,
// IoError for a number that is not finite and for disk errors.
void save_solution(const RowSource& rows, const RunInfo& info, const RunOutcome& outcome, const Trust& trust,
                   const std::filesystem::path& path);
void save_solution(const Solution& solution, const std::filesystem::path& path);
}  // namespace trill
