// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/plan.hpp"

#include "base/text.hpp"
#include "driver/native_choice.hpp"
#include "driver/wanted.hpp"
#include "formulation/constraint_formulation.hpp"
#include "formulation/frequencies.hpp"
#include "multiscale/force_products.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
void check_positive(const std::optional<double>& value, const char* name) {
  if (value && (!(*value > 0) || !std::isfinite(*value)))
    throw UsageError(fmt::format("{} must be positive and finite, not {}", name, *value));
}

void check_numbers(const RunPlan& plan) {
  check_positive(plan.h, "h");
  check_positive(plan.rtol, "rtol");
  check_positive(plan.atol, "atol");
  check_positive(plan.h_max, "h_max");
  if (plan.h && plan.rtol) throw UsageError("give either a step size h or a tolerance rtol, not both");
  if (plan.h && plan.h_max) throw UsageError("h_max belongs to rtol; with a fixed step size h every step is h");
  if (plan.h && plan.atol) throw UsageError("atol belongs to rtol; with a fixed step size h there is no error test");
  if (plan.rtol && *plan.rtol >= 1) throw UsageError(fmt::format("rtol must lie between 0 and 1, not {}", *plan.rtol));
  if (plan.max_steps < 1) throw UsageError("the largest number of steps must be at least 1");
  if (const auto* grid = std::get_if<Grid>(&plan.output); grid && !(grid->dt > 0 && std::isfinite(grid->dt)))
    throw UsageError(fmt::format("the output interval must be positive and finite, not {}", grid->dt));
  if (const auto* every = std::get_if<EveryStep>(&plan.output); every && every->stride < 1)
    throw UsageError(fmt::format("output every {} steps makes no sense; give 1 or more", every->stride));
}

// slow: for methods that make inner steps of their own for fast forces.
double chosen_step(const Problem& problem, const State& start, double span, bool slow) {
  double omega = slow ? slow_frequency(problem, start) : 0;
  if (omega == 0) omega = fastest_frequency(problem, start);
  return omega > 0 ? std::min(2 * std::numbers::pi / omega / default_steps_per_period, span) : 1e-3 * span;
}

std::string output_text(const Output& output) {
  if (const auto* grid = std::get_if<Grid>(&output)) return fmt::format("every {} in time", grid->dt);
  if (const auto* every = std::get_if<EveryStep>(&output))
    return every->stride == 1 ? "every step" : fmt::format("every {} steps", every->stride);
  return fmt::format("{} given times", std::get<Times>(output).t.size());
}

OptionSet values_of(const std::vector<OptionRow>& rows, const OptionSet& given) {
  OptionSet all;
  for (const OptionRow& row : rows) all[row.name] = row.value;
  for (const auto& [name, value] : given) all[name] = value;
  return all;
}

StepControl make_control(RunPlan& plan, const MethodInfo& info) {
  if (plan.h) return FixedStep{*plan.h};
  if (!plan.atol) plan.atol = *plan.rtol / 1000;
  AdaptiveStep control;
  control.rtol = *plan.rtol;
  control.atol = Vec::Constant(1, *plan.atol);
  control.h_max = plan.h_max.value_or(0);
  if (info.owns_step && !plan.control.empty()) throw UsageError(info.name + " has a step control of its own");
  if (!plan.control.empty()) control.controller = plan.control;
  return control;
}

void fill_step(PreparedRun& run, const MethodEntry& method, const MethodInfo& info, const RunDefaults& defaults) {
  RunPlan& plan = run.plan;
  if (plan.h || plan.rtol) return;
  const bool adaptive = info.owns_step || info.error_order > 0;
  if (plan.atol && !adaptive)
    throw UsageError(info.name + " has no error estimate; give a step size h instead of atol");
  if (adaptive)
    plan.rtol = defaults.rtol;
  else if (defaults.h > 0 && info.name == defaults.method)
    plan.h = defaults.h;
  else
    plan.h = run.reformulation ? chosen_step(run.reformulation->inner(), run.reformulation->inner().initial_state(),
                                             std::abs(*plan.to - *plan.from), false)
                               : chosen_step(*run.problem, run.start, std::abs(*plan.to - *plan.from),
                                             method.split_form(plan.options).has_value());
}

