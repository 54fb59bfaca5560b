// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/kernel_scope.hpp"

#include "base/text.hpp"
#include "model/expression/mechanics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index operations_in_a_term = 50'000;  // what parsing one term of a sum costs, roughly
}  // namespace

Expression KernelScope::column(std::string_view name) {
  if (!over_ || hidden_) return no_expression;
  const auto it = std::find(over_->columns.begin(), over_->columns.end(), name);
  if (it == over_->columns.end()) return no_expression;
  const auto k = static_cast<std::size_t>(it - over_->columns.begin());
  if (element_ >= 0) return graph_.number((*over_->values[k])[static_cast<std::size_t>(element_)]);
  return graph_.symbol(SymbolKind::column, static_cast<int>(k));
}

ParsedValue KernelScope::find(const NameUse& use) {
  const auto fail = [&](const std::string& message) { throw use.piece.error(use.offset, message); };
  const auto number = [&](Expression e) {
    if (use.index != no_expression) fail(fmt::format("'{}' is a number and takes no index", use.name));
    return parsed_number(e);
  };
  if (const Expression e = column(use.name); e != no_expression) return number(e);
  const ModelSpace::Meaning* meaning = space_.find(use.name);
  if (!meaning) return {};
  switch (meaning->kind) {
    case ModelSpace::Kind::parameter:
      return number(graph_.symbol(SymbolKind::parameter, meaning->parameter));
    case ModelSpace::Kind::set:
      if (hidden_ || meaning->set != over_)
        fail(fmt::format("'{}' is a set; its name stands for the number of an element only in terms with over = \"{}\"",
                         use.name, use.name));
      return number(element_ >= 0 ? graph_.number(static_cast<double>(element_)) : graph_.symbol(SymbolKind::element));
    case ModelSpace::Kind::coordinate:
      return find_array(use, *meaning->array, SymbolKind::coordinate);
    case ModelSpace::Kind::velocity:
      return find_array(use, *meaning->array, SymbolKind::velocity);
    case ModelSpace::Kind::acceleration:
    case ModelSpace::Kind::derived_acceleration:
      return find_acceleration(use, *meaning);
    case ModelSpace::Kind::derived:
      return find_derived(use, *meaning->derived);
    case ModelSpace::Kind::reaction:
      return find_reaction(use, *meaning->reaction);
  }
  return {};
}

ParsedValue KernelScope::find_array(const NameUse& use, const CoordinateArray& array, SymbolKind kind) {
  const auto fail = [&](const std::string& message) { throw use.piece.error(use.offset, message); };
  if (array.over && use.index == no_expression)
    fail(fmt::format("'{}' has one entry for each element of '{}'; write {} or another index", use.name,
                     array.over->name(), indexed_name(use.name, array.over->name())));
  if (!array.over && use.index != no_expression)
    fail(fmt::format("'{}' is a single coordinate and takes no index", use.name));
  if (use.index != no_expression)
    for (const SymbolKind moving : {SymbolKind::time, SymbolKind::coordinate, SymbolKind::velocity,
                                    SymbolKind::acceleration, SymbolKind::multiplier})
      if (depends_on(graph_, use.index, moving))
        fail(fmt::format("the index of '{}' may depend only on columns, on the number of the element and on parameters",
                         use.name));
  if (use.index != no_expression) space_.fix_parameters_of(graph_, use.index);
  ParsedValue value;
  value.size = array.parts;
  for (int part = 0; part < array.parts; ++part)
    value.part[static_cast<std::size_t>(part)] = graph_.symbol(kind, slot(use, array, part));
  return value;
}

int KernelScope::slot(const NameUse& use, const CoordinateArray& array, int part) {
  for (std::size_t k = 0; k < slots_.size(); ++k)
    if (slots_[k].array == &array && slots_[k].index == use.index && slots_[k].part == part) return static_cast<int>(k);
  slots_.push_back({&array, use.index, part, use.piece, use.offset});
  return slots() - 1;
}

