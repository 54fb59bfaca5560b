// SPDX-License-Identifier: BSD-3-Clause
#include "driver/facts.hpp"

#include "driver/build.hpp"
#include "driver/pilot.hpp"
#include "driver/problem_facts.hpp"
#include "method/prospects.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace trill {
namespace {
RunScope scope_of(const Resolved& asked, std::optional<double> rtol = {}) {
  const RunPlan& plan = asked.plan;
  return {plan.h ? 0 : plan.rtol.value_or(rtol.value_or(asked.defaults.rtol)), *plan.from, *plan.to, plan.of};
}

std::string why_not(const MethodEntry& method, const Problem& problem, const OptionSet& options) {
  try {
    method.make(problem, options);
    return "";
  } catch (const UsageError& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return "there is not enough memory for its matrices";
  }
}

// A formulation that was tried on a model's start.
struct TriedFormulation {
  std::shared_ptr<const Reformulation> form;  // none if it threw
  std::string objection;                      // why it cannot be used; empty: it can
};

TriedFormulation try_formulation(const ReformulationEntry& formulation, const Problem& problem, const RunScope& scope,
                                 const OptionSet& options) {
  try {
    OptionSet own;  // the other options belong to the method that drives the formulation
    for (const OptionRow& row : formulation.options)
      if (const auto given = options.find(row.name); given != options.end()) own.insert(*given);
    // The form refers to its problem, which lives as long as the form does.
    const std::shared_ptr<const Problem> copy = problem.clone();
    const std::shared_ptr<Reformulation> form(formulation.make(*copy, own).release(),
                                              [copy](const Reformulation* f) { delete f; });
    form->expect(scope);
    State in;
    Notes notes;
    form->enter(problem.initial_state(), in, notes);
    return {form, form->reluctance()};
  } catch (const UsageError& e) {
    return {nullptr, e.what()};
  }
}

Trial try_envelope(const Technique& technique, const Resolved& asked, const Problem& problem) {
  Trial trial;
  trial.technique = technique;
  const auto scope = [&] {
    const ReformulationEntry& form = *technique.formulation;
    return form.rtol ? scope_of(asked, form.rtol(problem, asked.defaults.rtol)) : scope_of(asked);
  };
  trial.objection = technique.formulation
                        ? try_formulation(*technique.formulation, problem, scope(), asked.plan.options).objection
                        : why_not(*technique.method, problem, {});
  if (trial.objection.empty()) trial.way = resolve_way(technique, asked.plan, problem);
  return trial;
}

bool accepts(const Accepts& kinds, const ProblemFacts& facts) {
  if (facts.circuit) return kinds.circuit;
  if (facts.random) return kinds.langevin;
  if (facts.mechanical) return facts.constraints > 0 ? kinds.constrained : kinds.mechanical;
  return kinds.first_order;
}

Candidate ask_method(const MethodEntry& entry, const ProblemFacts& facts, const Question& question,
                     const Problem& problem) {
  Candidate c;
  c.technique.method = &entry;
  if (!accepts(entry.info.accepts, facts))
    c.prospect.objection = "it is not for this kind of problem";
  else if (!entry.advise)
    c.prospect.objection = "it makes no prediction; name it to use it";
  else
    c.prospect = entry.advise(facts, question);
  if (c.prospect.objection.empty()) c.prospect.objection = why_not(entry, problem, c.prospect.options);
  c.way = {&entry, nullptr, c.prospect.options, {}};
  c.full = c.prospect.loses.empty();
  c.seconds = c.prospect.steps * seconds_of_step(c.prospect, facts);
  return c;
}

// One that would not be taken first, or not at all, is not tried, because entering it may take as long as a run.
Candidate ask_formulation(const ReformulationEntry& entry, const Resolved& asked, const ProblemFacts& facts,
                          const Question& question, const Problem& problem, double fastest_full) {
  Candidate c;
  c.technique.formulation = &entry;
  c.full = entry.delivers == Delivers::full;
  if (!entry.advise)
    c.prospect.objection = "it makes no prediction; name it to use it";
  else
    c.prospect = entry.advise(facts, question);
  if (c.prospect.objection.empty() && !facts.mechanical) c.prospect.objection = "it is for mechanical systems";
  c.seconds = c.prospect.steps * seconds_of_step(c.prospect, facts);
  const bool serves = c.full || facts.random || question.wanted != Delivers::statistics;
  if (c.prospect.objection.empty() && serves && c.seconds <= fastest_full) {
    const TriedFormulation tried =
        try_formulation(entry, problem, scope_of(asked, c.prospect.rtol), asked.plan.options);
    c.prospect.objection = tried.objection;
    c.asked = tried.form;
  }
  if (c.prospect.objection.empty()) c.way = resolve_way(c.technique, asked.plan, problem);
  return c;
}

void ask_all(const Resolved& asked, const Problem& problem, Facts& found) {
  const Question question = question_of(asked);
  for (const MethodEntry& entry : Catalogue::all().methods())
    found.candidates.push_back(ask_method(entry, found.problem, question, problem));
  double fastest_full = HUGE_VAL;
  for (const Candidate& c : found.candidates)
    if (c.prospect.objection.empty() && c.full) fastest_full = std::min(fastest_full, c.seconds);
  for (const ReformulationEntry& entry : Catalogue::all().formulations())
    if (entry.driving_method && entry.delivers != Delivers::envelope)
      found.candidates.push_back(ask_formulation(entry, asked, found.problem, question, problem, fastest_full));
}

// The ways to the slow motion that say they are faster than the full motion are tried in a rough run, the fastest
// first, until one gets through.
void try_slow_ways(const Resolved& asked, const Problem& problem, Facts& found) {
  double full = HUGE_VAL;
  std::vector<Candidate*> slow;
  for (Candidate& c : found.candidates) {
    if (!c.prospect.objection.empty()) continue;
    if (c.technique.formulation && !c.full)
      slow.push_back(&c);
    else if (c.full)
      full = std::min(full, c.seconds);
  }
  std::sort(slow.begin(), slow.end(), [](const Candidate* a, const Candidate* b) { return a->seconds < b->seconds; });
  for (Candidate* c : slow) {
    if (c->seconds > full) return;
    c->prospect.objection = refusal_on_the_way(asked, found, c->way, problem, full);
    if (c->prospect.objection.empty()) return;
  }
}
}  // namespace

