// SPDX-License-Identifier: BSD-3-Clause
#include "method/position_function.hpp"

#include "base/text.hpp"
#include "model/expression/derivative.hpp"
#include "model/expression/parser.hpp"

#include <algorithm>

namespace trill {
namespace {
// Positions that have a plain name, and parameters.
class PositionNames final : public NameScope {
 public:
  PositionNames(const MechanicalProblem& problem, ExpressionGraph& graph) : graph_(graph) {
    const std::vector<Quantity> all = problem.components();
    for (Index k = 0; k < problem.layout().nq; ++k) positions_.push_back(all[static_cast<std::size_t>(k)].name);
    for (const Parameter& parameter : problem.parameters()) parameters_.push_back(parameter.name);
  }
  ParsedValue find(const NameUse& use) override {
    if (use.index != no_expression) return {};
    if (const int k = place(positions_, use.name); k >= 0)
      return parsed_number(graph_.symbol(SymbolKind::coordinate, k));
    if (const int k = place(parameters_, use.name); k >= 0)
      return parsed_number(graph_.symbol(SymbolKind::parameter, k));
    return {};
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> all = positions_;
    all.insert(all.end(), parameters_.begin(), parameters_.end());
    return all;
  }

 private:
  static int place(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
  ExpressionGraph& graph_;
  std::vector<std::string> positions_, parameters_;
};
}  // namespace

PositionFunction::PositionFunction(const MechanicalProblem& problem, const std::string& text, const std::string& what) {
  const SourceText source(what, text);
  ExpressionGraph graph;
  PositionNames names(problem, graph);
  const Expression root = parse_expression({&source, 0, text}, graph, names);
  if (depends_on(graph, root, SymbolKind::time)) throw UsageError(what + " must not depend on t");
  std::vector<Expression> outputs{root};
  for (const Partial& partial : gradient(graph, root, SymbolKind::coordinate)) {
    columns_.push_back(partial.column);
    outputs.push_back(partial.value);
  }
  value_ = Program(graph, std::span(outputs).first(1));
  all_ = Program(graph, outputs);
  evaluate_value_ = Evaluator(value_);
  evaluate_all_ = Evaluator(all_);
  for (const Parameter& parameter : problem.parameters()) parameters_.push_back(parameter.value);
}

double PositionFunction::value(In q) {
  evaluate_value_.evaluate({.q = q.data(), .parameters = parameters_.data()});
  return evaluate_value_[0];
}

double PositionFunction::value_and_gradient(In q, Out gradient) {
  evaluate_all_.evaluate({.q = q.data(), .parameters = parameters_.data()});
  gradient.setZero();
  for (std::size_t k = 0; k < columns_.size(); ++k) gradient[columns_[k]] = evaluate_all_[k + 1];
  return evaluate_all_[0];
}
}  // namespace trill
