// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/trust.hpp"

#include "driver/check_averages.hpp"
#include "driver/check_statement.hpp"
#include "driver/check_windows.hpp"
#include "method/inner_states.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double least_budget = 2, quick_run = 1e-3, quick_budget = 0.04;  // seconds
constexpr double tightest_audit = 1e-11;                                   // can be made a hundred times as accurate
constexpr Index most_audited_of_reduced = 4000;                            // unknowns
constexpr double small_share = 0.1;                                        // of the time of a check
constexpr double conserved_by_slow_motion = 1e-5;                          // share of its size by which it changes
constexpr double decided = 0.3;  // two audits agree to this share of the error: it is that of the run

double budget_of(const TrustOptions& options, double run_seconds) {
  return options.most_seconds.value_or(std::max(least_budget, run_seconds));
}

// The motion turns more often than there are rows, or moves farther than they show.
std::string hidden_by_output(const PreparedRun& run, const SampledRows& rows, const Audit& audit, const Vec& scales) {
  const auto* every = std::get_if<EveryStep>(&run.plan.output);
  if (std::holds_alternative<Times>(run.plan.output) || (every && every->stride == 1)) return "";
  constexpr std::int64_t least_turns = 8;
  constexpr double visible = 0.1, relevant = 0.5, rows_per_turn = 2.5;
  const auto names = run.problem->components();
  if (audit.turns >= least_turns && rows_per_turn * static_cast<double>(audit.turns) > static_cast<double>(rows.rows))
    return fmt::format("Rows are too far apart for {}, which turns {} times, while there are {} rows.",
                       names[static_cast<std::size_t>(audit.turning)].name, audit.turns, rows.rows);
  for (Index i = 0; i < audit.extent.low.size(); ++i) {
    const double moved = audit.extent.high[i] - audit.extent.low[i], shown = rows.extent.high[i] - rows.extent.low[i];
    if (moved > relevant * scales[i] && moved - shown > visible * moved)
      return fmt::format("Rows are too far apart for {}: they show {:.2g} of its range.",
                         names[static_cast<std::size_t>(i)].name, shown / moved);
  }
  return "";
}

class Check {
 public:
  Check(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows, const CheckClock& clock)
      : run_(run),
        outcome_(outcome),
        clock_(clock),
        budget_(clock.left()),
        slow_(computes_slow_motion(run, outcome)),
        values_(judged_values_of(run, slow_)),
        rows_(sample_rows(run, outcome, rows)) {}

  Trust answer() {
    Trust trust;
    // If the run ended at an event, another run finds that event a little earlier or later.
    std::vector<double>& times = rows_.curve.t;
    to_event_ = outcome_.status == RunStatus::event && !times.empty();
    if (to_event_ && outcome_.events.back().t == times.back()) rows_.curve.keep(rows_.curve.columns() - 1);
    if (times.size() < 2) {
      trust.headline = "Not checked, because there are too few output rows to compare.";
      return trust;
    }
    to_ = to_event_ ? rows_.t_last + 0.01 * (rows_.t_last - *run_.plan.from) : rows_.t_last;
    scales_ = judged_scales(run_, rows_.extent, rows_.curve, conserved_by_run);
    if (can_be_audited()) find_audit();
    if (clock_.interrupted()) {
      trust.headline = "Not known, because the check was interrupted.";
      return trust;
    }
    const Audit* whole = audit_ && audit_->complete ? &*audit_ : nullptr;
    if (whole ? measure(trust) : estimate(trust)) state(trust, finding_, run_, outcome_, slow_, whole);
    return trust;
  }

 private:
  // A step with all unknowns of a large structure takes longer than a check, and nothing ends it halfway.
  bool can_be_audited() const {
    const bool is_reduced = run_.way.formulation && delivered_by(run_) == Delivers::full;
    return !(is_reduced && run_.start.y.size() > most_audited_of_reduced);
  }

  // A reduced structure takes its time before its steps, and a repetition makes no more of them.
  double repetition_seconds() const {
    const bool is_reduced = run_.way.formulation && delivered_by(run_) == Delivers::full;
    return (is_reduced ? 2 : repetition_cost(run_.plan, outcome_.counters)) * outcome_.counters.seconds;
  }

