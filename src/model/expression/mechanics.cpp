// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/mechanics.hpp"

#include <algorithm>

namespace trill {
namespace {
// Every symbol of one kind changes at the rate given by the symbol of another kind with the same index.
void add_rates(ExpressionGraph& graph, SymbolKind of, SymbolKind rate, int slots, std::vector<Rate>& rates) {
  for (int k = 0; k < slots; ++k) rates.push_back({graph.symbol(of, k), graph.symbol(rate, k)});
}

std::vector<Rate> clock(ExpressionGraph& graph) { return {{graph.symbol(SymbolKind::time), graph.number(1)}}; }

std::vector<Rate> with_velocities(ExpressionGraph& graph, int slots) {
  std::vector<Rate> rates = clock(graph);
  add_rates(graph, SymbolKind::coordinate, SymbolKind::velocity, slots, rates);
  return rates;
}

std::vector<Rate> along_direction(ExpressionGraph& graph, SymbolKind kind, int slots) {
  std::vector<Rate> rates;
  add_rates(graph, kind, SymbolKind::direction, slots, rates);
  return rates;
}

std::vector<Expression> derivatives_along(ExpressionGraph& graph, std::span<const Expression> rows,
                                          std::span<const Rate> rates) {
  std::vector<Expression> found;
  for (const Expression e : rows) found.push_back(directional_derivative(graph, e, rates));
  return found;
}

bool is_zero(const ExpressionGraph& graph, Expression e) { return graph.constant(e) == 0.0; }

void add_nonzero(const ExpressionGraph& graph, const Partial& partial, std::vector<Partial>& into) {
  if (!is_zero(graph, partial.value)) into.push_back(partial);
}

Expression at_rest(ExpressionGraph& graph, Expression e) {
  std::vector<Replacement> replacements;
  const Expression roots[] = {e};
  for (const Expression x : graph.needed(roots))
    if (graph[x].op == Op::symbol && graph[x].kind == SymbolKind::velocity)
      replacements.push_back({x, graph.number(0)});
  return substitute(graph, e, replacements);
}

// dT/dv, for each slot.
std::vector<Expression> momenta(ExpressionGraph& graph, Expression energy, int slots) {
  std::vector<Expression> found(static_cast<std::size_t>(slots), graph.number(0));
  for (const Partial& p : gradient(graph, energy, SymbolKind::velocity))
    found[static_cast<std::size_t>(p.column)] = p.value;
  return found;
}
}  // namespace

Expression work_of_multipliers(ExpressionGraph& graph, std::span<const Expression> g, int first) {
  Expression sum = graph.number(0);
  for (std::size_t row = 0; row < g.size(); ++row)
    sum = graph.add(sum, graph.multiply(graph.symbol(SymbolKind::multiplier, first + static_cast<int>(row)), g[row]));
  return sum;
}

std::vector<Expression> time_derivatives(ExpressionGraph& graph, Expression e, int degree, int slots) {
  std::vector<Rate> rates = with_velocities(graph, slots);
  add_rates(graph, SymbolKind::velocity, SymbolKind::acceleration, slots, rates);
  add_rates(graph, SymbolKind::acceleration, SymbolKind::jerk, slots, rates);
  add_rates(graph, SymbolKind::jerk, SymbolKind::snap, slots, rates);
  std::vector<Expression> found = {e};
  for (int k = 1; k <= degree; ++k) {
    if (depends_on(graph, found.back(), SymbolKind::snap))
      throw UsageError("time derivatives of a coordinate beyond the fourth are not available");
    found.push_back(directional_derivative(graph, found.back(), rates));
  }
  return found;
}

std::vector<Partial> jacobian(ExpressionGraph& graph, std::span<const Expression> rows, SymbolKind kind) {
  std::vector<Partial> found;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const Partial& p : gradient(graph, rows[row], kind))
      found.push_back({static_cast<int>(row), p.column, p.value});
  return found;
}

