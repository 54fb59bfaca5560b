// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/derivative.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace trill {
namespace {
// Partial derivatives of one operation with respect to its children; no_expression means zero.
using Partials = std::array<Expression, 3>;

class Rules {
 public:
  explicit Rules(ExpressionGraph& graph) : graph_(graph) {}

  Partials partials(Expression e) {
    const ExpressionNode node = graph_[e];
    const Expression a = node.child[0], b = node.child[1];
    const Expression zero = no_expression;
    switch (node.op) {
      case Op::add:
        return {number(1), number(1), zero};
      case Op::subtract:
        return {number(1), number(-1), zero};
      case Op::multiply:
        return {b, a, zero};
      case Op::divide:
        return {graph_.divide(number(1), b), graph_.negate(graph_.divide(e, b)), zero};
      case Op::power:
        return power(e, a, b);
      case Op::negate:
        return {number(-1), zero, zero};
      case Op::square:
        return {graph_.multiply(number(2), a), zero, zero};
      case Op::choose:
        return {zero, of(Op::not_equal, a, number(0)), of(Op::equal, a, number(0))};
      case Op::sqrt:
        return {graph_.divide(number(0.5), e), zero, zero};
      case Op::exp:
        return {e, zero, zero};
      case Op::log:
        return {graph_.divide(number(1), a), zero, zero};
      case Op::sin:
        return {of(Op::cos, a), zero, zero};
      case Op::cos:
        return {graph_.negate(of(Op::sin, a)), zero, zero};
      case Op::tan:
        return {graph_.add(number(1), of(Op::square, e)), zero, zero};
      case Op::asin:
        return {graph_.divide(number(1), beside(a)), zero, zero};
      case Op::acos:
        return {graph_.divide(number(-1), beside(a)), zero, zero};
      case Op::atan:
        return {graph_.divide(number(1), graph_.add(number(1), of(Op::square, a))), zero, zero};
      case Op::atan2: {
        const Expression r2 = graph_.add(of(Op::square, a), of(Op::square, b));
        return {graph_.divide(b, r2), graph_.negate(graph_.divide(a, r2)), zero};
      }
      case Op::sinh:
        return {of(Op::cosh, a), zero, zero};
      case Op::cosh:
        return {of(Op::sinh, a), zero, zero};
      case Op::tanh:
        return {graph_.subtract(number(1), of(Op::square, e)), zero, zero};
      case Op::abs:
        return {graph_.apply(Op::choose, of(Op::less, a, number(0)), number(-1), number(1)), zero, zero};
      case Op::min:
        return first_unless(of(Op::less, b, a));
      case Op::max:
        return first_unless(of(Op::less, a, b));
      case Op::hypot:
        return {graph_.divide(a, e), graph_.divide(b, e), zero};
      case Op::table_place:
        return {piece_of(a, of(Op::floor, e), b, LookupFunction::place_slope), zero, zero};
      case Op::table_piece:
        return {next_derivative(a, b, node.child[2]), zero, zero};
      default:
        return {zero, zero, zero};
    }
  }

  // Factor times partial derivative. For quotients and roots it is written with the divisor or the node itself, so that
  // common parts stay shared.
  Expression product(Expression factor, Expression e, int child, Expression partial) {
    const ExpressionNode node = graph_[e];
    if (node.op == Op::divide && child == 0) return graph_.divide(factor, node.child[1]);
    if (node.op == Op::sqrt) return graph_.multiply(number(0.5), graph_.divide(factor, e));
    return graph_.multiply(factor, partial);
  }

  static bool selects(Op op) { return op == Op::choose || op == Op::min || op == Op::max; }
  Expression number(double value) { return graph_.number(value); }

 private:
  Expression of(Op op, Expression a, Expression b = no_expression) { return graph_.apply(op, a, b); }
  Expression beside(Expression a) {  // sqrt(1 - a^2), as a product that keeps its digits near |a| = 1
    return of(Op::sqrt, graph_.multiply(graph_.subtract(number(1), a), graph_.add(number(1), a)));
  }
  Expression piece_of(Expression x, Expression cell, Expression code, int derivative) {
    LookupFunction function = LookupFunction::from(*graph_.constant(code));
    function.derivative = derivative;
    return graph_.apply(Op::table_piece, x, cell, number(function.code()));
  }
  Expression next_derivative(Expression x, Expression cell, Expression code) {
    constexpr int degree = 3;  // of the polynomials
    const int derivative = LookupFunction::from(*graph_.constant(code)).derivative;
    return derivative < degree ? piece_of(x, cell, code, derivative + 1) : no_expression;
  }
  Partials first_unless(Expression second) { return {of(Op::equal, second, number(0)), second, no_expression}; }
  Partials power(Expression e, Expression a, Expression b) {
    const Expression by_base = graph_.multiply(b, of(Op::power, a, graph_.subtract(b, number(1))));
    if (graph_.constant(b)) return {by_base, no_expression, no_expression};
    return {by_base, graph_.multiply(e, of(Op::log, a)), no_expression};
  }

  ExpressionGraph& graph_;
};

// The reverse sweep. Besides its adjoint each node carries the condition under which it is used at all: 0 times the
// infinite slope of a piece that is not chosen would give NaN.
class ReverseSweep {
 public:
  ReverseSweep(ExpressionGraph& graph, Expression root, SymbolKind kind) : graph_(graph), rules_(graph), kind_(kind) {
    const Expression roots[] = {root};
    nodes_ = graph.needed(roots);
    states_.resize(nodes_.size());
    mark_dependent();
    at(root) = {rules_.number(1), rules_.number(1), at(root).depends};
  }

