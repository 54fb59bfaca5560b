// SPDX-License-Identifier: BSD-3-Clause
#include "trill/method/registry.hpp"

#include "base/text.hpp"

namespace trill {
const MethodEntry& MethodRegistry::find(std::string_view name) const {
  const std::string wanted = lower_snake(name);
  std::vector<std::string> known;
  for (const MethodEntry& entry : entries_) {
    if (entry.info.name == wanted) return entry;
    known.push_back(entry.info.name);
  }
  throw UsageError("unknown method '" + std::string(name) + "'" + suggest(wanted, known) +
                   " (trill list methods shows all)");
}
}  // namespace trill
