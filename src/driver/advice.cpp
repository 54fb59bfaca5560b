// SPDX-License-Identifier: BSD-3-Clause
#include "driver/advice.hpp"

#include "base/text.hpp"
#include "driver/averages.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double many_periods = 20;     // of one common oscillation: its amplitudes may be asked for
constexpr double much_faster = 3;       // than the method of the model: worth a remark
constexpr double negligible_share = 1;  // of the accuracy: fast energy that may be damped without a word

std::string name_of(const Way& way) { return way.formulation ? way.formulation->name : way.method->info.name; }

std::string step_text(std::optional<double> h, std::optional<double> rtol) {
  if (h) return fmt::format(", h = {:.3g}", *h);
  return rtol ? fmt::format(", rtol = {:.2g}", *rtol) : "";
}

std::string step_text(const RankedWay& way) { return step_text(way.h, way.rtol); }

// How much of the energy oscillates fast; NaN: not known.
double fast_share(const ProblemFacts& facts) {
  const TimeScales& s = facts.scales;
  return s.fast_energy / (s.fast_energy + s.slow_energy);
}

// Damping gives the slow motion only where the oscillation does not push it.
std::string damping_objection(const ProblemFacts& facts, const Question& question) {
  const double share = fast_share(facts);
  if (!(share > negligible_share * question.accuracy)) return "";
  return fmt::format("it would damp the fast motion, which has {:.2g} of the energy and can push the slow motion",
                     share);
}

std::string without_fast_motion(const ProblemFacts& facts) {
  if (facts.gap.found() || facts.gaps > 0 || facts.fast_periods() > many_periods) return "";
  if (!facts.scales.all) return "its frequencies are not known";
  return facts.scales.frequencies.empty() ? "nothing oscillates"
                                          : "no gap separates its fast frequencies from slow ones";
}

// What speaks against a candidate besides its own objection.
std::string objection_to(const Candidate& c, const ProblemFacts& facts, const Question& question) {
  if (!c.prospect.objection.empty()) return c.prospect.objection;
  if (c.full) return "";
  if (question.wanted == Delivers::full || (question.wanted == Delivers::statistics && !facts.random))
    return "it loses " + c.prospect.loses;
  if (c.technique.formulation) return "";
  if (question.wanted == Delivers::amplitude) return "it loses " + c.prospect.loses;
  return damping_objection(facts, question);
}

RankedWay ranked_way(const Candidate& c) {
  return {c.way, c.prospect.h, c.prospect.rtol, c.prospect.steps, c.seconds, c.prospect.error, c.prospect.why};
}

// The start may be quieter than the motion, such as ions that have not met yet: steps of random motion are no longer
// than those that the model asks for.
void bound_step(const ProblemFacts& facts, const RunDefaults& defaults, RankedWay& way) {
  if (!facts.random || way.way.formulation || !way.h || !(defaults.h > 0) || *way.h <= defaults.h) return;
  const double times_as_many = *way.h / defaults.h;
  way.h = defaults.h;
  way.predicted_steps *= times_as_many;
  way.predicted_seconds *= times_as_many;
}

void rank(const Facts& known, const Question& question, const RunDefaults& defaults, Advice& advice) {
  for (const Candidate& c : known.candidates) {
    const std::string objection = objection_to(c, known.problem, question);
    if (objection.empty()) {
      advice.ranked.push_back(ranked_way(c));
      bound_step(known.problem, defaults, advice.ranked.back());
    } else {
      advice.objections.push_back({c.technique.name(), objection});
    }
  }
  std::stable_sort(advice.ranked.begin(), advice.ranked.end(),
                   [](const RankedWay& a, const RankedWay& b) { return a.predicted_seconds < b.predicted_seconds; });
}

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.2g} seconds", seconds);
  if (seconds < 6000) return fmt::format("{:.2g} minutes", seconds / 60);
  return seconds < 360'000 ? fmt::format("{:.2g} hours", seconds / 3600) : fmt::format("{:.2g} days", seconds / 86400);
}

// Where forces are too expensive to try anything out, the user can at least decide whether to wait.
std::string patience_text(const ProblemFacts& facts, const RankedWay& way) {
  constexpr double forces_of_explicit_step = 12, steps = 100;
  if (!way.rtol || way.way.method->info.implicit_step || !(facts.force_seconds > 0)) return "";
  return fmt::format("; {:g} steps of {} take about {}", steps, name_of(way.way),
                     time_text(steps * forces_of_explicit_step * facts.force_seconds));
}

// Where nothing could be tried out: what serves most problems of the kind.
RankedWay blind_way(const Facts& known, const Question& question) {
  const ProblemFacts& p = known.problem;
  const char* name = p.random ? "langevin_splitting" : p.circuit || p.reactive ? "radau" : "dop853";
  RankedWay way{{&Catalogue::all().method(name), nullptr, {}, {}}, {}, {}, 0, 0, 0, ""};
  if (!p.random) way.rtol = question.rtol.value_or(std::max(1e-13, 1e-2 * question.accuracy));
  way.why = p.trouble.empty() ? "it serves most problems of this kind"
                              : fmt::format("it serves most problems of this kind; nothing was tried out, because {}{}",
                                            p.trouble, patience_text(p, way));
  return way;
}

