// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/trust.hpp"

#include "driver/build.hpp"
#include "driver/component_scales.hpp"
#include "driver/ensemble.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_times = 2000;
constexpr std::int64_t most_watched_steps = 10'000'000;

struct Samples {
  StateSamples states;
  Extent extent;  // over all rows, not only the sampled ones
  double t_last = 0;
};

// The hits of events that may change the state. Where formulas switch, a state does not jump.
std::vector<EventHit> hits_of(const PreparedRun& run, const RunOutcome& outcome) {
  std::set<std::string> switches;
  for (const EventInfo& info : run.problem->events())
    if (info.restarts) switches.insert(info.name);
  std::vector<EventHit> hits;
  for (const EventHit& hit : outcome.events)
    if (!switches.contains(hit.name)) hits.push_back(hit);
  return hits;
}

// A more accurate run meets an event a little earlier or later. Between the two times its state is before the event and
// the other behind it, so times that close to an event are not compared.
class NearEvents {
 public:
  explicit NearEvents(std::vector<EventHit> hits) : hits_(std::move(hits)) {}
  // To be called with times in their order.
  bool contains(double t, double first, double last) {
    while (next_ < hits_.size() && std::abs(hits_[next_].t - first) < std::abs(t - first)) ++next_;
    const double before = next_ > 0 ? hits_[next_ - 1].t : first, after = next_ < hits_.size() ? hits_[next_].t : last;
    const double near = close * std::abs(after - before);
    return (next_ > 0 && std::abs(t - before) < near) || (next_ < hits_.size() && std::abs(after - t) < near);
  }

 private:
  static constexpr double close = 0.01;  // of the time between two events
  std::vector<EventHit> hits_;
  std::size_t next_ = 0;
};

// How often each event happened. Near the end of a run, and where events accumulate, one run may be a little ahead, so
// the count of the first run need only lie between two counts of the second.
std::string difference_in_events(const std::vector<EventHit>& hits, const std::vector<EventHit>& again, double t_first,
                                 double t_last) {
  const auto count = [&](const std::vector<EventHit>& all, const std::string& name, double share) {
    const double until = share * std::abs(t_last - t_first);
    return std::count_if(all.begin(), all.end(),
                         [&](const EventHit& hit) { return hit.name == name && std::abs(hit.t - t_first) <= until; });
  };
  std::set<std::string> names;
  for (const auto* all : {&hits, &again})
    for (const EventHit& hit : *all) names.insert(hit.name);
  for (const std::string& name : names) {
    const auto found = count(hits, name, 0.99), least = count(again, name, 0.98), most = count(again, name, 1);
    if (found < least || found > most)
      return fmt::format(" Event '{}' happened {} times in this run, but {} times in the repetition.", name,
                         count(hits, name, 1), most);
  }
  return "";
}

Samples sample(const RowSource& rows, Index size, NearEvents near, double t_first, double t_end) {
  Samples s{{{}, Mat(size, std::min(rows.rows(), most_times + 1))}, Extent(size)};
  auto& [times, columns] = s.states;
  const Index count = rows.rows(), stride = std::max<Index>(1, (count + most_times - 1) / most_times);
  Index i = 0;
  double last = std::nan("");
  rows.visit([&](double t, const double* y, const double*) {
    const Eigen::Map<const Vec> row(y, size);
    s.extent.look(row);
    s.t_last = t;
    const bool jump = t == last;  // both sides of an event have this time, so it is not used for the comparison
    last = t;
    if (jump && !times.empty() && times.back() == t) times.pop_back();
    if (!jump && (i % stride == 0 || i + 1 == count) && !near.contains(t, t_first, t_end)) {
      columns.col(static_cast<Index>(times.size())) = row;
      times.push_back(t);
    }
    ++i;
  });
  return s;
}

// Rows that do not show every step may miss what happens between them. Looking at every step of a very long repetition
// would take seconds, and such a motion hardly hides from its rows.
bool needs_watch(const Output& output, const Counters& work) {
  return output != Output(EveryStep{}) && work.steps <= most_watched_steps;
}

// How much more accurate a repetition is than the run.
struct Refinement {
  double h, rtol;  // what they are divided by
};
constexpr Refinement first_refinement{2, 10}, second_refinement{8, 1000};
constexpr double smallest_rtol = 1e-14;  // of a second repetition; below this there is only rounding

