// SPDX-License-Identifier: BSD-3-Clause
#include "driver/advice.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
std::string why_slow(const Facts& known) {
  const Trial &first = known.trials.front(), &last = known.trials.back();
  if (&first != &last) return "the slow motion cannot be written by itself: " + first.objection;
  return fmt::format("the model names {} stiff gap{}, and the slow motion can be written without the oscillation",
                     known.stiff_gaps, known.stiff_gaps == 1 ? "" : "s");
}

// The names of the techniques that come after the one tried last.
std::string names_of_the_rest(const std::vector<Technique>& all, std::size_t tried) {
  std::vector<std::string> names;
  for (std::size_t i = tried; i < all.size(); ++i) names.push_back(all[i].name());
  return join(names, ", then ");
}

std::string choice_text(const Resolved& asked, const Facts& known, const std::string& why) {
  const Trial& taken = known.trials.back();
  const bool decided = taken.ran || known.random || taken.technique.method;
  if (decided) return fmt::format("{} was chosen: {}", taken.technique.name(), why);
  return fmt::format("{} would be tried in a rough run: {}; where that is refused on the way, {} is next",
                     taken.technique.name(), why,
                     names_of_the_rest(candidates_for(asked.plan.want), known.trials.size()));
}

Advice for_slow_motion(const Resolved& asked, const Facts& known) {
  const Trial& last = known.trials.back();
  // An ordinary method is the last candidate. It can damp the oscillation of stiff gaps, but nothing else.
  const bool suits = !last.technique.method || (known.stiff_gaps > 0 && known.mechanical);
  if (!last.objection.empty() || !suits)
    throw UsageError(
        fmt::format("the slow motion of '{}' cannot be had: {}", known.name, known.trials.front().objection));
  return {last.way, choice_text(asked, known, why_slow(known))};
}
}  // namespace

std::vector<Technique> candidates_for(Want want) {
  if (want == Want::full) return {};
  std::vector<Technique> ladder;
  for (const ReformulationEntry& entry : Catalogue::all().formulations())
    if (entry.delivers == Delivers::slow && entry.driving_method) ladder.push_back({nullptr, &entry});
  ladder.push_back({&Catalogue::all().method("radau"), nullptr});
  return ladder;
}

Advice advise(const Resolved& asked, const Facts& known) {
  return asked.way ? Advice{*asked.way, ""} : for_slow_motion(asked, known);
}

Recommendation recommend(const Outlook& outlook) {
  const auto fits = [&](std::string_view name) {
    return std::find(outlook.fitting.begin(), outlook.fitting.end(), name) != outlook.fitting.end();
  };
  if (fits("slow"))
    return {"slow",
            "the model names its stiff gaps: their slow motion by itself, in steps that do not follow the oscillation"};
  if (outlook.conservative && !outlook.scales_apart && fits("composition4"))
    return {"composition4",
            "one time scale and a conservative system: a symplectic method keeps its energy over long runs"};
  if (outlook.conservative && fits("verlet"))
    return {"verlet", "fast and slow motion: the cheapest method that keeps the energy; it follows every oscillation"};
  if (fits("rattle")) return {"rattle", "constraints are kept at position and velocity level"};
  const bool none = outlook.fitting.empty();
  return {fits("dop853")  ? "dop853"
          : fits("radau") ? "radau"
          : none          ? ""
                          : outlook.fitting.front(),
          "the most accurate method here that can run the model"};
}
}  // namespace trill