  // The whole run by the first method that can do it in time, or as much of it as possible.
  void find_audit() {
    if (slow_) averages_.emplace(*run_.problem, run_.start, rows_.t_last);
    const std::vector<double>& times = slow_ ? averages_->times() : rows_.curve.t;
    const Vec scales = scales_.head(run_.start.y.size());
    AuditTask task{run_.start, times, to_, scales, 0, Patience::unless_hopeless};
    const bool unlimited = std::isinf(clock_.left());
    // A repetition is a check at least, so its time is not spent on audits that may not end.
    const double reserved = std::min(0.5 * clock_.left(), 2 * repetition_seconds());
    const auto left = [&] { return std::max(clock_.left() - reserved, 0.0); };
    for (const Auditor& auditor : auditors_of(run_)) {
      task.seconds = unlimited ? std::max(least_budget, 2 * outcome_.counters.seconds) : 0.8 * left();
      std::optional<Audit> found = audit(run_, auditor, task, clock_);
      if (!found || clock_.interrupted()) continue;
      const bool better = !audit_ || found->complete || found->curve.columns() > audit_->curve.columns();
      if (better) audit_ = std::move(found);
      if (audit_->complete) return;
    }
    if (!audit_ || audit_->outcome.status != RunStatus::stopped) return;
    // None can end in time: the one that came farthest computes as much as possible.
    task.seconds = unlimited ? HUGE_VAL : 0.4 * left();
    task.patience = Patience::to_the_last;
    if (auto farther = audit(run_, audit_->by, task, clock_);
        farther && farther->curve.columns() > audit_->curve.columns())
      audit_ = std::move(farther);
  }

  JudgedCurve judged(const JudgedCurve& curve) const { return slow_ ? averages_->of(curve) : curve; }

  // The components by all that is known about their range, the measures by the audit.
  Vec scales_by(const JudgedCurve& reference, const Extent& of_components, double conserved) const {
    Extent extent(scales_.size());
    for (Index k = 0; k < reference.columns(); ++k)
      if (reference.values.col(k).allFinite()) extent.look(reference.values.col(k));
    const Index n = run_.start.y.size();
    for (const Extent& more : {of_components, rows_.extent}) {
      if (more.low.size() == 0) continue;
      extent.low.head(n) = extent.low.head(n).cwiseMin(more.low.head(n));
      extent.high.head(n) = extent.high.head(n).cwiseMax(more.high.head(n));
    }
    return judged_scales(run_, extent, reference, conserved);
  }

  Vec scales_by_audit(double conserved) const {
    Vec scales = scales_by(audit_->curve, audit_->extent, conserved);
    if (slow_) judge_still_measures(averages_->of(audit_->curve), scales);
    return scales;
  }

  // What only the oscillation moves, such as the length of a stiff spring, is no slow motion: it is judged by its size,
  // as what is conserved.
  void judge_still_measures(const JudgedCurve& means, Vec& scales) const {
    for (Index i = run_.start.y.size(); means.columns() > 1 && i < scales.size(); ++i) {
      const double low = means.values.row(i).minCoeff(), high = means.values.row(i).maxCoeff();
      const double size = std::max(std::abs(low), std::abs(high));
      if (high - low <= conserved_by_slow_motion * size) scales[i] = std::max(scales[i], size);
    }
  }

  void list(Trust& trust, const Comparison& comparison, const Vec& scales) const {
    for (Index i = 0; i < scales.size(); ++i) {
      const JudgedValue& value = values_[static_cast<std::size_t>(i)];
      if (value.counts) trust.rows.push_back({value.name, value.unit, comparison.deviation[i], scales[i]});
    }
  }

  void take(const Comparison& comparison) {
    finding_.error = comparison.error;
    finding_.of = comparison.value < 0 ? "" : values_[static_cast<std::size_t>(comparison.value)].name;
    if (comparison.error_in_moments > accuracy_of(run_.plan))
      finding_.moments = fmt::format(
          "At moments that last less than {:.0e} of the run in all, such as jumps that come a little earlier or later, "
          "it is off by {:.2g}.",
          shortest_moment, comparison.error_in_moments);
  }

