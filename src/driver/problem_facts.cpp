// SPDX-License-Identifier: BSD-3-Clause
#include "driver/problem_facts.hpp"

#include "driver/pilot.hpp"
#include "formulation/time_scales.hpp"
#include "problem/clocked.hpp"
#include "problem/driven.hpp"
#include "problem/reactive.hpp"
#include "problem/structure.hpp"
#include "problem/time_marks.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
using Clock = std::chrono::steady_clock;

constexpr double most_seconds_to_look = 5e-3;  // for one force: beyond that nothing is tried out
constexpr double surely_expensive = 0.5;       // seconds for one force: no interruption by other programs explains that
constexpr int most_looks = 3;                  // at the first force, until one is quick
constexpr double negligible = 4.8e-7;          // seconds
constexpr double timed_for = 2e-5;             // at the least, each time
constexpr int times_timed = 5;
constexpr double known_well = 5e-4;              // seconds of a processor: what takes as long in all is not timed again
constexpr double most_seconds_for_rates = 2e-3;  // at one place: beyond that only those at the start are found
constexpr double most_seconds_for_scales = 4e-2;  // beyond that no rates are looked for at all
constexpr double pilot_seconds = 2e-3;            // that a pilot is planned to take
constexpr double safeguard = 3;                   // by which it may take longer than planned
// Seconds of a pilot. Small problems may take longer, so
// that their pilots end by the number of their steps on a busy machine too.
constexpr double longest_pilot = 3e-3, longest_pilot_of_few = 6e-3;
constexpr double finer_of_few = 2, finer_of_many = 1;  // seconds of the finer run over those of the pilot
constexpr double finer_share = 0.6;                    // of the time of an implicit pilot
constexpr double long_explicit_run = 0.5;              // seconds, beside which an implicit pilot costs little
constexpr std::int64_t worthwhile_steps = 40;
constexpr double most_seconds_in_all = 17e-3;  // of looking: the last pilot gets what is left
constexpr Index few_unknowns = 60;
constexpr double explicit_limit = 1.8;  // steps times the largest rate: beyond this explicit steps may be too short
constexpr Index most_unknowns_implicit = 400;
constexpr double forces_of_explicit_step = 14, forces_of_implicit_step = 20;
constexpr double left_for_slow_ways = 4e-3;

double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

void state_mechanics(const MechanicalProblem& p, const State& start, ProblemFacts& facts) {
  facts.coordinates = start.layout.nq;
  facts.unknowns = 2 * start.layout.nq;
  facts.constraints = p.constraints() ? p.constraints()->count() : 0;
  facts.gaps = p.strong_potential() ? p.strong_potential()->map->count() : 0;
  facts.mass = p.mass_kind();
  facts.drag = p.velocity_dependent(all_groups) ? p.drag(all_groups) : Drag::none;
  if (p.velocity_dependent(all_groups) && facts.drag == Drag::none && facts.mass != MassKind::of_q)
    facts.drag = Drag::nonlinear;
  facts.sparse = p.stiffness_pattern().is_sparse();
  facts.linear = p.linear_force(all_groups);
  facts.splits_forces = fast_groups(p) != 0 && slow_groups(p) != 0;
  if (const auto* structure = dynamic_cast<const LinearStructure*>(&p)) {
    facts.structure = true;
    facts.proportional = structure->proportional_damping().has_value();
    facts.outputs = structure->outputs().size();
  }
}

// The fastest of what the problem knows about its sources, and the steps that quick actions allow in the mean.
void state_drive(const Problem& problem, double t_begin, double t_end, ProblemFacts& facts) {
  double period = drive_period_of(problem).value_or(0);
  const auto take = [&](double other) {
    if (other > 0 && (period == 0 || other < period)) period = other;
  };
  if (const auto* driven = dynamic_cast<const Driven*>(&problem))
    for (const double p : driven->source_periods()) take(p);
  if (const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem)) take(circuit->clock_period().value_or(0));
  const double first = std::min(t_begin, t_end), last = std::max(t_begin, t_end);
  double steps = 0;
  const std::vector<TimeMark> marks = time_marks_of(problem, first, last);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const double until = i + 1 < marks.size() ? marks[i + 1].t : last;
    if (std::isfinite(marks[i].longest_step)) steps += (until - marks[i].t) / marks[i].longest_step;
  }
  if (steps > 0) facts.longest_step = facts.span / steps;
  if (period > 0) facts.drive = 2 * std::numbers::pi / period;
}

