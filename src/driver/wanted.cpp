// SPDX-License-Identifier: BSD-3-Clause
#include "driver/wanted.hpp"

#include "base/text.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
Index count_gaps(const Problem& problem) {
  const MechanicalProblem* mechanics = mechanics_of(problem);
  return mechanics && mechanics->strong_potential() ? mechanics->strong_potential()->map->count() : 0;
}

std::string stiff_gaps(const Problem& problem) {
  const Index gaps = count_gaps(problem);
  return fmt::format("the model names {} stiff gap{}", gaps, gaps == 1 ? "" : "s");
}
}  // namespace

void check_method_name(const std::string& name) {
  const ReformulationEntry* formulation = find_reformulation(name);
  if (formulation && formulation->driving_method) return;
  try {
    MethodRegistry::all().find(name);
  } catch (const UsageError&) {
    std::vector<std::string> known;
    for (const MethodEntry& e : MethodRegistry::all().entries()) known.push_back(e.info.name);
    for (const ReformulationEntry& e : reformulations())
      if (e.driving_method) known.push_back(e.name);
    throw UsageError(
        fmt::format("unknown method '{}'{} (trill list methods shows all)", name, suggest(lower_snake(name), known)));
  }
}

void check_default_method(const TextModel& model) {
  const RunDefaults& run = model.info.run;
  try {
    check_method_name(run.method);
  } catch (const UsageError& e) {
    if (!run.method_at) throw;
    throw error_at(model.file, model.text, *run.method_at, e.what());
  }
}

std::string why_not(const ReformulationEntry& formulation, const Problem& problem, const RunScope& scope,
                    const OptionSet& options) {
  try {
    OptionSet own;  // others belong to the method that drives it
    for (const OptionRow& row : formulation.options)
      if (const auto given = options.find(row.name); given != options.end()) own.insert(*given);
    const auto form = formulation.make(problem, own);
    form->expect(scope);
    State in;
    Notes notes;
    form->enter(problem.initial_state(), in, notes);
    return "";
  } catch (const UsageError& e) {
    return e.what();
  }
}

const std::vector<std::string>& wanted_motions() {
  static const std::vector<std::string> all{"slow"};
  return all;
}

ChosenMethod choose_method(const std::string& wanted, const Problem& problem, const RunScope& scope,
                           const OptionSet& options,
                           const std::function<std::string(const std::string& method)>& try_out) {
  if (wanted != "slow")
    throw UsageError(fmt::format("nobody knows how to want '{}'{}", wanted, suggest(wanted, wanted_motions())));
  const auto objection = [&](const char* formulation) {
    const std::string reason = why_not(*find_reformulation(formulation), problem, scope, options);
    return reason.empty() ? try_out(formulation) : reason;
  };
  const std::string reason = objection("slow");
  if (reason.empty())
    return {"slow", stiff_gaps(problem) + ", and the slow motion can be written without the oscillation"};
  const std::string why = "the slow motion cannot be written by itself: " + reason;
  if (objection("hmm").empty()) return {"hmm", why};
  if (count_gaps(problem) > 0 && dynamic_cast<const MechanicalProblem*>(&problem)) return {"radau", why};
  throw UsageError(fmt::format("the slow motion of '{}' cannot be had: {}", problem.name(), reason));
}
}  // namespace trill
