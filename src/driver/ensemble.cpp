// SPDX-License-Identifier: BSD-3-Clause
#include "driver/ensemble.hpp"

#include "driver/joined_problem.hpp"
#include "driver/measures.hpp"
#include "problem/quantity_kind.hpp"

#include <algorithm>
#include <cmath>
#include <typeinfo>

namespace trill {
namespace {
const MechanicalProblem* mechanical(const PreparedRun& run) {
  return dynamic_cast<const MechanicalProblem*>(run.problem.get());
}

bool model_joins(const PreparedRun& run) {
  const MechanicalProblem* problem = mechanical(run);
  return problem && !problem->constraints() && problem->events().empty() && run.start.mode.empty() &&
         (problem->mass_kind() == MassKind::identity || problem->mass_kind() == MassKind::diagonal) &&
         run.start.layout == problem->layout() && run.start.layout.size() == 2 * run.start.layout.nq;
}

bool run_joins(const PreparedRun& run) {
  const DriverOptions& o = run.options;
  return run.stepper && run.stepper->info().componentwise && run.stepper->diagnostics().empty() &&
         std::holds_alternative<FixedStep>(o.control) && o.events.empty() && !o.dense && !o.reformulation && !o.resume;
}

bool same_model(const PreparedRun& a, const PreparedRun& b) {
  const MechanicalProblem &p = *mechanical(a), &q = *mechanical(b);
  const double t0 = std::min(*a.plan.from, *a.plan.to), t1 = std::max(*a.plan.from, *a.plan.to);
  return typeid(p) == typeid(q) && a.plan.model == b.plan.model &&
         a.options.info.model_text == b.options.info.model_text && a.options.info.inputs == b.options.info.inputs &&
         a.start.layout == b.start.layout && p.mass_kind() == q.mass_kind() && known_groups(p) == known_groups(q) &&
         p.velocity_dependent(all_groups) == q.velocity_dependent(all_groups) &&
         p.quantities().size() == q.quantities().size() && p.breakpoints(t0, t1) == q.breakpoints(t0, t1);
}

bool same_run(const PreparedRun& a, const PreparedRun& b) {
  return a.way.method == b.way.method && a.way.options == b.way.options &&
         std::get<FixedStep>(a.options.control).h == std::get<FixedStep>(b.options.control).h &&
         a.start.t == b.start.t && *a.plan.to == *b.plan.to && a.options.output == b.options.output &&
         a.options.max_steps == b.options.max_steps;
}

// Splits rows of the joined run into rows of every copy.
class RowSplitter final : public Recorder {
 public:
  RowSplitter(const JoinedProblem& problem, Index own_quantities)
      : problem_(problem), own_(own_quantities), rows_(static_cast<std::size_t>(problem.copies())) {}

  void begin(const RunInfo& info) override {
    y_.resize(info.layout.size() / problem_.copies());
    shared_ = static_cast<Index>(info.quantities.size()) - own_ * problem_.copies();
    measured_.resize(own_ + shared_);
  }
  void row(double t, In y, In measured) override {
    measured_.tail(shared_) = measured.tail(shared_);
    for (Index copy = 0; copy < problem_.copies(); ++copy) {
      problem_.take(copy, y.data(), y_);
      measured_.head(own_) = measured.segment(copy * own_, own_);
      rows_[static_cast<std::size_t>(copy)].append(t, y_, measured_);
    }
  }
  void finish(const RunOutcome&) override {}
  Solution& of(std::size_t copy) { return rows_[copy]; }

 private:
  const JoinedProblem& problem_;
  // Number of quantities that each copy has, and of those that describe the step and are the same for all.
  Index own_, shared_ = 0;
  Vec y_, measured_;
  std::vector<Solution> rows_;
};

// Shows the steps of the joined run to the observers of every copy.
class StepSplitter final : public Observer {
 public:
  StepSplitter(const JoinedProblem& problem, std::span<PreparedRun* const> runs)
      : problem_(problem), runs_(runs), of_copy_(runs.front()->start) {}
  static bool is_wanted(std::span<PreparedRun* const> runs) {
    return std::any_of(runs.begin(), runs.end(),
                       [](const PreparedRun* run) { return !run->options.observers.empty(); });
  }
  void begin(const Problem&, const State& s) override {
    each(s, [&](const PreparedRun& run, Observer& observer) { observer.begin(*run.problem, of_copy_); });
  }
  void accepted(const State& s, const StepResult& step) override {
    each(s, [&](const PreparedRun&, Observer& observer) { observer.accepted(of_copy_, step); });
  }

 private:
  template <class Use>
  void each(const State& s, Use use) {
    of_copy_.t = s.t;
    for (std::size_t copy = 0; copy < runs_.size(); ++copy) {
      problem_.take(static_cast<Index>(copy), s.y.data(), of_copy_.y);
      for (Observer* observer : runs_[copy]->options.observers) use(*runs_[copy], *observer);
    }
  }

  const JoinedProblem& problem_;
  std::span<PreparedRun* const> runs_;
  State of_copy_;
};

RunInfo info_of(const PreparedRun& run) {
  RunInfo info = run.options.info;
  info.layout = run.start.layout;
  info.time_unit = run.problem->time_unit();
  info.components = run.problem->components();
  give_kinds(info.components, info.layout);
  info.quantities = Measures(*run.problem, nullptr, *run.stepper).quantities();
  return info;
}
}  // namespace

bool can_join(const PreparedRun& a, const PreparedRun& b) {
  return run_joins(a) && run_joins(b) && model_joins(a) && model_joins(b) && same_model(a, b) && same_run(a, b);
}

double bytes_of_rows(const PreparedRun& run) {
  const double span = std::abs(*run.plan.to - *run.plan.from), width = static_cast<double>(run.start.y.size() + 12);
  double rows = 2;
  if (const auto* every = std::get_if<EveryStep>(&run.options.output))
    rows += span / std::get<FixedStep>(run.options.control).h / every->stride;
  else if (const auto* grid = std::get_if<Grid>(&run.options.output))
    rows += span / grid->dt;
  else
    rows += static_cast<double>(std::get<Times>(run.options.output).t.size());
  return sizeof(double) * rows * width;
}

std::vector<Solution> run_joined(std::span<PreparedRun* const> runs) {
  std::vector<const MechanicalProblem*> copies;
  for (const PreparedRun* run : runs) copies.push_back(mechanical(*run));
  const PreparedRun& first = *runs.front();
  const JoinedProblem problem(copies);
  State start(problem.layout(), first.start.t);
  for (std::size_t i = 0; i < runs.size(); ++i) problem.put(static_cast<Index>(i), runs[i]->start.y, start.y);
  const auto stepper = first.stepper->clone(problem);
  RowSplitter rows(problem, static_cast<Index>(first.problem->quantities().size()));
  DriverOptions options = first.options;
  options.recorder = &rows;
  StepSplitter steps(problem, runs);
  options.observers.clear();
  if (StepSplitter::is_wanted(runs)) options.observers.push_back(&steps);
  RunOutcome outcome;
  try {
    outcome = integrate(problem, *stepper, std::move(start), *first.plan.to, options).outcome;
  } catch (const UsageError&) {
    return {};
  }
  if (!outcome.ok() && outcome.status != RunStatus::step_limit && outcome.status != RunStatus::stopped) return {};
  outcome.counters.seconds /= static_cast<double>(runs.size());
  std::vector<Solution> solutions;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    solutions.push_back(std::move(rows.of(i)));
    solutions.back().info = info_of(*runs[i]);
    solutions.back().outcome = outcome;
  }
  return solutions;
}
}  // namespace trill
