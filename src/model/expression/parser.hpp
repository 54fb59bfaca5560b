// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"
#include "trill/model/source_text.hpp"

#include <array>
#include <string>
#include <vector>

namespace trill {
// Max depth of nested parentheses, signs, powers and calls, including those in names defined by expressions.
inline constexpr int most_nesting = 200;

// A number, or a point of the plane or of space.
struct ParsedValue {
  std::array<Expression, 3> part = {no_expression, no_expression, no_expression};
  int size = 0;  // 0: unknown; 1: a number; 2 and 3: a point
};
inline ParsedValue parsed_number(Expression e) { return {{e, no_expression, no_expression}, 1}; }

// A name as it stands in an expression: alone, or with an index in brackets.
struct NameUse {
  std::string_view name;
  Expression index = no_expression;  // no_expression without brackets
  const SourcePiece& piece;
  std::size_t offset = 0;  // place of the name in the piece
  int depth = 0;           // nesting depth at which the definition of the name is parsed
};

// A table as it stands in an expression: table("road.csv", x, "cubic", "height").
struct TableUse {
  std::string file{};
  std::string column{};  // of the values; "": the second of two columns
  Interpolation interpolation = Interpolation::linear;
  const SourcePiece& piece;
  std::size_t offset = 0;  // place of the file's name in the piece
};

// What the names in an expression mean.
class NameScope {
 public:
  virtual ~NameScope() = default;
  // The result has size 0 if the name is unknown. Throws ModelError if it is known but used wrongly (an array without
  // its index).
  virtual ParsedValue find(const NameUse& use) = 0;
  // Throws ModelError if there is no such table.
  virtual std::shared_ptr<const LookupTable> find_table(const TableUse& use);
  virtual std::vector<std::string> names() const = 0;                      // for suggestions
  virtual bool knows(std::string_view /*dotted*/) const { return false; }  // a name of two words: crank.angle
};

// condition := both {or both}                    both := negation {and negation}      negation := not negation |
// comparison comparison := sum [(< <= > >= == !=) sum]      sum := product {(+ -) product}      product := unary {(* /
// %) unary} unary := (- +) unary | power                   power := part [^ unary] part := primary [.x | .y | .z]
// primary := number | name | name[condition] | name(condition, ...) | (condition)
//            | table(text, condition, text...), where a text is in quotes of either kind
// name := word | word.word, the latter only if something has that name: crank.angle; its index may come before the dot
// Operators work on numbers. Points can be added, subtracted, and multiplied or divided by numbers; otherwise they are
// arguments of functions or have their parts taken. a % b is a - b floor(a/b), with the sign of b.
// Builds the graph and evaluates nothing but constants. ModelError for anything that is not in the grammar.
Expression parse_expression(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth = 0);
// The same, but the value may be a point.
ParsedValue parse_value(const SourcePiece& piece, ExpressionGraph& graph, NameScope& scope, int depth = 0);

bool is_identifier(std::string_view text);
// The name of one entry of an array: "r[3]", or for something that belongs to a body "bar[3].angle".
std::string indexed_name(std::string_view name, std::string_view index);
// Functions, and, or, not, pi and t: names that a model cannot define.
bool is_reserved(std::string_view name);
}  // namespace trill
