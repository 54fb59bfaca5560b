// SPDX-License-Identifier: BSD-3-Clause
#include "driver/resolve.hpp"

#include "base/text.hpp"
#include "formulation/constraint_formulation.hpp"
#include "problem/quantity_kind.hpp"
#include "problem/reactive.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
void check_positive(const std::optional<double>& value, const char* name) {
  if (value && (!(*value > 0) || !std::isfinite(*value)))
    throw UsageError(fmt::format("{} must be positive and finite, not {}", name, *value));
}

// Numbers have sixteen digits, and a run of many steps keeps fewer of them.
constexpr double smallest_accuracy = 1e-13;

void check_accuracy(const RunPlan& plan) {
  check_positive(plan.accuracy, "the accuracy");
  if (plan.accuracy && *plan.accuracy >= 1)
    throw UsageError(
        fmt::format("the accuracy is an error relative to the range of what is computed and must be below "
                    "1, not {}; 1e-3 is the width of a line in a plot",
                    *plan.accuracy));
  if (plan.accuracy && *plan.accuracy < smallest_accuracy)
    throw UsageError(
        fmt::format("an accuracy of {} cannot be reached, because numbers have sixteen digits and rounding "
                    "spoils the last ones; the smallest that can be asked for is {}",
                    *plan.accuracy, smallest_accuracy));
}

void check_judged(const RunPlan& plan, const Problem& problem) {
  std::vector<std::string> known;
  for (const Quantity& q : measures_of(problem)) known.push_back(q.name);
  for (const Quantity& q : problem.components()) known.push_back(q.name);
  for (const std::string& name : plan.of)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("'{}' has no component or measure '{}' that could be judged{}", problem.name(), name,
                                   suggest(name, known)));
}

void check_numbers(const RunPlan& plan) {
  check_accuracy(plan);
  check_positive(plan.h, "h");
  check_positive(plan.rtol, "rtol");
  check_positive(plan.atol, "atol");
  check_positive(plan.h_max, "h_max");
  if (plan.h && plan.rtol) throw UsageError("give either a step size h or a tolerance rtol, not both");
  if (plan.h && plan.h_max)
    throw UsageError("h_max is only for runs with rtol; with a fixed step size h every step is h");
  if (plan.h && plan.atol)
    throw UsageError("atol is only for runs with rtol; with a fixed step size h there is no error test");
  if (plan.rtol && *plan.rtol >= 1) throw UsageError(fmt::format("rtol must be between 0 and 1, not {}", *plan.rtol));
  if (plan.max_steps < 1) throw UsageError("the max number of steps must be at least 1");
  if (const auto* grid = std::get_if<Grid>(&plan.output); grid && !(grid->dt > 0 && std::isfinite(grid->dt)))
    throw UsageError(fmt::format("the output interval must be positive and finite, not {}", grid->dt));
  if (const auto* every = std::get_if<EveryStep>(&plan.output); every && every->stride < 1)
    throw UsageError(fmt::format("output every {} steps is not possible; give 1 or more", every->stride));
}

// Puts the named times of rows into the order of the run, which ends at the last one if no end was given.
void take_times(RunPlan& plan) {
  auto* named = std::get_if<Times>(&plan.output);
  if (!named || named->t.empty()) return;
  std::vector<double>& t = named->t;
  std::sort(t.begin(), t.end());
  t.erase(std::unique(t.begin(), t.end()), t.end());
  const double from = *plan.from;
  if (!plan.to) plan.to = t.back() > from ? t.back() : t.front();
  if (*plan.to < from) std::reverse(t.begin(), t.end());
  for (const double time : t)
    if ((time - from) * (time - *plan.to) > 0)
      throw UsageError(
          fmt::format("there is no row at t = {}, because the run goes from t = {} to t = {}", time, from, *plan.to));
}

void fill_span(RunPlan& plan, const Problem& problem, const RunDefaults& defaults) {
  if (!plan.from) plan.from = problem.initial_state().t;
  take_times(plan);
  if (!plan.to) plan.to = *plan.from + defaults.to;
  if (*plan.to == *plan.from)
    throw UsageError(fmt::format(
        "the run begins and ends at t = {}, so there is nothing to compute; give another end by --to", *plan.to));
  if (*plan.to < *plan.from && dynamic_cast<const LangevinProblem*>(&problem))
    throw UsageError(fmt::format("the random motion of '{}' cannot run backwards; give an end after t = {}",
                                 problem.name(), *plan.from));
}

bool names_constraint_form(const std::string& name) {
  const auto& names = constraint_form_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Which gaps are to be rigid, and with which correction, is asked of the formulation that makes them so.
bool asks_for_rigid_gaps(const RunPlan& plan) {
  return plan.options.contains("constraints") || plan.options.contains("correction");
}

// `formulation` can mean two things: how the method solves constraints, which is an option of the method, or a change
// of unknowns before any method is applied. Both may be given either way.
void sort_formulations(RunPlan& plan) {
  if (plan.formulation.empty() && asks_for_rigid_gaps(plan)) plan.formulation = "rigid_limit";
  if (const auto it = plan.options.find("formulation");
      it != plan.options.end() && !names_constraint_form(it->second)) {
    plan.formulation = it->second;
    plan.options.erase(it);
  }
  if (!names_constraint_form(plan.formulation)) return;
  plan.options["formulation"] = plan.formulation;
  plan.formulation.clear();
}

// `control=...` among the method's options sets the step control of the run.
void take_controller(RunPlan& plan) {
  if (const auto given = plan.options.extract("control")) plan.control = given.mapped();
  if (plan.control.empty()) return;
  make_controller(plan.control);
  if (plan.h)
    throw UsageError("control is only for runs with rtol; with a fixed step size h there is nothing to control");
}

const MethodEntry& driving_method(const ReformulationEntry& formulation, OptionSet& options, const Problem& problem) {
  const auto macro = options.extract("macro");
  const std::string name = macro ? macro.mapped() : formulation.driving_method(problem);
  if (Catalogue::all().find_formulation(name))
    throw UsageError(fmt::format(
        "{} is itself a formulation and cannot be the method that drives {}; give an ordinary method by macro=NAME",
        name, formulation.name));
  return formulation.methods ? formulation.methods().method(name) : *Catalogue::all().technique(name).method;
}

// Refuses options that neither the formulation nor the method that drives it knows.
void check_options(const Way& way, const OptionSet& given) {
  std::vector<std::string> known{"macro"};
  for (const auto& rows : {way.formulation->options, way.method->options})
    for (const OptionRow& row : rows) known.push_back(row.name);
  for (const auto& [name, value] : given)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format(
          "neither {} nor {}, the method that drives it, has an option '{}'{} ('trill describe {}' lists the options)",
          way.formulation->name, way.method->info.name, name, suggest(name, known), way.formulation->name));
}

