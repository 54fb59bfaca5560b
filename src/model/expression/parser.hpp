// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"
#include "trill/model/source_text.hpp"

#include <array>
#include <string>
#include <vector>

namespace trill {
// How deep parentheses, signs, powers and calls may nest, names defined by expressions included.
inline constexpr int most_nesting = 200;

// A number, or a point of the plane or of space.
struct ParsedValue {
  std::array<Expression, 3> part = {no_expression, no_expression, no_expression};
  int size = 0;  // 0: nothing is known of it; 1: a number; 2 and 3: a point
};
inline ParsedValue parsed_number(Expression e) { return {{e, no_expression, no_expression}, 1}; }

// A name as it stands in an expression: alone, or with an index in brackets.
struct NameUse {
  std::string_view name;
  Expression index = no_expression;  // without brackets
  const SourcePiece& piece;
  std::size_t offset = 0;  // of the name in the piece
  int depth = 0;           // what the name is defined by is parsed from here
};

// What the names in an expression mean.
class NameScope {
 public:
  virtual ~NameScope() = default;
  // Of size 0 where the name is unknown; ModelError where it is known and used wrongly (an array without its index).
  virtual ParsedValue find(const NameUse& use) = 0;
  virtual std::vector<std::string> names() const = 0;                      // for suggestions
  virtual bool knows(std::string_view /*dotted*/) const { return false; }  // a name of two words: crank.angle
};

// comparison := sum [(< <= > >= == !=) sum]      sum := product {(+ -) product}      product := unary {(* /) unary}
// unary := (- +) unary | power                   power := part [^ unary]
// part := primary [.x | .y | .z]
// primary := number | name | name[comparison] | name(comparison, ...) | (comparison)
// name := word | word.word, where something has the latter name: crank.angle; its index may stand before the dot
// Operators work on numbers; points are arguments of functions or have their parts taken.
// Builds the graph and evaluates nothing but constants. ModelError for anything that is not in the grammar.
Expression parse_expression(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth = 0);
// The same where a point is welcome.
ParsedValue parse_value(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth = 0);

bool is_identifier(std::string_view text);
// The name of one entry of an array: "r[3]", and of what belongs to a body "bar[3].angle".
std::string indexed_name(std::string_view name, std::string_view index);
// Functions, pi and t: names that a model cannot define.
bool is_reserved(std::string_view name);
}  // namespace trill
