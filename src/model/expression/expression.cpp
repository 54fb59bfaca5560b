// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

namespace trill {
namespace {
std::uint64_t hash(const ExpressionNode& node) {
  std::uint64_t h = static_cast<std::uint64_t>(node.op) * 31 + static_cast<std::uint64_t>(node.kind);
  // Whole numbers as doubles differ only in their high bits, but the table uses the low ones.
  const auto mix = [&h](std::uint64_t x) {
    h = (h ^ x ^ (x >> 32)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
  };
  mix(static_cast<std::uint64_t>(node.index));
  for (const Expression e : node.child) mix(static_cast<std::uint64_t>(e));
  mix(std::bit_cast<std::uint64_t>(node.value));
  return h;
}
}  // namespace

bool is_comparison(Op op) { return op == Op::less || op == Op::less_equal || op == Op::equal || op == Op::not_equal; }

int arity(Op op) {
  switch (op) {
    case Op::number:
    case Op::symbol:
      return 0;
    case Op::choose:
    case Op::table_piece:
    case Op::multiply_add:
    case Op::multiply_subtract:
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
    case Op::table_place:
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
    case Op::multiply_add:
      return c + a * b;
    case Op::multiply_subtract:
      return c - a * b;
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
    case Op::floor:
      return std::floor(a);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::hypot:
      return std::hypot(a, b);
    case Op::table_place:
    case Op::table_piece:
      break;
  }
  return 0;
}

double evaluate_lookup(Op op, double a, double b, double c, const LookupTables& tables) {
  const LookupFunction function = LookupFunction::from(op == Op::table_place ? b : c);
  const LookupTable& table = *tables[static_cast<std::size_t>(function.table)];
  return op == Op::table_place ? lookup_place(table, a) : lookup_piece(table, a, b, function.derivative);
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
    throw ExpressionLimit(
        fmt::format("the formulas of this model and their derivatives take more than {} operations, which is the limit",
                    most_nodes));
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
  return intern_operation(op, a, b, c);
}

Expression ExpressionGraph::intern_operation(Op op, Expression a, Expression b, Expression c) {
  ExpressionNode node;
  node.op = op;
  node.child[0] = a;
  if (arity(op) > 1) node.child[1] = b;
  if (arity(op) > 2) node.child[2] = c;
  // Equal sums and products get the same order of operands; numbers come first, where simplify_multiply looks for them.
  const bool commutes = op == Op::add || op == Op::multiply;
  if (commutes && (constant(b) || (!constant(a) && b < a))) std::swap(node.child[0], node.child[1]);
  return intern(node);
}

// A result that is not finite stays an operation: the check of the start then reports its place in the model.
std::optional<Expression> ExpressionGraph::fold(Op op, Expression a, Expression b, Expression c) {
  const auto value = [&](Expression e) { return e == no_expression ? std::optional(0.0) : constant(e); };
  const auto x = value(a), y = value(b), z = value(c);
  if (!x || !y || !z) return std::nullopt;
  const double result = is_lookup(op) ? evaluate_lookup(op, *x, *y, *z, tables_) : evaluate(op, *x, *y, *z);
  if (!std::isfinite(result)) return std::nullopt;
  return number(result);
}

Expression ExpressionGraph::lookup(const std::shared_ptr<const LookupTable>& table, Expression x) {
  const auto known = std::find(tables_.begin(), tables_.end(), table);
  const LookupFunction function{static_cast<int>(known - tables_.begin())};
  if (known == tables_.end()) tables_.push_back(table);
  const Expression code = number(function.code());
  return apply(Op::table_piece, x, apply(Op::floor, apply(Op::table_place, x, code)), code);
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

void share_reciprocals(ExpressionGraph& graph, std::vector<Expression>& roots) {
  const std::vector<Expression> all = graph.needed(roots);
  std::unordered_map<Expression, int> divisions;
  for (const Expression x : all)
    if (graph[x].op == Op::divide) ++divisions[graph[x].child[1]];
  std::unordered_map<Expression, Expression> changed;
  const auto now = [&](Expression x) { return x == no_expression ? x : changed.at(x); };
  for (const Expression x : all) {
    const ExpressionNode node = graph[x];
    const Expression a = now(node.child[0]), b = now(node.child[1]), c = now(node.child[2]);
    if (arity(node.op) == 0)
      changed[x] = x;
    else if (node.op == Op::divide && divisions.at(node.child[1]) > 1)
      changed[x] = graph.multiply(a, graph.divide(graph.number(1), b));
    else
      changed[x] = graph.apply(node.op, a, b, c);
  }
  for (Expression& root : roots) root = changed.at(root);
}
}  // namespace trill
