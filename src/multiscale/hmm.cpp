// SPDX-License-Identifier: BSD-3-Clause
// The formulation `hmm`: its options, and which of its variants they select.
#include "multiscale/hmm_form.hpp"

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
}  // namespace

ReformulationEntry hmm_entry() {
  return {.name = "hmm",
          .title = "heterogeneous multiscale method: computes the slow motion by averages over short windows",
          .reference = "SAT09",
          .delivers = Delivers::slow,
          .options = list_options<HmmOptions>(),
          .make = make_hmm,
          .driving_method = [](const Problem&) -> std::string { return "dopri5"; }};
}
}  // namespace trill