// One evaluation of what a method evaluates in each stage; false: not finite.
class ForceProbe {
 public:
  ForceProbe(const Problem& problem, const State& s) : s_(s), out_(Vec::Zero(s.layout.nq)) {
    if (const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem)) {
      evaluate_ = [this, circuit] { circuit->current(s_.t, s_.y, out_); };
    } else if (const MechanicalProblem* p = mechanics_of(problem)) {
      evaluate_ = [this, p] { p->force(all_groups, s_.t, s_.q(), s_.v(), out_); };
    } else if (const auto* rates = dynamic_cast<const FirstOrderProblem*>(&problem)) {
      evaluate_ = [this, rates] { rates->rhs(s_.t, s_.y, out_); };
    }
  }
  bool once() {
    if (evaluate_) evaluate_();
    return out_.allFinite();
  }

 private:
  const State& s_;
  Vec out_;
  std::function<void()> evaluate_;
};

// In powers of four, so that the noise of a clock seldom changes what is done. Costs below the other work of a step
// count as equal.
double rounded(double seconds) {
  return seconds < negligible ? 0.125 * negligible : std::pow(4, std::round(std::log2(seconds) / 2));
}

// The shortest of a few times that `work` took: other programs on the machine only make it longer. Whether that is
// known well enough follows from processor time, so that a first look that was interrupted is not the last.
template <class Work>
double seconds_of(const Work& work) {
  double shortest = HUGE_VAL;
  const double first = processor_seconds();
  for (int k = 0; k < times_timed && (k == 0 || processor_seconds() - first < known_well); ++k) {
    const auto begun = Clock::now();
    int count = 0;
    do {
      work();
      ++count;
    } while (seconds_since(begun) < timed_for);
    shortest = std::min(shortest, seconds_since(begun) / count);
  }
  return rounded(shortest);
}

bool time_force(const Problem& problem, const State& start, ProblemFacts& facts) {
  ProblemSession session(problem, Formulas::of_each_state);
  session.enter(start);
  ForceProbe probe(problem, start);
  facts.force_seconds = HUGE_VAL;
  // The first evaluation may include what is set up only once, and any of them the time of another program.
  for (int k = 0; k < most_looks && facts.force_seconds > most_seconds_to_look; ++k) {
    const auto begun = Clock::now();
    const bool finite = probe.once();
    const double took = seconds_since(begun);
    facts.force_seconds = std::min(facts.force_seconds, took);
    if (!finite) {
      facts.trouble = "its forces are not finite at the start";
      return false;
    }
    if (took > surely_expensive) break;
  }
  if (facts.force_seconds > most_seconds_to_look) {
    facts.trouble = fmt::format("one evaluation of its forces takes {:.2g} s", facts.force_seconds);
    return false;
  }
  facts.force_seconds = seconds_of([&] { probe.once(); });
  return true;
}

// A matrix of the size and pattern that implicit methods factorise in each step.
void time_factorisation(const Problem& problem, ProblemFacts& facts) {
  MatrixSlot matrix;
  if (const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem))
    matrix = circuit->jacobian_pattern();
  else if (const MechanicalProblem* p = mechanics_of(problem))
    matrix = p->stiffness_pattern();
  else if (const auto* rates = dynamic_cast<const FirstOrderProblem*>(&problem))
    matrix = rates->jacobian_pattern();
  const Index n = matrix.rows();
  if (!matrix.is_sparse() && n > most_unknowns_implicit) {
    facts.factor_seconds = std::pow(static_cast<double>(n), 3) / 3e9;  // a dense one would take too long to try
    return;
  }
  if (n == 0 || n != matrix.cols() || n > 20 * most_unknowns_implicit) return;
  for (Index k = 0; k < matrix.stored(); ++k) matrix.values()[k] = 1e-3 * static_cast<double>(k % 7);
  for (Index i = 0; i < n; ++i)
    if (!matrix.is_sparse() || matrix.as_sparse().coeff(i, i) != 0) *matrix.entry(i, i) = 10;
  const auto solver = make_linear_solver(matrix);
  facts.factor_seconds = seconds_of([&] { solver->factorise(matrix); });
  facts.sparse = facts.sparse || matrix.is_sparse();
}

