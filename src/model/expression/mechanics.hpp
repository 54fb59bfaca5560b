// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/derivative.hpp"

namespace trill {
// Derivatives needed in mechanics, of expressions over the coordinates 0..slots-1 and the symbols that belong to them:
// velocity to snap are the coordinates' time derivatives, direction is any vector w, multiplier is s.

// d^k e/dt^k for k = 0..degree along a motion; divided by k! they are the Taylor coefficients of e(t). There is no
// derivative after snap: UsageError if it would be needed (degree 4 of e(q, v), degree 5 of e(q)).
std::vector<Expression> time_derivatives(ExpressionGraph& graph, Expression e, int degree, int slots);

// d row/d symbol for every row.
std::vector<Partial> jacobian(ExpressionGraph& graph, std::span<const Expression> rows, SymbolKind kind);
// The Jacobian with respect to the symbols of a kind times w, without forming it: f'(q) w for the coordinates.
std::vector<Expression> jacobian_product(ExpressionGraph& graph, std::span<const Expression> rows, SymbolKind kind,
                                         int slots);
// The derivative of every entry of a matrix, such as the Jacobian G or the mass matrix, when q moves along w.
std::vector<Partial> derivative_along(ExpressionGraph& graph, std::span<const Partial> matrix, int slots);

// These are for gaps and constraints g(q, t), row by row. Applied to g_t, jacobian() gives g_qt and time_partials()
// gives g_tt; applied to the velocity level, jacobian() gives d(G v + g_t)/dq.
std::vector<Expression> time_partials(ExpressionGraph& graph, std::span<const Expression> g);              // g_t
std::vector<Expression> velocity_level(ExpressionGraph& graph, std::span<const Expression> g, int slots);  // G v + g_t
std::vector<Expression> curvature(ExpressionGraph& graph, std::span<const Expression> g,
                                  int slots);  // v^T H v + 2 g_qt v + g_tt
Expression work_of_multipliers(ExpressionGraph& graph, std::span<const Expression> g, int first);  // s^T g
std::vector<Partial> transpose_derivative(ExpressionGraph& graph,
                                          std::span<const Expression> g);  // d(G^T s)/dq, lower triangle

// The rigid system M a + G^T s = f, G a + eta = 0 differentiated k = 1 or 2 times in time along its own motion.
// `reaction` is the derivative of G^T s without the term G^T s^(k), by coordinate; `rows` are those of the rows without
// G a^(k).
struct RigidRates {
  std::vector<Partial> reaction;
  std::vector<Expression> rows;
};
RigidRates rigid_rates(ExpressionGraph& graph, std::span<const Expression> g, int first_multiplier, int k, int slots);

// Terms that follow from a kinetic energy T = 1/2 v^T M(q, t) v. The equations of motion are M v' = velocity_force +
// other forces.
struct KineticTerms {
  std::vector<Partial> mass;               // lower triangle of M
  std::vector<Partial> mass_product;       // d(M w)/dq
  std::vector<Expression> velocity_force;  // for each slot: dT/dq - (dp/dq) v - dp/dt, p = dT/dv
};
KineticTerms kinetic_terms(ExpressionGraph& graph, Expression energy, int slots);
// Whether an energy has this form: only squares and products of velocities, no terms of degree one or zero in them, as
// far as the graph shows it.
bool is_quadratic_in_velocities(ExpressionGraph& graph, Expression energy);
}  // namespace trill
