// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_reactive.hpp"

namespace trill {
namespace {
const FileValue& first_reaction(const CompiledModel& model) {
  for (const auto& kernel : model.functions->kernels())
    if (!kernel->reactions.empty()) return *kernel->reactions[0].place;
  return model.file.forces[0].value;
}
}  // namespace

std::unique_ptr<TextReactive> make_text_reactive(const std::shared_ptr<const CompiledModel>& model) {
  auto problem = std::make_unique<TextReactive>(model);
  const State s = problem->initial_state();
  Vec r(s.layout.nq);
  reaction_forces(problem->mechanics())->reaction_force(s.t, s.q(), s.v(), s.lambda(), r);
  if (!r.allFinite())
    throw first_reaction(*model).error("the forces that depend on constraints are not finite at the start");
  return problem;
}
}  // namespace trill