  std::vector<Partial> run() {
    std::vector<Partial> found;
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      const ExpressionNode node = graph_[nodes_[k]];
      if (!states_[k].depends || states_[k].adjoint == no_expression) continue;
      if (node.op == Op::symbol) {
        if (!graph_.constant(states_[k].adjoint) || *graph_.constant(states_[k].adjoint) != 0)
          found.push_back({0, node.index, states_[k].adjoint});
        continue;
      }
      const Partials partials = rules_.partials(nodes_[k]);
      for (int c = 0; c < arity(node.op); ++c)
        if (partials[static_cast<std::size_t>(c)] != no_expression && at(node.child[c]).depends)
          pass_down(k, node, c, partials[static_cast<std::size_t>(c)]);
    }
    std::sort(found.begin(), found.end(), [](const Partial& a, const Partial& b) { return a.column < b.column; });
    return found;
  }

 private:
  struct NodeState {
    Expression adjoint = no_expression, condition = no_expression;
    bool depends = false;
  };

  NodeState& at(Expression e) {
    return states_[static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), e) - nodes_.begin())];
  }

  void mark_dependent() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const ExpressionNode& node = graph_[nodes_[k]];
      states_[k].depends = node.op == Op::symbol && node.kind == kind_;
      for (int c = 0; c < arity(node.op); ++c) states_[k].depends |= at(node.child[c]).depends;
    }
  }

  Expression either(Expression a, Expression b) {
    if (graph_.constant(a) == 1.0 || graph_.constant(b) == 1.0) return rules_.number(1);
    if (is_contrary(a, b) || is_contrary(b, a)) return rules_.number(1);
    return graph_.apply(Op::max, a, b);
  }
  bool is_contrary(Expression a, Expression b) const {
    const ExpressionNode& node = graph_[a];
    return node.op == Op::equal && node.child[0] == b && graph_.constant(node.child[1]) == 0.0;
  }

  void pass_down(std::size_t k, const ExpressionNode& node, int c, Expression partial) {
    const NodeState from = states_[k];
    const Expression zero = rules_.number(0);
    Expression share, condition = from.condition;
    if (Rules::selects(node.op)) {
      share = graph_.apply(Op::choose, partial, from.adjoint, zero);
      condition = graph_.multiply(condition, partial);
    } else {
      share = graph_.apply(Op::choose, from.condition, rules_.product(from.adjoint, nodes_[k], c, partial), zero);
    }
    NodeState& to = at(node.child[c]);
    const bool first = to.adjoint == no_expression;
    to.adjoint = first ? share : graph_.add(to.adjoint, share);
    to.condition = first ? condition : either(to.condition, condition);
  }

  ExpressionGraph& graph_;
  Rules rules_;
  SymbolKind kind_;
  std::vector<Expression> nodes_;
  std::vector<NodeState> states_;
};
}  // namespace

std::vector<Partial> gradient(ExpressionGraph& graph, Expression e, SymbolKind kind) {
  return ReverseSweep(graph, e, kind).run();
}

std::vector<Partial> lower_hessian(ExpressionGraph& graph, Expression e, SymbolKind kind) {
  std::vector<Partial> found;
  for (const Partial& first : gradient(graph, e, kind))
    for (const Partial& second : gradient(graph, first.value, kind))
      if (second.column <= first.column) found.push_back({first.column, second.column, second.value});
  return found;
}

Expression directional_derivative(ExpressionGraph& graph, Expression e, std::span<const Rate> rates) {
  Rules rules(graph);
  const Expression roots[] = {e};
  const std::vector<Expression> nodes = graph.needed(roots);
  std::unordered_map<Expression, Expression> moving;  // the rates that are not zero
  for (const Rate& r : rates) moving[r.symbol] = r.rate;
  const auto rate_of = [&](Expression x) {
    const auto it = moving.find(x);
    return it == moving.end() ? graph.number(0) : it->second;
  };
  for (const Expression x : nodes) {
    const ExpressionNode node = graph[x];
    const bool moves =
        std::any_of(node.child, node.child + arity(node.op), [&](Expression c) { return moving.contains(c); });
    if (!moves) continue;
    if (node.op == Op::choose) {
      moving[x] = graph.apply(Op::choose, node.child[0], rate_of(node.child[1]), rate_of(node.child[2]));
      continue;
    }
    const Partials partials = rules.partials(x);
    if (Rules::selects(node.op)) {
      moving[x] = graph.apply(Op::choose, partials[0], rate_of(node.child[0]), rate_of(node.child[1]));
      continue;
    }
    Expression rate = graph.number(0);
    for (int c = 0; c < arity(node.op); ++c)
      if (partials[static_cast<std::size_t>(c)] != no_expression && moving.contains(node.child[c]))
        rate = graph.add(rate, rules.product(rate_of(node.child[c]), x, c, partials[static_cast<std::size_t>(c)]));
    moving[x] = rate;
  }
  return rate_of(e);
}

bool depends_on(const ExpressionGraph& graph, Expression e, SymbolKind kind) {
  const Expression roots[] = {e};
  const auto nodes = graph.needed(roots);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](Expression x) { return graph[x].op == Op::symbol && graph[x].kind == kind; });
}
}  // namespace trill
