// SPDX-License-Identifier: BSD-3-Clause
// Whatever an expression contains, it has a value, derivatives and a readable form, or it is refused.
#include "model/expression/derivative.hpp"
#include "model/expression/latex.hpp"
#include "model/expression/parser.hpp"
#include "model/expression/program.hpp"
#include "time_limit.hpp"

#include <cstdint>

namespace {
using namespace trill;

constexpr std::size_t most_hessian = 4000;  // largest graph whose second derivatives are formed

// The known names: numbers x and y with their rates, a parameter, an array of points r, and a name of two words.
class FewNames final : public NameScope {
 public:
  explicit FewNames(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    if (use.name == "r" && use.index == no_expression) throw use.piece.error(use.offset, "'r' is an array");
    if (use.name == "r") return {{use.index, graph_.multiply(use.index, use.index), symbol(0)}, 3};
    if (use.index != no_expression) return {};
    if (use.name == "x") return parsed_number(symbol(0));
    if (use.name == "y" || use.name == "bar.angle") return parsed_number(symbol(1));
    if (use.name == "vx") return parsed_number(graph_.symbol(SymbolKind::velocity, 0));
    if (use.name == "k") return parsed_number(graph_.symbol(SymbolKind::parameter, 0));
    if (use.name == "flat") return {{graph_.number(3), symbol(1)}, 2};
    return {};
  }
  std::vector<std::string> names() const override { return {"x", "y", "vx", "k", "r", "flat", "bar.angle"}; }
  bool knows(std::string_view dotted) const override { return dotted == "bar.angle"; }

 private:
  Expression symbol(int index) { return graph_.symbol(SymbolKind::coordinate, index); }
  ExpressionGraph& graph_;
};

void evaluate(ExpressionGraph& graph, Expression e) {
  std::vector<Expression> outputs{e};
  for (const Partial& partial : gradient(graph, e, SymbolKind::coordinate)) outputs.push_back(partial.value);
  if (graph.size() < most_hessian)
    for (const Partial& partial : lower_hessian(graph, e, SymbolKind::coordinate)) outputs.push_back(partial.value);
  const Program program(graph, outputs);
  Evaluator evaluator(program);
  const double q[] = {0.25, -3}, v[] = {2}, parameters[] = {1.5};
  evaluator.evaluate({.t = 0.5, .q = q, .v = v, .parameters = parameters});
  latex(graph, e, [](SymbolKind, int) { return "x"; });
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TimeLimit limit;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const SourceText source("fuzz.toml", text);
    ExpressionGraph graph;
    FewNames scope(graph);
    const ParsedValue value = parse_value({&source, 0, text}, graph, scope);
    for (int i = 0; i < value.size; ++i) evaluate(graph, value.part[static_cast<std::size_t>(i)]);
  } catch (const ModelError&) {
  } catch (const ExpressionLimit&) {
  }
  return 0;
}