void take_first(Advice& advice) {
  const RankedWay& first = advice.ranked.front();
  advice.way = first.way;
  advice.h = first.h;
  advice.rtol = first.rtol;
}

std::string why_text(const Facts& known, const RankedWay& first) {
  const ProblemFacts& p = known.problem;
  const std::string stiff =
      p.gaps == 0 ? "" : fmt::format("the model has {} stiff gap{}, and ", p.gaps, p.gaps == 1 ? "" : "s");
  return (first.way.formulation ? stiff : "") + first.why;
}

// Only what trill chose.
std::string chosen_step(const Resolved& asked, const RankedWay& way) { return asked.plan.rtol ? "" : step_text(way); }

Advice for_full_motion(const Resolved& asked, const Facts& known) {
  const Question question = question_of(asked);
  Advice advice;
  rank(known, question, asked.defaults, advice);
  if (advice.ranked.empty()) advice.ranked.push_back(blind_way(known, question));
  take_first(advice);
  const RankedWay& first = advice.ranked.front();
  advice.choice =
      fmt::format("{} was chosen{}, because {}", name_of(first.way), chosen_step(asked, first), why_text(known, first));
  return advice;
}

std::string objection_of(const Advice& advice, std::string_view name) {
  for (const Objection& o : advice.objections)
    if (o.name == name) return o.reason;
  return "";
}

// The slow motion, or the full one where the slow one does not pay or cannot be computed by itself.
Advice for_slow_motion(const Resolved& asked, const Facts& known) {
  Advice advice = for_full_motion(asked, known);
  const RankedWay& first = advice.ranked.front();
  const bool slow = first.way.formulation ||
                    std::any_of(known.candidates.begin(), known.candidates.end(),
                                [&](const Candidate& c) { return !c.full && c.technique.method == first.way.method; });
  const std::string why = without_fast_motion(known.problem), closed_form = objection_of(advice, "slow");
  if (slow && !first.way.formulation && !closed_form.empty())
    advice.choice += "; without it the slow motion cannot be computed: " + closed_form;
  if (slow) return advice;
  advice.choice =
      fmt::format("the full motion is computed, by {}{}, because {}", name_of(first.way), chosen_step(asked, first),
                  !why.empty()          ? "no slow motion can be separated from a fast one: " + why
                  : closed_form.empty() ? "that takes no longer than the slow motion by itself"
                                        : "the slow motion cannot be computed by itself: " + closed_form);
  return advice;
}

Advice for_amplitudes(const Resolved& asked, const Facts& known) {
  const std::string why = without_fast_motion(known.problem);
  if (!why.empty())
    throw UsageError(fmt::format("'{}' has no amplitudes of a fast motion, because {}; --want full computes its motion",
                                 known.name, why));
  Advice advice = for_full_motion(asked, known);
  if (!advice.ranked.front().way.formulation) advice.choice += "; it follows every oscillation";
  return advice;
}

// Rows are at steps, and averages of a few say nothing.
void take_enough_rows(const ProblemFacts& facts, const RunPlan& plan, Advice& advice) {
  constexpr double enough = 4 * static_cast<double>(least_rows_for_averages);
  if (advice.h && std::holds_alternative<EveryStep>(plan.output)) advice.h = std::min(*advice.h, facts.span / enough);
}

Advice for_statistics(const Resolved& asked, const Facts& known) {
  const ProblemFacts& p = known.problem;
  if (!p.random && !p.conservative())
    throw UsageError(
        fmt::format("averages of '{}' would depend on its start and its length, because it has no heat bath and its "
                    "energy is not known to be conserved; --want full computes its motion",
                    known.name));
  Advice advice = for_full_motion(asked, known);
  if (p.random || asked.plan.rtol) return advice;
  // Rows are then equally far apart, and the energy does not drift while averages are taken.
  std::stable_partition(advice.ranked.begin(), advice.ranked.end(),
                        [](const RankedWay& way) { return way.h && !way.way.formulation; });
  if (!advice.ranked.front().h) return advice;
  take_first(advice);
  take_enough_rows(p, asked.plan, advice);
  advice.ranked.front().h = advice.h;
  advice.choice = fmt::format("{} was chosen{}, because equal steps keep the energy while averages are taken",
                              name_of(advice.way), chosen_step(asked, advice.ranked.front()));
  return advice;
}

