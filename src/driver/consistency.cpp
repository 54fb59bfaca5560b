// SPDX-License-Identifier: BSD-3-Clause
#include "consistency.hpp"

#include "trill/problem/langevin.hpp"

#include <fmt/format.h>

namespace trill {
std::string leaves_constraints(const Problem& problem, const State& state) {
  constexpr double tolerance = 1e-6;  // methods that let constraints drift are not stopped by the drift
  const MechanicalProblem* mechanics = mechanics_of(problem);
  const ConstraintMap* map = mechanics ? mechanics->constraints() : nullptr;
  if (!map) return "";
  Vec g(map->count()), gt(map->count()), rate(map->count());
  MatrixSlot G = map->pattern();
  map->value(state.t, state.q(), g);
  map->time_derivative(state.t, state.q(), gt);
  map->jacobian(state.t, state.q(), G);
  G.multiply(state.v(), rate);
  rate += gt;
  const double position = g.cwiseAbs().maxCoeff(), velocity = rate.cwiseAbs().maxCoeff();
  const double size = Eigen::Map<const Vec>(G.values(), G.stored()).cwiseAbs().maxCoeff();
  if (!(position <= tolerance * size * (1 + state.q().norm())))
    return fmt::format("the positions do not lie on the constraints, which are off by {:.3g}", position);
  if (!(velocity <= tolerance * size * (1 + state.v().norm())))
    return fmt::format("the velocities leave the constraints, at a rate of {:.3g}", velocity);
  return "";
}
}  // namespace trill
