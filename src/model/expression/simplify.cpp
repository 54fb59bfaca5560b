// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/expression.hpp"

#include <cmath>
#include <numbers>

namespace trill {
namespace {
// atan(z)^2 is computed by its series for |z| up to this slope. On both sides of it derivatives up to the third are
// accurate to 1e-12 and the fourth to 1e-9; more terms and a larger slope would make every second derivative longer.
constexpr double largest_series_slope = 0.001;
constexpr int series_terms = 4;
constexpr int most_products = 8;    // the largest integer power written as products
constexpr int most_sign_depth = 8;  // how deep in an expression its sign is looked for

// Whether dividing by x gives exactly the same as multiplying by its inverse.
bool has_exact_inverse(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5 && std::isnormal(x) && std::isnormal(1 / x);
}
}  // namespace

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

// Whether e is an angle from 0 to pi. Its difference from pi is written as an angle as well, which keeps all digits.
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

std::optional<Expression> ExpressionGraph::simplify_even(Op op, Expression a) {
  const ExpressionNode node = (*this)[a];
  if (node.op == Op::negate) return apply(op, node.child[0]);
  if (op == Op::square && node.op == Op::sqrt && is_never_negative(node.child[0], most_sign_depth))
    return node.child[0];
  if (is_half_turn_angle(a)) return even_function_of_angle(op, (*this)[node.child[0]], node.child[1]);
  return std::nullopt;
}

// Even functions of an angle have no kink where the angle is 0, though the angle has one there.
std::optional<Expression> ExpressionGraph::even_function_of_angle(Op op, ExpressionNode sine, Expression cosine) {
  const Expression inner = sine.child[0];
  if (sine.op == Op::abs) return apply(op, apply(Op::atan2, inner, cosine));
  if (op == Op::square) return square_of_angle(inner, cosine);
  if (op != Op::cos) return std::nullopt;
  return divide(cosine, apply(Op::sqrt, add(inner, apply(Op::square, cosine))));
}

// atan2(sqrt(y), x)^2. In its closed formula a k-th derivative is a sum of numbers larger than itself by y^(1 - k/2);
// near y = 0 it is therefore written as a series in u = y/x^2. Both are the same function, so the choice between them
// is a test for equality, which does not count as a switch.
Expression ExpressionGraph::square_of_angle(Expression y, Expression x) {
  const Expression sine = apply(Op::sqrt, y);
  const Expression near = apply(Op::equal, apply(Op::min, sine, multiply(number(largest_series_slope), x)), sine);
  const Expression u = divide(y, apply(Op::square, x));
  // atan(z)^2 = sum over n of (-1)^(n-1) (1 + 1/3 + ... + 1/(2n-1)) z^(2n)/n
  double odd_sum = 0;
  for (int n = 1; n <= series_terms; ++n) odd_sum += 1.0 / (2 * n - 1);
  Expression series = number(0);
  for (int n = series_terms; n >= 1; --n) {
    series = multiply(u, add(number((n % 2 == 1 ? odd_sum : -odd_sum) / n), series));
    odd_sum -= 1.0 / (2 * n - 1);
  }
  const Expression closed = intern_operation(Op::square, apply(Op::atan2, sine, x));
  return apply(Op::choose, near, series, closed);
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
}  // namespace trill
