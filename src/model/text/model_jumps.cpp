// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_jumps.hpp"

#include "model/expression/derivative.hpp"
#include "model/expression/switching.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// The symbols of one kernel as its first element sees them at the start; they can be moved.
class LocalPoint {
 public:
  LocalPoint(const CompiledModel& model, const Kernel& kernel)
      : t_(model.begin), parameters_(model.space->parameter_values()) {
    const KernelTable& table = *kernel.table;
    for (const IndexTable& slot : table.coordinates) {
      q_.push_back(model.start[slot[0]]);
      v_.push_back(model.velocity[slot[0]]);
    }
    for (const auto& column : table.columns) columns_.push_back((*column)[0]);
  }

  void evaluate(Evaluator& evaluator) const {
    evaluator.evaluate({.t = t_,
                        .q = q_.data(),
                        .v = v_.data(),
                        .parameters = parameters_.data(),
                        .columns = columns_.data(),
                        .element = 0});
  }

  // Moves to a nearby zero of e along its gradient; false if none is found.
  bool move_onto(ExpressionGraph& graph, Expression e) {
    std::vector<Expression> outputs{e};
    std::vector<double*> moved;
    const auto list = [&](SymbolKind kind, auto place) {
      for (const Partial& p : gradient(graph, e, kind)) {
        outputs.push_back(p.value);
        moved.push_back(place(static_cast<std::size_t>(p.column)));
      }
    };
    list(SymbolKind::coordinate, [&](std::size_t k) { return &q_[k]; });
    list(SymbolKind::velocity, [&](std::size_t k) { return &v_[k]; });
    list(SymbolKind::time, [&](std::size_t) { return &t_; });
    const Program program(graph, outputs);
    Evaluator found(program);
    for (int i = 0; i < 30; ++i) {
      evaluate(found);
      double slope = 0;
      for (std::size_t k = 1; k < outputs.size(); ++k) slope += found[k] * found[k];
      if (!std::isfinite(found[0]) || !std::isfinite(slope)) return false;
      if (std::abs(found[0]) <= 1e-12 * (1 + std::sqrt(slope))) return true;
      if (slope == 0) return false;
      for (std::size_t k = 1; k < outputs.size(); ++k) *moved[k - 1] -= found[0] * found[k] / slope;
    }
    return false;
  }

 private:
  double t_;
  std::vector<double> q_, v_, columns_;
  std::vector<double> parameters_;
};

struct Jump {
  double value = 0, slope = 0;  // differences between the pieces; 0 if they are only rounding
};

// The whole expression as it is on one side of a switch. Parents come after their children in a graph, and must be
// replaced before them.
Expression on_side(ExpressionGraph& graph, Expression e, const SwitchingFunction& s, Expression SwitchedPiece::*side) {
  std::vector<SwitchedPiece> pieces = s.pieces;
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.of > b.of; });
  for (const SwitchedPiece& piece : pieces) {
    const Replacement fixed[] = {{piece.of, piece.*side}};
    e = substitute(graph, e, fixed);
  }
  return e;
}

Jump jump_at(ExpressionGraph& graph, const LocalPoint& point, Expression e, const SwitchingFunction& s) {
  const Expression below = on_side(graph, e, s, &SwitchedPiece::below),
                   above = on_side(graph, e, s, &SwitchedPiece::above);
  std::vector<Expression> outputs = {below, above};
  const Expression apart = graph.subtract(above, below);
  for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::time})
    for (const Partial& p : gradient(graph, apart, kind)) outputs.push_back(p.value);
  const Program program(graph, outputs);
  Evaluator found(program);
  point.evaluate(found);
  const auto difference = [](double a, double b) {
    const double jump = std::abs(b - a);
    return jump > 1e-9 * (1 + std::abs(a) + std::abs(b)) ? jump : 0.0;
  };
  Jump jump;
  jump.value = difference(found[0], found[1]);
  for (std::size_t k = 2; k < outputs.size(); ++k) jump.slope = std::max(jump.slope, difference(0, found[k]));
  return jump;
}

enum class Term { energy, force, constraint };

std::string describe(const Jump& jump, Term term) {
  const bool jumps = jump.value > 0;
  switch (term) {
    case Term::energy:
      return jumps ? fmt::format("this energy jumps by {:.3g}, so that the force is not defined there", jump.value)
                   : "the force of this energy jumps";
    case Term::constraint:
      return jumps ? fmt::format("this constraint jumps by {:.3g}, and no motion can follow that", jump.value)
                   : "the slope of this constraint jumps, and velocities may jump with it";
    case Term::force:
      break;
  }
  return jumps ? fmt::format("this force jumps by {:.3g}", jump.value) : "the derivative of this force jumps";
}

// For every switch of a term the whole term is examined. Since a file may have thousands of both, the search ends after
// this many nodes. It has a graph of its own, so that no model is refused because of the search.
constexpr std::size_t most_nodes_looked_at = 1'000'000;

class JumpSearch {
 public:
  JumpSearch(const CompiledModel& model, const Kernel& kernel)
      : model_(model), kernel_(kernel), graph_(kernel.scope.graph()) {}

  void look(Expression e, const FileValue& place, Term term) {
    try {
      look_at_switches(e, place, term);
    } catch (const ExpressionLimit&) {
      looked_at_ = most_nodes_looked_at;
    }
  }
  // Reports switches at which steps do not end.
  void look_for_switches(const RowTerm& term) {
    const Expression roots[] = {term.value};
    if (!switching_functions(graph_, roots).empty())
      found_.push_back(
          fmt::format("line {}: this kinetic energy switches from one formula to another; steps do not end there, so "
                      "small steps may be needed",
                      model_.source.place(term.place->piece.begin).line));
  }
  std::vector<std::string> take_warnings() { return std::move(found_); }

 private:
  void look_at_switches(Expression e, const FileValue& place, Term term) {
    if (looked_at_ >= most_nodes_looked_at) return;
    const Expression roots[] = {e};
    const std::size_t nodes = graph_.needed(roots).size();
    for (const SwitchingFunction& s : switching_functions(graph_, roots)) {
      looked_at_ += nodes * (2 + s.pieces.size());
      if (looked_at_ >= most_nodes_looked_at) return;
      LocalPoint point(model_, kernel_);
      if (!point.move_onto(graph_, s.when)) continue;
      const Jump jump = jump_at(graph_, point, e, s);
      if (jump.value == 0 && jump.slope == 0) continue;
      found_.push_back(fmt::format("line {}: where the formula switches, {}{}",
                                   model_.source.place(place.piece.begin).line, describe(jump, term),
                                   kernel_.switches.empty() ? "" : "; steps end there"));
    }
  }

  const CompiledModel& model_;
  const Kernel& kernel_;
  ExpressionGraph graph_;
  std::size_t looked_at_ = 0;
  std::vector<std::string> found_;
};
}  // namespace

std::vector<std::string> find_jumps(const CompiledModel& model, const Kernel& kernel) {
  if (kernel.table->instances == 0) return {};
  JumpSearch search(model, kernel);
  for (const ForceTerm& term : kernel.terms)
    if (term.force == no_expression)
      search.look(term.energy, *term.place, Term::energy);
    else
      search.look(term.force, *term.place, Term::force);
  for (const CoordinateTerm& rate : kernel.rates) search.look(rate.value, *rate.place, Term::force);
  for (const RowTerm& row : kernel.constraints) search.look(row.value, *row.place, Term::constraint);
  for (const RowTerm& term : kernel.kinetic) search.look_for_switches(term);
  return search.take_warnings();
}
}  // namespace trill
