// SPDX-License-Identifier: BSD-3-Clause
#include "consistency.hpp"

#include "trill/problem/langevin.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
// Methods that let constraints drift are not stopped by the drift; a start off them by more begins no motion on them.
constexpr double consistent = 1e-6;

struct Violation {
  double position = 0, velocity = 0;
  double slope = 0;  // largest entry of G
};
Violation violation_of(const ConstraintMap& map, const State& s) {
  Vec g(map.count()), gt(map.count()), rate(map.count());
  MatrixSlot G = map.pattern();
  map.value(s.t, s.q(), g);
  map.time_derivative(s.t, s.q(), gt);
  map.jacobian(s.t, s.q(), G);
  G.multiply(s.v(), rate);
  rate += gt;
  return {g.cwiseAbs().maxCoeff(), rate.cwiseAbs().maxCoeff(),
          Eigen::Map<const Vec>(G.values(), G.stored()).cwiseAbs().maxCoeff()};
}

const ConstraintMap* constraints_of(const Problem& problem) {
  const MechanicalProblem* mechanics = mechanics_of(problem);
  return mechanics ? mechanics->constraints() : nullptr;
}

void check_constraints(const Problem& problem, const State& s) {
  const ConstraintMap* map = constraints_of(problem);
  if (!map) return;
  const Violation off = violation_of(*map, s);
  if (!(off.position <= consistent))
    throw UsageError(fmt::format("the start of '{}' violates its constraints by {:.3g}", problem.name(), off.position));
  if (!(off.velocity <= consistent * (1 + s.v().cwiseAbs().maxCoeff())))
    throw UsageError(
        fmt::format("the start of '{}' moves off its constraints: G v = {:.3g}", problem.name(), off.velocity));
}
}  // namespace

std::string leaves_constraints(const Problem& problem, const State& state) {
  const ConstraintMap* map = constraints_of(problem);
  if (!map) return "";
  const Violation off = violation_of(*map, state);
  if (!(off.position <= consistent * off.slope * (1 + state.q().norm())))
    return fmt::format("the positions do not lie on the constraints, which are off by {:.3g}", off.position);
  if (!(off.velocity <= consistent * off.slope * (1 + state.v().norm())))
    return fmt::format("the velocities leave the constraints, at a rate of {:.3g}", off.velocity);
  return "";
}

void check_start(const Problem& problem, const State& s, double t_end) {
  const Layout want = problem.layout();
  if (s.layout != want || s.y.size() != want.size())
    throw UsageError(
        fmt::format("'{}' has {} unknowns; the given start has {}", problem.name(), want.size(), s.y.size()));
  if (!std::isfinite(s.t) || !std::isfinite(t_end)) throw UsageError("the ends of the time interval must be finite");
  for (Index i = 0; i < s.y.size(); ++i)
    if (!std::isfinite(s.y[i]))
      throw UsageError(fmt::format("the start of '{}' is not finite: {} = {}", problem.name(),
                                   problem.components()[static_cast<std::size_t>(i)].name, s.y[i]));
  check_constraints(problem, s);
}

void check_output(const Output& output, double t0, double direction) {
  const auto* times = std::get_if<Times>(&output);
  if (!times) return;
  double last = t0;
  for (const double t : times->t) {
    if (!(direction * (t - last) > 0))
      throw UsageError(fmt::format("output times must follow the run: {} comes after {}", t, last));
    last = t;
  }
}
}  // namespace trill
