// SPDX-License-Identifier: BSD-3-Clause
// list, describe, cite: show what is in the registries.
#include "base/text.hpp"
#include "commands.hpp"
#include "formulation/constraint_formulation.hpp"
#include "model/molecule/molecule_model.hpp"
#include "model/netlist/netlist.hpp"
#include "papers/figure.hpp"
#include "terminal.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/solution/solution_file.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;

std::string problems_of(const Accepts& a) {
  std::vector<std::string> kinds;
  if (a.first_order) kinds.emplace_back("first-order");
  if (a.mechanical) kinds.emplace_back("mechanical");
  if (a.constrained) kinds.emplace_back("constrained");
  if (a.langevin) kinds.emplace_back("Langevin");
  if (a.circuit) kinds.emplace_back("circuit");
  return join(kinds, ", ");
}

std::string properties_of(const MethodInfo& m) {
  std::vector<std::string> words;
  words.emplace_back(m.implicit_step ? "implicit" : "explicit");
  if (m.symplectic) words.emplace_back("symplectic");
  if (m.symmetric) words.emplace_back("symmetric");
  if (m.p_stable) words.emplace_back("P-stable");
  words.emplace_back(m.owns_step ? "chooses its steps by rtol"
                                 : (m.error_order > 0 ? "steps by rtol or h" : "steps by h"));
  return join(words, ", ");
}

json options_json(const std::vector<OptionRow>& rows) {
  json list = json::array();
  for (const OptionRow& row : rows)
    list.push_back({{"name", row.name}, {"default", row.value}, {"allowed", row.allowed}, {"what", row.what}});
  return list;
}

json method_json(const MethodEntry& e) {
  const MethodInfo& m = e.info;
  return {{"name", m.name},
          {"title", m.title},
          {"reference", m.reference},
          {"order", m.order},
          {"order_lambda", m.order_lambda},
          {"error_order", m.error_order},
          {"dense_order", m.dense_order},
          {"implicit", m.implicit_step},
          {"symmetric", m.symmetric},
          {"symplectic", m.symplectic},
          {"p_stable", m.p_stable},
          {"owns_step", m.owns_step},
          {"delivers", to_text(m.delivers)},
          {"problems", problems_of(m.accepts)},
          {"options", options_json(e.options)}};
}

json model_json(const ModelDescription& e) {
  return {
      {"name", e.info.name},
      {"title", e.info.title},
      {"reference", e.info.reference},
      {"equations", e.info.equations},
      {"parameters", options_json(e.parameters)},
      {"run", {{"to", e.info.run.to}, {"method", e.info.run.method}, {"h", e.info.run.h}, {"rtol", e.info.run.rtol}}}};
}

void list_methods(bool as_json) {
  json all = json::array();
  std::vector<std::vector<std::string>> rows{
      {"method", "order", "what it is", "properties", "kinds of models it runs"}};
  for (const MethodEntry& e : Catalogue::all().methods()) {
    all.push_back(method_json(e));
    rows.push_back({e.info.name, e.info.order > 0 ? fmt::format("{}", e.info.order) : "varies", e.info.title,
                    properties_of(e.info), problems_of(e.info.accepts)});
  }
  for (const ReformulationEntry& e : Catalogue::all().formulations())
    if (e.driving_method)
      rows.push_back({e.name, "varies", e.title, fmt::format("computes the {}", to_text(*e.delivers)), e.runs});
  print(as_json ? all.dump(2) + "\n" : text_table(rows));
}

void list_models(bool as_json) {
  json all = json::array();
  std::vector<std::vector<std::string>> rows{{"model", "what it is", "reference"}};
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    const ModelDescription e = entry.describe();
    all.push_back(model_json(e));
    rows.push_back({e.info.name, e.info.title, e.info.reference});
  }
  print(as_json ? all.dump(2) + "\n" : text_table(rows));
}

void list_figures(bool as_json) {
  json all = json::array();
  std::vector<std::vector<std::string>> rows{{"figure", "what it shows", "reference"}};
  for (const FigureEntry& e : FigureRegistry::all().entries()) {
    all.push_back({{"name", e.name}, {"title", e.title}, {"reference", e.reference}});
    rows.push_back({e.name, e.title, e.reference});
  }
  print(as_json ? all.dump(2) + "\n" : text_table(rows));
}

