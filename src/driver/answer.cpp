// SPDX-License-Identifier: BSD-3-Clause
#include "driver/answer.hpp"

#include "base/text.hpp"
#include "driver/advice.hpp"
#include "driver/build.hpp"
#include "driver/check_averages.hpp"
#include "driver/steady.hpp"
#include "solution/file_formats.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
namespace fs = std::filesystem;

std::string rung_name(const Way& way) { return way.formulation ? way.formulation->name : way.method->info.name; }

std::optional<double> setting_in(const RunInfo& info, const char* name) {
  const auto found = info.settings.find(name);
  return found == info.settings.end() ? std::nullopt : parse_number(found->second);
}

// How far a run got: the time of its last row.
double reached_by(const RecordedRun& run) {
  double last = *run.prepared().plan.from;
  run.with_rows([&](const RunInfo&, const RowSource& rows) {
    rows.visit([&](double t, const double*, const double*) { last = t; });
  });
  return last;
}

// Would the first be preferred as an answer?
bool is_better(const RecordedRun& run, const RecordedRun& than) {
  if (run.outcome().ok() != than.outcome().ok()) return run.outcome().ok();
  if (!run.outcome().ok()) {
    const double begin = *run.prepared().plan.from;
    return std::abs(reached_by(run) - begin) >= std::abs(reached_by(than) - begin);
  }
  const auto rank = [](Verdict verdict) {
    return verdict == Verdict::green ? 3 : verdict == Verdict::amber ? 2 : verdict == Verdict::none ? 1 : 0;
  };
  const Trust &ours = run.trust(), &theirs = than.trust();
  if (rank(ours.verdict) != rank(theirs.verdict)) return rank(ours.verdict) > rank(theirs.verdict);
  const double from = *run.prepared().plan.from;
  const auto reach = [&](const Trust& trust) {
    return std::isnan(trust.until) ? HUGE_VAL : std::abs(trust.until - from);
  };
  if (reach(ours) != reach(theirs)) return reach(ours) > reach(theirs);
  return !(error_of(ours) > error_of(theirs));
}

// Where no way reaches the end: what can be had instead.
std::string end_text(const RecordedRun& farthest) {
  constexpr double before_it = 0.99;  // of the way to where it breaks off
  const RunPlan& plan = farthest.prepared().plan;
  const double reached = reached_by(farthest);
  if (reached == *plan.from) return "None of the methods tried gets beyond the first step.";
  return fmt::format("None of the methods tried gets beyond t = {:.6g}; --to {:.3g} computes the motion until then.",
                     reached, *plan.from + before_it * (reached - *plan.from));
}

// The numbers of the plan by which the step is controlled, given anew. Without `atol` it follows from rtol.
RunPlan with_numbers(RunPlan plan, std::optional<double> h, std::optional<double> rtol, std::optional<double> atol) {
  plan.h = h;
  plan.rtol = h ? std::nullopt : rtol;
  plan.atol = h ? std::nullopt : atol;
  return plan;
}
}  // namespace

PreparedRun as_stored(PreparedRun base, const RunPlan& asked, const RunInfo& stored) {
  base.options.info.attempts = stored.attempts;
  if (!chooses_step(asked, base) || base.steady || !difference(stored, base.options.info)) return base;
  std::vector<RankedWay> ways{{base.way, {}, {}, 0, 0, 0, base.choice}};
  ways.insert(ways.end(), base.rungs.begin(), base.rungs.end());
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const Way& way = ways[k].way;
    if (way.method->info.name != stored.method || (way.formulation ? way.formulation->name : "") != stored.formulation)
      continue;
    const RunPlan plan =
        with_numbers(base.plan, setting_in(stored, "h"), setting_in(stored, "rtol"), setting_in(stored, "atol"));
    PreparedRun run = build_instead(base, plan, way, with_new_step(ways[k].why, base.plan, plan));
    if (difference(stored, run.options.info)) continue;
    run.options.info.attempts = stored.attempts;
    run.rungs.assign(ways.begin() + static_cast<std::ptrdiff_t>(k) + 1, ways.end());
    return run;
  }
  return base;
}

