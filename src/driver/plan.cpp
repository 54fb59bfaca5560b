// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/plan.hpp"

#include "driver/build.hpp"
#include "driver/native_choice.hpp"
#include "driver/steady.hpp"
#include "multiscale/structure_checks.hpp"

#include <cmath>

namespace trill {
const char* to_text(Want want) {
  switch (want) {
    case Want::full:
      return "full";
    case Want::slow:
      return "slow";
    case Want::amplitude:
      return "amplitude";
    case Want::statistics:
      return "statistics";
    case Want::envelope:
      return "envelope";
    case Want::steady:
      return "steady";
  }
  return "";
}

const std::vector<Want>& all_wants() {
  static const std::vector<Want> wants{Want::full,       Want::slow,     Want::amplitude,
                                       Want::statistics, Want::envelope, Want::steady};
  return wants;
}

TextModel make_model(const std::string& model, const OptionSet& parameters, double begin) {
  if (!std::isfinite(begin)) throw UsageError("the start time and the end time must be finite");
  if (is_model_file(model)) return load_model(model, parameters, begin);
  const ModelEntry& entry = ModelRegistry::all().find(model);
  if (!entry.text.empty()) return read_shipped_model(entry, parameters, begin);
  return {entry.describe().info, entry.name, "", entry.make(parameters), {}, {}};
}

Technique default_technique(const TextModel& model) {
  const RunDefaults& run = model.info.run;
  try {
    return Catalogue::all().technique(run.method);
  } catch (const UsageError& e) {
    if (!run.method_at) throw;
    throw error_at(model.file, model.text, *run.method_at, e.what());
  }
}

// A formulation keeps memory of its run, so a second run needs new objects.
Solution PreparedRun::run() {
  if (steady) return steady->run(*this);
  if (begun && reformulation) build_objects(*this);
  begun = true;
  return integrate(*problem, *stepper, start, *plan.to, options);
}

PreparedRun prepare(const RunPlan& plan) {
  TextModel model = make_model(plan.model, plan.parameters, plan.from.value_or(0));
  // An unknown technique is reported with its line in the file.
  if (plan.method.empty() && plan.want == Want::full && !model.info.run.method.empty()) default_technique(model);
  PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
  run.options.info.problem = model.info.name;
  run.options.info.problem_title = model.info.title;
  run.options.info.problem_reference = model.info.reference;
  run.options.info.model_text = model.text;
  run.options.info.inputs = model.inputs;
  for (const std::string& warning : model.warnings)
    run.options.notices.push_back({.t = run.start.t, .code = "model", .text = warning, .severity = Severity::warning});
  for (const std::string& remark : model.remarks)
    run.options.notices.push_back({.t = run.start.t, .code = "start", .text = remark, .severity = Severity::info});
  return run;
}

namespace {
// A way that refuses the problem is left for the next one of the ranking.
PreparedRun build_first_that_fits(const Resolved& asked, const Facts& known, const Advice& advice,
                                  std::unique_ptr<Problem> problem) {
  if (advice.choice.empty()) return build(asked, known, advice, std::move(problem));  // the method was named
  std::vector<Attempt> refused;
  for (std::size_t k = 0; k + 1 < advice.ranked.size(); ++k) {
    const RankedWay& ranked = advice.ranked[k];
    Advice next = advice;
    next.ranked.assign(advice.ranked.begin() + static_cast<std::ptrdiff_t>(k), advice.ranked.end());
    if (k > 0) {
      next.way = ranked.way;
      next.h = ranked.h;
      next.rtol = ranked.rtol;
      next.choice = ranked.why;
    }
    try {
      PreparedRun run = build(asked, known, next, problem->clone());
      run.options.info.attempts = refused;
      return run;
    } catch (const UsageError& e) {
      const Way& way = ranked.way;
      refused.push_back({way.formulation ? way.formulation->name : way.method->info.name, ranked.h.value_or(0),
                         ranked.rtol.value_or(0), std::nan(""), 0, e.what()});
    }
  }
  return build(asked, known, advice, std::move(problem));
}

// Formulations look at K themselves. A factorisation is little beside the steps of an implicit method; beside explicit
// steps of a large structure it is not.
bool looks_at_stiffness(const PreparedRun& run) {
  constexpr Index most_unknowns_beside_explicit_steps = 10'000;
  return !run.reformulation &&
         (run.stepper->info().implicit_step || run.start.layout.nq <= most_unknowns_beside_explicit_steps);
}

void note_growth(PreparedRun& run) {
  const auto* structure = dynamic_cast<const LinearStructure*>(run.problem.get());
  if (!structure) return;
  const auto note = [&](const char* code, const std::string& why) {
    if (!why.empty())
      run.options.notices.push_back({.t = run.start.t, .code = code, .text = why, .severity = Severity::warning});
  };
  if (looks_at_stiffness(run)) note("buckling", buckling_of(*structure));
  note("driving_damping", drive_of(*structure));
}
}  // namespace

PreparedRun prepare(const RunPlan& plan, std::unique_ptr<Problem> problem, const RunDefaults& defaults) {
  const Resolved asked = resolve(plan, *problem, defaults);
  if (plan.want == Want::steady) return prepare_steady(asked, std::move(problem));
  problem = with_code_at_hand(std::move(problem), plan.native);
  const bool curious = plan.second_opinion && plan.method.empty() && !plan.h;
  const Facts known = facts(asked, *problem, curious);
  PreparedRun run = build_first_that_fits(asked, known, advise(asked, known), std::move(problem));
  note_growth(run);
  if (run.plan.h && !run.reformulation) {
    ProblemSession session(*run.problem, Formulas::of_each_state);
    session.enter(run.start);
    run.outlook = run.stepper->outlook(run.start, *run.plan.h);
  }
  return run;
}
}  // namespace trill
