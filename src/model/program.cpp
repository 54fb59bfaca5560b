// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/program.hpp"

#include <cmath>
#include <unordered_map>

namespace trill {
namespace {
struct Use {
  std::uint32_t place = 0;  // register
  int count = 0;            // how many nodes and outputs read it
};
}  // namespace

Program::Program(const ExpressionGraph& graph, std::span<const Expression> outputs) {
  const std::vector<Expression> nodes = graph.needed(outputs);
  std::unordered_map<Expression, Use> uses;
  for (const Expression e : outputs) ++uses[e].count;
  for (const Expression e : nodes)
    for (int k = 0; k < arity(graph[e].op); ++k) ++uses[graph[e].child[k]].count;

  const auto place = [&](Expression e) { return uses.at(e).place; };
  // A product that is read once, by a sum, is computed there: half the instructions of a sum of products.
  const auto joins_sum = [&](Expression e) { return graph[e].op == Op::multiply && uses.at(e).count == 1; };
  std::unordered_map<Expression, bool> joined;
  for (const Expression e : nodes) {
    const ExpressionNode& node = graph[e];
    if (node.op == Op::add && joins_sum(node.child[0]))
      joined[node.child[0]] = true;
    else if ((node.op == Op::add || node.op == Op::subtract) && joins_sum(node.child[1]))
      joined[node.child[1]] = true;
  }
  for (const Expression e : nodes) {
    const ExpressionNode& node = graph[e];
    if (joined.contains(e)) continue;
    const auto to = uses.at(e).place = static_cast<std::uint32_t>(initial_.size());
    initial_.push_back(node.op == Op::number ? node.value : 0);
    if (node.op == Op::number) continue;
    if (node.op == Op::symbol) {
      loads_.push_back({node.kind, node.index, to});
      continue;
    }
    Instruction step{Step::any, node.op, to};
    const bool first = node.op == Op::add && joined.contains(node.child[0]);
    const bool second = !first && arity(node.op) == 2 && joined.contains(node.child[1]);
    if (first || second) {
      const ExpressionNode& product = graph[node.child[first ? 0 : 1]];
      step.step = node.op == Op::add ? Step::multiply_add : Step::multiply_subtract;
      step.a = place(product.child[0]);
      step.b = place(product.child[1]);
      step.c = place(node.child[first ? 1 : 0]);
    } else {
      step.a = place(node.child[0]);
      if (arity(node.op) > 1) step.b = place(node.child[1]);
      if (arity(node.op) > 2) step.c = place(node.child[2]);
      switch (node.op) {
        case Op::add:
          step.step = Step::add;
          break;
        case Op::subtract:
          step.step = Step::subtract;
          break;
        case Op::multiply:
          step.step = Step::multiply;
          break;
        case Op::divide:
          step.step = Step::divide;
          break;
        case Op::square:
          step.step = Step::square;
          break;
        case Op::sqrt:
          step.step = Step::sqrt;
          break;
        default:
          break;
      }
    }
    code_.push_back(step);
  }
  for (const Expression e : outputs) outputs_.push_back(place(e));
}

void Program::evaluate(const ProgramInputs& inputs, double* r) const {
  for (const Load& load : loads_) {
    switch (load.kind) {
      case SymbolKind::time:
        r[load.to] = inputs.t;
        break;
      case SymbolKind::coordinate:
        r[load.to] = inputs.q[load.index];
        break;
      case SymbolKind::velocity:
        r[load.to] = inputs.v[load.index];
        break;
      case SymbolKind::multiplier:
        r[load.to] = inputs.multipliers[load.index];
        break;
      default:
        break;
    }
  }
  for (const Instruction& i : code_) {
    switch (i.step) {
      case Step::add:
        r[i.to] = r[i.a] + r[i.b];
        break;
      case Step::subtract:
        r[i.to] = r[i.a] - r[i.b];
        break;
      case Step::multiply:
        r[i.to] = r[i.a] * r[i.b];
        break;
      case Step::divide:
        r[i.to] = r[i.a] / r[i.b];
        break;
      case Step::square:
        r[i.to] = r[i.a] * r[i.a];
        break;
      case Step::sqrt:
        r[i.to] = std::sqrt(r[i.a]);
        break;
      case Step::multiply_add:
        r[i.to] = r[i.c] + r[i.a] * r[i.b];
        break;
      case Step::multiply_subtract:
        r[i.to] = r[i.c] - r[i.a] * r[i.b];
        break;
      case Step::any:
        r[i.to] = trill::evaluate(i.op, r[i.a], r[i.b], r[i.c]);
        break;
    }
  }
}
}  // namespace trill
