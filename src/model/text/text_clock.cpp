// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_clock.hpp"

#include "model/expression/derivative.hpp"

#include <cmath>
#include <numbers>

namespace trill {
namespace {
// The angular velocities, one expression each, which depend on parameters, columns and the element alone.
std::vector<Expression> angular_velocities(ExpressionGraph& graph, const std::vector<Expression>& roots) {
  std::vector<Expression> found;
  for (const Expression e : graph.needed(roots)) {
    const ExpressionNode node = graph[e];
    if (node.op != Op::sin && node.op != Op::cos) continue;
    if (depends_on(graph, node.child[0], SymbolKind::coordinate)) continue;
    for (const Partial& slope : gradient(graph, node.child[0], SymbolKind::time))
      if (!depends_on(graph, slope.value, SymbolKind::time)) found.push_back(slope.value);
  }
  return found;
}

double fastest(const Kernel& kernel, const std::vector<double>& parameters) {
  ExpressionGraph graph = kernel.scope.graph();
  std::vector<Expression> roots;
  for (const CoordinateTerm& rate : kernel.rates) roots.push_back(rate.value);
  for (const ForceTerm& term : kernel.terms) roots.push_back(term.force == no_expression ? term.energy : term.force);
  const std::vector<Expression> turning = angular_velocities(graph, roots);
  if (turning.empty()) return 0;
  const Program program(graph, turning);
  Evaluator evaluator(program);
  std::vector<double> columns(kernel.table->columns.size());
  double most = 0;
  for (Index i = 0; i < kernel.scope.instances(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      columns[c] = (*kernel.table->columns[c])[static_cast<std::size_t>(i)];
    evaluator.evaluate({.parameters = parameters.data(), .columns = columns.data(), .element = static_cast<double>(i)});
    for (std::size_t k = 0; k < turning.size(); ++k) most = std::max(most, std::abs(evaluator[k]));
  }
  return most;
}
}  // namespace

std::optional<double> shortest_period(const CompiledModel& model, const std::vector<double>& parameters) {
  double most = 0;
  for (const auto& kernel : model.functions->kernels()) most = std::max(most, fastest(*kernel, parameters));
  if (!(most > 0)) return std::nullopt;
  return 2 * std::numbers::pi / most;
}
}  // namespace trill
