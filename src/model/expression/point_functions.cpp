// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/point_functions.hpp"

#include <array>

namespace trill {
namespace {
// The square of the smallest sine that an angle can have here: far below rounding, but large enough that derivatives up
// to the fourth, which divide by powers of it, stay in the range of a double.
constexpr double least_sine_squared = 1e-60;

using Vector = std::array<Expression, 3>;

Vector difference(ExpressionGraph& graph, PointParts a, PointParts b) {
  Vector d = {no_expression, no_expression, no_expression};
  for (std::size_t k = 0; k < a.size(); ++k) d[k] = graph.subtract(a[k], b[k]);
  return d;
}

Expression minor_of(ExpressionGraph& graph, PointParts a, PointParts b, std::size_t i, std::size_t j) {
  return graph.subtract(graph.multiply(a[i], b[j]), graph.multiply(a[j], b[i]));
}

Vector cross_product(ExpressionGraph& graph, PointParts a, PointParts b) {
  return {minor_of(graph, a, b, 1, 2), minor_of(graph, a, b, 2, 0), minor_of(graph, a, b, 0, 1)};
}

// The sine of the angle between two arms, times their lengths. In space it is a root that is tiny but not 0 if the arms
// lie on a line, so that it cancels in angle * (angle's second derivative). In the plane it is an absolute value,
// because second derivatives of such a root would be differences of large numbers.
Expression sine_between(ExpressionGraph& graph, PointParts u, PointParts w) {
  if (u.size() == 2) return graph.apply(Op::abs, minor_of(graph, u, w, 0, 1));
  const Vector n = cross_product(graph, u, w);
  const Expression scale = graph.multiply(dot_product(graph, u, u), dot_product(graph, w, w));
  const Expression least = graph.multiply(graph.number(least_sine_squared), scale);
  return graph.apply(Op::sqrt, graph.add(dot_product(graph, n, n), least));
}
}  // namespace

Expression dot_product(ExpressionGraph& graph, PointParts a, PointParts b) {
  Expression sum = graph.multiply(a[0], b[0]);
  for (std::size_t k = 1; k < a.size(); ++k) sum = graph.add(sum, graph.multiply(a[k], b[k]));
  return sum;
}

Expression point_norm(ExpressionGraph& graph, PointParts a) { return graph.apply(Op::sqrt, dot_product(graph, a, a)); }

Expression point_distance(ExpressionGraph& graph, PointParts a, PointParts b) {
  const Vector d = difference(graph, a, b);
  return point_norm(graph, PointParts(d).first(a.size()));
}

// Computed from sine and cosine, it loses no digits near 0 and pi as acos would.
Expression point_angle(ExpressionGraph& graph, PointParts a, PointParts b, PointParts c) {
  const Vector first = difference(graph, a, b), second = difference(graph, c, b);
  const PointParts u = PointParts(first).first(a.size()), w = PointParts(second).first(a.size());
  return graph.apply(Op::atan2, sine_between(graph, u, w), dot_product(graph, u, w));
}

Expression dihedral_angle(ExpressionGraph& graph, PointParts a, PointParts b, PointParts c, PointParts d) {
  const Vector ab = difference(graph, b, a), bc = difference(graph, c, b), cd = difference(graph, d, c);
  const Vector before = cross_product(graph, ab, bc), after = cross_product(graph, bc, cd);
  const Expression sine = graph.multiply(point_norm(graph, bc), dot_product(graph, ab, after));
  const Expression cosine = dot_product(graph, before, after);
  const Expression radius = graph.add(graph.apply(Op::square, sine), graph.apply(Op::square, cosine));
  const Expression exists = graph.apply(Op::not_equal, radius, graph.number(0));
  return graph.apply(Op::atan2, graph.multiply(exists, sine),
                     graph.add(cosine, graph.subtract(graph.number(1), exists)));
}
}  // namespace trill
