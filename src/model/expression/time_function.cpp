// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace trill {
namespace {
constexpr int most_looks_for_signs = 200'000;
constexpr TimeRange unknown_in_time{everything, everything, everything};

bool is_constant(SymbolKind kind) {
  return kind == SymbolKind::parameter || kind == SymbolKind::element || kind == SymbolKind::column;
}

TimeRange product(const TimeRange& a, const TimeRange& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope,
          a.curvature * b.value + 2 * (a.slope * b.slope) + a.value * b.curvature};
}

TimeRange sum(const TimeRange& a, const TimeRange& b) {
  return {a.value + b.value, a.slope + b.slope, a.curvature + b.curvature};
}

TimeRange negative(const TimeRange& a) { return {-a.value, -a.slope, -a.curvature}; }

TimeRange composed(const FunctionRange& f, const TimeRange& a) {
  return {f.value, f.slope * a.slope, f.curvature * square(a.slope) + f.slope * a.curvature};
}

TimeRange inverse_of(const TimeRange& a) {
  const Interval inverted = inverse(a.value), squared = square(inverted);
  return composed({inverted, -squared, 2 * (squared * inverted)}, a);
}

TimeRange either(const TimeRange& a, const TimeRange& b) {
  return {hull(a.value, b.value), hull(a.slope, b.slope), hull(a.curvature, b.curvature)};
}

TimeRange power(const TimeRange& a, const TimeRange& b) {
  if (b.value.is_point()) return composed(range_of_power(a.value, b.value.low), a);
  return composed(range_of(Op::exp, (b.value * range_of(Op::log, a.value).value)),
                  product(b, composed(range_of(Op::log, a.value), a)));
}

TimeRange truth(bool always, bool never) { return {{always ? 1.0 : 0.0, never ? 0.0 : 1.0}, {0, 0}, {0, 0}}; }

TimeRange comparison(Op op, const Interval& a, const Interval& b) {
  const bool apart = a.high < b.low || b.high < a.low, same = a.is_point() && b.is_point() && a.low == b.low;
  switch (op) {
    case Op::less:
      return truth(a.high < b.low, a.low >= b.high);
    case Op::less_equal:
      return truth(a.high <= b.low, a.low > b.high);
    case Op::equal:
      return truth(same, apart);
    default:
      return truth(apart, same);
  }
}

// 0: does not change, 1: changes with the time alone, 2: changes with other things.
std::unordered_map<Expression, int> find_dependence(const ExpressionGraph& graph, std::span<const Expression> roots) {
  std::unordered_map<Expression, int> found;
  for (const Expression e : graph.needed(roots)) {
    const ExpressionNode& node = graph[e];
    int of = node.op != Op::symbol || is_constant(node.kind) ? 0 : node.kind == SymbolKind::time ? 1 : 2;
    for (int c = 0; c < arity(node.op); ++c) of = std::max(of, found.at(node.child[c]));
    found.emplace(e, of);
  }
  return found;
}
}  // namespace

TimeFunction::TimeFunction(const ExpressionGraph& graph, Expression e, const Constants& constants)
    : tables_(graph.tables()) {
  const Expression roots[] = {e};
  std::unordered_map<Expression, int> places;
  for (const Expression x : graph.needed(roots)) {
    Step step{graph[x]};
    for (int c = 0; c < arity(step.node.op); ++c) step.child[c] = places.at(step.node.child[c]);
    if (step.node.op == Op::symbol && step.node.kind != SymbolKind::time) {
      step.node.value = constants(step.node.kind, step.node.index);
      step.node.op = Op::number;
    }
    places.emplace(x, static_cast<int>(steps_.size()));
    steps_.push_back(step);
  }
  ranges_.resize(steps_.size());
}

TimeRange TimeFunction::over(double t0, double t1) {
  for (std::size_t k = 0; k < steps_.size(); ++k) ranges_[k] = evaluate(steps_[k], {t0, t1});
  return ranges_.back();
}

