// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/parameter_scope.hpp"

#include "model/netlist/spice_number.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_chained_parameters = 150;
thread_local int chained_parameters = 0;  // parameters whose values are being computed, each needed by the one before

class ChainLink {
 public:
  ChainLink() { ++chained_parameters; }
  ~ChainLink() { --chained_parameters; }
  ChainLink(const ChainLink&) = delete;
  ChainLink& operator=(const ChainLink&) = delete;
};
}  // namespace

void ParameterScope::define(const std::string& name, SpiceFormula formula, const ParameterScope& in) {
  own_[name] = {std::move(formula), &in, std::nullopt, false};
}

double ParameterScope::compute(Definition& definition) {
  if (definition.value) return *definition.value;
  const ChainLink link;
  if (chained_parameters > most_chained_parameters)
    throw definition.formula.error(
        fmt::format("more than {} parameters depend on each other in a chain", most_chained_parameters));
  definition.being_computed = true;
  definition.value = evaluate_spice(definition.formula, *definition.in);
  definition.being_computed = false;
  return *definition.value;
}

std::optional<double> ParameterScope::parameter(const std::string& name) const {
  // In r={r}, the value of a parameter of a subcircuit, the second r is that of the outside.
  const Definition* itself = nullptr;
  for (const ParameterScope* scope = this; scope; scope = scope->outer_) {
    const auto it = scope->own_.find(name);
    if (it == scope->own_.end()) continue;
    if (!it->second.being_computed) return compute(it->second);
    itself = &it->second;
  }
  if (itself) throw itself->formula.error(fmt::format("the parameter '{}' depends on itself", name));
  return std::nullopt;
}

std::vector<std::string> ParameterScope::known() const {
  std::vector<std::string> names;
  for (const ParameterScope* scope = this; scope; scope = scope->outer_)
    for (const auto& [name, definition] : scope->own_) names.push_back(name);
  return names;
}

std::optional<double> ParameterScope::number_if(WordReader& words) const {
  const Word& next = words.peek();
  if (next.is(Word::Kind::formula)) {
    const Word taken = words.take();
    return evaluate_spice({&words.card(), taken.at, taken.text}, *this);
  }
  if (!next.is(Word::Kind::name)) return std::nullopt;
  auto value = spice_number(next.text);
  if (!value) value = parameter(next.text);
  if (value) words.take();
  return value;
}

double ParameterScope::number(WordReader& words, const std::string& what) const {
  const Word next = words.peek();
  const auto value = number_if(words);
  if (value) return *value;
  if (next.is(Word::Kind::name))
    words.fail(next, fmt::format("{} is expected here; {} is neither a number nor the name of a parameter", what,
                                 next.shown()));
  words.expect(what);
}
}  // namespace trill