ParsedValue KernelScope::find_acceleration(const NameUse& use, const ModelSpace::Meaning& meaning) {
  if (!knows_accelerations_)
    throw use.piece.error(use.offset, fmt::format("'{}' is an acceleration, which follows from the forces; only the "
                                                  "value of a [[measure]] may depend on it",
                                                  use.name));
  if (meaning.array) return find_array(use, *meaning.array, SymbolKind::acceleration);
  ParsedValue value = find_derived(use, *meaning.derived);
  for (std::size_t k = 0; k < static_cast<std::size_t>(value.size); ++k)
    value.part[k] = time_derivatives(graph_, value.part[k], 1, slots())[1];
  return value;
}

ParsedValue KernelScope::find_derived(const NameUse& use, const FileDerived& derived) {
  const auto fail = [&](const std::string& message) { throw use.piece.error(use.offset, message); };
  if (use.index != no_expression) fail(fmt::format("'{}' is a derived name and takes no index", use.name));
  const IndexSet* over = space_.set(derived.over);
  if (over && (hidden_ || over != over_))
    fail(fmt::format("'{}' is derived over the set '{}' and can be used only in terms over that set", use.name,
                     over->name()));
  Derived& known = derived_[derived.name.text];
  if (known.open) fail(fmt::format("these derived names depend on each other in a circle: {}", circle(use.name)));
  if (known.value.size > 0) return known.value;
  known.open = true;
  chain_.push_back(derived.name.text);
  const bool was_hidden = std::exchange(hidden_, !over);
  const ParsedValue value = parse_derived(use, derived);
  hidden_ = was_hidden;
  chain_.pop_back();
  return derived_[derived.name.text] = {value, false}, value;
}

ParsedValue KernelScope::parse_derived(const NameUse& use, const FileDerived& derived) {
  if (derived.value.number) return parsed_number(graph_.number(*derived.value.number));
  if (const IndexSet* set = space_.set(derived.summed_over))
    return parsed_number(sum_over(*set, derived.value, use.depth + 1));
  const ParsedValue value = parse_value(derived.value.piece, graph_, *this, use.depth + 1);
  return derived.rate ? parsed_number(velocity_level(graph_, std::span(value.part).first(1), slots())[0]) : value;
}

// Every term is parsed anew, as seen by its element: the numbers of the element take the place of columns.
Expression KernelScope::sum_over(const IndexSet& set, const FileValue& value, int depth) {
  space_.take_time(set.size * operations_in_a_term, value.piece.begin);
  const bool was_hidden = std::exchange(hidden_, false);
  const IndexSet* was_over = std::exchange(over_, &set);
  const Index was_element = element_;
  Expression sum = graph_.number(0);
  for (element_ = 0; element_ < set.size; ++element_) {
    auto outside = std::exchange(derived_, {});
    sum = graph_.add(sum, parse_expression(value.piece, graph_, *this, depth));
    derived_ = std::move(outside);
  }
  element_ = was_element;
  over_ = was_over;
  hidden_ = was_hidden;
  return sum;
}

// The multipliers of one element are known to terms over the same set only.
ParsedValue KernelScope::find_reaction(const NameUse& use, const FileReaction& reaction) {
  const auto fail = [&](const std::string& message) { throw use.piece.error(use.offset, message); };
  if (use.index != no_expression) fail(fmt::format("'{}' is the force of a constraint and takes no index", use.name));
  const IndexSet* over = space_.set(space_.set_of(reaction.constraints[0]));
  if (over != over_)
    fail(over ? fmt::format("'{}' has one value for each element of '{}' and can be used in terms over that set only",
                            use.name, over->name())
              : fmt::format("'{}' belongs to no set and cannot be used in terms over '{}'", use.name, over_->name()));
  ParsedValue value;
  value.size = static_cast<int>(reaction.constraints.size());
  for (std::size_t k = 0; k < reaction.constraints.size(); ++k) {
    const Expression multiplier = graph_.symbol(SymbolKind::multiplier, space_.row_of(reaction.constraints[k]));
    value.part[k] = reaction.opposite ? graph_.negate(multiplier) : multiplier;
  }
  return value;
}

std::string KernelScope::circle(std::string_view name) const {
  std::string text;
  for (auto it = std::find(chain_.begin(), chain_.end(), name); it != chain_.end(); ++it) text += *it + " -> ";
  return text + std::string(name);
}

