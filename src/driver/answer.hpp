// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/next_attempt.hpp"
#include "driver/recorded_run.hpp"

namespace trill {
struct InquiryOptions {
  CheckTime check;
  const std::atomic<bool>* stop = nullptr;
  // Is called with every run before it begins, with the number of those before it: for progress.
  std::function<void(PreparedRun& run, std::size_t attempt)> equip = {};
  // Is shown every run that is the best so far, before it is published.
  std::function<void(RecordedRun& run)> look = {};
};

// `base`; or, if a run for the same question is stored, the way of its ranking and the step by which that run was
// computed. The ranking of then may differ from the present one, since it depends on measured times.
PreparedRun as_stored(PreparedRun base, const RunPlan& asked, const RunInfo& stored);

// A question, asked until it is answered: the run is solved and checked, and then repeated more accurately or with the
// next way of the ranking, as next_step() says. If rows go to a file, it holds the best run so far, and the one under
// way is beside it, so that a killed process can be continued.
class Inquiry {
 public:
  // `asked`: the plan as the user gave it, from which `first` was prepared.
  Inquiry(RunPlan asked, PreparedRun first, RecordPlan record, InquiryOptions options);

  // Prepares the recorder. If a run is resumed, this is the attempt that was under way.
  void open();
  RecordedRun& present() { return *present_; }
  void solve();  // the present run; a way that refuses the problem before its first step is left for the next one
  // Solves and checks the present run unless this was done elsewhere, and goes on until the question is answered or the
  // user stops it. Then present() is the best run, which is to be published, or the one that was stopped.
  void settle();
  const std::vector<Attempt>& attempts() const { return attempts_; }  // that were given up
  const std::string& shortfall() const { return shortfall_; }

 private:
  bool go_on(const Verdicts& next);
  void begin(PreparedRun run);
  void put_aside(std::string why);
  void keep_best();
  void judge();
  void open_finished();
  PreparedRun with_step(const PreparedRun& run, double setting) const;
  PreparedRun on_rung(const PreparedRun& run, const RankedWay& rung) const;
  // The next way of the ranking that does not refuse the problem; those that do are added to the list.
  std::optional<PreparedRun> next_rung(std::vector<Attempt>& refused, bool controls_steps) const;

  RunPlan asked_;
  RecordPlan record_;
  InquiryOptions options_;
  std::unique_ptr<RecordedRun> present_, best_;
  std::vector<Attempt> attempts_;
  std::string shortfall_;
  bool settled_ = false;
};
}  // namespace trill
