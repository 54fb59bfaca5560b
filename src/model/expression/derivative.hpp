// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

namespace trill {
// One nonzero derivative: of row `row` with respect to the symbol with index `column` of a kind.
struct Partial {
  int row = 0, column = 0;
  Expression value = no_expression;
};

// d e/d symbol for every symbol of a kind that e depends on, by a reverse sweep over the graph; row is 0, columns
// ascend. Where pieces meet (if, abs, min, max) it is the derivative of the piece that is chosen there; the other piece
// has no influence, even if it divides by zero.
std::vector<Partial> gradient(ExpressionGraph& graph, Expression e, SymbolKind kind);

// The lower triangle (column <= row) of the second derivative with respect to the symbols of a kind.
std::vector<Partial> lower_hessian(ExpressionGraph& graph, Expression e, SymbolKind kind);

// A symbol with its rate of change; symbols without a rate are constant. directional_derivative is d e/ds along the
// rates.
struct Rate {
  Expression symbol = no_expression, rate = no_expression;
};
Expression directional_derivative(ExpressionGraph& graph, Expression e, std::span<const Rate> rates);

bool depends_on(const ExpressionGraph& graph, Expression e, SymbolKind kind);
}  // namespace trill
