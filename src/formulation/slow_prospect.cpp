// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_prospect.hpp"

#include "formulation/slow_start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
// Where all that moves oscillates, and no gap separates fast frequencies from slow ones.
double periods_of_slowest(const ProblemFacts& facts) {
  const bool apart = facts.gap.found() || !facts.scales.all || facts.scales.frequencies.empty();
  return apart ? HUGE_VAL : facts.span * facts.scales.frequencies.front() / (2 * std::numbers::pi);
}
}  // namespace

Prospect slow_prospect(const ProblemFacts& facts, const Question& question) {
  constexpr double least_periods = 20;
  Prospect out;
  if (facts.gaps == 0) out.objection = "the model names no stiff gaps";
  if (facts.gaps > 0 && facts.gaps + facts.constraints >= facts.coordinates)
    out.objection = "gaps and constraints leave nothing that could move slowly";
  if (question.wanted == Delivers::full) out.objection = "it computes the slow motion only";
  if (facts.random && question.wanted == Delivers::statistics)
    out.objection = "its gaps are closed, so that averages of energies and lengths would lack their oscillation";
  if (const double periods = periods_of_slowest(facts); periods < least_periods)
    out.objection =
        fmt::format("nothing is slow compared with an oscillation of which the run has {:.2g} periods", periods);
  if (!out.objection.empty()) return out;
  const double rate = std::max(facts.gap.found() ? facts.gap.slow : 0, 1 / facts.span);
  if (!facts.random) out.rtol = question.rtol.value_or(std::clamp(0.1 * question.accuracy, 1e-12, 1e-4));
  const double angle = 1.3 * std::pow(out.rtol.value_or(1e-4) / 1e-4, 1.0 / 8);
  out.steps = 10 + facts.span * rate / angle;
  const double fast = facts.scales.fast_energy;
  const bool pilot_oscillates = fast > question.accuracy * (fast + facts.scales.slow_energy);
  if (facts.implicit.reached > 0.2 && !pilot_oscillates) out.steps = std::max(out.steps, 0.7 * facts.implicit.steps);
  out.forces = 13 * 5;
  out.factorisations = 13;
  out.overhead = 6e-6 + 1e-6 * static_cast<double>(facts.unknowns);
  // Without energies the start is found by following the oscillation for a while.
  const std::vector<double>& all = facts.scales.frequencies;
  if (!facts.has_potential && !all.empty()) {
    const double slowest = facts.gap.found() ? facts.gap.fast : all.front();
    const Pilot& pilot = facts.explicit8;  // which knows what an acceleration takes beside the force
    const double each =
        pilot.forces > 0 ? std::max(facts.force_seconds, pilot.seconds / pilot.forces) : facts.force_seconds;
    out.overhead += forces_of_average_start(facts.scales.largest / slowest) * each / out.steps;
  }
  out.error = 0.3 * question.accuracy;
  out.loses = "the phases of the fast motion";
  out.why = "its slow motion can be computed without the oscillation";
  return out;
}
}  // namespace trill
