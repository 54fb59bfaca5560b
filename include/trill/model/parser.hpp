// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/expression.hpp"
#include "trill/model/source_text.hpp"

#include <string>
#include <vector>

namespace trill {
// How deep parentheses, signs, powers and calls may nest, names defined by expressions included.
inline constexpr int most_nesting = 200;

// What the names in an expression mean.
class NameScope {
 public:
  virtual ~NameScope() = default;
  // no_expression where the name is unknown. A name defined by an expression is parsed from the depth given.
  virtual Expression find(std::string_view name, const SourcePiece& piece, std::size_t offset, int depth) = 0;
  virtual std::vector<std::string> names() const = 0;  // for suggestions
};

// comparison := sum [(< <= > >= == !=) sum]      sum := product {(+ -) product}      product := unary {(* /) unary}
// unary := (- +) unary | power                   power := primary [^ unary]
// primary := number | name | name(comparison, ...) | (comparison)
// Builds the graph and evaluates nothing but constants. ModelError for anything that is not in the grammar.
Expression parse_expression(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth = 0);

bool is_identifier(std::string_view text);
// Functions, pi and t: names that a model cannot define.
bool is_reserved(std::string_view name);
}  // namespace trill
