// SPDX-License-Identifier: BSD-3-Clause
#include "trill/driver/plan.hpp"

#include "driver/build.hpp"

namespace trill {
TextModel make_model(const std::string& model, const OptionSet& parameters) {
  if (is_model_file(model)) return load_model(model, parameters);
  const ModelEntry& entry = ModelRegistry::all().find(model);
  if (!entry.text.empty()) return read_shipped_model(entry, parameters);
  return {entry.describe().info, "", entry.make(parameters), {}};
}

PreparedRun prepare(const RunPlan& plan) {
  TextModel model = make_model(plan.model, plan.parameters);
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
  const Resolved asked = resolve(plan, *problem, defaults);
  const Facts known = facts(asked, candidates_for(plan.want), *problem);
  return build(asked, known, advise(asked, known), std::move(problem));
}
}  // namespace trill
