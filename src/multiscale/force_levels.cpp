// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/force_levels.hpp"

#include "base/text.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

constexpr long long most_inner_steps = 1'000'000;  // of the fastest level in one step of the run

ForceLevel read_level(const MechanicalProblem& problem, const std::string& text, std::string_view method) {
  const auto slash = text.find('/');
  ForceLevel level{named_groups(problem, text.substr(0, slash), method), 0};
  if (slash == std::string::npos) return level;
  const auto steps = parse_integer(trimmed(std::string_view(text).substr(slash + 1)));
  if (!steps || *steps < 1 || *steps > most_inner_steps)
    throw UsageError(fmt::format("{}: level '{}' needs a whole number of steps after '/', from 1 to {}", method,
                                 trimmed(text), most_inner_steps));
  level.steps = static_cast<int>(*steps);
  return level;
}

const Weight& weight_of(const std::vector<WeightChoice>& choices, const MechanicalProblem& problem, Groups group,
                        std::string_view method) {
  for (const WeightChoice& choice : choices)
    if (!choice.groups.empty() && named_groups(problem, choice.groups, method) & group) return choice.weight;
  for (const WeightChoice& choice : choices)
    if (choice.groups.empty()) return choice.weight;
  throw UsageError(
      fmt::format("{0}: no weight is given for the force group '{1}'; give it one as '{1}=WEIGHT', or give one weight "
                  "without a name for all other groups",
                  method, names_of(problem, group)));
}
}  // namespace

bool undivided(const MechanicalProblem& problem) {
  return !problem.strong_potential() && (slow_groups(problem) == 0 || fast_groups(problem) == 0);
}

namespace {
// "bonds+angles:8, pair:1" in the other form: the number of steps in one step of the level before, slowest first.
std::string by_ratios(const std::string& text, std::string_view method) {
  std::vector<std::pair<long long, std::string>> counted;
  for (const std::string& part : split(text, ',')) {
    const auto colon = part.find(':');
    const auto steps =
        colon == std::string::npos ? std::nullopt : parse_integer(trimmed(std::string_view(part).substr(colon + 1)));
    if (!steps || *steps < 1 || *steps > most_inner_steps)
      throw UsageError(
          fmt::format("{}: level '{}' needs its number of steps in a step of the run after ':', from 1 to {}", method,
                      trimmed(part), most_inner_steps));
    counted.emplace_back(*steps, part.substr(0, colon));
  }
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (counted.front().first != 1)
    throw UsageError(fmt::format("{}: one level must take the steps of the run itself, as in 'pair:1'", method));
  for (std::size_t k = counted.size(); k-- > 1;)
    if (counted[k].first == counted[k - 1].first) {
      counted[k - 1].second += "+" + counted[k].second;
      counted.erase(counted.begin() + static_cast<std::ptrdiff_t>(k));
    }
  std::string levels = counted.front().second;
  for (std::size_t k = 1; k < counted.size(); ++k) {
    const long long before = counted[k - 1].first, now = counted[k].first;
    if (now % before != 0)
      throw UsageError(fmt::format("{}: {} steps of '{}' are not a multiple of the {} of '{}'", method, now,
                                   trimmed(counted[k].second), before, trimmed(counted[k - 1].second)));
    levels += fmt::format(",{}/{}", counted[k].second, now / before);
  }
  return levels;
}
}  // namespace

std::vector<ForceLevel> read_levels(const MechanicalProblem& problem, const std::string& text,
                                    std::string_view method) {
  if (text.empty()) {
    if (undivided(problem)) return {{known_groups(problem), 1}};
    return {{slow_groups(problem), 1}, {fast_groups(problem), 0}};
  }
  if (text.find(':') != std::string::npos) return read_levels(problem, by_ratios(text, method), method);
  std::vector<ForceLevel> levels;
  Groups taken = 0;
  for (const std::string& part : split(text, ',')) {
    ForceLevel level = read_level(problem, part, method);
    if (level.groups & taken)
      throw UsageError(fmt::format("{}: the force group '{}' is in two levels; each group belongs to one level only",
                                   method, names_of(problem, level.groups & taken)));
    if (levels.empty() && level.steps > 1)
      throw UsageError(
          fmt::format("{}: the first level takes the steps of the run itself; a number of steps after '/' is only for "
                      "the levels after it",
                      method));
    taken |= level.groups;
    if (levels.empty()) level.steps = 1;
    levels.push_back(level);
  }
  levels.front().groups |= known_groups(problem) & ~taken;
  for (std::size_t i = 1; i + 1 < levels.size(); ++i)
    if (levels[i].steps == 0)
      throw UsageError(
          fmt::format("{}: level '{}' needs its number of steps, as in '{}/2'; only the last level can do without one",
                      method, names_of(problem, levels[i].groups), names_of(problem, levels[i].groups)));
  long long inner = 1;
  for (const ForceLevel& level : levels) {
    inner *= std::max(level.steps, 1);
    if (inner > most_inner_steps)
      throw UsageError(fmt::format("{}: these levels make more than {} inner steps in one step of the run", method,
                                   most_inner_steps));
  }
  return levels;
}

std::vector<WeightChoice> read_weights(const std::string& text) {
  std::vector<WeightChoice> choices;
  for (const std::string& part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      choices.push_back({"", Weight::named(trimmed(part))});
    else
      choices.push_back({trimmed(part.substr(0, equals)), Weight::named(trimmed(part.substr(equals + 1)))});
  }
  return choices;
}

std::vector<SlowForce> slow_forces(const MechanicalProblem& problem, Groups slow, const std::vector<WeightChoice>& phi,
                                   const std::vector<WeightChoice>& psi, std::string_view method) {
  std::vector<SlowForce> forces;
  for (Groups group = 1; group != 0 && group <= slow; group <<= 1) {
    if (!(slow & group)) continue;
    const WeightPair pair{weight_of(phi, problem, group, method), weight_of(psi, problem, group, method)};
    const auto same = std::find_if(forces.begin(), forces.end(), [&](const SlowForce& f) { return f.pair == pair; });
    if (same != forces.end())
      same->groups |= group;
    else
      forces.push_back({group, pair});
  }
  return forces;
}
}  // namespace trill
