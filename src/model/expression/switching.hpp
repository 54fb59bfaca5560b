// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

namespace trill {
// A part of an expression as it is on the two sides of a switch.
struct SwitchedPiece {
  Expression of = no_expression;
  Expression below = no_expression, above = no_expression;  // where the switching function is negative, positive
  bool continuous = false;  // known to agree at the switch (abs, min, max); otherwise compare their values there
};

// floor(a) as it is between whole numbers, and the function that is zero at all of them: negative where floor(a) is
// odd. The formulas for odd and even stay valid half a unit beyond the whole number at which they give way to each
// other.
struct FloorPieces {
  Expression when = no_expression, odd = no_expression, even = no_expression;
};
FloorPieces floor_pieces(ExpressionGraph& graph, Expression a);

// Where expressions change from one formula to another as the motion goes on: at the zeros of `when`.
struct SwitchingFunction {
  Expression when = no_expression;
  std::vector<SwitchedPiece> pieces;
};

// The switches that the values of the roots depend on, each once: if, abs, min, max, floor and comparisons of anything
// that moves (coordinates, their time derivatives, t). Not included are == and !=, which do not hold over any stretch
// of a motion, and switches inside the two sides of a comparison.
std::vector<SwitchingFunction> switching_functions(ExpressionGraph& graph, std::span<const Expression> roots);
}  // namespace trill
