// SPDX-License-Identifier: BSD-3-Clause
#include "driver/advice.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr const char* finder_of_cycles = "envelope_switching";

std::string why_slow(const Facts& known) {
  const Trial &first = known.trials.front(), &last = known.trials.back();
  if (&first != &last) return "the slow motion cannot be computed without the oscillation: " + first.objection;
  return fmt::format("the model has {} stiff gap{}, and its slow motion can be computed without the oscillation",
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
  const bool decided = taken.ran || known.random || taken.technique.method || asked.plan.want == Want::envelope;
  if (decided) return fmt::format("{} was chosen, because {}", taken.technique.name(), why);
  return fmt::format("{} would be tried first, in a rough run, because {}; if that run fails, {} would be next",
                     taken.technique.name(), why, names_of_the_rest(candidates_for(asked), known.trials.size()));
}

Advice for_slow_motion(const Resolved& asked, const Facts& known) {
  const Trial& last = known.trials.back();
  // An ordinary method is the last candidate. It can damp the oscillation of stiff gaps, but nothing else.
  const bool suits = !last.technique.method || (known.stiff_gaps > 0 && known.mechanical);
  if (!last.objection.empty() || !suits)
    throw UsageError(
        fmt::format("the slow motion of '{}' cannot be computed: {}", known.name, known.trials.front().objection));
  return {last.way, choice_text(asked, known, why_slow(known))};
}

// Where the envelope does not pay or cannot be had, every cycle is computed.
Advice for_envelope(const Resolved& asked, const Facts& known) {
  const Trial &first = known.trials.front(), &last = known.trials.back();
  if (!last.objection.empty())
    throw UsageError(fmt::format("the envelope of '{}' cannot be computed: {}", known.name, first.objection));
  if (&first == &last)
    return {last.way, choice_text(asked, known, "it computes a few cycles and jumps over the others")};
  if (last.technique.name() == finder_of_cycles)
    return {last.way, choice_text(asked, known, "it looks for an oscillation and follows its envelope")};
  return {last.way, fmt::format("every cycle is computed, by {}, because {}", last.technique.name(), first.objection)};
}
}  // namespace

std::vector<Technique> candidates_for(const Resolved& asked) {
  const Want want = asked.plan.want;
  if (want == Want::full) return {};
  const Delivers wanted = want == Want::slow ? Delivers::slow : Delivers::envelope;
  std::vector<Technique> ladder;
  for (const ReformulationEntry& entry : Catalogue::all().formulations())
    if (entry.delivers == wanted && entry.driving_method) ladder.push_back({nullptr, &entry});
  if (want == Want::envelope) ladder.push_back({&Catalogue::all().method(finder_of_cycles), nullptr});
  ladder.push_back(want == Want::slow ? Technique{&Catalogue::all().method("radau"), nullptr}
                                      : Catalogue::all().technique(asked.defaults.method));
  return ladder;
}

Advice advise(const Resolved& asked, const Facts& known) {
  if (asked.way) return {*asked.way, ""};
  return asked.plan.want == Want::slow ? for_slow_motion(asked, known) : for_envelope(asked, known);
}

Recommendation recommend(const Outlook& outlook) {
  const auto fits = [&](std::string_view name) {
    return std::find(outlook.fitting.begin(), outlook.fitting.end(), name) != outlook.fitting.end();
  };
  if (fits("slow"))
    return {
        "slow",
        "the model has stiff gaps, and slow computes the slow motion with steps that do not follow the oscillation"};
  if (outlook.conservative && !outlook.scales_apart && fits("composition4"))
    return {"composition4",
            "the motion has one time scale and conserves energy, which a symplectic method preserves over long runs"};
  if (outlook.conservative && fits("verlet"))
    return {"verlet",
            "there is fast and slow motion, and this is the cheapest method that preserves the energy; it follows "
            "every oscillation"};
  if (fits("rattle")) return {"rattle", "it satisfies the constraints on positions and on velocities"};
  const bool none = outlook.fitting.empty();
  return {fits("dop853")  ? "dop853"
          : fits("radau") ? "radau"
          : none          ? ""
                          : outlook.fitting.front(),
          "it is the most accurate method that can run this model"};
}
}  // namespace trill