// Options that the formulation knows go to it; `macro.X` is option X of the method that drives it.
void sort_options(Way& way, const OptionSet& given) {
  constexpr std::string_view prefix = "macro.";
  for (const auto& [name, value] : given) {
    if (name.starts_with(prefix))
      way.options[name.substr(prefix.size())] = value;
    else
      (has_option(way.formulation->options, name) ? way.formulation_options : way.options)[name] = value;
  }
  check_options(way, way.options);
}

void check_constraint_form(const Way& way) {
  const auto form = way.options.find("formulation");
  if (form != way.options.end() && !has_option(way.method->options, "formulation"))
    throw UsageError(
        fmt::format("{} cannot use formulation '{}', because it does not solve constraints together with a step; use "
                    "generalized_alpha",
                    way.method->info.name, form->second));
}
}  // namespace

Way resolve_way(const Technique& technique, const RunPlan& plan, const Problem& problem) {
  Way way{technique.method, technique.formulation, {}, {}};
  OptionSet options = plan.options;
  if (!plan.formulation.empty()) way.formulation = &Catalogue::all().formulation(plan.formulation);
  if (technique.formulation && way.formulation != technique.formulation)
    throw UsageError(
        fmt::format("{} is itself a formulation and cannot be the method that drives {}; give one formulation and an "
                    "ordinary method",
                    technique.name(), way.formulation->name));
  if (!way.method) way.method = &driving_method(*way.formulation, options, problem);
  if (way.formulation)
    sort_options(way, options);
  else
    way.options = std::move(options);
  check_constraint_form(way);
  return way;
}

namespace {
// Where trill has nothing to choose although no method is named: a step size, options or a formulation are given.
std::string usual_method(const Problem& problem) {
  if (dynamic_cast<const LangevinProblem*>(&problem)) return "langevin_splitting";
  if (dynamic_cast<const CircuitProblem*>(&problem) || dynamic_cast<const ReactiveProblem*>(&problem)) return "radau";
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  return mechanical && mechanical->constraints() ? "rattle" : "dopri5";
}

std::string rigid_method(const Problem& problem) {
  return dynamic_cast<const LangevinProblem*>(&problem) ? "langevin_splitting" : "rattle";
}

// Netlists are run with one of two methods. What rings for long after each switching needs the higher order, and a
// tolerance with which phases are right after many oscillations; where diodes turn, the other one may fail.
std::optional<RankedWay> other_method_of_circuits(const Problem& problem, const RunDefaults& defaults) {
  constexpr double rtol_of_ringing = 1e-6;
  const bool rings = defaults.method == "circuit_sdirk";
  if (!dynamic_cast<const CircuitProblem*>(&problem) || (!rings && defaults.method != "radau")) return std::nullopt;
  RankedWay other{{&Catalogue::all().method(rings ? "radau" : "circuit_sdirk"), nullptr, {}, {}}, {}, {}, 0, 0, 0, ""};
  other.rtol = rings ? std::min(rtol_of_ringing, defaults.rtol) : defaults.rtol;
  other.why = rings ? "it takes fewer steps where something rings" : "it may go on where diodes turn";
  return other;
}
}  // namespace

bool leaves_choice(const RunPlan& plan) {
  return plan.method.empty() && plan.formulation.empty() && plan.options.empty() && !plan.h;
}

Resolved resolve(const RunPlan& given, const Problem& problem, const RunDefaults& defaults) {
  check_numbers(given);
  check_judged(given, problem);
  Resolved asked{given, defaults, {}};
  RunPlan& plan = asked.plan;
  fill_span(plan, problem, defaults);
  sort_formulations(plan);
  take_controller(plan);
  // Any method can be asked for averages, so one may be named.
  const bool names_way = plan.want == Want::statistics && !leaves_choice(plan);
  if (plan.want == Want::full || names_way) {
    // The method that a model names is for the model as it is, with its gaps open.
    const bool made_rigid = plan.method.empty() && asks_for_rigid_gaps(plan) && !plan.rtol;
    std::string name = made_rigid ? rigid_method(problem) : plan.method.empty() ? defaults.method : plan.method;
    if (name.empty() && !leaves_choice(plan)) name = usual_method(problem);
    if (!name.empty()) asked.way = resolve_way(Catalogue::all().technique(name), plan, problem);
    if (leaves_choice(plan)) asked.second = other_method_of_circuits(problem, defaults);
  } else if (!plan.method.empty() || !plan.formulation.empty()) {
    throw UsageError("give either --want, which chooses a method, or a method or formulation, not both");
  }
  return asked;
}
}  // namespace trill
