// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

#include <functional>
#include <string>

namespace trill {
// A name as mathematicians write it: omega1 is \omega_{1}, x_max is x_{\mathrm{max}}, mass is \mathrm{mass}.
std::string latex_name(std::string_view identifier);

// Gives the text of a symbol.
using LatexSymbols = std::function<std::string(SymbolKind kind, int index)>;

// An expression for reading: fractions, roots and powers, parentheses only where they are needed. If it would have more
// than some thousand operations when written out, only their number is given.
std::string latex(const ExpressionGraph& graph, Expression e, const LatexSymbols& symbols);
}  // namespace trill
