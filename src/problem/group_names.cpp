// SPDX-License-Identifier: BSD-3-Clause
#include "problem/group_names.hpp"

#include "base/text.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
std::vector<std::string> group_names(const MechanicalProblem& problem) {
  std::vector<std::string> names;
  for (const GroupInfo& group : problem.groups()) names.push_back(group.name);
  return names;
}

std::string without_blanks_around(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}
}  // namespace

Groups named_groups(const MechanicalProblem& problem, std::string_view text, std::string_view asker) {
  const std::vector<std::string> names = group_names(problem);
  Groups groups = 0;
  for (const std::string& part : split(text, '+')) {
    const std::string name = without_blanks_around(part);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw UsageError(
          fmt::format("{}: '{}' has no force group '{}'{}", asker, problem.name(), name, suggest(name, names)));
    groups |= Groups{1} << (at - names.begin());
  }
  return groups;
}

std::string names_of(const MechanicalProblem& problem, Groups groups) {
  std::vector<std::string> chosen;
  for (const std::string& name : group_names(problem)) {
    if (groups & 1) chosen.push_back(name);
    groups >>= 1;
  }
  return chosen.empty() ? "none" : join(chosen, " + ");
}
}  // namespace trill
