// SPDX-License-Identifier: BSD-3-Clause
#include "driver/component_scales.hpp"

#include "base/tolerances.hpp"
#include "linalg/row_squares.hpp"
#include "problem/quantity_kind.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace trill {
namespace {
constexpr double share_of_kind = 1e-2;
// A deviation by accumulated rounding is green.
constexpr double share_of_rounding = tolerance::range / green_deviation;
constexpr Index most_force_samples = 50;

// Unknowns of first-order equations may be quantities of very different sizes: they share rounding only.
double shared_by(QuantityKind kind) {
  return kind == QuantityKind::position || kind == QuantityKind::velocity || kind == QuantityKind::multiplier
             ? share_of_kind
             : share_of_rounding;
}

// For every row of constraints the multiplier that would balance the forces on its coordinates, the largest over the
// samples. Forces are the given ones and those that change the momentum within the run.
Vec balancing_multipliers(const MechanicalProblem& p, const StateSamples& samples, double span) {
  const ConstraintMap& map = *p.constraints();
  const Index n = p.layout().nq, count = static_cast<Index>(samples.t.size());
  Vec largest = Vec::Zero(map.count()), along = largest, squares = largest, force(n), momentum(n);
  MatrixSlot G = map.pattern(), mass = p.mass_pattern();
  for (Index k = 0; k < count; k += 1 + count / most_force_samples) {
    const double t = samples.t[static_cast<std::size_t>(k)];
    const auto q = samples.y.col(k).head(n), v = samples.y.col(k).segment(n, n);
    p.force(all_groups, t, q, v, force);
    p.mass(q, mass);
    mass.multiply(v, momentum);
    force = force.cwiseAbs().cwiseMax(momentum.cwiseAbs() / span);
    map.jacobian(t, q, G);
    row_squares(G, squares);
    Eigen::Map<Vec>(G.values(), G.stored()) = Eigen::Map<Vec>(G.values(), G.stored()).cwiseAbs().eval();
    G.multiply(force, along);
    for (Index row = 0; row < largest.size(); ++row)
      if (const double balance = along[row] / squares[row]; std::isfinite(balance))
        largest[row] = std::max(largest[row], balance);
  }
  return largest;
}

// How far each component moves, with what its kind says about that beyond its own range.
Vec motions(const PreparedRun& run, const Extent& extent, const StateSamples& samples) {
  const Layout& layout = run.start.layout;
  const double span = std::abs(samples.t.back() - samples.t.front());
  Vec motion = extent.high - extent.low;
  if (layout.nq == layout.nv && span > 0)
    motion.segment(layout.nq, layout.nv) = motion.segment(layout.nq, layout.nv).cwiseMax(motion.head(layout.nq) / span);
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(run.problem.get());
  if (mechanical && mechanical->constraints() && layout.nl == mechanical->constraints()->count() && span > 0) {
    auto multipliers = motion.segment(layout.nq + layout.nv, layout.nl);
    multipliers = multipliers.cwiseMax(balancing_multipliers(*mechanical, samples, span));
  }
  return motion;
}
}  // namespace

Vec component_scales(const PreparedRun& run, const Extent& extent, const StateSamples& samples) {
  auto components = run.problem->components();
  give_kinds(components, run.start.layout);
  const Vec motion = motions(run, extent, samples);
  std::map<std::pair<QuantityKind, std::string>, double> of_kind;
  const auto kind_of = [&](Index i) -> double& {
    const Quantity& c = components[static_cast<std::size_t>(i)];
    return of_kind[{c.kind, c.unit}];
  };
  for (Index i = 0; i < motion.size(); ++i) kind_of(i) = std::max(kind_of(i), motion[i]);
  Vec scale = extent.high - extent.low;
  for (Index i = 0; i < motion.size(); ++i) {
    const double largest = std::max(std::abs(extent.high[i]), std::abs(extent.low[i]));
    scale[i] = std::max(
        {scale[i], shared_by(components[static_cast<std::size_t>(i)].kind) * kind_of(i), share_of_rounding * largest});
  }
  return scale;
}
}  // namespace trill