// Finds out by a rough run whether a formulation would refuse somewhere along the way. That costs little compared with
// following the oscillation.
std::string refusal_on_the_way(const Resolved& asked, const Facts& known, const Way& way, const Problem& problem,
                               double seconds_of_full_motion) {
  constexpr double least_seconds_of_trial = 1e-2, share_of_run = 0.05;
  Resolved rough = asked;
  RunPlan& plan = rough.plan;
  plan.h.reset();
  plan.h_max.reset();
  plan.atol.reset();
  plan.rtol = 1e-3;
  plan.max_steps = 2000;
  plan.native = Native::never;
  plan.output = Times{{*plan.to}};
  PreparedRun run = build(rough, known, {.way = way}, problem.clone());
  TimeLimit limit(std::max(least_seconds_of_trial, share_of_run * seconds_of_full_motion));
  run.options.observers.push_back(&limit);
  run.options.stop = &limit.stop();
  const Solution tried = run.run();
  return tried.outcome.status == RunStatus::refused ? tried.outcome.message : "";
}

Question question_of(const Resolved& asked) {
  Question question;
  switch (asked.plan.want) {
    case Want::slow:
      question.wanted = Delivers::slow;
      break;
    case Want::amplitude:
      question.wanted = Delivers::amplitude;
      break;
    case Want::statistics:
      question.wanted = Delivers::statistics;
      break;
    default:
      question.wanted = Delivers::full;
  }
  question.accuracy = asked.plan.accuracy.value_or(default_accuracy);
  if (asked.plan.rtol)
    question.rtol = asked.plan.rtol;
  else if (asked.defaults.names_rtol && asked.defaults.method.empty() && !asked.plan.accuracy)
    question.rtol = asked.defaults.rtol;
  return question;
}

Facts facts(const Resolved& asked, const Problem& problem, bool curious) {
  Facts found;
  found.name = problem.name();
  found.start = problem.initial_state();
  found.start.t = *asked.plan.from;
  if (asked.way && !curious) return found;
  if (asked.plan.want == Want::envelope) {
    // What looks for an oscillation accepts what has none, too; the ways after it step in if it fails.
    bool may_fail = false;
    for (const Technique& technique : envelope_ladder(asked)) {
      found.trials.push_back(try_envelope(technique, asked, problem));
      if (!found.trials.back().objection.empty()) continue;
      may_fail = may_fail || technique.name() == finder_of_cycles;
      if (!may_fail) break;
    }
    return found;
  }
  found.problem = stated_facts(problem, found.start, *asked.plan.to);
  look(problem, found.start, *asked.plan.to, question_of(asked), found.problem);
  ask_all(asked, problem, found);
  const bool wants_slow = asked.plan.want == Want::slow || asked.plan.want == Want::amplitude;
  if (wants_slow && asked.plan.trial_runs && !found.problem.random) try_slow_ways(asked, problem, found);
  return found;
}
}  // namespace trill
