// SPDX-License-Identifier: BSD-3-Clause
// The formulation `envelope`: what the catalogue knows about it.
#include "multiscale/cycle_methods.hpp"
#include "multiscale/envelope_form.hpp"
#include "multiscale/orbit_cycle.hpp"
#include "problem/driven.hpp"

#include <algorithm>

namespace trill {
namespace {
bool is_orbit(const Problem& problem) { return why_no_orbit(problem, problem.initial_state()).empty(); }

double envelope_tolerance(const Problem& problem, double of_model) {
  if (is_orbit(problem)) return std::min(of_model, 1e-9);  // errors in time add up over thousands of revolutions
  const auto* driven = dynamic_cast<const Driven*>(&problem);
  const double wished = driven ? driven->cycle_wish().rtol : 0;
  return wished > 0 ? wished : 3e-5;
}
}  // namespace

ReformulationEntry envelope_entry() {
  return {.name = "envelope",
          .title = "follows the envelope of an oscillation: computes a few of its cycles and jumps over the others",
          .reference = "PJY97 section 5",
          .delivers = Delivers::envelope,
          .free_of_oscillation = true,
          .runs = "circuits, orbits, driven problems",
          .options = list_options<EnvelopeOptions>(),
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            return std::make_unique<EnvelopeForm>(problem, read_options<EnvelopeOptions>(options, "envelope"));
          },
          .driving_method = [](const Problem& problem) -> std::string {
            return is_orbit(problem) ? "cycle_adams" : "cycle_bdf";
          },
          .methods = cycle_methods,
          .ends_by = "revolutions",
          .rtol = envelope_tolerance};
}
}  // namespace trill