std::vector<Expression> jacobian_product(ExpressionGraph& graph, std::span<const Expression> rows, SymbolKind kind,
                                         int slots) {
  return derivatives_along(graph, rows, along_direction(graph, kind, slots));
}

std::vector<Partial> derivative_along(ExpressionGraph& graph, std::span<const Partial> matrix, int slots) {
  const std::vector<Rate> rates = along_direction(graph, SymbolKind::coordinate, slots);
  std::vector<Partial> found;
  for (const Partial& p : matrix)
    add_nonzero(graph, {p.row, p.column, directional_derivative(graph, p.value, rates)}, found);
  return found;
}

std::vector<Expression> time_partials(ExpressionGraph& graph, std::span<const Expression> g) {
  return derivatives_along(graph, g, clock(graph));
}

std::vector<Expression> velocity_level(ExpressionGraph& graph, std::span<const Expression> g, int slots) {
  return derivatives_along(graph, g, with_velocities(graph, slots));
}

// d2g/dt2 along q' = v, v' = 0.
std::vector<Expression> curvature(ExpressionGraph& graph, std::span<const Expression> g, int slots) {
  return velocity_level(graph, velocity_level(graph, g, slots), slots);
}

// The second derivative of s^T g.
std::vector<Partial> transpose_derivative(ExpressionGraph& graph, std::span<const Expression> g) {
  return lower_hessian(graph, work_of_multipliers(graph, g, 0), SymbolKind::coordinate);
}

// Symbols without a rate in the list are constant: these are the highest derivatives, which are left out.
RigidRates rigid_rates(ExpressionGraph& graph, std::span<const Expression> g, int first_multiplier, int k, int slots) {
  std::vector<Rate> rates = with_velocities(graph, slots);
  add_rates(graph, SymbolKind::velocity, SymbolKind::acceleration, slots, rates);
  if (k == 2) {
    add_rates(graph, SymbolKind::acceleration, SymbolKind::jerk, slots, rates);
    add_rates(graph, SymbolKind::multiplier, SymbolKind::multiplier_rate, first_multiplier + static_cast<int>(g.size()),
              rates);
  }
  const auto derived = [&](Expression e, int times) {
    for (int i = 0; i < times; ++i) e = directional_derivative(graph, e, rates);
    return e;
  };
  RigidRates found;
  for (Partial p : gradient(graph, work_of_multipliers(graph, g, first_multiplier), SymbolKind::coordinate)) {
    p.value = derived(p.value, k);
    add_nonzero(graph, p, found.reaction);
  }
  for (const Expression row : g) found.rows.push_back(derived(row, k + 2));
  return found;
}

KineticTerms kinetic_terms(ExpressionGraph& graph, Expression energy, int slots) {
  KineticTerms terms;
  const std::vector<Expression> p = momenta(graph, energy, slots);
  terms.mass = lower_hessian(graph, energy, SymbolKind::velocity);
  const auto products = jacobian_product(graph, p, SymbolKind::velocity, slots);
  terms.mass_product = jacobian(graph, products, SymbolKind::coordinate);
  for (const Expression rate : velocity_level(graph, p, slots)) terms.velocity_force.push_back(graph.negate(rate));
  for (const Partial& slope : gradient(graph, energy, SymbolKind::coordinate)) {
    Expression& force = terms.velocity_force[static_cast<std::size_t>(slope.column)];
    force = graph.add(slope.value, force);
  }
  return terms;
}

bool is_quadratic_in_velocities(ExpressionGraph& graph, Expression energy) {
  if (!is_zero(graph, at_rest(graph, energy))) return false;
  for (const Partial& p : gradient(graph, energy, SymbolKind::velocity)) {
    if (!is_zero(graph, at_rest(graph, p.value))) return false;
    for (const Partial& entry : gradient(graph, p.value, SymbolKind::velocity))
      if (depends_on(graph, entry.value, SymbolKind::velocity)) return false;
  }
  return true;
}
}  // namespace trill
