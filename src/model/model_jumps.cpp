// SPDX-License-Identifier: BSD-3-Clause
#include "model_jumps.hpp"

#include "trill/model/derivative.hpp"
#include "trill/model/switching.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// The symbols of one kernel as its first element sees them at the start, free to be moved.
class LocalPoint {
 public:
  LocalPoint(const CompiledModel& model, const Kernel& kernel) : parameters_(model.space->parameter_values()) {
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

  // To a zero of e near by, along its gradient; false where none is found.
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
  double t_ = 0;
  std::vector<double> q_, v_, columns_;
  std::vector<double> parameters_;
};

struct Jump {
  double value = 0, slope = 0;  // of the pieces, as differences that are not rounding
};

Jump jump_at(ExpressionGraph& graph, const LocalPoint& point, const SwitchedPiece& piece) {
  std::vector<Expression> outputs = {piece.below, piece.above};
  const Expression apart = graph.subtract(piece.above, piece.below);
  for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::time})
    for (const Partial& p : gradient(graph, apart, kind)) outputs.push_back(p.value);
  const Program program(graph, outputs);
  Evaluator found(program);
  point.evaluate(found);
  const auto difference = [](double below, double above) {
    const double jump = std::abs(above - below);
    return jump > 1e-9 * (1 + std::abs(below) + std::abs(above)) ? jump : 0.0;
  };
  Jump jump;
  if (!piece.continuous) jump.value = difference(found[0], found[1]);
  for (std::size_t k = 2; k < outputs.size(); ++k) jump.slope = std::max(jump.slope, difference(0, found[k]));
  return jump;
}

std::string describe(const Jump& jump, bool energy) {
  if (energy && jump.value > 0)
    return fmt::format("an energy jumps by {:.3g}; the force there is not defined", jump.value);
  if (jump.value > 0) return fmt::format("a force jumps by {:.3g}", jump.value);
  return energy ? "a force jumps" : "the derivative of a force jumps";
}
}  // namespace

std::vector<std::string> find_jumps(const CompiledModel& model, Kernel& kernel) {
  std::vector<std::string> found;
  if (kernel.table->instances == 0) return found;
  const auto look = [&](Expression e, const FileValue& place, bool energy) {
    const Expression roots[] = {e};
    for (const SwitchingFunction& s : switching_functions(kernel.graph(), roots)) {
      LocalPoint point(model, kernel);
      if (!point.move_onto(kernel.graph(), s.when)) continue;
      Jump most;
      for (const SwitchedPiece& piece : s.pieces) {
        const Jump jump = jump_at(kernel.graph(), point, piece);
        most.value = std::max(most.value, jump.value);
        most.slope = std::max(most.slope, jump.slope);
      }
      if (most.value == 0 && most.slope == 0) continue;
      found.push_back(fmt::format("line {}: at a switch {}; steps end there",
                                  model.source.place(place.piece.begin).line, describe(most, energy)));
    }
  };
  for (const ForceTerm& term : kernel.terms)
    look(term.force == no_expression ? term.energy : term.force, *term.place, term.force == no_expression);
  for (const CoordinateTerm& rate : kernel.rates) look(rate.value, *rate.place, false);
  return found;
}
}  // namespace trill
