// SPDX-License-Identifier: BSD-3-Clause
// Expressions evaluated with 50 or 100 digits by a separate recursion, and differences that are exact in double
// precision.
#pragma once

#include "model/expression/expression.hpp"

#include <functional>
#include <map>

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace trill {
using Exact = boost::multiprecision::cpp_bin_float_50;
using MoreExact = boost::multiprecision::cpp_bin_float_100;

// The value of each symbol. Symbols that are not listed are 0.
template <class Real>
using SymbolValues = std::map<std::pair<SymbolKind, int>, Real>;

template <class Real>
class ExactGraph {
 public:
  ExactGraph(const ExpressionGraph& graph, const SymbolValues<Real>& symbols) : graph_(graph), symbols_(symbols) {}

  Real operator()(Expression e) {
    const Expression roots[] = {e};
    for (const Expression x : graph_.needed(roots))
      if (!values_.contains(x)) values_[x] = of_node(x, graph_[x]);
    return values_.at(e);
  }

 private:
  Real of_node(Expression, const ExpressionNode& node) const {
    using namespace boost::multiprecision;
    const auto part = [&](int k) { return values_.at(node.child[k]); };
    switch (node.op) {
      case Op::number:
        return Real(node.value);
      case Op::symbol: {
        const auto it = symbols_.find({node.kind, node.index});
        return it == symbols_.end() ? Real(0) : it->second;
      }
      case Op::add:
        return part(0) + part(1);
      case Op::subtract:
        return part(0) - part(1);
      case Op::multiply:
        return part(0) * part(1);
      case Op::divide:
        return part(0) / part(1);
      case Op::power:
        return pow(part(0), part(1));
      case Op::negate:
        return -part(0);
      case Op::square:
        return part(0) * part(0);
      case Op::less:
        return Real(part(0) < part(1));
      case Op::less_equal:
        return Real(part(0) <= part(1));
      case Op::equal:
        return Real(part(0) == part(1));
      case Op::not_equal:
        return Real(part(0) != part(1));
      case Op::choose:
        return part(0) != 0 ? part(1) : part(2);
      case Op::sqrt:
        return sqrt(part(0));
      case Op::exp:
        return exp(part(0));
      case Op::log:
        return log(part(0));
      case Op::sin:
        return sin(part(0));
      case Op::cos:
        return cos(part(0));
      case Op::tan:
        return tan(part(0));
      case Op::asin:
        return asin(part(0));
      case Op::acos:
        return acos(part(0));
      case Op::atan:
        return atan(part(0));
      case Op::atan2:
        return atan2(part(0), part(1));
      case Op::sinh:
        return sinh(part(0));
      case Op::cosh:
        return cosh(part(0));
      case Op::tanh:
        return tanh(part(0));
      case Op::abs:
        return abs(part(0));
      case Op::floor:
        return floor(part(0));
      case Op::min:
        return part(1) < part(0) ? part(1) : part(0);
      case Op::max:
        return part(0) < part(1) ? part(1) : part(0);
      case Op::table_place:
      case Op::table_piece:
      case Op::multiply_add:
      case Op::multiply_subtract:
        break;  // random expressions have no tables, and only programs join products with sums
      case Op::hypot:
        return sqrt(part(0) * part(0) + part(1) * part(1));
    }
    return Real(0);
  }

  const ExpressionGraph& graph_;
  const SymbolValues<Real>& symbols_;
  std::map<Expression, Real> values_;
};

template <class Real>
Real evaluate_exactly(const ExpressionGraph& graph, Expression e, const SymbolValues<Real>& symbols) {
  return ExactGraph<Real>(graph, symbols)(e);
}

// Central differences of f(s) at s = 0 for the first to the fourth derivative.
template <class Real>
Real difference_quotient(const std::function<Real(const Real&)>& f, int order, const Real& h) {
  const Real below = f(-h), above = f(h);
  if (order == 1) return (above - below) / (2 * h);
  if (order == 2) return (above - 2 * f(Real(0)) + below) / (h * h);
  const Real below2 = f(-2 * h), above2 = f(2 * h);
  if (order == 3) return (above2 - 2 * above + 2 * below - below2) / (2 * h * h * h);
  return (above2 - 4 * above + 6 * f(Real(0)) - 4 * below + below2) / (h * h * h * h);
}
}  // namespace trill
