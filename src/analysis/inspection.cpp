// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/inspection.hpp"

#include "driver/advice.hpp"
#include "formulation/frequencies.hpp"
#include "formulation/rigid_limit.hpp"
#include "multiscale/force_products.hpp"
#include "trill/analysis/stability.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double clear_gap = 5;  // frequencies whose ratio is at least this are called fast and slow
constexpr Index most_modes_dense = 200;

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

// Splits at the largest ratio between neighbouring frequencies, if it is large enough.
double split(std::vector<Mode>& modes) {
  double best = 1;
  std::size_t fast = 0;
  for (std::size_t i = 0; i + 1 < modes.size(); ++i) {
    const double slower = std::max({modes[i + 1].omega, std::abs(modes[i + 1].growth), 1e-3 * modes[i].omega});
    if (modes[i].omega / slower > best) {
      best = modes[i].omega / slower;
      fast = i + 1;
    }
  }
  if (best < clear_gap) return 1;
  for (std::size_t i = 0; i < fast; ++i) modes[i].fast = true;
  return best;
}

// Away from the slow manifold the linearisation mixes the force of open gaps into the slow frequencies (PJY97 sec.
// 3.1), so a model that names its stiff gaps is examined with the gaps closed.
State on_slow_manifold(const Problem& problem, const State& start) {
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical || !mechanical->strong_potential()) return start;
  const RigidLimit rigid(*mechanical);
  State closed(rigid.layout(), start.t);
  closed.q() = start.q();
  closed.v() = start.v();
  State moved = start;
  if (rigid.project(closed)) {
    moved.q() = closed.q();
    moved.v() = closed.v();
  }
  return moved;
}

std::optional<double> strong_energy(const Problem& problem, const State& s) {
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical || !mechanical->strong_potential()) return std::nullopt;
  const StrongPotential& strong = *mechanical->strong_potential();
  Vec g(strong.map->count());
  strong.map->value(s.t, s.q(), g);
  return 0.5 * (g.array().square() * strong.stiffness.array()).sum();
}

MethodAdvice advise_method(const MethodEntry& entry, const Problem& problem, double omega) {
  MethodAdvice advice{entry.info.name, false, 0, ""};
  try {
    entry.make(problem, {});
  } catch (const UsageError& e) {
    advice.says = fmt::format("cannot run it: {}", e.what());
    return advice;
  }
  advice.fits = true;
  const double period = omega > 0 ? 2 * std::numbers::pi / omega : 0;
  if (entry.info.owns_step || entry.info.error_order > 0) {
    advice.says = period > 0
                      ? fmt::format("follows every oscillation with steps below the period {:.3g}; give rtol", period)
                      : "chooses its steps by rtol";
    return advice;
  }
  if (omega == 0) {
    advice.says = "choose h by the accuracy you need";
    return advice;
  }
  if (const double slow = entry.split_form({}) ? slow_frequency(problem, problem.initial_state()) : 0; slow > 0) {
    advice.h = 2 / slow;
    advice.says = fmt::format(
        "follows the fast forces by inner steps; choose h by the slow forces, whose largest frequency is {:.3g}", slow);
    return advice;
  }
  const StabilityReport stability = analyse_stability(entry, {}, 1);
  const double limit = stability.absolute_end;
  if (std::isinf(limit)) {
    advice.says =
        stability.p_stable
            ? "stable at any h; preserves amplitudes, but loses the phases of the fast motion when h exceeds its period"
            : "stable at any h; damps the fast motion when h comes near its period";
  } else if (limit <= 0) {
    advice.h = period / 40;
    advice.says = "slowly damps or amplifies the motion at any h; keep h well below the period";
  } else {
    advice.h = limit / omega;
    advice.says =
        fmt::format("stable up to h*omega = {:.3g}; accurate when h is below about a twentieth of the period", limit);
  }
  return advice;
}

// Checked at a tolerance that is enough for plots.
void advise_formulations(const Problem& problem, std::vector<MethodAdvice>& advice) {
  for (const ReformulationEntry& entry : Catalogue::all().formulations()) {
    if (!entry.driving_method) continue;
    const std::string reason = why_not(entry, problem, {1e-3, 0, 0});
    advice.push_back({entry.name, reason.empty(), 0,
                      reason.empty()
                          ? fmt::format("computes the {}, chooses its steps by rtol", to_text(*entry.delivers))
                          : "cannot run it: " + reason});
  }
}
}  // namespace

Inspection inspect_modes(const Problem& problem, const State& start) {
  Inspection in;
  in.modes = modes_of(problem, on_slow_manifold(problem, start));
  in.gap = split(in.modes);
  return in;
}

Inspection inspect_problem(const Problem& problem, const State& start) {
  Inspection in = inspect_modes(problem, start);
  in.fast_energy = strong_energy(problem, start);
  const double omega = in.modes.empty() ? 0 : in.modes.front().omega;
  for (const MethodEntry& entry : Catalogue::all().methods()) in.advice.push_back(advise_method(entry, problem, omega));
  advise_formulations(problem, in.advice);
  const auto* mechanics = dynamic_cast<const MechanicalProblem*>(&problem);
  Outlook outlook;
  for (const MethodAdvice& a : in.advice)
    if (a.fits) outlook.fitting.push_back(a.method);
  outlook.conservative = mechanics && mechanics->potential(all_groups, start.t, start.q());
  outlook.scales_apart = in.gap >= clear_gap;
  const Recommendation recommendation = recommend(outlook);
  in.recommended = recommendation.method;
  in.why = recommendation.why;
  return in;
}
}  // namespace trill
