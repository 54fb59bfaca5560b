// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/resonance_outlook.hpp"

#include "multiscale/fast_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
using Levels = std::vector<ForceLevel>;

constexpr double safe_share = 2.0 / 3;  // of the first resonant step: flexible water heats above it (3 of 4.5 fs)
constexpr Index many_unknowns = 60;     // whose fast frequencies form a band
constexpr int products_for_stiffness = 15;
constexpr double most_share = 0.25;  // that slow forces have in the stiffness of a fast motion
constexpr double growing = 1.5;      // their stiffness is found from below, and changes in the course of a run

// Many coupled motions with forces that are not linear: above the first resonance of the fastest there is always one of
// a slower motion, and resonances of higher order (flexible water heats or blows up at every step from 4 to 8 fs).
bool has_band(const MechanicalProblem& p, const Levels& levels) {
  return p.layout().nq >= many_unknowns && !p.linear_force(levels.back().groups) &&
         !p.linear_force(levels.front().groups);
}

// Many molecules have the same frequencies, so one mode of the fast forces says little about the slow force along it:
// the largest frequency of all forces tells by how much that stiffens the fastest motions.
Resonance worst_resonance(const MechanicalProblem& p, const Levels& levels, const State& start) {
  const FastestMode fastest = find_fastest_mode(p, levels.back().groups, start.t, start.q());
  Resonance worst = find_resonance(p, fastest, {}, levels.front().groups, start.t, start.q());
  FastSpectrum spectrum(p);
  spectrum.start(start.q());
  if (worst.frequency == 0 || !spectrum.find(start.t, start.q(), start.v())) return worst;
  const double square = worst.frequency * worst.frequency, stiffer = spectrum.fastest() * spectrum.fastest() - square;
  if (stiffer < square) worst.slow_stiffness = std::max(worst.slow_stiffness, stiffer);
  if (!has_band(p, levels)) return worst;
  // One of many fast motions lies along the stiffest direction of the slow forces.
  const double slow = find_fastest_mode(p, levels.front().groups, start.t, start.q(), products_for_stiffness).frequency;
  worst.slow_stiffness = std::max(worst.slow_stiffness, std::min(growing * slow * slow, most_share * square));
  return worst;
}

// As inner steps of Verlet have it, which are too fast.
double frequency_in_steps(const Levels& levels, double frequency, double h) {
  double inner = std::abs(h);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i].steps == 0) return frequency;
    inner /= levels[i].steps;
  }
  const double sine = 0.5 * frequency * inner;
  return sine < 1 ? 2 * std::asin(sine) / inner : frequency;
}
}  // namespace

std::string resonance_outlook(const MechanicalProblem& p, const Levels& levels, std::string_view method,
                              std::string_view otherwise, const State& start, double h) {
  if (levels.size() < 2 || levels.front().groups == 0) return "";
  const Groups fast = levels.back().groups, slow = levels.front().groups;
  Resonance worst = worst_resonance(p, levels, start);
  if (worst.frequency == 0) return "";
  worst.frequency = frequency_in_steps(levels, worst.frequency, h);
  StepInterval window = worst.first_window();
  const bool band = has_band(p, levels);
  if (band) window.to = HUGE_VAL;
  const std::string unstable =
      band ? fmt::format(
                 "steps above {:.3g} are unstable, since slower motions and resonances of higher order follow, and "
                 "those above {:.2g} may heat slowly",
                 window.from, safe_share * window.from)
           : fmt::format("steps from {:.3g} to {:.3g} are unstable", window.from, window.to);
  const std::string where = fmt::format(
      "the fastest oscillation of {} has a period of {:.3g}, and kicks by {} resonate with it near {:.3g}, half of it: "
      "{}",
      names_of(p, fast), 2 * std::numbers::pi / worst.frequency, names_of(p, slow), std::numbers::pi / worst.frequency,
      unstable);
  if (std::abs(h) <= window.from || std::abs(h) >= window.to) return where;
  throw UsageError(
      fmt::format("{}: {}; h = {:g} is one of them; use h = {:.2g} or less, or {}, or "
                  "--set resonance=warn to see it happen",
                  method, where, h, safe_share * window.from, otherwise));
}
}  // namespace trill