// Where the envelope does not pay or cannot be followed, every cycle is computed.
Advice for_envelope(const Facts& known) {
  Advice advice;
  for (const Trial& trial : known.trials) {
    if (!trial.objection.empty()) continue;
    const std::string name = trial.technique.name();
    std::string why = fmt::format("{} was chosen, because it computes a few cycles and jumps over the others", name);
    if (name == finder_of_cycles)
      why = fmt::format("{} was chosen, because it looks for an oscillation and follows its envelope", name);
    else if (!advice.ranked.empty())
      why = "it follows a motion that does not oscillate, too";
    else if (&trial != &known.trials.front())
      why = fmt::format("every cycle is computed, by {}, because {}", name, known.trials.front().objection);
    RankedWay rung;
    rung.way = trial.way;
    rung.why = std::move(why);
    advice.ranked.push_back(std::move(rung));
  }
  if (advice.ranked.empty())
    throw UsageError(
        fmt::format("the envelope of '{}' cannot be computed: {}", known.name, known.trials.front().objection));
  advice.way = advice.ranked.front().way;
  advice.choice = advice.ranked.front().why;
  return advice;
}

// What the advice would have been instead of the method that the model names.
Advice open_advice(const Resolved& asked, const Facts& known) {
  Resolved open = asked;
  open.way.reset();
  Advice other;
  rank(known, question_of(open), open.defaults, other);
  return other;
}

bool is_same_way(const RankedWay& way, const Way& other) {
  return way.way.method == other.method && way.way.formulation == other.formulation;
}

std::string second_opinion(const Resolved& asked, const Advice& other) {
  if (other.ranked.empty()) return "";
  const RankedWay& best = other.ranked.front();
  const auto own = std::find_if(other.ranked.begin(), other.ranked.end(),
                                [&](const RankedWay& way) { return is_same_way(way, *asked.way); });
  if (own == other.ranked.end() || own->predicted_seconds < much_faster * best.predicted_seconds) return "";
  return fmt::format("the model names {}; {} would be about {:.2g} times faster for an error of {:.0e}",
                     name_of(asked.way.value()), name_of(best.way), own->predicted_seconds / best.predicted_seconds,
                     question_of(asked).accuracy);
}

// The method that the model names comes first; the others step in where it does not answer the question.
Advice for_named_way(const Resolved& asked, const Facts& known) {
  Advice named{.way = *asked.way};
  const bool may_change = leaves_choice(asked.plan) && !known.candidates.empty();
  if (asked.second || may_change) named.ranked = {{*asked.way, {}, {}, 0, 0, 0, ""}};
  if (asked.second) named.ranked.push_back(*asked.second);
  if (known.candidates.empty()) return named;
  const Advice other = open_advice(asked, known);
  named.remark = second_opinion(asked, other);
  if (!may_change) return named;
  for (const RankedWay& way : other.ranked)
    if (!is_same_way(way, *asked.way) && !(asked.second && is_same_way(way, asked.second->way)))
      named.ranked.push_back(way);
  return named;
}
}  // namespace

std::vector<Technique> envelope_ladder(const Resolved& asked) {
  std::vector<Technique> ladder;
  for (const ReformulationEntry& entry : Catalogue::all().formulations())
    if (entry.delivers == Delivers::envelope && entry.driving_method) ladder.push_back({nullptr, &entry});
  ladder.push_back({&Catalogue::all().method(finder_of_cycles), nullptr});
  const std::string& own = asked.defaults.method;
  if (!own.empty()) ladder.push_back(Catalogue::all().technique(own));
  for (const char* name : {"dop853", "radau"})
    if (name != own) ladder.push_back({&Catalogue::all().method(name), nullptr});
  return ladder;
}

Advice advise(const Resolved& asked, const Facts& known) {
  if (asked.way) return for_named_way(asked, known);
  switch (asked.plan.want) {
    case Want::slow:
      return for_slow_motion(asked, known);
    case Want::amplitude:
      return for_amplitudes(asked, known);
    case Want::statistics:
      return for_statistics(asked, known);
    case Want::envelope:
      return for_envelope(known);
    default:
      return for_full_motion(asked, known);
  }
}

std::string command_of(const RunPlan& plan) {
  std::string text = fmt::format("trill run {}", plan.model);
  for (const auto& [name, value] : plan.parameters) text += fmt::format(" --param {}={}", name, value);
  if (plan.from.value_or(0) != 0) text += fmt::format(" --from {}", format_number(*plan.from));
  if (plan.to) text += fmt::format(" --to {}", format_number(*plan.to));
  if (plan.accuracy) text += fmt::format(" --accuracy {}", format_number(*plan.accuracy));
  return text;
}

std::string command_of(const RunPlan& plan, const RankedWay& ranked) {
  std::string command = fmt::format("{} --method {}", command_of(plan), name_of(ranked.way));
  if (ranked.h) command += fmt::format(" --h {:.4g}", *ranked.h);
  if (ranked.rtol) command += fmt::format(" --rtol {:.2g}", *ranked.rtol);
  for (const auto* options : {&ranked.way.options, &ranked.way.formulation_options})
    for (const auto& [name, value] : *options) command += fmt::format(" --set {}={}", name, value);
  return command;
}

std::string with_new_step(std::string choice, const RunPlan& before, const RunPlan& after) {
  const std::string old = step_text(before.h, before.rtol);
  if (const std::size_t at = choice.find(old); at != std::string::npos)
    choice.replace(at, old.size(), step_text(after.h, after.rtol));
  return choice;
}
}  // namespace trill