Inquiry::Inquiry(RunPlan asked, PreparedRun first, RecordPlan record, InquiryOptions options)
    : asked_(std::move(asked)), record_(std::move(record)), options_(std::move(options)) {
  attempts_ = first.options.info.attempts;
  present_ = std::make_unique<RecordedRun>(std::move(first), record_);
}

void Inquiry::open() {
  if (record_.resume && !present_->prepared().steady) {
    if (fs::exists(record_.file) && !left_unfinished(record_.file)) return open_finished();
    std::optional<RunInfo> stored;
    if (const auto point = find_resume_point(record_.file)) stored = point->info;
    if (stored) {
      attempts_ = stored->attempts;
      present_ = std::make_unique<RecordedRun>(as_stored(std::move(present_->prepared()), asked_, *stored), record_);
    }
  }
  if (options_.equip) options_.equip(present_->prepared(), attempts_.size());
  present_->open();
  record_.resume = false;
}

// The process may have been killed after one attempt was published and before the next one began.
void Inquiry::open_finished() {
  const auto refuse = [&] {
    find_resume_point(record_.file);  // removes what a killed process left, and refuses
    throw UsageError(record_.file.string() + " is already finished");
  };
  if (!can_be_read(format_of(record_.file))) refuse();
  const SolutionFile stored(record_.file);
  PreparedRun run = as_stored(std::move(present_->prepared()), asked_, stored.info());
  if (difference(stored.info(), run.options.info)) refuse();
  attempts_ = stored.info().attempts;
  present_ = std::make_unique<RecordedRun>(std::move(run), record_);
  present_->adopt(stored.outcome(), stored.trust());
  const Verdicts next = next_step({asked_, present_->prepared(), present_->outcome(), present_->trust(), attempts_});
  if (!next.tighter && !next.next_rung) refuse();
  record_.resume = false;
}

PreparedRun Inquiry::with_step(const PreparedRun& run, double setting) const {
  const auto changed = [&](const RunPlan& plan) {
    return run.plan.h ? with_numbers(plan, setting, {}, {}) : with_numbers(plan, {}, setting, asked_.atol);
  };
  if (!run.steady) {
    const RunPlan plan = changed(run.plan);
    return build_instead(run, plan, run.way, with_new_step(run.choice, run.plan, plan));
  }
  PreparedRun again = prepare_steady({changed(run.plan), run.steady->defaults(), {}}, run.problem->clone());
  take_over(again, run);
  return again;
}

PreparedRun Inquiry::on_rung(const PreparedRun& run, const RankedWay& rung) const {
  const bool is_named = asked_.h || asked_.rtol;
  RunPlan plan = is_named ? with_numbers(run.plan, asked_.h, asked_.rtol, asked_.atol)
                          : with_numbers(run.plan, rung.h, rung.rtol, asked_.atol);
  std::string choice = fmt::format("{} was taken next", rung_name(rung.way));
  if (!rung.why.empty()) choice += ", because " + rung.why;
  return build_instead(run, plan, rung.way, choice);
}

std::optional<PreparedRun> Inquiry::next_rung(std::vector<Attempt>& refused, bool controls_steps) const {
  PreparedRun& run = present_->prepared();
  if (controls_steps)
    std::stable_partition(run.rungs.begin(), run.rungs.end(), [](const RankedWay& rung) { return !rung.h; });
  for (std::size_t k = 0; k < run.rungs.size(); ++k) {
    const RankedWay& rung = run.rungs[k];
    try {
      PreparedRun next = on_rung(run, rung);
      next.rungs.assign(run.rungs.begin() + static_cast<std::ptrdiff_t>(k) + 1, run.rungs.end());
      return next;
    } catch (const UsageError& e) {
      refused.push_back({rung_name(rung.way), rung.h.value_or(0), rung.rtol.value_or(0), std::nan(""), 0, e.what()});
    }
  }
  return std::nullopt;
}

