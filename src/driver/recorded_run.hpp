// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/segment_recorder.hpp"
#include "trill/driver/trust.hpp"

namespace trill {
struct RecordPlan {
  std::filesystem::path file;  // empty: rows stay in memory
  bool resume = false;         // continue from the checkpoint left there
  double checkpoint_seconds = 1;
  std::size_t most_bytes = std::size_t{1} << 29;  // for rows in memory; beyond that they are thinned
};

// A run with its rows, from the first step to the finished file: open, solve, judge, publish.
class RecordedRun {
 public:
  RecordedRun(PreparedRun run, RecordPlan plan);
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  // Prepares the recorder. UsageError if there is nothing to continue, or if it belongs to another run.
  void open();
  // After open(): an earlier process solved the run but did not get to publish().
  bool solved() const { return solved_; }
  void solve();
  void take(const Solution& solution);  // instead of solve(), if the run was computed elsewhere
  void judge(const CheckTime& time, const std::atomic<bool>* stop);
  static constexpr const char* not_checked = "Not checked, because of --check off.";
  void set_trust(Trust trust) {
    trust_ = std::move(trust);
    judged_ = true;
  }
  bool judged() const { return judged_; }
  void publish();                               // does nothing if rows are in memory, or if it was done before
  void discard();                               // instead of publish()
  void adopt(RunOutcome outcome, Trust trust);  // instead of open() and solve(): those of the finished file

  Solution take_solution();  // of a run whose rows are in memory, with its trust statement

  PreparedRun& prepared() { return prepared_; }
  const PreparedRun& prepared() const { return prepared_; }
  const RunOutcome& outcome() const { return outcome_; }
  const Trust& trust() const { return trust_; }
  const std::filesystem::path& file() const { return plan_.file; }
  bool published() const { return published_; }
  const std::vector<std::string>& remarks() const { return remarks_; }  // what open() found damaged

  // Gives access to the rows, which are in memory, in the part directory or in the finished file.
  using UseRows = std::function<void(const RunInfo& info, const RowSource& rows)>;
  void with_rows(const UseRows& use) const;
  // The same for the rows that the user asked for, if times were named.
  void with_wanted_rows(const UseRows& use) const;

 private:
  void open_resumed();

  PreparedRun prepared_;
  RecordPlan plan_;
  std::optional<SegmentRecorder> recorder_;
  std::optional<MemoryRecorder> memory_;
  Solution rows_;
  Archive checkpoint_;
  RunOutcome outcome_;
  Trust trust_;
  std::vector<std::string> remarks_;
  bool solved_ = false, judged_ = false, published_ = false;
};
}  // namespace trill
