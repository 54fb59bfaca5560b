// SPDX-License-Identifier: BSD-3-Clause
#include "driver/component_scales.hpp"

#include "base/tolerances.hpp"
#include "linalg/row_squares.hpp"
#include "problem/least_values.hpp"
#include "problem/quantity_kind.hpp"
#include "trill/formulation/first_order.hpp"
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
constexpr double small_motion = 1e-3;  // below this numbers are not about 1
constexpr Index most_unknowns = 1000;  // whose rates are found in no time, with a mass matrix too

// Unknowns of first-order equations may be quantities of very different sizes: they share rounding only.
double shared_by(QuantityKind kind, const Layout& layout) {
  if (layout.nv == 0) return share_of_rounding;
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

// Where nothing moves, velocities consist of what steps leave of some atol, or of the rounding of positions over a
// step. The largest such velocity, if it is small beside the size of the component.
double velocity_noise(const RunPlan& plan, double position, double size) {
  constexpr double rounding_of_steps = 1e-13, left_by_steps = 30, small = 1e-6;
  const double of_steps = plan.h ? rounding_of_steps * position / std::abs(*plan.h) : 0;
  const double of_tolerance = plan.rtol ? left_by_steps * plan.atol.value_or(0) : 0;
  return std::min(std::max(of_steps, of_tolerance), small * size);
}

// What is known about a component beyond its range: how far it moves, with what its kind says about that, and how large
// it is.
struct Sizes {
  Vec motion, value;
};

Sizes sizes_of(const PreparedRun& run, const Extent& extent, const StateSamples& samples) {
  const Layout& layout = run.start.layout;
  const double span = std::abs(samples.t.back() - samples.t.front());
  Sizes sizes{extent.high - extent.low, extent.high.cwiseAbs().cwiseMax(extent.low.cwiseAbs())};
  if (!(span > 0)) return sizes;
  if (layout.nq == layout.nv)
    for (Vec* x : {&sizes.motion, &sizes.value}) {
      auto velocities = x->segment(layout.nq, layout.nv);
      velocities = velocities.cwiseMax(x->head(layout.nq) / span);
    }
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(run.problem.get());
  if (mechanical && mechanical->constraints() && layout.nl == mechanical->constraints()->count()) {
    auto multipliers = sizes.motion.segment(layout.nq + layout.nv, layout.nl);
    multipliers = multipliers.cwiseMax(balancing_multipliers(*mechanical, samples, span));
  }
  return sizes;
}
// A coordinate may be the only one with its unit, as the angle of a body that cannot turn, and may move by rounding
// alone. M q^2 has the same unit for all coordinates, and so has M v^2, so coordinates are compared by these.
void judge_still(const MechanicalProblem& p, const StateSamples& samples, const Sizes& sizes, Vec& scale) {
  const Index n = p.layout().nq;
  MatrixSlot mass = p.mass_pattern();
  p.mass(samples.y.col(0).head(n), mass);
  Vec root(n);
  for (Index i = 0; i < n; ++i) root[i] = std::sqrt(std::max(mass.value(i, i), 0.0));
  for (const Index first : {Index{0}, n}) {
    const double largest = root.cwiseProduct(sizes.motion.segment(first, n)).maxCoeff();
    for (Index i = 0; i < n; ++i)
      if (root[i] > 0 && root[i] * sizes.value[first + i] <= tolerance::position * largest)
        scale[first + i] = std::max(scale[first + i], share_of_rounding * largest / root[i]);
  }
}
}  // namespace

Vec component_scales(const PreparedRun& run, const Extent& extent, const StateSamples& samples) {
  auto components = run.problem->components();
  give_kinds(components, run.start.layout);
  const Sizes sizes = sizes_of(run, extent, samples);
  struct Largest {
    double motion = 0, value = 0;
  };
  std::map<std::pair<QuantityKind, std::string>, Largest> of_kind;
  const auto largest = [&](std::size_t i) -> Largest& { return of_kind[{components[i].kind, components[i].unit}]; };
  const auto count = static_cast<std::size_t>(sizes.motion.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<Index>(i);
    largest(i) = {std::max(largest(i).motion, sizes.motion[k]), std::max(largest(i).value, sizes.value[k])};
  }
  Vec scale = extent.high - extent.low;
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<Index>(i);
    scale[k] = std::max({scale[k], shared_by(components[i].kind, run.start.layout) * largest(i).motion,
                         share_of_rounding * sizes.value[k], tolerance::range * largest(i).value});
  }
  const Index n = run.start.layout.nq;
  for (Index i = 0; i < n && run.start.layout.nv == n; ++i) {
    const double noise = velocity_noise(run.plan, sizes.value[i], sizes.value[n + i]);
    if (extent.high[n + i] - extent.low[n + i] <= 2 * noise)
      scale[n + i] = std::max(scale[n + i], noise / green_deviation);
  }
  if (const auto* known = dynamic_cast<const HasLeastValues*>(run.problem.get()))
    scale.head(run.start.y.size()) = scale.head(run.start.y.size()).cwiseMax(known->least_values());
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(run.problem.get());
  if (mechanical && run.start.layout.nq > 0) judge_still(*mechanical, samples, sizes, scale);
  return scale;
}

namespace {
// How large its values are, or become if they go on as they begin; 0: not known, as where a motion begins at zero.
double size_of_motion(const Problem& problem, const State& start, double t_end) {
  const double size = start.y.size() > 0 ? start.y.cwiseAbs().maxCoeff() : 0;
  if (size == 0 || size >= small_motion || start.y.size() > most_unknowns) return size;
  try {
    FirstOrderForm form(problem, "the size of the motion");
    form.start(start);
    const Vec y = start.y.head(form.size());
    Vec rate(form.size());
    if (!form.rhs(start.t, y, rate) || !rate.allFinite()) return 0;
    return std::max(size, std::abs(t_end - start.t) * rate.cwiseAbs().maxCoeff());
  } catch (const UsageError&) {  // constraints, for instance
    return 0;
  }
}
}  // namespace

double usual_atol(const Problem& problem, const State& start, double t_end, double rtol) {
  const double size = size_of_motion(problem, start, t_end);
  return rtol / 1000 * (size > 0 && size < small_motion ? size : 1);
}
}  // namespace trill
