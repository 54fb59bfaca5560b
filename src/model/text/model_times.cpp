// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_times.hpp"

#include "model/expression/derivative.hpp"

#include <algorithm>

namespace trill {
namespace {
constexpr std::size_t most_time_functions = 2000;  // further ones are left to event detection and error estimates

std::vector<Expression> terms_of(const Kernel& kernel) {
  std::vector<Expression> all;
  for (const auto* terms : {&kernel.terms, &kernel.reactions})
    for (const ForceTerm& term : *terms) all.push_back(term.force == no_expression ? term.energy : term.force);
  for (const CoordinateTerm& rate : kernel.rates) all.push_back(rate.value);
  for (const auto* rows : {&kernel.gaps, &kernel.constraints})
    for (const RowTerm& row : *rows) all.push_back(row.value);
  return all;
}

// The slopes of these say nothing of their jumps.
bool jumps_in_time(const ExpressionGraph& graph, Expression e) {
  const Expression roots[] = {e};
  const std::vector<Expression> parts = graph.needed(roots);
  return std::any_of(parts.begin(), parts.end(), [&](Expression part) {
    const Op op = graph[part].op;
    return (op == Op::floor || is_comparison(op)) && depends_on(graph, part, SymbolKind::time);
  });
}

// Hands over the expressions, one after another, as functions for each element, or once if all elements agree.
class ElementFunctions {
 public:
  explicit ElementFunctions(std::span<const double> parameters) : parameters_(parameters) {}

  template <class Use>
  void each(const Kernel& kernel, std::span<const Expression> expressions, Use use) {
    for (const Expression e : expressions) {
      const Index count =
          kernel.scope.is_common(e) ? std::min<Index>(1, kernel.scope.instances()) : kernel.scope.instances();
      for (Index i = 0; i < count && used_ < most_time_functions; ++i, ++used_)
        use(TimeFunction(kernel.scope.graph(), e, constants(kernel, i)));
    }
  }

 private:
  // The biases of switches come after the columns of the set; nothing is held here.
  TimeFunction::Constants constants(const Kernel& kernel, Index element) const {
    return [this, &kernel, element](SymbolKind kind, int index) {
      const auto k = static_cast<std::size_t>(index);
      if (kind == SymbolKind::parameter) return parameters_[k];
      if (kind == SymbolKind::element) return static_cast<double>(element);
      if (k >= kernel.first_bias()) return 0.0;
      return (*kernel.table->columns[k])[static_cast<std::size_t>(element)];
    };
  }

  std::span<const double> parameters_;
  std::size_t used_ = 0;
};
}  // namespace

bool is_linear_in_time(ExpressionGraph& graph, Expression e) {
  if (jumps_in_time(graph, e)) return false;
  for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::multiplier})
    if (depends_on(graph, e, kind)) return false;
  for (const Partial& slope : gradient(graph, e, SymbolKind::time))
    if (depends_on(graph, slope.value, SymbolKind::time)) return false;
  return true;
}

std::vector<double> curved_switch_times(const CompiledModel& model, std::span<const double> parameters, double t0,
                                        double t1) {
  std::vector<double> times;
  ElementFunctions functions(parameters);
  for (const auto& kernel : model.functions->kernels()) {
    std::vector<Expression> curved = kernel->events;
    for (const SwitchTerm& s : kernel->switches) curved.push_back(s.when);
    std::erase_if(curved, [&](Expression e) { return !depends_on_time_alone(kernel->graph(), e); });
    if (curved.empty()) continue;
    ExpressionGraph graph = kernel->graph();  // derivatives add to it
    std::erase_if(curved, [&](Expression e) { return is_linear_in_time(graph, e); });
    functions.each(*kernel, curved, [&](TimeFunction f) {
      const std::vector<double> found = f.sign_changes(t0, t1);
      times.insert(times.end(), found.begin(), found.end());
    });
  }
  return times;
}

std::vector<TimeMark> find_time_marks(const CompiledModel& model, std::span<const double> parameters, double t0,
                                      double t1) {
  std::vector<ActiveStretch> all;
  ElementFunctions functions(parameters);
  for (const auto& kernel : model.functions->kernels())
    functions.each(*kernel, time_parts(kernel->scope.graph(), terms_of(*kernel)), [&](TimeFunction f) {
      const std::vector<ActiveStretch> found = active_stretches(std::move(f), t0, t1);
      all.insert(all.end(), found.begin(), found.end());
    });
  return marks_of(all);
}
}  // namespace trill