TimeRange TimeFunction::evaluate(const Step& step, const Interval& t) const {
  const Op op = step.node.op;
  if (op == Op::number) return {{step.node.value, step.node.value}, {0, 0}, {0, 0}};
  if (op == Op::symbol) return {t, {1, 1}, {0, 0}};
  const TimeRange& a = child(step, 0);
  if (op == Op::choose) return choose(step);
  if (is_lookup(op)) return look_up(step);
  if (arity(op) == 1) return composed(range_of(op, a.value), a);
  const TimeRange& b = child(step, 1);
  switch (op) {
    case Op::add:
      return sum(a, b);
    case Op::subtract:
      return sum(a, negative(b));
    case Op::multiply:
      return product(a, b);
    case Op::divide:
      return product(a, inverse_of(b));
    case Op::power:
      return power(a, b);
    case Op::min:
    case Op::max: {
      const bool takes_b = op == Op::min ? b.value.high <= a.value.low : b.value.low >= a.value.high;
      const bool takes_a = op == Op::min ? a.value.high <= b.value.low : a.value.low >= b.value.high;
      return takes_a ? a : takes_b ? b : either(a, b);
    }
    case Op::hypot: {
      const TimeRange squares =
          sum(composed(range_of(Op::square, a.value), a), composed(range_of(Op::square, b.value), b));
      return composed(range_of(Op::sqrt, squares.value), squares);
    }
    default:
      return is_comparison(op) ? comparison(op, a.value, b.value) : unknown_in_time;
  }
}

TimeRange TimeFunction::look_up(const Step& step) const {
  const TimeRange& a = child(step, 0);
  const bool place = step.node.op == Op::table_place;
  const LookupFunction function = LookupFunction::from(child(step, place ? 1 : 2).value.low);
  const LookupTable& table = *tables_[static_cast<std::size_t>(function.table)];
  return composed(place ? range_of_place(table, a.value)
                        : range_of_piece(table, a.value, child(step, 1).value, function.derivative),
                  a);
}

TimeRange TimeFunction::choose(const Step& step) const {
  const Interval& condition = child(step, 0).value;
  if (!condition.contains(0)) return child(step, 1);
  return condition.is_point() ? child(step, 2) : either(child(step, 1), child(step, 2));
}

double TimeFunction::find_sign_change(double t0, double t1) {
  const bool below = at(t0) < 0;
  for (double middle = 0.5 * (t0 + t1); t0 < middle && middle < t1; middle = 0.5 * (t0 + t1))
    ((at(middle) < 0) == below ? t0 : t1) = middle;
  return t1;
}

// Stretches over which the range excludes zero have no sign change, and those over which the slope does at most one.
std::vector<double> TimeFunction::sign_changes(double t0, double t1) {
  std::vector<double> found;
  std::vector<Interval> open{{t0, t1}};
  const double shortest = 1e-12 * (t1 - t0);
  for (int looks = 0; !open.empty(); ++looks) {
    if (looks == most_looks_for_signs) return {};
    const Interval stretch = open.back();
    open.pop_back();
    const TimeRange range = over(stretch.low, stretch.high);
    if (!range.value.contains(0)) continue;
    const double middle = 0.5 * (stretch.low + stretch.high);
    if (range.slope.contains(0) && stretch.high - stretch.low > shortest) {
      open.push_back({middle, stretch.high});
      open.push_back({stretch.low, middle});
    } else if ((at(stretch.low) < 0) != (at(stretch.high) < 0)) {
      found.push_back(find_sign_change(stretch.low, stretch.high));
    }
  }
  return found;
}

bool depends_on_time_alone(const ExpressionGraph& graph, Expression e) {
  const Expression roots[] = {e};
  return find_dependence(graph, roots).at(e) == 1;
}

std::vector<Expression> time_parts(const ExpressionGraph& graph, std::span<const Expression> roots) {
  const auto dependence = find_dependence(graph, roots);
  std::vector<Expression> found, open(roots.begin(), roots.end());
  std::unordered_set<Expression> seen;
  while (!open.empty()) {
    const Expression e = open.back();
    open.pop_back();
    if (dependence.at(e) == 0 || !seen.insert(e).second) continue;
    const ExpressionNode& node = graph[e];
    const bool is_sum = node.op == Op::add || node.op == Op::subtract || node.op == Op::negate;
    if (dependence.at(e) == 1 && !is_sum) {
      found.push_back(e);
      continue;
    }
    for (int c = 0; c < arity(node.op); ++c) open.push_back(node.child[c]);
  }
  return found;
}
}  // namespace trill
