// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/lookup_table.hpp"
#include "trill/base/errors.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace trill {
// What a node does. Comparisons give 1 or 0; choose(c, a, b) is a where c is not zero. The last child of table_place(x,
// f) and table_piece(x, cell, f) is the number of a LookupFunction. Only programs have multiply_add(a, b, c) = c + a b
// and multiply_subtract(a, b, c) = c - a b, whose product and sum are both rounded.
// clang-format off
enum class Op : std::uint8_t {
  number, symbol,
  add, subtract, multiply, divide, power, negate, square,
  less, less_equal, equal, not_equal, choose,
  sqrt, exp, log, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, abs, floor, min, max, hypot,
  table_place, table_piece,
  multiply_add, multiply_subtract
};
// clang-format on
int arity(Op op);
bool is_comparison(Op op);
inline bool is_lookup(Op op) { return op == Op::table_place || op == Op::table_piece; }

// What an expression depends on. The index of a symbol is a place in the tables of the term it belongs to: which
// parameter, which column, which of the coordinates that the term touches. The kinds from velocity to snap are the
// successive time derivatives of the coordinates. A direction is any other vector as long as q. Multipliers are one
// number for each row of a gap or constraint and may have time derivatives as well. element is the number of the term's
// element in its index set.
enum class SymbolKind : std::uint8_t {
  time,
  parameter,
  element,
  column,
  coordinate,
  velocity,
  acceleration,
  jerk,
  snap,
  direction,
  multiplier,
  multiplier_rate
};

using Expression = std::int32_t;  // a node of one graph
inline constexpr Expression no_expression = -1;

struct ExpressionNode {
  Op op = Op::number;
  SymbolKind kind = SymbolKind::time;  // for symbols
  std::int32_t index = 0;              // for symbols: number within the kind
  Expression child[3] = {-1, -1, -1};  // as many as the arity says
  double value = 0;                    // for numbers
  bool operator==(const ExpressionNode&) const;
};

struct ExpressionLimit : UsageError {
  using UsageError::UsageError;
};

// Expressions with common parts stored once: equal nodes have equal ids, children come before their parents. Building
// folds constants, drops what has no effect (0 + x, 1 x, x^1, --x, squaring the root of a sum of squares) and writes pi
// - atan2(sqrt(y), x) without pi.
class ExpressionGraph {
 public:
  static constexpr std::size_t most_nodes = 500'000;  // with more, ExpressionLimit is thrown

  Expression number(double value);
  Expression symbol(SymbolKind kind, int index = 0);
  Expression apply(Op op, Expression a, Expression b = no_expression, Expression c = no_expression);

  Expression add(Expression a, Expression b) { return apply(Op::add, a, b); }
  Expression subtract(Expression a, Expression b) { return apply(Op::subtract, a, b); }
  Expression multiply(Expression a, Expression b) { return apply(Op::multiply, a, b); }
  Expression divide(Expression a, Expression b) { return apply(Op::divide, a, b); }
  Expression negate(Expression a) { return apply(Op::negate, a); }
  // The value of a table at x; a derivative of it, as a formula that holds in the cell of x.
  Expression lookup(const std::shared_ptr<const LookupTable>& table, Expression x);
  const LookupTables& tables() const { return tables_; }

  const ExpressionNode& operator[](Expression e) const { return nodes_[static_cast<std::size_t>(e)]; }
  std::size_t size() const { return nodes_.size(); }
  std::optional<double> constant(Expression e) const;  // its value if it is a number

  // Every node that the roots need, children first.
  std::vector<Expression> needed(std::span<const Expression> roots) const;

 private:
  std::size_t slot_of(const ExpressionNode& node) const;
  void grow();
  Expression intern(const ExpressionNode& node);
  Expression intern_operation(Op op, Expression a, Expression b = no_expression, Expression c = no_expression);
  std::optional<Expression> fold(Op op, Expression a, Expression b, Expression c);
  std::optional<Expression> simplify(Op op, Expression a, Expression b, Expression c);
  std::optional<Expression> simplify_sum(Op op, Expression a, Expression b);
  bool is_never_negative(Expression e, int depth) const;
  bool is_half_turn_angle(Expression e) const;
  Expression supplement(Expression angle);
  std::optional<Expression> simplify_even(Op op, Expression a);
  std::optional<Expression> even_function_of_angle(Op op, ExpressionNode sine, Expression cosine);
  Expression square_of_angle(Expression y, Expression x);
  std::optional<Expression> simplify_multiply(Expression a, Expression b);
  std::optional<Expression> simplify_divide(Expression a, Expression b);
  std::optional<Expression> simplify_power(Expression base, Expression exponent);
  std::optional<Expression> simplify_choose(Expression c, Expression a, Expression b);
  Expression integer_power(Expression base, int exponent);
  bool is(Expression e, double value) const { return constant(e) == value; }

  std::vector<ExpressionNode> nodes_;
  LookupTables tables_;
  std::vector<Expression> table_;  // open addressing, a power of two long; no_expression where free
};

// substitute() replaces nodes of e by others and simplifies the result.
struct Replacement {
  Expression of = no_expression, by = no_expression;
};
Expression substitute(ExpressionGraph& graph, Expression e, std::span<const Replacement> replacements);

// A divisor that is used more than once is inverted once, and the divisions become multiplications.
void share_reciprocals(ExpressionGraph& graph, std::vector<Expression>& roots);

// One operation on numbers. It defines the result that all other ways of evaluation must give.
double evaluate(Op op, double a, double b, double c);
// The same for operations that look into tables.
double evaluate_lookup(Op op, double a, double b, double c, const LookupTables& tables);
}  // namespace trill
