// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/inspection.hpp"

#include "formulation/frequencies.hpp"
#include "formulation/time_scales.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_modes_dense = 200;
constexpr double evaluations_of_iteration = 61;
constexpr double most_seconds_for_modes = 2;

std::vector<Mode> modes_of(const Problem& problem, const State& s) {
  std::vector<Mode> modes;
  if (dynamic_cast<const CircuitProblem*>(&problem)) return modes;
  if (s.y.size() > most_modes_dense) {
    modes.push_back({fastest_frequency(problem, s), 0, false});
    return modes;
  }
  const auto values = local_eigenvalues(problem, s);
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, std::abs(value));
  int at_zero = 0;
  for (const auto& value : values) {
    if (std::abs(value) <= 1e-7 * largest)
      ++at_zero;  // half a mode each: free or neutral motion
    else if (value.imag() > 0 || (value.imag() == 0 && value.real() > 0))
      modes.push_back({std::abs(value.imag()), value.real(), false});
  }
  for (int i = 0; i < at_zero / 2; ++i) modes.push_back({0, 0, false});
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.omega > b.omega; });
  return modes;
}

// A motion that falls over has no frequency, but a time scale.
double rate_of(const Mode& mode) { return std::max(mode.omega, mode.growth); }

double split(std::vector<Mode>& modes, double span) {
  std::vector<double> rates;
  for (const Mode& mode : modes)
    if (rate_of(mode) > 0) rates.push_back(rate_of(mode));
  std::sort(rates.begin(), rates.end());
  const ScaleGap gap = widest_gap(rates, span);
  for (Mode& mode : modes) mode.fast = gap.found() && rate_of(mode) >= gap.fast;
  return gap.ratio;
}

std::optional<double> strong_energy(const Problem& problem, const State& s) {
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical || !mechanical->strong_potential()) return std::nullopt;
  const StrongPotential& strong = *mechanical->strong_potential();
  Vec g(strong.map->count());
  strong.map->value(s.t, s.q(), g);
  return 0.5 * (g.array().square() * strong.stiffness.array()).sum();
}

// Forces of whatever has been looked at are known to be quick.
std::string too_expensive(const ProblemFacts& facts, Index unknowns) {
  if (facts.looked || !(facts.force_seconds > 0)) return "";
  const double evaluations = unknowns > most_modes_dense ? evaluations_of_iteration : 2 * static_cast<double>(unknowns);
  if (evaluations * facts.force_seconds < most_seconds_for_modes) return "";
  return fmt::format("its frequencies were not looked for, because one evaluation of its forces takes {:.2g} s",
                     facts.force_seconds);
}

// As the impulse method says it before a run with steps that are short enough.
std::string resonance_of(const Problem& problem, const State& start) {
  constexpr double short_step = 1e-100;
  const MechanicalProblem* mechanics = mechanics_of(problem);
  if (!mechanics || fast_groups(*mechanics) == 0 || slow_groups(*mechanics) == 0) return "";
  try {
    return Catalogue::all().method("impulse").make(*mechanics, {})->outlook(start, short_step);
  } catch (const UsageError&) {  // impulses cannot be applied
    return "";
  }
}
}  // namespace

Inspection inspect_modes(const Problem& problem, const State& start, double span) {
  Inspection in;
  in.modes = modes_of(problem, with_closed_gaps(problem, start));
  in.gap = split(in.modes, span);
  return in;
}

Inspection inspect_problem(const RunPlan& plan, const Problem& problem, const RunDefaults& defaults) {
  RunDefaults open = defaults;
  open.method.clear();
  open.names_rtol = defaults.names_rtol && defaults.method.empty();
  const Resolved asked = resolve(plan, problem, open);
  const Facts known = facts(asked, problem);
  Inspection in;
  const std::string why = too_expensive(known.problem, known.start.y.size());
  if (why.empty()) {
    in = inspect_modes(problem, known.start, std::abs(*asked.plan.to - *asked.plan.from));
    in.fast_energy = strong_energy(problem, known.start);
    in.resonance = resonance_of(problem, known.start);
  }
  in.modes_left_out = why;
  in.facts = known.problem;
  try {
    in.advice = advise(asked, known);
  } catch (const UsageError& e) {
    in.refusal = e.what();
  }
  return in;
}
}  // namespace trill