RunPlan more_accurate(const RunPlan& plan, const Refinement& by) {
  RunPlan repeated = plan;
  repeated.max_steps = RunPlan{}.max_steps;
  if (plan.h) {
    // A step longer than the run is cut at its end; half of it could be cut to the same step.
    repeated.h = std::min(*plan.h, std::abs(*plan.to - *plan.from)) / by.h;
  } else {
    repeated.rtol = *plan.rtol / by.rtol;
    repeated.atol = *plan.atol / by.rtol;
    if (plan.h_max) repeated.h_max = *plan.h_max / by.h;
  }
  return repeated;
}

// Compares column by column while the repetition runs.
class Comparison final : public Recorder {
 public:
  explicit Comparison(const StateSamples& samples) : samples_(samples), deviation_(Vec::Zero(samples.y.rows())) {}
  void begin(const RunInfo&) override {}
  void row(double t, In y, In) override {
    const double direction = samples_.t.back() > samples_.t.front() ? 1 : -1;
    while (at_ < samples_.t.size() && direction * (samples_.t[at_] - t) < 0) ++at_;
    if (at_ >= samples_.t.size() || samples_.t[at_] != t) return;
    deviation_ = deviation_.cwiseMax((y - samples_.y.col(static_cast<Index>(at_))).cwiseAbs());
    compared_ = at_ + 1;
  }
  void finish(const RunOutcome&) override {}
  const Vec& deviation() const { return deviation_; }
  std::size_t compared() const { return compared_; }

 private:
  const StateSamples& samples_;
  Vec deviation_;
  std::size_t at_ = 0, compared_ = 0;
};
// Stops repetitions that take too long, or when the user wants to stop.
class Watch {
 public:
  explicit Watch(const TrustOptions& options) : options_(options) {}
  // `run` stands for this many runs.
  void attach(PreparedRun& run, std::size_t runs = 1) {
    stop_ = false;
    most_seconds_ = options_.most_seconds * static_cast<double>(runs);
    begun_ = std::chrono::steady_clock::now();
    run.options.stop = &stop_;
    run.options.progress = [this](double) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
      if (seconds > most_seconds_ || (options_.stop && options_.stop->load())) stop_ = true;
    };
  }

 private:
  const TrustOptions& options_;
  std::atomic<bool> stop_{false};
  double most_seconds_ = 0;
  std::chrono::steady_clock::time_point begun_;
};
}  // namespace

struct TrustCheck::Parts {
  const PreparedRun& run;
  RunOutcome outcome;
  // Complete if there is nothing to repeat; otherwise it only says how trust will be determined.
  Trust trust;
  Samples samples{};
  std::optional<ExtentWatch> watch{};
  bool to_event = false;
  double t_last = 0;
  std::optional<Comparison> comparison{};
  std::optional<PreparedRun> repetition{};
  bool repeats_again = false;  // the first repetition took no more steps than the run, and the second one decides

  Vec scales() const;
  bool compared_all(const RunOutcome& again) const;
  void prepare_repetition(const Refinement& by);
  bool can_repeat_again() const;
};

// If both runs ended at an event, the repetition may have ended before the last times of the run.
bool TrustCheck::Parts::compared_all(const RunOutcome& again) const {
  const std::vector<double>& times = samples.states.t;
  const std::size_t compared = comparison->compared();
  if (compared >= times.size()) return true;
  const double t_first = *run.plan.from;
  return to_event && again.status == RunStatus::event &&
         std::abs(times[compared] - t_first) >= std::abs(again.events.back().t - t_first);
}

void TrustCheck::Parts::prepare_repetition(const Refinement& by) {
  const std::vector<double>& times = samples.states.t;
  RunPlan plan = more_accurate(run.plan, by);
  plan.to = to_event ? t_last + 0.01 * (t_last - *run.plan.from) : t_last;
  plan.output = Times{{times.begin() + 1, times.end()}};
  trust.how = plan.h ? fmt::format("the run was repeated with h/{}", by.h)
                     : fmt::format("the run was repeated with rtol/{}", by.rtol);

  repetition.emplace(build_again(run, plan));
  repetition->stepper->refine();
  repetition->options.newton_retries = run.options.newton_retries;
  repetition->options.events = run.options.events;
  comparison.emplace(samples.states);
  repetition->options.recorder = &*comparison;
  if (!needs_watch(run.plan.output, outcome.counters)) return;
  watch.emplace(run.start.y.size());
  repetition->options.observers.push_back(&*watch);
}

