// SPDX-License-Identifier: BSD-3-Clause
// The formulation `hmm`: its options, and which of its variants they select.
#include "formulation/prospect.hpp"
#include "multiscale/hmm_form.hpp"
#include "multiscale/window_choice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
struct HmmOptions {
  std::string mode = "hmm", fast_energy = "auto", stages = "auto", dae = "refuse";
  double omega = 0;
  void fields(OptionVisitor& v) {
    v.choice("mode", mode, {"hmm", "paper"},
             "length of the windows; hmm: chosen from the frequencies found; paper: ten nominal periods to either "
             "side, as in SAT09");
    v.number(
        "omega", omega, Range::at_least(0),
        "with mode=paper the nominal fast frequency, with dae=relax the frequency of the springs; 0: chosen by trill");
    v.choice("fast_energy", fast_energy, {"auto", "keep", "drop"},
             "the force of the oscillation on the slow motion: keep it or leave it out; auto: keep it where "
             "frequencies vary");
    v.choice("stages", stages, {"auto", "projected", "plain"},
             "projected: a first window moves every stage of the method onto the slow motion; plain: none does");
    v.choice("dae", dae, {"refuse", "relax"},
             "what to do with hard constraints: refuse the model, or replace them by springs as stiff as the tolerance "
             "needs");
  }
};

std::unique_ptr<HmmModel> make_model(const MechanicalProblem& given, const HmmOptions& options) {
  if (given.mass_kind() == MassKind::of_q)
    throw UsageError("hmm needs a constant mass matrix, not a position-dependent mass; use slow or radau for '" +
                     given.name() + "'");
  if (!given.constraints()) return model_as_given(given);
  if (options.dae != "relax")
    throw UsageError("hmm: '" + given.name() +
                     "' has hard constraints; use dae=relax to replace them by stiff springs");
  return model_with_springs(given, options.omega);
}

std::unique_ptr<Reformulation> make_hmm(const Problem& problem, const OptionSet& given_options) {
  const auto options = read_options<HmmOptions>(given_options, "hmm");
  const auto& given = problem.as<MechanicalProblem>("hmm");
  const bool published = options.mode == "paper";
  if (options.omega > 0 && !published && !given.constraints())
    throw UsageError(
        "hmm: option 'omega' is only for mode=paper and dae=relax; otherwise frequencies are found by hmm");
  auto model = make_model(given, options);
  if (!published) return make_watched_hmm(given, std::move(model), options.fast_energy, options.stages);
  if (options.fast_energy == "keep")
    throw UsageError("hmm: mode=paper leaves the force of the oscillation out; use mode=hmm with fast_energy=keep");
  return make_published_hmm(given, std::move(model), options.omega);
}
// Each force of the slow motion is an average over a window of some fast periods.
Prospect hmm_prospect(const ProblemFacts& facts, const Question& question) {
  constexpr double periods_of_window = 20, forces_of_period = 40;
  Prospect out;
  if (question.wanted != Delivers::slow)
    out.objection = "it computes the slow motion only";
  else if (!facts.gap.found())
    out.objection = "fast and slow motion cannot be separated";
  else if (facts.gap.ratio < least_gap)
    out.objection = fmt::format("fast and slow motion are {:.3g} times apart, and {:g} times is needed",
                                facts.gap.ratio, least_gap);
  if (!out.objection.empty()) return out;
  out.rtol = question.rtol.value_or(std::clamp(0.1 * question.accuracy, 1e-10, 1e-4));
  out.steps = 10 + facts.span * facts.gap.slow / (0.4 * std::pow(*out.rtol / 1e-4, 0.2));
  out.forces = 7 * periods_of_window * forces_of_period;
  out.overhead = 1e-6;
  out.error = 0.5 * question.accuracy;
  out.loses = "the phases of the fast motion";
  out.why = "averages over short windows follow its slow motion";
  return out;
}
}  // namespace

ReformulationEntry hmm_entry() {
  return {.name = "hmm",
          .title = "heterogeneous multiscale method: computes the slow motion by averages over short windows",
          .reference = "SAT09",
          .delivers = Delivers::slow,
          .options = list_options<HmmOptions>(),
          .make = make_hmm,
          .driving_method = [](const Problem&) -> std::string { return "dopri5"; },
          .advise = hmm_prospect};
}
}  // namespace trill