void fill_info(PreparedRun& run, const MethodEntry& method, const MethodInfo& info) {
  const RunPlan& plan = run.plan;
  RunInfo& out = run.options.info;
  out.problem = run.problem->name();
  out.method = info.name;
  out.method_title = info.title;
  out.method_reference = info.reference;
  out.delivers = to_text(info.delivers);
  out.formulation = plan.formulation;
  const ReformulationEntry* formulation = find_reformulation(plan.formulation);
  if (formulation && !formulation->delivers.empty()) out.delivers = formulation->delivers;
  for (const Parameter& p : run.problem->parameters()) out.parameters[p.name] = format_number(p.value);
  out.options = values_of(method.options, plan.options);
  if (formulation) out.options.merge(values_of(formulation->options, plan.formulation_options));
  out.settings["from"] = format_number(*plan.from);
  out.settings["to"] = format_number(*plan.to);
  if (plan.h) out.settings["h"] = format_number(*plan.h);
  if (plan.rtol) {
    out.settings["rtol"] = format_number(*plan.rtol);
    out.settings["atol"] = format_number(*plan.atol);
    if (!info.owns_step) out.settings["control"] = plan.control.empty() ? AdaptiveStep{}.controller : plan.control;
  }
  if (plan.h_max) out.settings["h_max"] = format_number(*plan.h_max);
  out.settings["output"] = output_text(plan.output);
  out.settings["seed"] = fmt::format("{}", plan.seed);
  out.settings["checkpoint_every"] = fmt::format("{}", plan.checkpoint_every);
  if (const auto* mechanical = dynamic_cast<const MechanicalProblem*>(run.problem.get()))
    for (const GroupInfo& group : mechanical->groups()) out.groups.push_back(group.name);
}

void make_stepper(PreparedRun& run, const MethodEntry& method) {
  if (!run.plan.formulation.empty())
    run.reformulation = make_reformulation(run.plan.formulation, *run.problem, run.plan.formulation_options);
  run.stepper = method.make(run.reformulation ? run.reformulation->inner() : *run.problem, run.plan.options);
}

// What neither the formulation nor the method that drives it knows; `control` is the run's.
void check_options(const RunPlan& plan, const ReformulationEntry& entry) {
  std::vector<std::string> known{"macro"};
  for (const auto& rows : {entry.options, MethodRegistry::all().find(plan.method).options})
    for (const OptionRow& row : rows) known.push_back(row.name);
  for (const auto& [name, value] : plan.options)
    if (name != "control" && std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("neither {} nor {}, which drives it, has an option '{}'{} (trill describe {})",
                                   entry.name, plan.method, name, suggest(name, known), entry.name));
}

// A formulation's name given as a method stands for it with the method that drives it best; `macro` names another one,
// and `macro.X` are options of that. Other options that the formulation knows are its own.
void take_formulation(RunPlan& plan, const Problem& problem) {
  const ReformulationEntry* entry = find_reformulation(plan.method);
  if (entry && entry->driving_method && (plan.formulation.empty() || find_reformulation(plan.formulation) == entry)) {
    plan.formulation = entry->name;
    plan.method = entry->driving_method(problem);
    if (const auto macro = plan.options.extract("macro")) plan.method = macro.mapped();
    if (find_reformulation(plan.method))
      throw UsageError(fmt::format("{} is a formulation itself and cannot drive {}; macro= takes an ordinary method",
                                   plan.method, entry->name));
    check_method_name(plan.method);
  }
  entry = find_reformulation(plan.formulation);
  if (!entry) return;
  constexpr std::string_view prefix = "macro.";
  OptionSet left;
  for (const auto& [name, value] : plan.options) {
    const auto own = [&](const OptionRow& row) { return row.name == name; };
    if (name.starts_with(prefix))
      left[name.substr(prefix.size())] = value;
    else if (std::any_of(entry->options.begin(), entry->options.end(), own))
      plan.formulation_options[name] = value;
    else
      left[name] = value;
  }
  plan.options = std::move(left);
  check_options(plan, *entry);
}

bool names_constraint_form(const std::string& name) {
  const auto& names = constraint_form_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_option(const MethodEntry& method, std::string_view name) {
  return std::any_of(method.options.begin(), method.options.end(),
                     [&](const OptionRow& row) { return row.name == name; });
}

// `formulation` stands for two things: how the method solves constraints, which is an option of it, and a change of
// the unknowns before any method. Both may be given either way.
void sort_formulations(RunPlan& plan) {
  if (const auto it = plan.options.find("formulation");
      it != plan.options.end() && !names_constraint_form(it->second)) {
    plan.formulation = it->second;
    plan.options.erase(it);
  }
  if (!names_constraint_form(plan.formulation)) return;
  plan.options["formulation"] = plan.formulation;
  plan.formulation.clear();
}

void check_constraint_form(const RunPlan& plan, const MethodEntry& method) {
  if (plan.options.contains("formulation") && !has_option(method, "formulation"))
    throw UsageError(
        fmt::format("{} does not solve constraints stage by stage and has no formulation '{}'; "
                    "generalized_alpha has",
                    plan.method, plan.options.at("formulation")));
}

void tell_scope(PreparedRun& run) {
  if (run.reformulation) run.reformulation->expect({run.plan.rtol.value_or(0), *run.plan.from, *run.plan.to});
}

// Whether a formulation would refuse on the way, found by a rough run: what that cost is little beside what following
// the oscillation would.
std::string try_out(const RunPlan& plan, const Problem& problem, const std::string& method) {
  if (dynamic_cast<const LangevinProblem*>(&problem)) return "";
  RunPlan rough = plan;
  rough.want.clear();
  rough.method = method;
  rough.h.reset();
  rough.h_max.reset();
  rough.atol.reset();
  rough.rtol = 1e-3;
  rough.max_steps = 2000;
  rough.native = Native::never;
  rough.output = Times{{*plan.to}};
  const Solution tried = prepare(rough, problem.clone()).run();
  return tried.outcome.status == RunStatus::refused ? tried.outcome.message : "";
}

void choose(PreparedRun& run, const RunDefaults& defaults) {
  RunPlan& plan = run.plan;
  if (!plan.want.empty()) {
    if (!plan.method.empty() || !plan.formulation.empty())
      throw UsageError(fmt::format("give either what is wanted ('{}') or a method, not both", plan.want));
    const double tolerance = plan.h ? 0 : plan.rtol.value_or(defaults.rtol);
    const ChosenMethod chosen =
        choose_method(plan.want, *run.problem, {tolerance, *plan.from, *plan.to}, plan.options,
                      [&](const std::string& method) { return try_out(plan, *run.problem, method); });
    plan.method = chosen.method;
    plan.want.clear();
    run.choice = fmt::format("{} was chosen: {}", chosen.method, chosen.why);
    run.options.notices.push_back({.t = run.start.t, .code = "method", .text = run.choice, .severity = Severity::info});
  }
  if (plan.method.empty()) plan.method = defaults.method;
}

// `control=...` among the method's options names the step control of the run.
void take_controller(RunPlan& plan) {
  if (const auto it = plan.options.find("control"); it != plan.options.end()) {
    plan.control = it->second;
    plan.options.erase(it);
  }
  if (plan.control.empty()) return;
  make_controller(plan.control);
  if (plan.h) throw UsageError("control belongs to rtol; with a fixed step size h there is nothing to control");
}
}  // namespace