bool TrustCheck::Parts::can_repeat_again() const {
  return !repeats_again && (run.plan.h || *run.plan.rtol / second_refinement.rtol >= smallest_rtol);
}

Vec TrustCheck::Parts::scales() const {
  Extent extent = samples.extent;
  if (watch) {
    extent.look(watch->extent().low);
    extent.look(watch->extent().high);
  }
  Vec reach = Vec::Zero(extent.low.size());
  if (run.reformulation) run.reformulation->reach(reach);
  return component_scales(run, extent, samples.states).cwiseMax(reach);
}

TrustCheck::TrustCheck(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows)
    : parts_(new Parts{run, outcome, {}}) {
  Parts& p = *parts_;
  if (dynamic_cast<const LangevinProblem*>(run.problem.get())) {
    p.trust.headline =
        "Not checked, because two runs of a random motion cannot be compared; judge by averages over long runs and "
        "several seeds.";
    return;
  }
  if (!outcome.ok()) {
    p.trust.verdict = Verdict::red;
    p.trust.headline = "The run did not reach its end: " + outcome.message;
    return;
  }
  const std::vector<EventHit> hits = hits_of(run, outcome);
  p.samples = sample(rows, run.start.y.size(), NearEvents(hits), *run.plan.from, *run.plan.to);
  // If the run ended at an event, the repetition finds that event a little earlier or later.
  std::vector<double>& times = p.samples.states.t;
  p.to_event = outcome.status == RunStatus::event && !times.empty();
  p.t_last = p.samples.t_last;
  if (p.to_event && outcome.events.back().t == times.back()) times.pop_back();
  if (times.size() < 2) {
    p.trust.headline = "Not checked, because there are too few output rows to compare.";
    return;
  }
  p.prepare_repetition(first_refinement);
}
TrustCheck::TrustCheck(TrustCheck&&) noexcept = default;
TrustCheck::~TrustCheck() = default;

Trust TrustCheck::answer(const RunOutcome& again, const TrustOptions& options) const {
  const auto& [run, outcome, known, samples, watch, to_event, t_last, comparison, repetition, repeats_again] = *parts_;
  Trust trust = known;
  if (again.status == RunStatus::stopped) {
    trust.headline =
        options.stop && options.stop->load()
            ? "Not known, because the more accurate repetition was interrupted."
            : fmt::format("Not known, because the more accurate repetition would take longer than {:.3g} s.",
                          options.most_seconds);
    return trust;
  }

  const auto names = run.problem->components();
  const Vec scales = parts_->scales();
  double worst = 0;
  std::string worst_name;
  for (Index i = 0; i < scales.size(); ++i) {
    const auto& name = names[static_cast<std::size_t>(i)];
    trust.rows.push_back({name.name, name.unit, comparison->deviation()[i], scales[i]});
    if (!(trust.rows.back().relative() <= worst)) {
      worst = trust.rows.back().relative();
      worst_name = name.name;
    }
  }
  if (to_event && again.status == RunStatus::event) {
    const double moved = std::abs(again.events.back().t - outcome.events.back().t);
    trust.rows.push_back(
        {"time of " + outcome.events.back().name, run.problem->time_unit(), moved, std::abs(t_last - *run.plan.from)});
    if (!(trust.rows.back().relative() <= worst)) {
      worst = trust.rows.back().relative();
      worst_name = trust.rows.back().name;
    }
  }
  trust.verdict = verdict_of(worst);
  if (!again.ok() || again.status != outcome.status || !parts_->compared_all(again)) {
    trust.verdict = Verdict::red;
    trust.headline = fmt::format("Do not trust this run: a more accurate repetition ended differently ({} {}).",
                                 to_text(again.status), again.message);
  } else if (trust.verdict == Verdict::red) {
    trust.headline =
        fmt::format("Do not trust this run: a more accurate repetition differs from it by {:.2g} of the range of {}.",
                    worst, worst_name);
  } else if (again.counters.steps <= outcome.counters.steps &&
             (repeats_again || repetition->stepper->info().order == run.stepper->info().order)) {
    // Something other than accuracy limited the steps of both runs: breakpoints of the model, or the length of the run.
    trust.verdict = Verdict::none;
    trust.headline = fmt::format(
        "Not known: {} and took no more steps, so it is not more accurate; run again with a much smaller {}.",
        trust.how, repetition->plan.h ? "h" : "rtol");
  } else if (worst_name.empty()) {
    trust.headline = "A more accurate repetition gives the same numbers.";
  } else {
    trust.headline = fmt::format("A more accurate repetition differs by at most {:.2g} of a component's range ({}).",
                                 worst, worst_name);
  }
  const std::string events = difference_in_events(hits_of(run, outcome), hits_of(run, again), *run.plan.from, t_last);
  if (!events.empty() && trust.verdict != Verdict::red) {
    trust.verdict = Verdict::amber;
    trust.headline += events;
  }
  add_model_error(trust);
  const auto is_slow_only = [](const Notice& notice) { return notice.code == "slow_motion_only"; };
  if (trust.verdict != Verdict::red && std::any_of(outcome.notices.begin(), outcome.notices.end(), is_slow_only))
    trust.headline += " This is about the slow motion only.";
  const auto casts_doubt = [](const Notice& notice) { return notice.severity == Severity::doubt; };
  if (trust.verdict == Verdict::green && std::any_of(outcome.notices.begin(), outcome.notices.end(), casts_doubt)) {
    trust.verdict = Verdict::amber;
    trust.headline += " But read the warnings above: a repetition cannot show what they warn of.";
  }
  return trust;
}