PilotLimits limits_for(const ProblemFacts& facts, double forces_each_step, double seconds_each_step) {
  const double each = forces_each_step * facts.force_seconds + seconds_each_step;
  // Small problems get enough steps on slow machines too, so that the choice does not depend on the machine, unless
  // their steps are expensive.
  const double least = facts.unknowns <= few_unknowns ? std::clamp(2 * pilot_seconds / each, 8.0, 100.0) : 8;
  const double steps = std::clamp(pilot_seconds / each, least, 400.0);
  const bool is_small = facts.unknowns <= few_unknowns && facts.constraints == 0;
  const double seconds =
      std::min(safeguard * std::max(pilot_seconds, steps * each), is_small ? longest_pilot_of_few : longest_pilot);
  return {static_cast<std::int64_t>(steps), seconds, seconds * (is_small ? finer_of_few : finer_of_many)};
}

bool is_separable(const ProblemFacts& facts) {
  return facts.mechanical && !facts.random && !facts.reactive && facts.constraints == 0 &&
         facts.mass != MassKind::of_q && facts.drag == Drag::none;
}

double pilot_tolerance(const Question& question) {
  return std::clamp(question.rtol.value_or(0.1 * question.accuracy), 1e-10, 1e-3);
}

// Rates along the way: the largest of each kind.
void look_along(const Problem& problem, const State& start, const PilotRun::Path& path, ProblemFacts& facts) {
  for (const std::size_t part : {path.t.size() / 2, path.t.size() - 1}) {
    if (part == 0 || part >= path.t.size()) continue;
    State s = start;
    s.t = path.t[part];
    s.y = path.y.col(static_cast<Index>(part));
    if (!s.y.allFinite()) return;
    const TimeScales there = time_scales(problem, s, s, facts.span);
    facts.scales.largest = std::max(facts.scales.largest, there.largest);
    facts.scales.decay = std::max(facts.scales.decay, there.decay);
    facts.scales.growth = std::max(facts.scales.growth, there.growth);
  }
}

// Without derivatives of the forces every column of their matrix takes evaluations.
bool can_afford_rates(const Problem& problem, const State& start, double force_seconds) {
  return most_evaluations_for_scales * force_seconds < most_seconds_for_scales ||
         evaluations_for_scales(problem, start) * force_seconds < most_seconds_for_scales;
}

// Whoever wants the full motion follows the oscillation of gaps anyway.
bool may_be_stiff(const ProblemFacts& facts, const Question& question) {
  const Pilot& tried = facts.explicit8;
  if (!tried.ran || !tried.failure.empty()) return true;
  const bool may_skip_gaps = facts.gaps > 0 && question.wanted != Delivers::full;
  return may_skip_gaps || facts.scales.largest * facts.span / tried.steps > explicit_limit;
}

// Where the explicit run would be long, a pilot that gets beyond a first transient is worth more than its error at the
// very start.
PilotLimits implicit_limits(const ProblemFacts& facts, double seconds_left) {
  const double each = 3e-6 + 3 * facts.factor_seconds;
  PilotLimits limits = limits_for(facts, forces_of_implicit_step, each);
  const Pilot& tried = facts.explicit8;
  if (tried.ran && tried.failure.empty() && tried.steps * tried.seconds > long_explicit_run)
    return {std::max(limits.steps, worthwhile_steps), std::max(seconds_left, longest_pilot / 3), 0};
  limits.seconds = std::clamp((1 - finer_share) * seconds_left, longest_pilot / 3, limits.seconds);
  limits.finer_seconds = limits.seconds * finer_share / (1 - finer_share);
  return limits;
}