void list_formulations(bool as_json) {
  json all = json::array();
  std::vector<std::vector<std::string>> rows{{"formulation", "what it does", "reference"}};
  for (const ReformulationEntry& e : Catalogue::all().formulations()) {
    all.push_back({{"name", e.name}, {"title", e.title}, {"reference", e.reference}});
    rows.push_back({e.name, e.title, e.reference});
  }
  for (const ConstraintFormInfo& e : constraint_forms()) {
    all.push_back({{"name", e.name}, {"title", e.title}, {"reference", e.reference}});
    rows.push_back({e.name, e.title, e.reference});
  }
  print(as_json ? all.dump(2) + "\n" : text_table(rows));
}

std::string option_table(const std::vector<OptionRow>& options, const std::string& head) {
  if (options.empty()) return "";
  std::vector<std::vector<std::string>> rows{{head, "default", "allowed", "meaning"}};
  for (const OptionRow& o : options) rows.push_back({o.name, o.value, o.allowed, o.what});
  return "\n" + text_table(rows);
}

std::string method_text(const MethodEntry& e) {
  const MethodInfo& m = e.info;
  return fmt::format(
      "{}: {}\n{}\norder {}, {}; interpolation inside steps of order {}; computes the {}\nkinds of models it runs: "
      "{}\n{}\n",
      m.name, m.title, m.reference, m.order > 0 ? fmt::format("{}", m.order) : "varies", properties_of(m),
      m.dense_order > 0 ? fmt::format("{}", m.dense_order) : "varies", to_text(m.delivers), problems_of(m.accepts),
      e.options.empty() ? "no options" : option_table(e.options, "option (--set)"));
}

std::string formulation_text(const ReformulationEntry& e) {
  const std::string how =
      e.driving_method ? fmt::format("--method {} (--set macro=NAME chooses another method that drives it)", e.name)
                       : fmt::format("--formulation {}", e.name);
  return fmt::format("{}: {}\n{}\ncomputes the {}\nuse it by: {}\n{}\n", e.name, e.title, e.reference,
                     e.delivers ? to_text(*e.delivers) : "motion of the formulation", how,
                     e.options.empty() ? "no options" : option_table(e.options, "option (--set)"));
}

// `call`: how the user named the model, by a name or a file.
std::string model_text(const ModelDescription& e, const std::string& call) {
  const RunDefaults& r = e.info.run;
  const std::string way = r.method.empty() ? "a method that it chooses"
                          : r.h > 0        ? fmt::format("{}, h = {}", r.method, r.h)
                                           : fmt::format("{}, rtol = {}", r.method, r.rtol);
  return fmt::format("{}: {}\n{}\n\n{}\n{}\n`trill run {}` solves it to t = {} with {}.\n", e.info.name, e.info.title,
                     e.info.reference, e.info.equations, option_table(e.parameters, "parameter (--param)"), call, r.to,
                     way);
}

template <class Registry>
const auto* find_quietly(const Registry& registry, const std::string& name) {
  try {
    return &registry.find(name);
  } catch (const UsageError&) {
    return static_cast<decltype(&registry.find(name))>(nullptr);
  }
}

