// SPDX-License-Identifier: BSD-3-Clause
// The formulation `envelope`: what the catalogue knows about it.
#include "multiscale/cycle_methods.hpp"
#include "multiscale/envelope_form.hpp"

namespace trill {
ReformulationEntry envelope_entry() {
  return {.name = "envelope",
          .title = "envelope following: computes a few cycles of an oscillation and jumps over the others",
          .reference = "PJY97 section 5",
          .delivers = Delivers::envelope,
          .free_of_oscillation = true,
          .runs = "circuit",
          .options = list_options<EnvelopeOptions>(),
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            return std::make_unique<EnvelopeForm>(problem, read_options<EnvelopeOptions>(options, "envelope"));
          },
          .driving_method = [](const Problem&) -> std::string { return "cycle_bdf"; },
          .methods = cycle_methods,
          .rtol = 3e-5};
}
}  // namespace trill