void fly_explicit(const Problem& problem, const State& start, double t_end, const Question& question, bool looks_along,
                  ProblemFacts& facts) {
  const Catalogue& all = Catalogue::all();
  const double work = 1e-6 + 1e-7 * static_cast<double>(facts.unknowns);
  const PilotLimits limits = limits_for(facts, forces_of_explicit_step, work);
  PilotRun pilot(problem, start, t_end);
  facts.explicit8 = pilot.adaptive(all.method("dop853"), pilot_tolerance(question), limits);
  facts.growth = pilot.growth();
  if (looks_along) look_along(problem, start, pilot.path(), facts);
  if (!is_separable(facts) || facts.has_events)
    facts.symplectic8.not_tried =
        "equal steps are taken where there are no constraints, events, drag or masses that change; name it to use it";
  else if (facts.explicit8.ran)
    facts.symplectic8 = pilot.fixed(all.method("composition8"), facts.span / facts.explicit8.steps, limits);
}

void fly_implicit(const Problem& problem, const State& start, double t_end, const Question& question, double until,
                  ProblemFacts& facts) {
  PilotRun pilot(problem, start, t_end);
  facts.implicit = pilot.adaptive(
      Catalogue::all().method("radau"), pilot_tolerance(question), implicit_limits(facts, until - processor_seconds()),
      facts.gaps > 0 && question.wanted == Delivers::full ? OptionSet{{"fast", "resolve"}} : OptionSet{});
}

void fly_pilots(const Problem& problem, const State& start, double t_end, const Question& question, bool looks_along,
                double until, ProblemFacts& facts) {
  const bool explicit_too = !facts.circuit && !facts.reactive;
  if (explicit_too) fly_explicit(problem, start, t_end, question, looks_along, facts);
  if (explicit_too && !may_be_stiff(facts, question))
    facts.implicit.not_tried = "the problem is not stiff, so that its steps would hardly be longer than explicit ones";
  else if (explicit_too && facts.unknowns > most_unknowns_implicit)
    facts.implicit.not_tried =
        fmt::format("it is not tried with more than {} unknowns; name it to use it", most_unknowns_implicit);
  else
    fly_implicit(problem, start, t_end, question, until, facts);
}
}  // namespace

ProblemFacts stated_facts(const Problem& problem, const State& start, double t_end) {
  ProblemFacts facts;
  facts.span = std::abs(t_end - start.t);
  facts.circuit = dynamic_cast<const CircuitProblem*>(&problem) != nullptr;
  facts.first_order = dynamic_cast<const FirstOrderProblem*>(&problem) != nullptr;
  facts.random = dynamic_cast<const LangevinProblem*>(&problem) != nullptr;
  facts.reactive = dynamic_cast<const ReactiveProblem*>(&problem) != nullptr;
  facts.unknowns = start.y.size();
  facts.has_events = !problem.events().empty();
  if (const MechanicalProblem* p = mechanics_of(problem)) {
    facts.mechanical = true;
    state_mechanics(*p, start, facts);
  }
  state_drive(problem, start.t, t_end, facts);
  return facts;
}

void look(const Problem& problem, const State& start, double t_end, const Question& question, ProblemFacts& facts) {
  const bool slow_ways_follow = facts.gaps > 0 && question.wanted != Delivers::full;  // which are tried out
  const double until = processor_seconds() + most_seconds_in_all - (slow_ways_follow ? left_for_slow_ways : 0);
  if (!time_force(problem, start, facts)) return;
  try {
    facts.looked = true;
    if (const MechanicalProblem* p = mechanics_of(problem))
      facts.has_potential = p->potential(all_groups, start.t, start.q()).has_value();
    time_factorisation(problem, facts);
    const double begun = processor_seconds();
    if (can_afford_rates(problem, start, facts.force_seconds))
      facts.scales = time_scales(problem, with_closed_gaps(problem, start), start, facts.span);
    const bool rates_are_cheap = processor_seconds() - begun < most_seconds_for_rates;
    facts.gap = widest_gap(facts.scales.frequencies, facts.span);
    if (!facts.random) fly_pilots(problem, start, t_end, question, rates_are_cheap, until, facts);
  } catch (const std::exception& e) {  // what cannot be examined may still be run
    facts.trouble = e.what();
  }
}
}  // namespace trill