// The papers for these keys, each once, and trill itself.
std::string citations(const std::vector<std::string>& references) {
  static const std::vector<std::pair<std::string, std::string>> papers{
      {"PJY97",
       "L. R. Petzold, L. O. Jay, J. Yen: Numerical solution of highly oscillatory ordinary differential equations. "
       "Acta Numerica 6 (1997) 437-483."},
      {"JP95", "L. O. Jay, L. R. Petzold: Highly oscillatory systems and periodic-stability. Preprint, 1995."},
      {"YPR98",
       "J. Yen, L. Petzold, S. Raha: A time integration algorithm for flexible mechanism dynamics: the DAE "
       "alpha-method. Comput. Methods Appl. Mech. Engrg. 158 (1998) 341-355."},
      {"SS08",
       "J. M. Sanz-Serna: Mollified impulse methods for highly oscillatory differential equations. SIAM J. Numer. "
       "Anal. 46 (2008) 1040-1059."},
      {"SAT09",
       "J. M. Sanz-Serna, G. Ariel, R. Tsai: Multiscale methods for stiff and constrained mechanical systems. 2009."}};
  std::string text = fmt::format("trill {}, the trill authors, 2026.\n", TRILL_VERSION);
  for (const std::string& reference : references)
    if (!reference.empty()) text += reference + "\n";
  for (const auto& [key, paper] : papers)
    for (const std::string& reference : references)
      if (reference.find(key) != std::string::npos) {
        text += fmt::format("{}: {}\n", key, paper);
        break;
      }
  return text;
}

[[noreturn]] void refuse_unknown(const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (const auto& e : Catalogue::all().methods()) known.push_back(e.info.name);
  for (const auto& e : ModelRegistry::all().entries()) known.push_back(e.name.substr(e.name.rfind('/') + 1));
  for (const auto& e : FigureRegistry::all().entries()) known.push_back(e.name);
  for (const auto& e : Catalogue::all().formulations()) known.push_back(e.name);
  throw UsageError(
      fmt::format("'{}' is {}{} (run 'trill list methods', 'trill list models' or 'trill list figures' to see all)",
                  name, what, suggest(lower_snake(name), known)));
}
}  // namespace

int list(const ListArguments& a) {
  if (a.what == "methods")
    list_methods(a.json);
  else if (a.what == "models")
    list_models(a.json);
  else if (a.what == "formulations")
    list_formulations(a.json);
  else if (a.what == "figures")
    list_figures(a.json);
  else {
    const std::vector<std::string> known{"methods", "models", "formulations", "figures"};
    throw UsageError(fmt::format("there is no list of '{}'{}", a.what, suggest(a.what, known)));
  }
  return ExitCode::ok;
}

int cite(const CiteArguments& a) {
  std::vector<std::string> references;
  if (a.input.ends_with(".toml") || is_netlist(a.input) || is_molecule_file(a.input))
    references.push_back(describe_model(a.input).info.reference);
  else if (const auto* method = Catalogue::all().find_method(a.input))
    references.push_back(method->info.reference);
  else if (const ReformulationEntry* formulation = Catalogue::all().find_formulation(a.input))
    references.push_back(formulation->reference);
  else if (const auto* model = find_quietly(ModelRegistry::all(), a.input))
    references.push_back(model->describe().info.reference);
  else if (const auto* figure = find_quietly(FigureRegistry::all(), a.input))
    references.push_back(figure->reference);
  else if (std::filesystem::path(a.input).extension().empty())
    refuse_unknown(a.input, "not a method, model, figure or solution file");
  else {
    const SolutionFile file(a.input);
    references = {file.info().problem_reference, file.info().method_reference};
  }
  print(paragraph(citations(references)));
  return ExitCode::ok;
}

int describe(const DescribeArguments& a) {
  if (is_model_file(a.name)) {
    print(paragraph(model_text(describe_model(a.name), a.name)));
    return ExitCode::ok;
  }
  const auto* method = Catalogue::all().find_method(a.name);
  const auto* model = find_quietly(ModelRegistry::all(), a.name);
  const auto* figure = find_quietly(FigureRegistry::all(), a.name);
  const ReformulationEntry* formulation = Catalogue::all().find_formulation(a.name);
  if (!method && !model && !figure && !formulation)
    refuse_unknown(a.name, "not a method, model, formulation or figure");
  if (formulation) print(paragraph(formulation_text(*formulation)));
  if (method) print(paragraph(method_text(*method)));
  if (model) print(paragraph(model_text(model->describe(), model->name)));
  if (figure)
    print(paragraph(fmt::format("{}: {}\n{}\n\n`trill figure {}` recomputes it and compares it with the publication.\n",
                                figure->name, figure->title, figure->reference, figure->name)));
  return ExitCode::ok;
}
}  // namespace trill::cli
