// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_jolt.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double negligible_jolt = 1e-4;  // energy relative to that of the oscillation

// The gaps of the state minus those of the manifold: K^-1 lambda, or none.
Vec off_the_manifold(const SlowSystem& slow, const State& s, const SlowSystem::Point& p) {
  Vec off(slow.rows());
  slow.map().value(s.t, s.q(), off);
  if (p.order == 1) off.head(slow.gaps()) -= p.lambda.head(slow.gaps()).cwiseQuotient(slow.stiffness());
  return off;
}
}  // namespace

// In normal coordinates a mode is displaced by d = y^T off / Omega^(1/2). Its action (x - d)^2/2 + p^2/2 grows by d^2/2
// in the mean, and differs from that by up to d (2 J)^(1/2).
double jolt(const SlowSystem& slow, State& s) {
  const SlowSystem::Point& p = slow.at(s.t, s.y);
  if (!p.regular) return 0;
  const Vec off = off_the_manifold(slow, s, p), omega = slow.modes().frequencies();
  Vec along = Vec::Zero(slow.gaps());
  for (Index layer = 0; layer < slow.modes().layers(); ++layer) slow.modes().pick(layer, off, along);
  auto J = s.x().head(slow.gaps());
  if (0.5 * along.squaredNorm() <= negligible_jolt * J.dot(omega)) return 0;
  const double uncertain = along.cwiseAbs().dot((2 * J.cwiseMax(0).cwiseProduct(omega)).cwiseSqrt());
  J += 0.5 * along.cwiseAbs2().cwiseQuotient(omega);
  slow.project(s);
  return uncertain;
}
}  // namespace trill