std::vector<std::string> KernelScope::names() const {
  std::vector<std::string> found;
  for (const auto& [name, meaning] : space_.meanings()) {
    const bool is_acceleration =
        meaning.kind == ModelSpace::Kind::acceleration || meaning.kind == ModelSpace::Kind::derived_acceleration;
    if (knows_accelerations_ || !is_acceleration) found.push_back(name);
  }
  if (over_) found.insert(found.end(), over_->columns.begin(), over_->columns.end());
  return found;
}

bool KernelScope::knows(std::string_view dotted) const {
  return space_.find(dotted) ||
         (over_ && std::find(over_->columns.begin(), over_->columns.end(), dotted) != over_->columns.end());
}

Expression KernelScope::parse(const FileValue& value, int depth) {
  if (value.number) return graph_.number(*value.number);
  return parse_expression(value.piece, graph_, *this, depth);
}

Expression KernelScope::parse_measure(const FileValue& value) {
  knows_accelerations_ = true;
  const Expression e = parse(value);
  knows_accelerations_ = false;
  return e;
}

std::vector<double> KernelScope::values_of(Expression e, std::size_t offset) const {
  auto table = std::make_shared<KernelTable>();
  table->instances = instances();
  if (over_) table->columns = over_->values;
  auto each = std::make_shared<IndexTable>(static_cast<std::size_t>(instances()));
  std::iota(each->begin(), each->end(), 0);
  const Expression outputs[] = {e};
  Routine routine{Program(graph_, outputs), table, {{each, false}}};
  space_.take_time(instances() * static_cast<Index>(routine.program.instructions()), offset);
  std::vector<double> values(each->size(), 0.0);
  Runner(std::make_shared<const Routine>(std::move(routine)), space_.parameter_values()).add({}, values.data());
  return values;
}

std::vector<double> KernelScope::parse_constants(const FileValue& value, std::string_view what) {
  const Expression e = parse(value);
  for (const SymbolKind kind : {SymbolKind::time, SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::multiplier})
    if (depends_on(graph_, e, kind))
      throw value.error(fmt::format("{} may depend only on parameters{}, not on coordinates or t", what,
                                    over_ ? " and columns" : ""));
  std::vector<double> values = values_of(e, value.piece.begin);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw value.error(fmt::format("{} is {}{}; it must be finite", what, values[k],
                                    over_ ? " for " + over_->element_text(static_cast<Index>(k)) : ""));
  return values;
}

bool KernelScope::is_common(Expression e) const {
  if (!over_) return true;
  const Expression roots[] = {e};
  for (const Expression x : graph_.needed(roots)) {
    const ExpressionNode& node = graph_[x];
    if (node.op != Op::symbol || node.kind == SymbolKind::time || node.kind == SymbolKind::parameter) continue;
    if (node.kind == SymbolKind::element || node.kind == SymbolKind::column || node.kind == SymbolKind::multiplier)
      return false;
    const Slot& slot = slots_[static_cast<std::size_t>(node.index)];
    if (slot.index != no_expression && !is_common(slot.index)) return false;
  }
  return true;
}

IndexTable KernelScope::table_of(const Slot& slot) const {
  const auto count = static_cast<std::size_t>(instances());
  const CoordinateArray& array = *slot.array;
  if (!array.over) return IndexTable(count, static_cast<std::int32_t>(array.place(0, slot.part)));
  const std::vector<double> elements = values_of(slot.index, slot.piece.begin);
  IndexTable table(count);
  const auto size = static_cast<double>(array.over->size);
  for (std::size_t k = 0; k < count; ++k) {
    const double element = elements[k];
    if (!(element >= 0 && element < size && element == std::floor(element)))
      throw slot.piece.error(
          slot.offset,
          fmt::format("the index of '{}' is {}{}, but the elements of '{}' are numbered 0 to {}", array.file->name.text,
                      element, over_ ? " for " + over_->element_text(static_cast<Index>(k)) : "", array.over->name(),
                      array.over->size - 1));
    table[k] = static_cast<std::int32_t>(array.place(static_cast<Index>(element), slot.part));
  }
  return table;
}

KernelTable KernelScope::make_table() const {
  KernelTable table;
  table.instances = instances();
  for (const Slot& slot : slots_) table.coordinates.push_back(table_of(slot));
  if (over_) table.columns = over_->values;
  return table;
}
}  // namespace trill