  // What is short may lie between the steps of the run and of its audit. Where steps are cheap, many are made.
  void look_closely() {
    constexpr double most_steps = 20'000, most_seconds = 0.1, share_of_time = 0.25;
    const auto steps = static_cast<double>(audit_->outcome.counters.steps);
    const double affordable = std::min(most_seconds, share_of_time * clock_.left()) * steps / audit_->seconds;
    const double wanted = std::isinf(clock_.left()) ? most_steps : std::min(most_steps, affordable);
    if (slow_ || wanted < 2 * steps) return;
    const Vec scales = scales_.head(run_.start.y.size());
    AuditTask task{run_.start, rows_.curve.t, to_, scales, clock_.left()};
    task.least_steps = wanted;
    if (auto closer = audit(run_, audit_->by, task, clock_); closer && closer->complete) audit_ = std::move(closer);
  }

  bool measure(Trust& trust) {
    look_closely();
    const JudgedCurve own = slow_ ? own_averages() : rows_.curve;
    JudgedCurve reference = judged(audit_->curve);
    Vec scales = scales_by_audit(conserved_by_audit);
    Comparison comparison = compare(own, reference, scales, values_);
    // What is not green may be the error of the audit. Two audits tell, and also whether the motion lets errors grow.
    while (comparison.error > accuracy_of(run_.plan) && clock_.left() > 2 * audit_->seconds) {
      std::optional<Audit> tighter = tighter_audit(scales);
      if (!tighter) break;
      const JudgedCurve better = judged(tighter->curve);
      const Comparison between = compare(reference, better, scales, values_);
      finding_.folding = folding_time(between);
      audit_ = std::move(tighter);
      reference = better;
      scales = scales_by_audit(conserved_by_audit);
      comparison = compare(own, reference, scales, values_);
      finding_.until = comparison.first_above(accuracy_of(run_.plan));
      if (between.error < decided * comparison.error || finding_.folding) break;
    }
    if (comparison.error > accuracy_of(run_.plan) && !finding_.folding) look_for_growth(comparison, reference, scales);
    finding_.how = fmt::format("measured against {}", audit_->by.text());
    finding_.measured = true;
    finding_.of_conserved = error_of_conserved(comparison, reference, scales, values_);
    take(comparison);
    list(trust, comparison, scales);
    compare_ends(trust, audit_->outcome, reference.columns() >= own.columns());
    if (!slow_) finding_.output = hidden_by_output(run_, rows_, *audit_, scales);
    return true;
  }

  JudgedCurve own_averages() const { return averages_->of(curve_at(run_, averages_->times(), to_)); }

  std::optional<Audit> tighter_audit(const Vec& scales) const {
    Auditor by = audit_->by;
    if (by.rtol < tightest_audit) return std::nullopt;
    by.rtol /= 100;
    const std::vector<double>& times = slow_ ? averages_->times() : rows_.curve.t;
    const Vec of_components = scales.head(run_.start.y.size());
    auto found = audit(run_, by, {run_.start, times, to_, of_components, clock_.left()}, clock_);
    return found && found->complete ? std::move(found) : std::nullopt;
  }

  // Where the audit is as accurate as rounding allows, a rougher one beside it tells whether the motion lets errors
  // grow.
  void look_for_growth(const Comparison& comparison, const JudgedCurve& reference, const Vec& scales) {
    Auditor by = audit_->by;
    if (by.rtol >= tightest_audit || !(clock_.left() > audit_->seconds)) return;
    by.rtol *= 100;
    const std::vector<double>& times = slow_ ? averages_->times() : rows_.curve.t;
    const Vec of_components = scales.head(run_.start.y.size());
    const auto rough = audit(run_, by, {run_.start, times, to_, of_components, clock_.left()}, clock_);
    if (!rough || !rough->complete) return;
    finding_.folding = folding_time(compare(judged(rough->curve), reference, scales, values_));
    finding_.until = comparison.first_above(accuracy_of(run_.plan));
  }

