// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/derivative.hpp"

namespace trill {
// Derivatives that mechanics asks for, of expressions over the coordinates 0..slots-1 and the symbols that go with
// them: velocity to snap are the coordinates' time derivatives, direction is any vector w, multiplier is s.

// d^k e/dt^k for k = 0..degree along a motion; divided by k! they are the Taylor coefficients of e(t). Nothing follows
// snap: UsageError where it would be needed (degree 4 of e(q, v), degree 5 of e(q)).
std::vector<Expression> time_derivatives(ExpressionGraph& graph, Expression e, int degree, int slots);

// d row/d symbol for every row.
std::vector<Partial> jacobian(ExpressionGraph& graph, std::span<const Expression> rows, SymbolKind kind);
// The jacobian by the symbols of a kind times w, without forming it: f'(q) w for the coordinates.
std::vector<Expression> jacobian_product(ExpressionGraph& graph, std::span<const Expression> rows, SymbolKind kind,
                                         int slots);
// The derivative of every entry of a matrix when q moves along w: of the jacobian G, of the mass matrix.
std::vector<Partial> derivative_along(ExpressionGraph& graph, std::span<const Partial> matrix, int slots);

// Of gaps and constraints g(q, t), row by row. Of g_t, jacobian() gives g_qt and time_partials() g_tt; of the velocity
// level, jacobian() gives d(G v + g_t)/dq.
std::vector<Expression> time_partials(ExpressionGraph& graph, std::span<const Expression> g);              // g_t
std::vector<Expression> velocity_level(ExpressionGraph& graph, std::span<const Expression> g, int slots);  // G v + g_t
std::vector<Expression> curvature(ExpressionGraph& graph, std::span<const Expression> g,
                                  int slots);  // v^T H v + 2 g_qt v + g_tt
Expression work_of_multipliers(ExpressionGraph& graph, std::span<const Expression> g, int first);  // s^T g
std::vector<Partial> transpose_derivative(ExpressionGraph& graph,
                                          std::span<const Expression> g);  // d(G^T s)/dq, lower triangle

// The rigid system M a + G^T s = f, G a + eta = 0 differentiated k = 1 or 2 times in time along its own motion: what is
// left of G^T s without G^T s^(k), by coordinate, and of the rows without G a^(k).
struct RigidRates {
  std::vector<Partial> reaction;
  std::vector<Expression> rows;
};
RigidRates rigid_rates(ExpressionGraph& graph, std::span<const Expression> g, int first_multiplier, int k, int slots);

// Of a kinetic energy T = 1/2 v^T M(q, t) v. The equations of motion are M v' = velocity_force + other forces.
struct KineticTerms {
  std::vector<Partial> mass;               // lower triangle of M
  std::vector<Partial> mass_product;       // d(M w)/dq
  std::vector<Expression> velocity_force;  // for each slot: dT/dq - (dp/dq) v - dp/dt, p = dT/dv
};
KineticTerms kinetic_terms(ExpressionGraph& graph, Expression energy, int slots);
// Whether an energy has this form: squares and products of velocities, nothing of first or no degree in them, and the
// graph shows it.
bool is_quadratic_in_velocities(ExpressionGraph& graph, Expression energy);
}  // namespace trill
