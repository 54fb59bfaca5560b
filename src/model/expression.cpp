// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include <fmt/format.h>

namespace trill {
namespace {
// Dividing by it equals multiplying by its inverse, exactly.
bool has_exact_inverse(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5 && std::isnormal(x) && std::isnormal(1 / x);
}

std::uint64_t hash(const ExpressionNode& node) {
  std::uint64_t h = static_cast<std::uint64_t>(node.op) * 31 + static_cast<std::uint64_t>(node.kind);
  const auto mix = [&h](std::uint64_t x) {
    h = (h ^ x) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  };
  mix(static_cast<std::uint64_t>(node.index));
  for (const Expression e : node.child) mix(static_cast<std::uint64_t>(e));
  mix(std::bit_cast<std::uint64_t>(node.value));
  return h;
}

constexpr int most_products = 8;    // the largest integer power written as products
constexpr int most_sign_depth = 8;  // how far down a sign is looked for
}  // namespace

bool is_comparison(Op op) { return op == Op::less || op == Op::less_equal || op == Op::equal || op == Op::not_equal; }

int arity(Op op) {
  switch (op) {
    case Op::number:
    case Op::symbol:
      return 0;
    case Op::choose:
      return 3;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::hypot:
      return 2;
    default:
      return 1;
  }
}

double evaluate(Op op, double a, double b, double c) {
  switch (op) {
    case Op::number:
    case Op::symbol:
      return a;
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return std::pow(a, b);
    case Op::negate:
      return -a;
    case Op::square:
      return a * a;
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::choose:
      return a != 0 ? b : c;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::abs:
      return std::abs(a);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::hypot:
      return std::hypot(a, b);
  }
  return 0;
}

bool ExpressionNode::operator==(const ExpressionNode& o) const {
  return op == o.op && kind == o.kind && index == o.index && std::equal(child, child + 3, o.child) &&
         std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(o.value);
}

std::size_t ExpressionGraph::slot_of(const ExpressionNode& node) const {
  std::size_t slot = hash(node) & (table_.size() - 1);
  while (table_[slot] != no_expression && !((*this)[table_[slot]] == node)) slot = (slot + 1) & (table_.size() - 1);
  return slot;
}

void ExpressionGraph::grow() {
  table_.assign(std::max<std::size_t>(64, 2 * table_.size()), no_expression);
  for (std::size_t k = 0; k < nodes_.size(); ++k) table_[slot_of(nodes_[k])] = static_cast<Expression>(k);
}

std::optional<double> ExpressionGraph::constant(Expression e) const {
  const ExpressionNode& node = (*this)[e];
  if (node.op != Op::number) return std::nullopt;
  return node.value;
}

Expression ExpressionGraph::intern(const ExpressionNode& node) {
  if (2 * nodes_.size() >= table_.size()) grow();
  const std::size_t slot = slot_of(node);
  if (table_[slot] != no_expression) return table_[slot];
  if (nodes_.size() >= most_nodes)
    throw ExpressionLimit(fmt::format("the model and its derivatives need more than {} operations", most_nodes));
  const auto id = static_cast<Expression>(nodes_.size());
  nodes_.push_back(node);
  table_[slot] = id;
  return id;
}

Expression ExpressionGraph::number(double value) {
  ExpressionNode node;
  node.value = value == 0 ? 0 : value;  // one zero, without sign
  return intern(node);
}

Expression ExpressionGraph::symbol(SymbolKind kind, int index) {
  ExpressionNode node;
  node.op = Op::symbol;
  node.kind = kind;
  node.index = index;
  return intern(node);
}

Expression ExpressionGraph::apply(Op op, Expression a, Expression b, Expression c) {
  if (const auto folded = fold(op, a, b, c)) return *folded;
  if (const auto simple = simplify(op, a, b, c)) return *simple;
  ExpressionNode node;
  node.op = op;
  node.child[0] = a;
  if (arity(op) > 1) node.child[1] = b;
  if (arity(op) > 2) node.child[2] = c;
  // One order for equal products and sums; numbers come first, where simplify_multiply looks for them.
  const bool commutes = op == Op::add || op == Op::multiply;
  if (commutes && (constant(b) || (!constant(a) && b < a))) std::swap(node.child[0], node.child[1]);
  return intern(node);
}

// A result that is not finite stays an operation: its place in the model is told when the start is checked.
std::optional<Expression> ExpressionGraph::fold(Op op, Expression a, Expression b, Expression c) {
  const auto value = [&](Expression e) { return e == no_expression ? std::optional(0.0) : constant(e); };
  const auto x = value(a), y = value(b), z = value(c);
  if (!x || !y || !z) return std::nullopt;
  const double result = evaluate(op, *x, *y, *z);
  if (!std::isfinite(result)) return std::nullopt;
  return number(result);
}

std::optional<Expression> ExpressionGraph::simplify(Op op, Expression a, Expression b, Expression c) {
  switch (op) {
    case Op::add:
    case Op::subtract:
      return simplify_sum(op, a, b);
    case Op::multiply:
      return simplify_multiply(a, b);
    case Op::divide:
      return simplify_divide(a, b);
    case Op::power:
      return simplify_power(a, b);
    case Op::choose:
      return simplify_choose(a, b, c);
    case Op::negate:
      if ((*this)[a].op == Op::negate) return (*this)[a].child[0];
      if ((*this)[a].op == Op::subtract) return subtract((*this)[a].child[1], (*this)[a].child[0]);
      return std::nullopt;
    case Op::square:
    case Op::cos:
    case Op::cosh:
      return simplify_even(op, a);
    case Op::min:
    case Op::max:
      if (a == b) return a;
      return std::nullopt;
    case Op::not_equal:
      if (is(b, 0) && is_comparison((*this)[a].op)) return a;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Expression> ExpressionGraph::simplify_sum(Op op, Expression a, Expression b) {
  const bool adds = op == Op::add;
  if (is(b, 0)) return a;
  if (is(a, 0)) return adds ? b : negate(b);
  if (!adds && a == b) return number(0);
  if ((*this)[b].op == Op::negate) {
    const Expression positive = (*this)[b].child[0];
    return adds ? subtract(a, positive) : add(a, positive);
  }
  if (adds && (*this)[a].op == Op::negate) return subtract(b, (*this)[a].child[0]);
  const double sign = adds ? 1 : -1;
  if (is(b, -sign * std::numbers::pi) && is_half_turn_angle(a)) return negate(supplement(a));
  if (adds && is(a, -std::numbers::pi) && is_half_turn_angle(b)) return negate(supplement(b));
  if (!adds && is(a, std::numbers::pi) && is_half_turn_angle(b)) return supplement(b);
  return std::nullopt;
}

// An angle from 0 to pi. Its difference from pi keeps all its digits as an angle of its own.
bool ExpressionGraph::is_half_turn_angle(Expression e) const {
  if ((*this)[e].op != Op::atan2) return false;
  const Op sine = (*this)[(*this)[e].child[0]].op;
  return sine == Op::sqrt || sine == Op::abs;
}

Expression ExpressionGraph::supplement(Expression angle) {
  const Expression sine = (*this)[angle].child[0], cosine = (*this)[angle].child[1];
  return apply(Op::atan2, sine, negate(cosine));
}

bool ExpressionGraph::is_never_negative(Expression e, int depth) const {
  const ExpressionNode& node = (*this)[e];
  if (depth == 0) return false;
  switch (node.op) {
    case Op::number:
      return node.value >= 0;
    case Op::square:
    case Op::sqrt:
    case Op::exp:
    case Op::abs:
    case Op::hypot:
      return true;
    case Op::add:
    case Op::multiply:
      return is_never_negative(node.child[0], depth - 1) && is_never_negative(node.child[1], depth - 1);
    default:
      return false;
  }
}

// atan2(-y, x) is -atan2(y, x): an even function of the angle has no kink at y = 0 where the angle has one.
std::optional<Expression> ExpressionGraph::simplify_even(Op op, Expression a) {
  const ExpressionNode node = (*this)[a];
  if (node.op == Op::negate) return apply(op, node.child[0]);
  if (op == Op::square && node.op == Op::sqrt && is_never_negative(node.child[0], most_sign_depth))
    return node.child[0];
  if (node.op != Op::atan2 || (*this)[node.child[0]].op != Op::abs) return std::nullopt;
  return apply(op, apply(Op::atan2, (*this)[node.child[0]].child[0], node.child[1]));
}

std::optional<Expression> ExpressionGraph::simplify_multiply(Expression a, Expression b) {
  if (constant(b)) std::swap(a, b);
  if (is(a, 0)) return number(0);
  if (is(a, 1)) return b;
  if (is(a, -1)) return negate(b);
  if (a == b) return apply(Op::square, a);
  const ExpressionNode right = (*this)[b], left = (*this)[a];
  if (right.op == Op::negate)
    return constant(a) ? multiply(number(-*constant(a)), right.child[0]) : negate(multiply(a, right.child[0]));
  if (left.op == Op::negate) return negate(multiply(left.child[0], b));
  // Numbers move outwards, where they meet and are folded: 2 (x/2 y) is x y.
  if (constant(a) && right.op == Op::multiply && constant(right.child[0]))
    if (const auto product = fold(Op::multiply, a, right.child[0], no_expression))
      return multiply(*product, right.child[1]);
  if (!constant(a) && right.op == Op::multiply && constant(right.child[0]))
    return multiply(right.child[0], multiply(a, right.child[1]));
  if (!constant(a) && left.op == Op::multiply && constant(left.child[0]))
    return multiply(left.child[0], multiply(left.child[1], b));
  return std::nullopt;
}

std::optional<Expression> ExpressionGraph::simplify_divide(Expression a, Expression b) {
  if (is(b, 1)) return a;
  if (is(b, -1)) return negate(a);
  if (is(a, 0) && !is(b, 0)) return number(0);
  if (const auto divisor = constant(b); divisor && has_exact_inverse(*divisor))
    return multiply(number(1 / *divisor), a);
  const ExpressionNode above = (*this)[a], below = (*this)[b];
  if (above.op == Op::negate) return negate(divide(above.child[0], b));
  if (below.op == Op::negate) return negate(divide(a, below.child[0]));
  if (above.op == Op::multiply && constant(above.child[0]) && !constant(b))
    return multiply(above.child[0], divide(above.child[1], b));
  return std::nullopt;
}

Expression ExpressionGraph::integer_power(Expression base, int exponent) {
  if (exponent == 1) return base;
  const Expression half = apply(Op::square, integer_power(base, exponent / 2));
  return exponent % 2 == 0 ? half : multiply(half, base);
}

std::optional<Expression> ExpressionGraph::simplify_power(Expression base, Expression exponent) {
  const auto n = constant(exponent);
  if (!n) return std::nullopt;
  if (*n == 0) return number(1);
  if (*n == 0.5) return apply(Op::sqrt, base);
  if (*n != std::trunc(*n) || std::abs(*n) > most_products) return std::nullopt;
  const Expression product = integer_power(base, static_cast<int>(std::abs(*n)));
  return *n > 0 ? product : divide(number(1), product);
}

std::optional<Expression> ExpressionGraph::simplify_choose(Expression c, Expression a, Expression b) {
  if (a == b) return a;
  if (const auto condition = constant(c)) return *condition != 0 ? a : b;
  if ((*this)[c].op == Op::equal && is((*this)[c].child[1], 0)) return apply(Op::choose, (*this)[c].child[0], b, a);
  if ((*this)[a].op == Op::choose && (*this)[a].child[0] == c) return apply(Op::choose, c, (*this)[a].child[1], b);
  if ((*this)[b].op == Op::choose && (*this)[b].child[0] == c) return apply(Op::choose, c, a, (*this)[b].child[2]);
  return std::nullopt;
}

std::vector<Expression> ExpressionGraph::needed(std::span<const Expression> roots) const {
  std::vector<Expression> found, open(roots.begin(), roots.end());
  std::vector<bool> seen(nodes_.size());
  while (!open.empty()) {
    const Expression e = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(e)]) continue;
    seen[static_cast<std::size_t>(e)] = true;
    found.push_back(e);
    for (int k = 0; k < arity((*this)[e].op); ++k) open.push_back((*this)[e].child[k]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Expression substitute(ExpressionGraph& graph, Expression e, std::span<const Replacement> replacements) {
  std::unordered_map<Expression, Expression> changed;
  for (const Replacement& r : replacements) changed[r.of] = r.by;
  const auto now = [&](Expression x) {
    const auto it = changed.find(x);
    return it == changed.end() ? x : it->second;
  };
  const Expression roots[] = {e};
  for (const Expression x : graph.needed(roots)) {
    const ExpressionNode node = graph[x];
    if (changed.contains(x) || arity(node.op) == 0) continue;
    const bool same = std::all_of(node.child, node.child + arity(node.op), [&](Expression c) { return now(c) == c; });
    if (!same) changed[x] = graph.apply(node.op, now(node.child[0]), now(node.child[1]), now(node.child[2]));
  }
  return now(e);
}
}  // namespace trill
