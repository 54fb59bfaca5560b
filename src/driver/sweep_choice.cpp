// SPDX-License-Identifier: BSD-3-Clause
#include "driver/sweep_choice.hpp"

#include "base/text.hpp"
#include "solution/claims.hpp"
#include "solution/run_json.hpp"
#include "trill/solution/solution_file.hpp"

#include <nlohmann/json.hpp>

namespace trill {
namespace {
using nlohmann::json;

std::optional<double> number_in(const OptionSet& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::nullopt : parse_number(found->second);
}

// The plan by which members that are there already were run. Apart from the parameters of the member, everything in it
// must be as it is asked for now.
std::optional<RunPlan> choice_of_files(const Sweep& sweep, const RunPlan& chosen, const std::string& version) {
  constexpr int most_looked_at = 3;
  int looked_at = 0;
  for (const SweepMember& member : sweep.members) {
    if (looked_at == most_looked_at) break;
    if (!std::filesystem::exists(member.file)) continue;
    ++looked_at;
    try {
      const RunInfo stored = SolutionFile(member.file).info();
      RunPlan plan = chosen;
      plan.method = stored.method;
      plan.formulation = stored.formulation;
      plan.options = stored.options;
      plan.h = number_in(stored.settings, "h");
      plan.rtol = plan.h ? std::nullopt : number_in(stored.settings, "rtol");
      Sweep same{plan, sweep.axes, {}, {}};
      PreparedRun run = prepare(same.plan_of(member));
      run.options.info.version = version;
      if (!difference(stored, run.options.info)) return plan;
    } catch (const std::exception&) {
      // A file that cannot be read, or of another model: it says nothing about this sweep.
    }
  }
  return std::nullopt;
}

// Choices for another question do not count.
std::string asked_text(const Sweep& sweep, const std::string& version) {
  const RunPlan& plan = sweep.plan;
  return json{{"model", plan.model},       {"parameters", plan.parameters},         {"from", plan.from.value_or(0)},
              {"to", plan.to.value_or(0)}, {"accuracy", plan.accuracy.value_or(0)}, {"version", version}}
      .dump();
}

std::string to_text_of_choice(const Sweep& sweep, const RunPlan& plan, const std::string& version) {
  json text{{"asked", asked_text(sweep, version)},
            {"method", plan.method},
            {"formulation", plan.formulation},
            {"options", plan.options}};
  if (plan.h) text["h"] = *plan.h;
  if (plan.rtol) text["rtol"] = *plan.rtol;
  return text.dump(1) + "\n";
}

RunPlan from_text(const Sweep& sweep, const RunPlan& chosen, const std::string& version, const std::string& text) {
  const json read = json::parse(text, nullptr, false);
  try {
    if (read.is_discarded() || read.at("asked") != asked_text(sweep, version)) return chosen;
    RunPlan plan = chosen;
    plan.method = read.at("method");
    plan.formulation = read.at("formulation");
    plan.options = read.at("options").get<OptionSet>();
    plan.h = read.contains("h") ? std::optional(read.at("h").get<double>()) : std::nullopt;
    plan.rtol = read.contains("rtol") ? std::optional(read.at("rtol").get<double>()) : std::nullopt;
    return plan;
  } catch (const json::exception&) {
    return chosen;
  }
}
}  // namespace

RunPlan shared_choice(const Sweep& sweep, const RunPlan& chosen, const std::string& version) {
  if (sweep.directory.empty()) return chosen;
  const RunPlan own = choice_of_files(sweep, chosen, version).value_or(chosen);
  const Claims claims(sweep.directory);
  return from_text(sweep, own, version, claims.agree(shared_choice_name, to_text_of_choice(sweep, own, version)));
}
}  // namespace trill
