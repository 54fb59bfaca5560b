// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/switching.hpp"

#include <map>
#include <unordered_set>

namespace trill {
namespace {
bool moves(SymbolKind kind) {
  return kind == SymbolKind::time || (kind >= SymbolKind::coordinate && kind <= SymbolKind::snap);
}

bool is_order(Op op) { return op == Op::less || op == Op::less_equal; }

class SwitchSearch {
 public:
  explicit SwitchSearch(ExpressionGraph& graph) : graph_(graph) {}

  std::vector<SwitchingFunction> run(std::span<const Expression> roots) {
    mark_moving(roots);
    std::vector<Expression> open(roots.begin(), roots.end());
    std::unordered_set<Expression> seen;
    while (!open.empty()) {
      const Expression e = open.back();
      open.pop_back();
      if (!moving_.contains(e) || !seen.insert(e).second) continue;
      visit(e);
      const ExpressionNode& node = graph_[e];
      if (is_order(node.op)) continue;
      for (int c = node.op == Op::choose ? 1 : 0; c < arity(node.op); ++c) open.push_back(node.child[c]);
    }
    return std::move(found_);
  }

 private:
  void mark_moving(std::span<const Expression> roots) {
    for (const Expression e : graph_.needed(roots)) {
      const ExpressionNode& node = graph_[e];
      bool any = node.op == Op::symbol && moves(node.kind);
      for (int c = 0; c < arity(node.op); ++c) any = any || moving_.contains(node.child[c]);
      if (any) moving_.insert(e);
    }
  }

  void visit(Expression e) {
    const ExpressionNode node = graph_[e];
    const Expression a = node.child[0], b = node.child[1];
    switch (node.op) {
      case Op::abs:
        return add(a, {e, graph_.negate(a), a, true});
      case Op::floor: {
        const FloorPieces pieces = floor_pieces(graph_, a);
        return add(pieces.when, {e, pieces.odd, pieces.even});
      }
      case Op::min:
        return add(graph_.subtract(a, b), {e, a, b, true});
      case Op::max:
        return add(graph_.subtract(a, b), {e, b, a, true});
      case Op::less:
      case Op::less_equal:
        return add(graph_.subtract(a, b), {e, graph_.number(1), graph_.number(0)});
      case Op::choose:
        return visit_choice(e);
      default:
        return;
    }
  }

  // A condition may be made of several comparisons, and each is a switch of its own.
  void visit_choice(Expression choose) {
    const ExpressionNode choice = graph_[choose];
    for (const Expression e : comparisons_below(choice.child[0])) {
      const ExpressionNode comparison = graph_[e];
      const auto piece = [&](double outcome) {
        const Replacement fixed[] = {{e, graph_.number(outcome)}};
        return graph_.apply(Op::choose, substitute(graph_, choice.child[0], fixed), choice.child[1], choice.child[2]);
      };
      const Expression holds = piece(1), fails = piece(0);
      if (holds != fails) add(graph_.subtract(comparison.child[0], comparison.child[1]), {choose, holds, fails});
    }
  }

  std::vector<Expression> comparisons_below(Expression condition) const {
    std::vector<Expression> found, open = {condition};
    std::unordered_set<Expression> seen;
    while (!open.empty()) {
      const Expression e = open.back();
      open.pop_back();
      if (!moving_.contains(e) || !seen.insert(e).second) continue;
      if (is_order(graph_[e].op)) {
        found.push_back(e);
        continue;
      }
      for (int c = 0; c < arity(graph_[e].op); ++c) open.push_back(graph_[e].child[c]);
    }
    return found;
  }

  // a - b and b - a are one switch with its sides exchanged.
  void add(Expression when, SwitchedPiece piece) {
    if (const auto it = index_.find(graph_.negate(when)); it != index_.end()) {
      std::swap(piece.below, piece.above);
      found_[it->second].pieces.push_back(piece);
      return;
    }
    const auto [it, is_new] = index_.try_emplace(when, found_.size());
    if (is_new) found_.push_back({when, {}});
    found_[it->second].pieces.push_back(piece);
  }

  ExpressionGraph& graph_;
  std::unordered_set<Expression> moving_;
  std::map<Expression, std::size_t> index_;  // place of a switching function in found_
  std::vector<SwitchingFunction> found_;
};
}  // namespace

FloorPieces floor_pieces(ExpressionGraph& graph, Expression a) {
  const Expression half = graph.number(0.5), one = graph.number(1), two = graph.number(2);
  const auto twice_floor_of_half = [&](Expression x) {
    return graph.multiply(two, graph.apply(Op::floor, graph.multiply(half, x)));
  };
  const Expression above = graph.add(a, half);  // a triangle wave of this, from -1/2 to 1/2 and back in two units
  const Expression even = twice_floor_of_half(above);
  const Expression phase = graph.subtract(graph.subtract(above, even), one);
  return {graph.subtract(half, graph.apply(Op::abs, phase)),
          graph.add(twice_floor_of_half(graph.subtract(a, half)), one), even};
}

std::vector<SwitchingFunction> switching_functions(ExpressionGraph& graph, std::span<const Expression> roots) {
  return SwitchSearch(graph).run(roots);
}
}  // namespace trill