// A repetition with smaller steps does not show errors of the equations themselves.
void TrustCheck::add_model_error(Trust& trust) const {
  const PreparedRun& run = parts_->run;
  const double error = run.reformulation ? run.reformulation->model_error() : std::nan("");
  if (std::isnan(error)) return;
  trust.rows.push_back({"error of the formulation itself (estimate)", "", error, 1});
  if (trust.verdict != Verdict::none) trust.verdict = std::max(trust.verdict, verdict_of(error));
  if (!trust.headline.ends_with('.')) trust.headline += '.';
  trust.headline += fmt::format(" The equations of {} themselves have an estimated error of about {:.1g}.",
                                run.way.formulation->name, error);
}

// A repetition that took no more steps than the run decides nothing; a second, much more accurate one may.
Trust TrustCheck::decide(const RunOutcome& repeated, const TrustOptions& options) {
  Trust trust = answer(repeated, options);
  if (trust.verdict != Verdict::none || !repeated.ok() || !parts_->can_repeat_again()) return trust;
  parts_->repeats_again = true;
  parts_->prepare_repetition(second_refinement);
  Watch watch(options);
  watch.attach(*parts_->repetition);
  return answer(parts_->repetition->run().outcome, options);
}

bool wants_trust(const RunPlan& plan, const Counters& counters, When when) {
  const double repetition_seconds = (plan.h ? 2.0 : 3.0) * counters.seconds;
  return when == When::always || (when == When::automatic && repetition_seconds < 10);
}

std::vector<Trust> answers(std::span<TrustCheck> checks, const TrustOptions& options) {
  std::vector<PreparedRun*> runs;
  for (TrustCheck& check : checks)
    if (check.parts_->repetition) runs.push_back(&*check.parts_->repetition);
  Watch watch(options);
  std::vector<Solution> joined;
  if (runs.size() > 1 && std::all_of(runs.begin(), runs.end(), [&](auto* run) { return can_join(*runs[0], *run); })) {
    watch.attach(*runs[0], runs.size());
    joined = run_joined(runs);
  }
  std::vector<Trust> trusts;
  std::size_t at = 0;
  for (TrustCheck& check : checks) {
    if (!check.parts_->repetition) {
      trusts.push_back(check.parts_->trust);
    } else if (!joined.empty()) {
      const Solution& solution = joined[at++];
      replay(solution, *check.parts_->comparison);
      trusts.push_back(check.decide(solution.outcome, options));
    } else {
      watch.attach(*check.parts_->repetition);
      trusts.push_back(check.decide(check.parts_->repetition->run().outcome, options));
    }
  }
  return trusts;
}

Trust check_trust(const PreparedRun& run, const RunOutcome& outcome, const RowSource& rows,
                  const TrustOptions& options) {
  TrustCheck check(run, outcome, rows);
  return answers({&check, 1}, options).front();
}
}  // namespace trill
