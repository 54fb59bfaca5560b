// SPDX-License-Identifier: BSD-3-Clause
#include "driver/build.hpp"

#include "base/text.hpp"
#include "driver/component_scales.hpp"
#include "driver/native_choice.hpp"
#include "driver/step_count.hpp"
#include "formulation/frequencies.hpp"
#include "multiscale/force_products.hpp"
#include "problem/particles.hpp"
#include "problem/reactive.hpp"
#include "solution/oem_labels.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
// A diode in series with an inductor turns off within 1e-13 s or less.
constexpr int halvings_for_diodes = 40;

// What few methods can solve, for messages; the others would only say that they need another kind of system.
std::string peculiarity(const Problem& problem) {
  if (dynamic_cast<const CircuitProblem*>(&problem)) return "which has algebraic equations beside its rates";
  if (dynamic_cast<const ReactiveProblem*>(&problem)) return "whose forces depend on those of its constraints";
  if (dynamic_cast<const LangevinProblem*>(&problem)) return "which is in a heat bath";
  return "";
}

std::vector<std::string> able_methods(const Problem& problem) {
  std::vector<std::string> able;
  for (const MethodEntry& entry : Catalogue::all().methods()) try {
      entry.make(problem, {});
      able.push_back(entry.info.name);
    } catch (const UsageError&) {
    }
  return able;
}

void make_plainly(PreparedRun& run) {
  const Way& way = run.way;
  if (way.formulation) run.reformulation = way.formulation->make(*run.problem, way.formulation_options);
  run.stepper = way.method->make(run.reformulation ? run.reformulation->inner() : *run.problem, way.options);
}

void make_objects(PreparedRun& run) {
  const std::string peculiar = peculiarity(*run.problem);
  if (peculiar.empty()) return make_plainly(run);
  try {
    make_plainly(run);
  } catch (const UsageError&) {
    const bool in_bath = dynamic_cast<const LangevinProblem*>(run.problem.get()) != nullptr;
    if (in_bath && run.way.formulation && !run.reformulation) throw;  // many formulations keep the bath
    const Problem& stepped = in_bath && run.reformulation ? run.reformulation->inner() : *run.problem;
    const std::vector<std::string> able = able_methods(stepped);
    const bool is_able = std::ranges::count(able, run.way.method->info.name) > 0;
    if (is_able && (in_bath || !run.way.formulation)) throw;  // it is the options
    const bool blame_formulation = run.way.formulation && !in_bath;
    const std::string &name = blame_formulation ? run.way.formulation->name : run.way.method->info.name,
                      twin = "langevin_" + name;
    const std::string others = std::ranges::count(able, twin) > 0 ? twin : join(able, ", ");
    throw UsageError(fmt::format("{} cannot solve '{}', {}; use {}", name, stepped.name(), peculiar, others));
  }
}

// A step size that was not given depends on the problem that is stepped, which exists only now.
double default_step(const PreparedRun& run) {
  const double span = std::abs(*run.plan.to - *run.plan.from);
  const Problem& stepped = run.reformulation ? run.reformulation->inner() : *run.problem;
  const State start = run.reformulation ? stepped.initial_state() : run.start;
  // A method that takes its own inner steps for fast forces needs steps only for the slow ones.
  const bool slow = !run.reformulation && run.way.method->split_form(run.way.options).has_value();
  double omega = slow ? slow_frequency(stepped, start) : 0;
  if (omega == 0) omega = fastest_frequency(stepped, start);
  return omega > 0 ? std::min(2 * std::numbers::pi / omega / default_steps_per_period, span) : 1e-3 * span;
}

constexpr double smallest_share = 1e-12;

void fill_step(PreparedRun& run, const MethodInfo& info, const RunDefaults& defaults) {
  RunPlan& plan = run.plan;
  if (plan.h || plan.rtol) return;
  const bool adaptive = info.owns_step || info.error_order > 0;
  if (plan.atol && !adaptive)
    throw UsageError(info.name + " has no error estimate, so atol cannot be used; give a step size h instead");
  const double share = run.way.formulation ? run.way.formulation->share_of_accuracy : 0;
  if (adaptive && plan.accuracy && share > 0)
    plan.rtol = std::max(smallest_share, share * *plan.accuracy);
  else if (adaptive)
    plan.rtol = run.way.formulation && run.way.formulation->rtol
                    ? run.way.formulation->rtol(*run.problem, defaults.rtol)
                    : defaults.rtol;
  else if (defaults.h > 0 && info.name == defaults.method)
    plan.h = defaults.h;
  else
    plan.h = default_step(run);
}

