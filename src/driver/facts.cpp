// SPDX-License-Identifier: BSD-3-Clause
#include "driver/facts.hpp"

#include "driver/build.hpp"
#include "multiscale/force_products.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
namespace {
Index count_gaps(const Problem& problem) {
  const MechanicalProblem* mechanics = mechanics_of(problem);
  return mechanics && mechanics->strong_potential() ? mechanics->strong_potential()->map->count() : 0;
}

RunScope scope_of(const Resolved& asked) {
  const RunPlan& plan = asked.plan;
  return {plan.h ? 0 : plan.rtol.value_or(asked.defaults.rtol), *plan.from, *plan.to};
}

// Finds out by a rough run whether a formulation would refuse somewhere along the way. That costs little compared with
// following the oscillation.
std::string refusal_on_the_way(const Resolved& asked, const Facts& known, const Way& way, const Problem& problem) {
  Resolved rough = asked;
  RunPlan& plan = rough.plan;
  plan.h.reset();
  plan.h_max.reset();
  plan.atol.reset();
  plan.rtol = 1e-3;
  plan.max_steps = 2000;
  plan.native = Native::never;
  plan.output = Times{{*plan.to}};
  const Solution tried = build(rough, known, {way, ""}, problem.clone()).run();
  return tried.outcome.status == RunStatus::refused ? tried.outcome.message : "";
}

std::string why_not(const MethodEntry& method, const Problem& problem) {
  try {
    method.make(problem, {});
    return "";
  } catch (const UsageError& e) {
    return e.what();
  }
}

Trial try_out(const Technique& technique, const Resolved& asked, const Facts& known, const Problem& problem) {
  Trial trial;
  trial.technique = technique;
  if (technique.formulation)
    trial.objection = why_not(*technique.formulation, problem, scope_of(asked), asked.plan.options);
  else if (asked.plan.want == Want::envelope)
    trial.objection = why_not(*technique.method, problem);
  if (!trial.objection.empty()) return trial;
  trial.way = resolve_way(technique, asked.plan, problem);
  trial.ran = technique.formulation && asked.plan.want == Want::slow && asked.plan.trial_runs && !known.random;
  if (trial.ran) trial.objection = refusal_on_the_way(asked, known, trial.way, problem);
  return trial;
}
}  // namespace

Facts facts(const Resolved& asked, const std::vector<Technique>& candidates, const Problem& problem) {
  Facts found;
  found.name = problem.name();
  found.start = problem.initial_state();
  found.start.t = *asked.plan.from;
  found.stiff_gaps = count_gaps(problem);
  found.mechanical = dynamic_cast<const MechanicalProblem*>(&problem) != nullptr;
  found.random = dynamic_cast<const LangevinProblem*>(&problem) != nullptr;
  for (const Technique& technique : candidates) {
    found.trials.push_back(try_out(technique, asked, found, problem));
    if (found.trials.back().objection.empty()) break;
  }
  return found;
}

std::string why_not(const ReformulationEntry& formulation, const Problem& problem, const RunScope& scope,
                    const OptionSet& options) {
  try {
    OptionSet own;  // the other options belong to the method that drives the formulation
    for (const OptionRow& row : formulation.options)
      if (const auto given = options.find(row.name); given != options.end()) own.insert(*given);
    const auto form = formulation.make(problem, own);
    form->expect(scope);
    State in;
    Notes notes;
    form->enter(problem.initial_state(), in, notes);
    return form->reluctance();
  } catch (const UsageError& e) {
    return e.what();
  }
}
}  // namespace trill