  void compare_ends(Trust& trust, const RunOutcome& again, bool all) {
    if (to_event_ && again.status == RunStatus::event) {
      const double moved = std::abs(again.events.back().t - outcome_.events.back().t);
      const double span = std::abs(rows_.t_last - *run_.plan.from);
      trust.rows.push_back({"time of " + outcome_.events.back().name, run_.problem->time_unit(), moved, span});
      if (moved > finding_.error * span) {
        finding_.error = moved / span;
        finding_.of = trust.rows.back().name;
      }
      all = true;
    }
    if (again.status != outcome_.status || !all)
      finding_.failure =
          fmt::format("the run that checked it ended differently ({} {}).", to_text(again.status), again.message);
    finding_.events =
        difference_in_events(hits_of(run_, outcome_), hits_of(run_, again), *run_.plan.from, rows_.t_last);
  }

  // Parts of the run by another method, and the whole run again by its own. False: neither tells anything.
  bool estimate(Trust& trust) {
    std::optional<Repetition> repetition;
    // Audits that do not end in time may end late. A repetition that takes little is made all the same.
    const double needed = repetition_seconds(), kept = needed < small_share * budget_ ? 2 * needed : 0;
    if (const double left = std::max(clock_.left(), kept); needed < left) repetition = repeat_run(left);
    const std::optional<WindowEstimate> windows = look_through_windows();
    if (clock_.interrupted()) {
      trust.headline = "Not known, because the check was interrupted.";
      return false;
    }
    if (repetition && repetition->outcome.status == RunStatus::stopped) repetition.reset();
    if (!repetition && !windows && take_own_statement()) return true;
    if (!repetition && !windows) {
      trust.headline = "Not known, because no check fits into its time; use --check full to check all the same.";
      return false;
    }
    if (repetition) take_repetition(trust, *repetition);
    if (windows) take_windows(trust, *windows);
    if (!repetition || repetition->decides || windows) return true;
    trust.headline = fmt::format(
        "Not known: the run was repeated with {} and took no more steps, so it is not more accurate; run again with a "
        "much smaller {}.",
        repetition->how, run_.plan.h ? "h" : "rtol");
    return false;
  }

  // A formulation of the full motion, such as a reduced structure, knows how far it is from the given equations; its
  // steps are exact beside that.
  bool take_own_statement() {
    const double error = delivered_by(run_) == Delivers::full && run_.reformulation && run_.begun
                             ? run_.reformulation->model_error()
                             : std::nan("");
    if (!std::isfinite(error)) return false;
    finding_.error = error;
    finding_.of = run_.plan.of.size() == 1 ? run_.plan.of.front() : "what was asked for";
    finding_.how = fmt::format("by the error that {} states itself; no other check fits into its time",
                               run_.way.formulation->name);
    finding_.stated = true;
    return true;
  }

  Repetition repeat_run(double seconds) const {
    Repetition found = repeat(run_, outcome_, rows_.curve.t, to_, first_refinement, clock_, seconds);
    const bool again = found.outcome.ok() && !found.decides && (run_.plan.h || *run_.plan.rtol >= 1e-11);
    return again ? repeat(run_, outcome_, rows_.curve.t, to_, second_refinement, clock_, clock_.left()) : found;
  }

  void take_repetition(Trust& trust, const Repetition& repetition) {
    const Vec scales = scales_by(repetition.curve, {}, conserved_by_run);
    const Comparison comparison = compare(rows_.curve, repetition.curve, scales, values_);
    take(comparison);
    const int order = run_.stepper->info().order;
    if (run_.plan.h && order > 0) finding_.error /= 1 - std::pow(first_refinement.h, -order);
    finding_.how = "by a repetition with " + repetition.how;
    list(trust, comparison, scales);
    compare_ends(trust, repetition.outcome, repetition.curve.columns() >= rows_.curve.columns());
  }

  // The windows of a slow motion lie apart, over the whole run. If the audit reached hardly any, they are moved
  // together.
  void look_at_the_beginning() {
    if (averages_->of(audit_->curve).columns() >= least_columns || audit_->reached == run_.start.t) return;
    averages_.emplace(*run_.problem, run_.start, audit_->reached);
    const Vec scales = scales_.head(run_.start.y.size());
    const AuditTask task{run_.start, averages_->times(), audit_->reached, scales, clock_.left()};
    audit_ = audit(run_, audit_->by, task, clock_);
  }