StepControl make_control(const RunPlan& plan, const MethodInfo& info) {
  if (plan.h) return FixedStep{*plan.h};
  AdaptiveStep control;
  control.rtol = *plan.rtol;
  control.atol = Vec::Constant(1, *plan.atol);
  control.h_max = plan.h_max.value_or(0);
  if (info.owns_step && !plan.control.empty())
    throw UsageError(info.name + " has its own step control; leave out the option 'control'");
  if (!plan.control.empty()) control.controller = plan.control;
  return control;
}

void tell_scope(PreparedRun& run) {
  if (run.reformulation)
    run.reformulation->expect({run.plan.rtol.value_or(0), *run.plan.from, *run.plan.to, run.plan.of});
}

void inherit_answer(PreparedRun& run, const Facts& known) {
  for (const Candidate& c : known.candidates)
    if (run.reformulation && c.asked && c.technique.formulation == run.way.formulation)
      run.reformulation->inherit(*c.asked);
}

// Only clones of the problem use the machine code, so everything is made again.
void take_native(PreparedRun& run) {
  if (!choose_native(run)) return;
  run.stepper.reset();
  run.reformulation.reset();
  run.problem = run.problem->clone();
  build_objects(run);
}

std::string output_text(const Output& output) {
  if (const auto* grid = std::get_if<Grid>(&output)) return fmt::format("every {} in time", grid->dt);
  if (const auto* every = std::get_if<EveryStep>(&output))
    return every->stride == 1 ? every_step_text : fmt::format("every {} steps", every->stride);
  constexpr std::size_t most_listed = 50;
  const std::vector<double>& times = std::get<Times>(output).t;
  if (times.size() > most_listed) return fmt::format("{} given times", times.size());
  return fmt::format("at t = {}", fmt::join(times, ", "));
}

OptionSet values_of(const std::vector<OptionRow>& rows, const OptionSet& given) {
  OptionSet all;
  for (const OptionRow& row : rows) all[row.name] = row.value;
  for (const auto& [name, value] : given) all[name] = value;
  return all;
}

// From here on the method counts as named. That averages are wanted must stay known, because they are what is judged.
void forget_choice(RunPlan& plan) {
  if (plan.want != Want::statistics) plan.want = Want::full;
}

OptionSet settings_of(const RunPlan& plan, const MethodInfo& info) {
  OptionSet settings;
  settings["from"] = format_number(*plan.from);
  settings["to"] = format_number(*plan.to);
  if (plan.h) settings["h"] = format_number(*plan.h);
  if (plan.rtol) {
    settings["rtol"] = format_number(*plan.rtol);
    settings["atol"] = format_number(*plan.atol);
    if (!info.owns_step) settings["control"] = plan.control.empty() ? AdaptiveStep{}.controller : plan.control;
  }
  if (plan.h_max) settings["h_max"] = format_number(*plan.h_max);
  if (plan.accuracy) settings["accuracy"] = format_number(*plan.accuracy);
  if (!plan.of.empty()) settings["of"] = join(plan.of, ",");
  if (plan.want == Want::statistics) settings["want"] = to_text(plan.want);
  settings["output"] = output_text(plan.output);
  settings["seed"] = fmt::format("{}", plan.seed);
  settings["checkpoint_every"] = fmt::format("{}", plan.checkpoint_every);
  read_oem_labels(plan.oem);
  for (const auto& [name, value] : plan.oem) settings[oem_setting + name] = value;
  return settings;
}

void fill_info(PreparedRun& run, const MethodInfo& info) {
  const Way& way = run.way;
  RunInfo& out = run.options.info;
  out.problem = run.problem->name();
  out.method = info.name;
  out.method_title = info.title;
  out.method_reference = info.reference;
  out.delivers = to_text(info.delivers);
  out.options = values_of(way.method->options, way.options);
  if (way.formulation) {
    out.formulation = way.formulation->name;
    out.delivers = to_text(way.formulation->delivers.value_or(info.delivers));
    out.options.merge(values_of(way.formulation->options, way.formulation_options));
  }
  for (const Parameter& p : run.problem->parameters()) out.parameters[p.name] = value_text(p);
  out.settings = settings_of(run.plan, info);
  if (const auto* with = dynamic_cast<const HasParticles*>(run.problem.get()))
    store_particles(with->particles(), out.settings);
  if (const auto* mechanical = dynamic_cast<const MechanicalProblem*>(run.problem.get()))
    for (const GroupInfo& group : mechanical->groups()) out.groups.push_back(group.name);
}

