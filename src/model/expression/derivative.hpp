// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

namespace trill {
// One derivative that is not zero: of row `row` by the symbol `column` of a kind.
struct Partial {
  int row = 0, column = 0;
  Expression value = no_expression;
};

// d e/d symbol for every symbol of a kind that e depends on, by a reverse sweep over the graph; row is 0, columns rise.
// Where pieces meet (if, abs, min, max) it is the derivative of the piece that is chosen there, and what the other
// piece does, not even a division by zero in it, does not matter.
std::vector<Partial> gradient(ExpressionGraph& graph, Expression e, SymbolKind kind);

// The lower triangle (column <= row) of the second derivative by the symbols of a kind.
std::vector<Partial> lower_hessian(ExpressionGraph& graph, Expression e, SymbolKind kind);

// Every symbol with its rate of change; d e/ds along them. Symbols without a rate stand still.
struct Rate {
  Expression symbol = no_expression, rate = no_expression;
};
Expression directional_derivative(ExpressionGraph& graph, Expression e, std::span<const Rate> rates);

bool depends_on(const ExpressionGraph& graph, Expression e, SymbolKind kind);
}  // namespace trill
