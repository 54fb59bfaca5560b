// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/expression/latex.hpp"
#include "model/text/model_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
// Free text of the file, escaped for a document.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos)
      out += '\\', out += c;
    else if (c == '\\' || c == '^' || c == '~')
      out += c == '\\' ? "\\textbackslash{}" : c == '^' ? "\\textasciicircum{}" : "\\textasciitilde{}";
    else
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

std::string with_dots(const std::string& name, int dots) {
  if (dots == 0) return name;
  // The dots belong to the letter, not to its index.
  const auto index = name.find("_{");
  const std::string head = name.substr(0, index), tail = index == std::string::npos ? "" : name.substr(index);
  return fmt::format("\\{}{{{}}}{}", dots == 1 ? "dot" : "ddot", head, tail);
}

class LatexModelWriter {
 public:
  explicit LatexModelWriter(const CompiledModel& model) : model_(model) {}

  std::string write() {
    std::string body;
    add_energies(body);
    add_rows(body, "0", &Kernel::constraints);
    add_rows(body, "g", &Kernel::gaps);
    add_rates(body);
    if (model_.file.rates.empty()) add_motion(body);
    return fmt::format(
        "\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n\\section*{{{}}}\n{}\\begin{{align*}"
        "}\n"
        "{}\n\\end{{align*}}\n\\end{{document}}\n",
        escaped(model_.info.title), model_.info.reference.empty() ? "" : escaped(model_.info.reference) + "\n", body);
  }

 private:
  static void line(std::string& body, const std::string& left, const std::string& right, const char* sign = "=") {
    if (!body.empty()) body += " \\\\\n";
    body += fmt::format("{} &{} {}", left, sign, right);
  }

  std::string coordinate(const Kernel& kernel, int slot, int dots) const {
    const KernelScope::Place place = kernel.scope.place(slot);
    return entry(*place.array, place.index == no_expression ? "" : text(kernel, place.index), place.part, dots);
  }

  static std::string entry(const CoordinateArray& array, const std::string& element, int part, int dots) {
    static constexpr const char* parts[] = {"x", "y", "z"};
    const std::string name = with_dots(latex_name(array.file->name.text), dots);
    std::vector<std::string> below;
    if (!element.empty()) below.push_back(element);
    if (array.parts > 1) below.emplace_back(parts[part]);
    if (below.empty()) return name;
    const std::string index = join(below, ",");
    if (name.ends_with('}') && name.find("_{") != std::string::npos)
      return name.substr(0, name.size() - 1) + "," + index + "}";
    return fmt::format("{}_{{{}}}", name, index);
  }

  std::string symbol(const Kernel& kernel, SymbolKind kind, int index) const {
    const IndexSet* over = kernel.scope.over();
    switch (kind) {
      case SymbolKind::time:
        return "t";
      case SymbolKind::parameter:
        return latex_name(model_.space->parameters()[static_cast<std::size_t>(index)].name);
      case SymbolKind::element:
        return latex_name(over->name());
      case SymbolKind::column:
        return latex_name(over->columns[static_cast<std::size_t>(index)]);
      case SymbolKind::velocity:
        return coordinate(kernel, index, 1);
      case SymbolKind::multiplier:
        return fmt::format("\\lambda_{{{}}}", index - static_cast<int>(kernel.gaps.size()) + 1);
      default:
        return coordinate(kernel, index, 0);
    }
  }
  std::string text(const Kernel& kernel, Expression e) const { return text(kernel, kernel.scope.graph(), e); }
  // Switches are written as they are in the file, without the biases that hold them in a run.
  std::string text(const Kernel& kernel, const ExpressionGraph& graph, Expression e) const {
    if (kernel.switches.empty()) return written(kernel, graph, e);
    ExpressionGraph free = graph;
    std::vector<Replacement> biases;
    for (std::size_t k = 0; k < kernel.switches.size(); ++k)
      biases.push_back({free.symbol(SymbolKind::column, static_cast<int>(kernel.first_bias() + k)), free.number(0)});
    const Expression unbiased = substitute(free, e, biases);
    return written(kernel, free, unbiased);
  }
  std::string written(const Kernel& kernel, const ExpressionGraph& graph, Expression e) const {
    return latex(graph, e, [&](SymbolKind kind, int index) { return symbol(kernel, kind, index); });
  }