void fill_options(PreparedRun& run) {
  run.options.output = run.plan.output;
  run.options.max_steps = run.plan.max_steps;
  run.options.checkpoint_every = run.plan.checkpoint_every;
  run.options.seed = run.plan.seed;
  run.options.reformulation = run.reformulation.get();
  if (dynamic_cast<const CircuitProblem*>(run.problem.get())) run.options.newton_retries = halvings_for_diodes;
}
}  // namespace

void build_objects(PreparedRun& run) {
  run.stepper.reset();
  make_objects(run);
  tell_scope(run);
  run.options.reformulation = run.reformulation.get();
}

PreparedRun build(const Resolved& asked, const Facts& known, const Advice& advice, std::unique_ptr<Problem> problem) {
  const MethodInfo info = advice.way.method->describe(advice.way.options);
  PreparedRun run;
  run.plan = asked.plan;
  forget_choice(run.plan);
  run.plan.method = info.name;
  run.plan.formulation = advice.way.formulation ? advice.way.formulation->name : "";
  run.way = advice.way;
  run.problem = std::move(problem);
  run.start = known.start;
  run.choice = advice.choice;
  if (!advice.ranked.empty()) run.rungs.assign(advice.ranked.begin() + 1, advice.ranked.end());
  run.advice_remark = advice.remark;
  if (!run.plan.h && !run.plan.rtol) {
    run.plan.h = advice.h;
    if (!advice.h) run.plan.rtol = advice.rtol;
  }
  if (!run.choice.empty())
    run.options.notices.push_back({.t = run.start.t, .code = "method", .text = run.choice, .severity = Severity::info});
  make_objects(run);
  fill_step(run, info, asked.defaults);
  if (run.plan.rtol && !run.plan.atol)
    run.plan.atol = usual_atol(*run.problem, run.start, *run.plan.to, *run.plan.rtol);
  tell_scope(run);
  run.options.control = make_control(run.plan, info);
  if (const std::string why = misfit(run.stepper->info(), run.options.control); !why.empty()) throw UsageError(why);
  check_step_count(run.options.control, run.plan.output, *run.plan.from, *run.plan.to);
  take_native(run);
  inherit_answer(run, known);
  fill_options(run);
  fill_info(run, info);
  return run;
}

RunPlan named_plan(const PreparedRun& run, const RunPlan& asked) {
  RunPlan plan = asked;
  forget_choice(plan);
  plan.method = run.plan.method;
  plan.formulation = run.plan.formulation;
  plan.h = run.plan.h;
  plan.rtol = run.plan.rtol;
  for (const auto* options : {&run.way.options, &run.way.formulation_options})
    plan.options.insert(options->begin(), options->end());
  return plan;
}

void take_over(PreparedRun& built, const PreparedRun& run) {
  RunInfo& info = built.options.info;
  const RunInfo& same = run.options.info;
  info.problem = same.problem;
  info.problem_title = same.problem_title;
  info.problem_reference = same.problem_reference;
  info.model_text = same.model_text;
  info.inputs = same.inputs;
  info.version = same.version;
  info.host = same.host;
  info.started = same.started;
  for (const Notice& notice : run.options.notices)
    if (notice.code != "method") built.options.notices.push_back(notice);
  built.options.events = run.options.events;
  built.options.observers = run.options.observers;
  built.options.newton_retries = run.options.newton_retries;
  built.options.stop = run.options.stop;
  built.options.progress = run.options.progress;
  built.rungs = run.rungs;
}

PreparedRun build_instead(const PreparedRun& run, const RunPlan& plan, const Way& way, const std::string& choice) {
  Facts known;
  known.start = run.start;
  Advice advice;
  advice.way = way;
  advice.choice = choice;
  PreparedRun built = build({plan, {}, way}, known, advice, run.problem->clone());
  take_over(built, run);
  return built;
}

PreparedRun build_again(const PreparedRun& run, const RunPlan& plan) {
  Facts known;
  known.start = run.start;
  Way way = run.way;
  if (way.formulation) way.formulation_options.erase(way.formulation->ends_by);
  return build({plan, {}, way}, known, {.way = way}, run.problem->clone());
}
}  // namespace trill
