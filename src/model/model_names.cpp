// SPDX-License-Identifier: BSD-3-Clause
#include "model_names.hpp"

#include "trill/base/text.hpp"
#include "trill/model/derivative.hpp"
#include "trill/model/program.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
ModelNames::ModelNames(const SourceText& source, const ModelFile& file, const OptionSet& given, ExpressionGraph& graph)
    : source_(source), file_(file), graph_(graph) {
  read_parameters(given);
  int index = 0;
  for (const FileCoordinate& c : file.coordinates) {
    define(c.name, {graph.symbol(SymbolKind::coordinate, index)});
    coordinates_[c.name.text] = index++;
  }
  index = 0;
  for (const FileCoordinate& c : file.coordinates) define_velocity(c, index++);
  for (const FileDerived& d : file.derived) define(d.name, {no_expression, &d});
  for (const FileDerived& d : file.derived) find({d.name.text, no_expression, d.value.piece});
}

void ModelNames::define(const FileText& name, const Meaning& meaning) {
  if (!meanings_.emplace(name.text, meaning).second)
    throw source_.error(name.offset, fmt::format("the name '{}' is already taken", name.text));
}

void ModelNames::define_velocity(const FileCoordinate& coordinate, int index) {
  const std::string name = "v" + coordinate.name.text;
  if (!meanings_.emplace(name, Meaning{graph_.symbol(SymbolKind::velocity, index)}).second)
    throw source_.error(coordinate.name.offset, fmt::format("the velocity of '{}' is called '{}', a name that is taken",
                                                            coordinate.name.text, name));
}

void ModelNames::read_parameters(const OptionSet& given) {
  std::vector<std::string> known;
  for (const FileParameter& p : file_.parameters) {
    double value = *p.value.number;
    if (const auto it = given.find(p.name.text); it != given.end()) {
      const auto number = parse_number(it->second);
      if (!number)
        throw UsageError(
            fmt::format("{}: parameter '{}' needs a finite number, not '{}'", source_.file(), p.name.text, it->second));
      value = *number;
    }
    define(p.name, {graph_.number(value)});
    parameters_.push_back({p.name.text, p.unit, p.what, value});
    known.push_back(p.name.text);
  }
  for (const auto& [name, value] : given)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("{} has no parameter '{}'{}", source_.file(), name, suggest(name, known)));
}

std::string ModelNames::circle(std::string_view name) const {
  std::string text;
  for (auto it = std::find(chain_.begin(), chain_.end(), name); it != chain_.end(); ++it) text += *it + " -> ";
  return text + std::string(name);
}

ParsedValue ModelNames::find(const NameUse& use) {
  const auto it = meanings_.find(use.name);
  if (it == meanings_.end()) return {};
  if (use.index != no_expression)
    throw use.piece.error(use.offset, fmt::format("'{}' is no array and takes no index", use.name));
  Meaning& meaning = it->second;
  if (meaning.expression != no_expression) return parsed_number(meaning.expression);
  if (meaning.open)
    throw use.piece.error(use.offset, fmt::format("derived names go in a circle: {}", circle(use.name)));
  meaning.open = true;
  chain_.emplace_back(use.name);
  meaning.expression = parse(meaning.derived->value, use.depth + 1);
  chain_.pop_back();
  meaning.open = false;
  return parsed_number(meaning.expression);
}

std::vector<std::string> ModelNames::names() const {
  std::vector<std::string> found;
  for (const auto& [name, meaning] : meanings_) found.push_back(name);
  return found;
}

Expression ModelNames::parse(const FileValue& value, int depth) {
  if (value.number) return graph_.number(*value.number);
  return parse_expression(value.piece, graph_, *this, depth);
}

double ModelNames::parse_constant(const FileValue& value, std::string_view what) {
  const Expression e = parse(value);
  for (const SymbolKind kind : {SymbolKind::time, SymbolKind::coordinate, SymbolKind::velocity})
    if (depends_on(graph_, e, kind))
      throw value.error(fmt::format("{} may depend on parameters only, not on coordinates or t", what));
  const Expression outputs[] = {e};
  const Program program(graph_, outputs);
  Evaluator evaluator(program);
  evaluator.evaluate({});
  if (!std::isfinite(evaluator[0])) throw value.error(fmt::format("{} is {}; it must be finite", what, evaluator[0]));
  return evaluator[0];
}

int ModelNames::coordinate(const FileText& name) const {
  if (const auto it = coordinates_.find(name.text); it != coordinates_.end()) return it->second;
  std::vector<std::string> known;
  for (const FileCoordinate& c : file_.coordinates) known.push_back(c.name.text);
  throw source_.error(name.offset, fmt::format("there is no coordinate '{}'{}", name.text, suggest(name.text, known)));
}
}  // namespace trill
