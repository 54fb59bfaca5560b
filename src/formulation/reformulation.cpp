// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/reformulation.hpp"

#include "trill/base/text.hpp"

namespace trill {
std::unique_ptr<Reformulation> make_rigid_limit(const Problem& problem);

const std::vector<ReformulationEntry>& reformulations() {
  static const std::vector<ReformulationEntry> all{
      {"rigid_limit", "stiff gaps become hard constraints", "JP95 sec. 3", make_rigid_limit}};
  return all;
}

std::unique_ptr<Reformulation> make_reformulation(std::string_view name, const Problem& problem) {
  std::vector<std::string> known;
  for (const ReformulationEntry& entry : reformulations()) {
    if (entry.name == lower_snake(name)) return entry.make(problem);
    known.push_back(entry.name);
  }
  throw UsageError("unknown formulation '" + std::string(name) + "'" + suggest(name, known));
}
}  // namespace trill
