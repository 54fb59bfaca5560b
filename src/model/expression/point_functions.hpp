// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

#include <span>

namespace trill {
// Functions of points, each given by its 2 or 3 parts; all points of one call have the same number of parts.
using PointParts = std::span<const Expression>;

Expression dot_product(ExpressionGraph& graph, PointParts a, PointParts b);
Expression point_norm(ExpressionGraph& graph, PointParts a);
Expression point_distance(ExpressionGraph& graph, PointParts a, PointParts b);

// The angle at b, from 0 to pi. Its derivatives are finite where it is 0 or pi, though it has a kink there (in space
// the first derivatives are 0, in the plane they are those of one side). The derivatives of angle^2, (angle - pi)^2 and
// cos(angle), which have no kink, are right. That needs pi itself in the expression, not a symbol with its value.
Expression point_angle(ExpressionGraph& graph, PointParts a, PointParts b, PointParts c);

// The angle from the plane a b c to the plane b c d, above -pi and up to pi, positive if d lies clockwise from a as
// seen from b to c (IUPAC, Pure Appl. Chem. 68 (1996) 2193, "torsion angle"). If three neighbours lie on a line it does
// not exist; the result is then 0 with derivatives 0.
Expression dihedral_angle(ExpressionGraph& graph, PointParts a, PointParts b, PointParts c, PointParts d);
}  // namespace trill
