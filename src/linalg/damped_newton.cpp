// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/damped_newton.hpp"

#include "trill/linalg/kernels.hpp"

#include <limits>

namespace trill {
namespace {
// One step from x, whose residual is r. Afterwards r is that of the new x and `next` the correction by the Jacobian of
// the old one. Returns the share of the full step; 0: none is short enough.
double damped_step(NonlinearSystem& system, Out x, In weights, int most_halvings, Vec& r, Vec& next, double& rate) {
  Vec step(r.size());
  system.correct(r, step);
  const double length = weighted_rms(step, weights);
  const Vec from = x;
  double share = 1;
  for (int halving = 0; halving <= most_halvings; ++halving, share /= 2) {
    x = from - share * step;
    system.residual(x, r);
    if (!all_finite(r)) continue;
    system.correct(r, next);
    rate = length > 0 ? weighted_rms(next, weights) / length : 0;
    if (rate <= 1 - share / 4) return share;
  }
  return 0;
}
}  // namespace

NewtonStats solve_damped(NonlinearSystem& system, Out x, In weights, const NewtonOptions& options, int most_halvings) {
  NewtonStats stats;
  const Vec start = x;
  Vec r(x.size()), next(x.size());
  system.residual(x, r);
  while (!stats.converged && stats.iterations < options.max_iterations) {
    ++stats.iterations;
    ++stats.factorisations;
    stats.non_finite = !all_finite(r);
    stats.singular = !stats.non_finite && !system.prepare(x);
    if (stats.non_finite || stats.singular) break;
    const double share = damped_step(system, x, weights, most_halvings, r, next, stats.rate);
    if (share == 0) break;
    if (share < 1 || stats.rate / (1 - stats.rate) * weighted_rms(next, weights) > options.tolerance) continue;
    x -= next;  // it is known already
    stats.converged = true;
  }
  if (!stats.converged) x = start;
  return stats;
}
}  // namespace trill
