// SPDX-License-Identifier: BSD-3-Clause
#include "driver/recorded_run.hpp"

#include "driver/steady.hpp"
#include "solution/wanted_rows.hpp"
#include "trill/solution/solution_file.hpp"

#include <fmt/format.h>

namespace trill {
RecordedRun::RecordedRun(PreparedRun run, RecordPlan plan) : prepared_(std::move(run)), plan_(std::move(plan)) {}

void RecordedRun::open() {
  if (plan_.file.empty()) {
    const std::size_t width = sizeof(double) * static_cast<std::size_t>(prepared_.start.y.size() + 12);
    memory_.emplace(rows_, static_cast<Index>(plan_.most_bytes / width));
    prepared_.options.recorder = &*memory_;
    return;
  }
  if (plan_.resume)
    open_resumed();
  else
    recorder_.emplace(plan_.file, plan_.checkpoint_seconds);
  prepared_.options.recorder = &*recorder_;
}

void RecordedRun::open_resumed() {
  if (prepared_.steady)
    throw UsageError("a steady state takes a few cycles only and keeps no checkpoints; run it again with --out");
  auto point = find_resume_point(plan_.file);
  if (!point)
    throw UsageError(fmt::format("there is no interrupted run of {} to resume; start one with --out {}",
                                 plan_.file.string(), plan_.file.string()));
  plan_.file = point->path;
  if (const auto differs = difference(point->info, prepared_.options.info))
    throw UsageError(fmt::format("{} cannot be resumed with other settings than it was started with; {}",
                                 plan_.file.string(), *differs));
  remarks_ = point->remarks;
  solved_ = point->is_finished;
  if (!solved_ && !point->from_start) {
    checkpoint_ = point->archive;
    prepared_.options.resume = &checkpoint_;
  }
  recorder_.emplace(*point, plan_.checkpoint_seconds);
  if (solved_) outcome_ = SolutionFile(recorder_->part()).outcome();
}

void RecordedRun::solve() {
  outcome_ = prepared_.run().outcome;
  if (memory_) outcome_ = rows_.outcome;  // includes the notice about thinned rows
  solved_ = outcome_.status != RunStatus::stopped;
}

void RecordedRun::take(const Solution& solution) {
  replay(solution, *prepared_.options.recorder);
  outcome_ = memory_ ? rows_.outcome : solution.outcome;
  solved_ = true;
}

void RecordedRun::with_rows(const UseRows& use) const {
  if (memory_) return use(rows_.info, rows_);
  const SolutionFile file(published_ ? plan_.file : recorder_->part());
  use(file.info(), file);
}

void RecordedRun::with_wanted_rows(const UseRows& use) const {
  const auto* named = std::get_if<Times>(&prepared_.plan.output);
  if (!named) return with_rows(use);
  with_rows(
      [&](const RunInfo& info, const RowSource& rows) { use(info, WantedRows(rows, named->t, outcome_.status)); });
}

void RecordedRun::adopt(RunOutcome outcome, Trust trust) {
  outcome_ = std::move(outcome);
  set_trust(std::move(trust));
  solved_ = published_ = true;
}

void RecordedRun::judge(const CheckTime& time, const std::atomic<bool>* stop) {
  judged_ = true;
  if (time.is_off()) {
    trust_.headline = not_checked;
    return;
  }
  if (prepared_.steady) {
    trust_ = prepared_.steady->check(prepared_);
    return;
  }
  const TrustOptions options{.most_seconds = time.after(outcome_.counters.seconds), .stop = stop};
  with_rows([&](const RunInfo&, const RowSource& rows) { trust_ = check_trust(prepared_, outcome_, rows, options); });
}

void RecordedRun::publish() {
  if (!recorder_ || published_) return;
  const auto* named = std::get_if<Times>(&prepared_.plan.output);
  recorder_->publish(trust_, named ? &named->t : nullptr);
  published_ = true;
}

Solution RecordedRun::take_solution() {
  Solution solution = std::move(rows_);
  solution.outcome = outcome_;
  solution.trust = trust_;
  return solution;
}

void RecordedRun::discard() {
  if (recorder_) recorder_->discard();
}
}  // namespace trill
