// SPDX-License-Identifier: BSD-3-Clause
#include "trill/method/registry.hpp"

#include "base/text.hpp"
#include "formulation/constraint_formulation.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
const std::string& name_of_entry(const MethodEntry& entry) { return entry.info.name; }
const std::string& name_of_entry(const ReformulationEntry& entry) { return entry.name; }

bool is_called(const MethodEntry& entry, const std::string& name) {
  const std::vector<std::string>& others = entry.info.also_called;
  return entry.info.name == name || std::find(others.begin(), others.end(), name) != others.end();
}
bool is_called(const ReformulationEntry& entry, const std::string& name) { return entry.name == name; }

template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, std::string_view name) {
  const std::string wanted = lower_snake(name);
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return is_called(entry, wanted); });
  return found == entries.end() ? nullptr : &*found;
}

template <class Entry>
std::vector<std::string> names_of_entries(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(name_of_entry(entry));
  return names;
}

UsageError unknown_method(std::string_view name, const std::vector<std::string>& known) {
  return UsageError(fmt::format("unknown method '{}'{} (run 'trill list methods' to see all)", name,
                                suggest(lower_snake(name), known)));
}
}  // namespace

bool has_option(const std::vector<OptionRow>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const OptionRow& row) { return row.name == name; });
}

const MethodEntry* Catalogue::find_method(std::string_view name) const { return find_entry(methods_, name); }

const ReformulationEntry* Catalogue::find_formulation(std::string_view name) const {
  return find_entry(formulations_, name);
}

const MethodEntry& Catalogue::method(std::string_view name) const {
  if (const MethodEntry* entry = find_method(name)) return *entry;
  throw unknown_method(name, names_of_entries(methods_));
}

const ReformulationEntry& Catalogue::formulation(std::string_view name) const {
  if (const ReformulationEntry* entry = find_formulation(name)) return *entry;
  std::vector<std::string> known = names_of_entries(formulations_);
  known.insert(known.end(), constraint_form_names().begin(), constraint_form_names().end());
  throw UsageError(
      fmt::format("unknown formulation '{}'{} (run 'trill list formulations' to see all)", name, suggest(name, known)));
}

Technique Catalogue::technique(std::string_view name) const {
  const ReformulationEntry* formulation = find_formulation(name);
  if (formulation && formulation->driving_method) return {nullptr, formulation};
  if (const MethodEntry* method = find_method(name)) return {method, nullptr};
  std::vector<std::string> known = names_of_entries(methods_);
  for (const ReformulationEntry& entry : formulations_)
    if (entry.driving_method) known.push_back(entry.name);
  throw unknown_method(name, known);
}
}  // namespace trill
