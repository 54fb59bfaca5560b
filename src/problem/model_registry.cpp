// SPDX-License-Identifier: BSD-3-Clause
#include "trill/problem/model_registry.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace trill {
const ModelEntry& ModelRegistry::find(std::string_view name) const {
  const std::string wanted = lower_snake(name);
  std::vector<std::string> known;
  for (const ModelEntry& entry : entries_) {
    const std::string& full = entry.name;
    const std::string last = full.substr(full.rfind('/') + 1);
    if (wanted == full || wanted == last) return entry;
    known.push_back(last);
  }
  throw UsageError("unknown model '" + std::string(name) + "'" + suggest(wanted, known) +
                   " (run 'trill list models' to see all)");
}

void ModelRegistry::add(ModelEntry entry) {
  const auto after = [&](const ModelEntry& other) { return other.name > entry.name; };
  entries_.insert(std::find_if(entries_.begin(), entries_.end(), after), std::move(entry));
}

std::vector<Parameter> parameters_of(const std::vector<OptionRow>& rows) {
  std::vector<Parameter> parameters;
  for (const OptionRow& row : rows) parameters.push_back({row.name, "", row.what, parse_number(row.value).value_or(0)});
  return parameters;
}
}  // namespace trill