  std::string summed(const Kernel& kernel, Expression e) const {
    const IndexSet* over = kernel.scope.over();
    if (!over) return text(kernel, e);
    return fmt::format("\\sum_{{{}}} \\left({}\\right)", latex_name(over->name()), text(kernel, e));
  }

  void add_energies(std::string& body) const {
    std::vector<std::string> kinetic, potential;
    for (const auto& kernel : model_.functions->kernels()) {
      for (const RowTerm& term : kernel->kinetic) kinetic.push_back(summed(*kernel, term.value));
      for (const ForceTerm& term : kernel->terms)
        if (term.energy != no_expression) potential.push_back(summed(*kernel, term.energy));
    }
    if (!kinetic.empty()) line(body, "T", join(kinetic, " + "));
    if (!potential.empty()) line(body, "V", join(potential, " + "));
  }

  void add_rows(std::string& body, const std::string& left, std::vector<RowTerm> Kernel::*rows) const {
    for (const auto& kernel : model_.functions->kernels())
      for (const RowTerm& row : (*kernel).*rows)
        line(body, left,
             text(*kernel, row.value) +
                 (kernel->scope.over() ? " \\quad\\text{for each }" + latex_name(kernel->scope.over()->name()) : ""));
  }

  void add_rates(std::string& body) const {
    for (const auto& kernel : model_.functions->kernels())
      for (const CoordinateTerm& rate : kernel->rates) line(body, changing(*kernel, rate), text(*kernel, rate.value));
  }

  // The left side of an equation: the derivative of a coordinate, of an expression, or zero.
  std::string changing(const Kernel& kernel, const CoordinateTerm& rate) const {
    const auto same = [&](const CoordinateTerm& c) { return c.array == rate.array && c.part == rate.part; };
    const auto charge = std::find_if(kernel.charges.begin(), kernel.charges.end(), same);
    if (model_.file.has_charges() && charge == kernel.charges.end()) return "0";
    if (charge != kernel.charges.end() && charge->place != rate.place)
      return fmt::format("\\frac{{d}}{{dt}} \\left({}\\right)", text(kernel, charge->value));
    const std::string element = rate.array->over ? latex_name(rate.array->over->name()) : "";
    return entry(*rate.array, element, rate.part, 1);
  }

  // M q'' = f - G^T lambda: the whole right-hand side if no term is over a set, otherwise what every element adds.
  void add_motion(std::string& body) const {
    const bool constrained = model_.functions->count(of_constraints) > 0;
    line(body, "M \\ddot{q}",
         std::string("f(t, q, \\dot{q})") +
             (constrained ? " - \\left(\\frac{\\partial g}{\\partial q}\\right)^{T} \\lambda" : ""));
    for (const auto& kernel : model_.functions->kernels()) {
      ExpressionGraph graph = kernel->graph();
      for (const auto& [slot, value] : slot_forces(*kernel, graph))
        line(body, fmt::format("f_{{{}}}", coordinate(*kernel, slot, 0)), text(*kernel, graph, value),
             kernel->scope.over() ? "\\mathrel{+}=" : "=");
    }
  }

  static std::vector<std::pair<int, Expression>> slot_forces(const Kernel& kernel, ExpressionGraph& graph) {
    std::vector<std::pair<int, Expression>> found;
    for (const Purpose purpose : {Purpose::force, Purpose::multiplier_force}) {
      const VectorDraft draft = draft_vector(kernel, {purpose}, graph);
      for (std::size_t k = 0; k < draft.outputs.size(); ++k)
        for (int slot = 0; slot < kernel.scope.slots(); ++slot)
          if (draft.targets[k].places.get() == &kernel.table->coordinates[static_cast<std::size_t>(slot)])
            found.emplace_back(slot, draft.outputs[k]);
    }
    return found;
  }

  const CompiledModel& model_;
};
}  // namespace

std::string latex_text(const CompiledModel& model) { return LatexModelWriter(model).write(); }
}  // namespace trill
