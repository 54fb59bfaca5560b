// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/force_products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trill {
ForceProducts::ForceProducts(const MechanicalProblem& problem, Groups groups) : problem_(problem), groups_(groups) {}

void ForceProducts::start(In q) {
  rest_ = shifted_ = below_ = Vec::Zero(q.size());
  by_differences_ = !problem_.force_product(groups_, 0, q, rest_, rest_, below_);
}

void ForceProducts::difference(double t, In q, In b, Out product) {
  static const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  const double size = b.lpNorm<Eigen::Infinity>();
  if (!(size > 0)) {
    product.setZero();
    return;
  }
  const double step = relative * std::max(1.0, q.lpNorm<Eigen::Infinity>()) / size;
  shifted_ = q + step * b;
  problem_.force(groups_, t, shifted_, rest_, product);
  shifted_ = q - step * b;
  problem_.force(groups_, t, shifted_, rest_, below_);
  product = (product - below_) / (2 * step);
}

double follow_fastest_mode(ForceProducts& products, Acceleration& accelerate, double t, In q, int most, Out mode,
                           Out scratch, Counters& work) {
  constexpr double enough = 2e-3;  // relative change of the square
  double square = 0;
  for (int i = 0; i < most; ++i) {
    products(t, q, mode, scratch, work);
    if (!accelerate.divide_by_mass(q, scratch)) return 0;
    const double next = scratch.norm();
    if (!(next > 0) || !std::isfinite(next)) return 0;
    mode = scratch / next;
    const bool settled = std::abs(next - square) <= enough * next;
    square = next;
    if (settled) break;
  }
  return std::sqrt(square);
}

FastestMode find_fastest_mode(const MechanicalProblem& problem, Groups groups, double t, In q, int most) {
  FastestMode found{0, Vec(q.size())};
  ForceProducts products(problem, groups);
  Acceleration accelerate(problem, groups);
  products.start(q);
  accelerate.start(q);
  // The start vector has no symmetry, so that no mode is missed.
  for (Index i = 0; i < q.size(); ++i) found.mode[i] = std::sin(1.0 + 1.7 * static_cast<double>(i)) + 0.1;
  found.mode.normalize();
  Vec scratch(q.size());
  Counters work;
  found.frequency = follow_fastest_mode(products, accelerate, t, q, most, found.mode, scratch, work);
  if (found.frequency == 0) found.mode.setZero();
  return found;
}

double slow_frequency(const Problem& problem, const State& s) {
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical || fast_groups(*mechanical) == 0) return 0;
  const Groups slow = slow_groups(*mechanical) & known_groups(*mechanical);
  return slow == 0 ? 0 : find_fastest_mode(*mechanical, slow, s.t, s.q()).frequency;
}

int steps_for(double frequency, double h) {
  constexpr double wanted_angle = 0.25, most = 1e6;
  const double wanted = std::ceil(frequency * std::abs(h) / wanted_angle - 1e-9);
  return static_cast<int>(std::clamp(wanted, 1.0, most));
}
}  // namespace trill
