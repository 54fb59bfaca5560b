// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_checks.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double most_of_a_gap = 0.3, most_of_forcing = 0.2;  // max frequencies relative to the slowest gap
constexpr int power_iterations = 12, forcing_times = 16;

// The highest frequency of the soft forces along closed gaps, a lower estimate by power iteration on M^-1 f'(q).
double soft_frequency(const SlowSystem& slow, const State& s) {
  const Index n = slow.unknowns();
  Vec x(n), df(n), a(n), zero = Vec::Zero(slow.rows()), mu(slow.rows());
  for (Index i = 0; i < n; ++i) x[i] = std::cos(1.0 + 2.0 * static_cast<double>(i));
  if (!slow.manifold().stand_at(s.t, s.q())) return 0;
  double square = 0;
  for (int k = 0; k < power_iterations; ++k) {
    x /= x.norm();
    if (!slow.stiff().force_product(slow.soft_groups(), s.t, s.q(), s.v(), x, df)) return 0;
    slow.manifold().solve(df, zero, a, mu);
    square = a.norm();
    if (!(square > 0) || !a.allFinite()) return 0;
    x = a;
  }
  return std::sqrt(square);
}

// How fast forces and the motion that gaps prescribe change explicitly in time, sampled over the time span.
double forcing_frequency(const SlowSystem& slow, const State& s, const RunScope& scope, double omega) {
  const Index n = slow.unknowns();
  const bool moving = slow.map().moving();
  Vec f(n), g(slow.rows()), a(n), inertia(n);
  const Vec at_rest = Vec::Zero(n);
  if (moving && !slow.manifold().stand_at(s.t, s.q())) return 0;
  const auto force = [&](double t) {
    slow.stiff().force(slow.soft_groups(), t, s.q(), s.v(), f);
    if (!moving) return f;
    slow.map().curvature(t, s.q(), at_rest, g);
    slow.manifold().smallest(g, a);
    slow.times_mass(a, inertia);
    return Vec(f + inertia);
  };
  const double span = scope.t_end - s.t, step = 0.1 / omega;
  const Vec first = force(s.t);
  Vec low = first, high = first;
  double slope = 0;
  for (int j = 1; j <= forcing_times; ++j) {
    const double t = s.t + span * (j - 0.5) / forcing_times;
    const Vec f = force(t);
    low = low.cwiseMin(f);
    high = high.cwiseMax(f);
    slope = std::max(slope, max_abs(force(t + step) - f) / step);
  }
  const double swing = 0.5 * max_abs(high - low);
  return swing > 1e-9 * max_abs(first) && swing > 0 ? slope / swing : 0;
}
}  // namespace

double slowest_gap(const SlowSystem& slow, const State& s) {
  if (!slow.manifold().stand_at(s.t, s.q())) return 0;
  if (slow.has_modes() && slow.modes().find(slow.manifold().schur())) return slow.modes().frequencies().minCoeff();
  return slow.slowest_gap_alone();
}

std::string fast_soft_forces(const SlowSystem& slow, const State& s, const RunScope& scope) {
  const double omega = slowest_gap(slow, s);
  if (const double soft = soft_frequency(slow, s); soft > most_of_a_gap * omega)
    return fmt::format(
        "forces other than the stiff gaps oscillate at the frequency {:.3g}, too near to that of the slowest gap, "
        "{:.3g}; declare them as [[stiff]] gaps too, or use another method",
        soft, omega);
  if (const double forcing = forcing_frequency(slow, s, scope, omega); forcing > most_of_forcing * omega)
    return fmt::format(
        "forces change in time at a rate of {:.3g}, too near to the frequency {:.3g} of the slowest gap, so that they "
        "excite its oscillation; use another method",
        forcing, omega);
  return "";
}
}  // namespace trill
