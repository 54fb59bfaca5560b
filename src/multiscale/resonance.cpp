// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/resonance.hpp"

#include "base/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
using std::numbers::pi;
constexpr double slow_limit = 4;  // h^2 eps: the limit of velocity Verlet
}  // namespace

double Resonance::theta(double h) const { return std::abs(h) * frequency; }

double Resonance::half_trace(double h) const { return trill::half_trace(pair, theta(h), h * h * slow_stiffness); }

int Resonance::nearest(double h) const { return std::max(1, static_cast<int>(std::lround(theta(h) / pi))); }

double Resonance::width(double h) const { return instability_width(pair, nearest(h), h * h * slow_stiffness); }

// Its ends are half a period and the root of cot(x) = W2 x, x = omega h/2, where W2 is the slow share of the stiffness.
StepInterval Resonance::first_window() const {
  const double share = slow_stiffness / (frequency * frequency);
  double low = share > 0 ? 0 : pi / 2, high = share > 0 ? pi / 2 : pi;
  for (int k = 0; k < 60; ++k) {
    const double x = 0.5 * (low + high);
    (std::cos(x) > share * x * std::sin(x) ? low : high) = x;
  }
  const double half_period = pi / frequency, root = 2 * low / frequency;
  return {std::min(root, half_period), std::max(root, half_period)};
}

void Resonance::raise(double t, double h, Notes& notes) const {
  constexpr double known_to = 5e-3, nearby = 0.1;  // the frequency is approached from below, to about this accuracy
  const double in_pi = theta(h) / pi;
  if (h * h * slow_stiffness > slow_limit)
    notes.raise(t, "slow_step",
                "The step size is too large for the slow force along the fastest mode: h^2 times its stiffness must be "
                "below 4. Use a smaller h.",
                Severity::doubt, h * h * slow_stiffness, slow_limit);
  else if (std::abs(half_trace(h)) > 1 + tolerance::trace)
    notes.raise(t, "resonance",
                "This pair of weights is unstable at this h omega/pi, which is next to a whole number, and the energy "
                "grows without bound. Change h, or use psi = phi*long.",
                Severity::doubt, in_pi, nearest(h));
  else if (width(h) > 0 &&
           std::abs(theta(h) - nearest(h) * pi) < std::max(3 * width(h), std::min(known_to * theta(h), nearby)))
    notes.raise(t, "near_resonance",
                "h omega/pi is next to a whole number, where this pair of weights is unstable. Change h, or use psi = "
                "phi*long.",
                Severity::warning, in_pi, nearest(h));
  else if (in_pi > 1 && !resonance_free(pair))
    notes.raise(t, "beyond_resonance",
                "h omega/pi of the fastest mode is above 1, so that slower modes may meet the resonances of this pair "
                "of weights. psi = phi*long has none.",
                Severity::info, in_pi, 1);
}

std::string Resonance::text(double h) const {
  const std::string stability =
      resonance_free(pair) ? "stable at every h omega"
      : width(h) > 0 ? fmt::format("unstable interval of width {:.2g} in h omega/pi at {}", width(h) / pi, nearest(h))
                     : fmt::format("no unstable interval at h omega/pi = {}", nearest(h));
  return fmt::format(
      "h omega/pi = {:.4g}, filters {:.3g} and {:.3g} there, energy exchange between fast modes at {:.3g} of its "
      "speed, {}",
      theta(h) / pi, pair.phi.filter(theta(h)), pair.psi.filter(theta(h)), std::abs(exchange_factor(pair, theta(h))),
      stability);
}

Resonance find_resonance(const MechanicalProblem& problem, const FastestMode& fastest, const WeightPair& pair,
                         Groups slow, double t, In q) {
  Resonance resonance{pair, fastest.frequency, 0};
  if (slow == 0 || resonance.frequency == 0) return resonance;
  ForceProducts products(problem, slow);
  Acceleration accelerate(problem, slow);
  products.start(q);
  accelerate.start(q);
  Vec along(q.size());
  Counters work;
  products(t, q, fastest.mode, along, work);
  accelerate.divide_by_mass(q, along);
  resonance.slow_stiffness = -along.dot(fastest.mode);
  if (!std::isfinite(resonance.slow_stiffness)) resonance.slow_stiffness = 0;
  return resonance;
}

void raise_weight_notes(double t, const WeightPair& pair, Notes& notes) {
  const double phi = pair.phi.unity_defect(), psi = pair.psi.unity_defect();
  if (psi > 0)
    notes.raise(t, "psi_without_unity",
                "The filter of psi is not 0 at all multiples of 2 pi, so that momenta do not converge at those h "
                "omega. Give psi a factor whose width is a whole number.",
                Severity::warning, psi, 0);
  if (phi > 0)
    notes.raise(t, "phi_without_unity",
                "The filter of phi is not 0 at all multiples of 2 pi, so that positions have only order 1 at those h "
                "omega. Give phi a factor whose width is a whole number.",
                Severity::warning, phi, 0);
}
}  // namespace trill