TextModel make_model(const std::string& model, const OptionSet& parameters, double begin) {
  if (!std::isfinite(begin)) throw UsageError("the ends of the time interval must be finite");
  if (is_model_file(model)) return load_model(model, parameters, begin);
  const ModelEntry& entry = ModelRegistry::all().find(model);
  if (!entry.text.empty()) return read_shipped_model(entry, parameters, begin);
  return {entry.describe().info, entry.name, "", entry.make(parameters), {}};
}

// A formulation remembers the run that it was made for.
Solution PreparedRun::run() {
  if (begun && reformulation) {
    auto another = make_reformulation(plan.formulation, *problem, plan.formulation_options);
    stepper = stepper->clone(another->inner());
    reformulation = std::move(another);
    tell_scope(*this);
    options.reformulation = reformulation.get();
  }
  begun = true;
  return integrate(*problem, *stepper, start, *plan.to, options);
}

PreparedRun prepare(const RunPlan& plan) {
  TextModel model = make_model(plan.model, plan.parameters, plan.from.value_or(0));
  if (plan.method.empty() && plan.want.empty()) check_default_method(model);
  PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
  run.options.info.problem = model.info.name;
  run.options.info.problem_title = model.info.title;
  run.options.info.problem_reference = model.info.reference;
  run.options.info.model_text = model.text;
  for (const std::string& warning : model.warnings)
    run.options.notices.push_back({.t = run.start.t, .code = "model", .text = warning, .severity = Severity::warning});
  return run;
}

PreparedRun prepare(const RunPlan& plan, std::unique_ptr<Problem> problem, const RunDefaults& defaults) {
  check_numbers(plan);
  PreparedRun run;
  run.plan = plan;
  run.problem = std::move(problem);
  run.start = run.problem->initial_state();
  if (plan.from) run.start.t = *plan.from;
  run.plan.from = run.start.t;
  if (!run.plan.to) run.plan.to = run.start.t + defaults.to;
  if (*run.plan.to == *run.plan.from)
    throw UsageError(fmt::format("the run begins and ends at t = {}; nothing is to be done", *run.plan.to));
  if (*run.plan.to < *run.plan.from && dynamic_cast<const LangevinProblem*>(run.problem.get()))
    throw UsageError(fmt::format("the random motion of '{}' cannot run backwards; give an end after t = {}",
                                 run.problem->name(), *run.plan.from));
  sort_formulations(run.plan);
  choose(run, defaults);
  check_method_name(run.plan.method);
  take_formulation(run.plan, *run.problem);
  const MethodEntry& method = MethodRegistry::all().find(run.plan.method);
  check_constraint_form(run.plan, method);
  take_controller(run.plan);
  const MethodInfo info = method.describe(run.plan.options);
  run.plan.method = info.name;
  make_stepper(run, method);
  fill_step(run, method, info, defaults);
  tell_scope(run);
  run.options.control = make_control(run.plan, info);
  Advancer(*run.stepper, run.options.control, run.options.newton_retries, plan.seed);  // refuses what does not fit
  if (choose_native(run)) {
    run.stepper.reset();
    run.reformulation.reset();
    run.problem = run.problem->clone();
    make_stepper(run, method);
    tell_scope(run);
  }
  run.options.output = plan.output;
  run.options.max_steps = plan.max_steps;
  run.options.checkpoint_every = plan.checkpoint_every;
  run.options.seed = plan.seed;
  run.options.reformulation = run.reformulation.get();
  fill_info(run, method, info);
  return run;
}
}  // namespace trill