  std::optional<WindowEstimate> look_through_windows() {
    if (slow_ && audit_) look_at_the_beginning();
    if (!audit_ || audit_->curve.t.empty()) return std::nullopt;
    scales_ = scales_by_audit(conserved_by_run);
    const WindowTask task{
        run_, rows_.curve, scales_, values_, slow_ ? &*averages_ : nullptr, to_, run_.problem->events().empty()};
    return estimate_by_windows(task, *audit_, clock_);
  }

  void take_windows(Trust& trust, const WindowEstimate& windows) {
    const std::string how =
        fmt::format("carried on from {} of it that {} computed", windows.covered_text(), audit_->by.text());
    finding_.how += (finding_.how.empty() ? "" : " and ") + how;
    if (trust.rows.empty()) list(trust, windows.first, scales_);
    if (!(windows.error > finding_.error)) return;
    finding_.error = windows.error;
    finding_.of = values_[static_cast<std::size_t>(windows.value)].name;
  }

  const PreparedRun& run_;
  const RunOutcome& outcome_;
  const CheckClock& clock_;
  double budget_;  // seconds
  bool slow_, to_event_ = false;
  std::vector<JudgedValue> values_;
  SampledRows rows_;
  double to_ = 0;
  Vec scales_;
  std::optional<Averages> averages_;
  std::optional<Audit> audit_;
  Finding finding_;
};
}  // namespace

namespace {
// Many coupled motions, followed by equal steps that keep phase space: nobody follows their single paths.
bool may_be_sampled(const PreparedRun& run) {
  constexpr Index many = 60;
  const MechanicalProblem* p = mechanics_of(*run.problem);
  return p && p->layout().nq >= many && run.plan.h && !run.way.formulation && run.stepper->info().symplectic;
}

// At the kicks of an impulse method the fast motion is always in the same phase.
bool records_at_kicks(const PreparedRun& run) {
  return run.plan.want != Want::statistics && dynamic_cast<const InnerStates*>(run.stepper.get());
}

Trust with_averages(const PreparedRun& run, const Trust& paths, Trust averages) {
  if (averages.verdict == Verdict::none) return paths;
  const std::string off = fmt::format("({} is off by {:.2g} of its range)", paths.of, paths.error);
  averages.remedy = paths.remedy;
  if (averages.verdict == Verdict::red) {
    averages.headline = fmt::format("Use neither paths {} nor averages of this run. {}", off, averages.headline);
    if (records_at_kicks(run)) {
      averages.headline +=
          " Rows have the values at the kicks, where the fast motion is always in the same phase; --want "
          "statistics records means over the inner steps.";
      averages.remedy = "";
    }
    return averages;
  }
  averages.verdict = Verdict::amber;
  averages.headline = fmt::format("Use averages of this run, not its paths {}. {}", off, averages.headline);
  return averages;
}
}  // namespace

double CheckTime::after(double run_seconds) const {
  if (seconds) return *seconds;
  if (when == When::always) return HUGE_VAL;
  return run_seconds < quick_run ? quick_budget : std::max(least_budget, run_seconds);
}

Trust check_trust(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows,
                  const TrustOptions& options) {
  const CheckClock clock(budget_of(options, outcome.counters.seconds), options.stop);
  if (!outcome.ok()) {
    Trust trust;
    trust.verdict = Verdict::red;
    trust.headline = "The run did not reach its end: " + outcome.message;
    return trust;
  }
  if (compares_averages(run)) return check_averages(run, rows, clock);
  const Trust paths = Check(run, outcome, rows, clock).answer();
  // A user who names an accuracy wants the paths.
  if (paths.verdict != Verdict::red || run.plan.accuracy || !may_be_sampled(run)) return paths;
  return with_averages(run, paths,
                       check_averages(run, rows, {budget_of(options, outcome.counters.seconds), options.stop}));
}
}  // namespace trill
