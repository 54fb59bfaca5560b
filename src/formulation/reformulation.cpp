// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/reformulation.hpp"

#include "base/text.hpp"
#include "formulation/constraint_formulation.hpp"

namespace trill {
ReformulationEntry hmm_entry();
ReformulationEntry rigid_limit_entry();
ReformulationEntry sam_entry();
ReformulationEntry slow_entry();

const std::vector<ReformulationEntry>& reformulations() {
  static const std::vector<ReformulationEntry> all{rigid_limit_entry(), slow_entry(), hmm_entry(), sam_entry()};
  return all;
}

const ReformulationEntry* find_reformulation(std::string_view name) {
  for (const ReformulationEntry& entry : reformulations())
    if (entry.name == lower_snake(name)) return &entry;
  return nullptr;
}

std::unique_ptr<Reformulation> make_reformulation(std::string_view name, const Problem& problem,
                                                  const OptionSet& options) {
  if (const ReformulationEntry* entry = find_reformulation(name)) return entry->make(problem, options);
  std::vector<std::string> known;
  for (const ReformulationEntry& entry : reformulations()) known.push_back(entry.name);
  known.insert(known.end(), constraint_form_names().begin(), constraint_form_names().end());
  throw UsageError("unknown formulation '" + std::string(name) + "'" + suggest(name, known));
}
}  // namespace trill