void Inquiry::begin(PreparedRun run) {
  run.options.info.attempts = attempts_;
  if (options_.equip) options_.equip(run, attempts_.size());
  present_ = std::make_unique<RecordedRun>(std::move(run), record_);
  present_->open();
}

void Inquiry::solve() {
  while (present_) try {
      return present_->solve();
    } catch (const Occupied&) {
      throw;
    } catch (const UsageError& e) {
      std::vector<Attempt> refused{attempt_of(present_->prepared(), {}, {}, e.what())};
      std::optional<PreparedRun> run = next_rung(refused, false);
      if (!run && !best_) throw;
      attempts_.insert(attempts_.end(), refused.begin(), refused.end());
      present_.reset();
      if (run) begin(std::move(*run));
    }
}

void Inquiry::put_aside(std::string why) {
  attempts_.push_back(attempt_of(present_->prepared(), present_->outcome(), present_->trust(), std::move(why)));
  if (best_ && !is_better(*present_, *best_)) {
    present_->discard();
  } else {
    if (options_.look && !present_->published()) options_.look(*present_);
    present_->publish();
    best_ = std::move(present_);
  }
  present_.reset();
}

bool Inquiry::go_on(const Verdicts& next) {
  if (!next.tighter && !next.next_rung) return false;
  std::vector<Attempt> refused;
  std::optional<PreparedRun> run;
  if (next.tighter)
    run = with_step(present_->prepared(), *next.tighter);
  else
    run = next_rung(refused, next.controls_steps);
  if (run) put_aside(next.given_up);
  attempts_.insert(attempts_.end(), refused.begin(), refused.end());
  if (!run) return false;
  begin(std::move(*run));
  return true;
}

void Inquiry::judge() {
  present_->judge(options_.check, options_.stop);
  const PreparedRun& run = present_->prepared();
  if (asked_.want != Want::statistics || compares_averages(run) || present_->trust().verdict == Verdict::none) return;
  Trust trust = present_->trust();
  trust.headline += " " + averages_text(run);
  present_->set_trust(std::move(trust));
}

void Inquiry::settle() {
  if (settled_) return;
  for (bool goes_on = true; goes_on && present_;) {
    if (!present_->solved()) solve();
    if (!present_) break;
    if (present_->outcome().status == RunStatus::stopped) return;
    if (!present_->judged()) judge();
    const Verdicts next = next_step({asked_, present_->prepared(), present_->outcome(), present_->trust(), attempts_});
    shortfall_ = next.shortfall;
    goes_on = go_on(next);
  }
  keep_best();
}

void Inquiry::keep_best() {
  settled_ = true;
  if (!present_) {
    present_ = std::move(best_);
  } else if (best_ && !is_better(*present_, *best_)) {
    put_aside(present_->outcome().ok() ? "the run before it is more accurate" : present_->outcome().message);
    present_ = std::move(best_);
  } else if (options_.look) {
    options_.look(*present_);
  }
  best_.reset();
  if (present_ && !present_->outcome().ok() && !attempts_.empty()) shortfall_ = end_text(*present_);
}

namespace {
Answer answered(const RunPlan& plan, PreparedRun first, const TrustOptions& options) {
  first.options.stop = options.stop;
  InquiryOptions inquiry_options;
  inquiry_options.check.seconds = options.most_seconds;
  inquiry_options.stop = options.stop;
  RecordPlan in_memory;
  in_memory.most_bytes = std::numeric_limits<std::size_t>::max();
  Inquiry inquiry(plan, std::move(first), in_memory, inquiry_options);
  inquiry.open();
  inquiry.settle();
  return {inquiry.present().take_solution(), inquiry.present().prepared().choice, inquiry.attempts(),
          inquiry.shortfall()};
}
}  // namespace

Answer answer(const RunPlan& plan, const TrustOptions& options) { return answered(plan, prepare(plan), options); }

Answer answer(const RunPlan& plan, std::unique_ptr<Problem> problem, const RunDefaults& defaults,
              const TrustOptions& options) {
  return answered(plan, prepare(plan, std::move(problem), defaults), options);
}
}  // namespace trill
