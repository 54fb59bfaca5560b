// SPDX-License-Identifier: BSD-3-Clause
#include "run_summary.hpp"

#include "base/text.hpp"
#include "report/facts.hpp"
#include "terminal.hpp"
#include "words.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;
constexpr std::size_t most_coordinates = 6, most_measures = 8, most_event_names = 4, most_event_times = 3;

std::string shown(double number, const std::string& unit) { return with_unit(fmt::format("{:.6g}", number), unit); }

// What was asked for. Without --want a method that somebody named may deliver something else than the full motion.
std::string question_of(const RunSummary& s) {
  const RunInfo& info = s.prepared.options.info;
  if (s.asked.plan.want != Want::full) return what_is(s.asked.plan.want);
  return info.formulation.empty() ? what_is(Want::full) : "the " + info.delivers;
}

std::string headline(const RunSummary& s) {
  const RunInfo& info = s.prepared.options.info;
  const RunPlan& plan = s.asked.plan;
  std::string line = fmt::format("{} with {}: {}", info.problem, way_of(info), question_of(s));
  const std::string unit = s.prepared.problem->time_unit();
  if (const std::string cycles = cycles_asked(info); s.prepared.plan.from && !cycles.empty())
    line += fmt::format(" over {} from t = {}", cycles, shown(*s.prepared.plan.from, unit));
  else if (s.prepared.plan.from && s.prepared.plan.to && !s.prepared.steady)
    line += fmt::format(" from t = {:.6g} to {}", *s.prepared.plan.from, shown(*s.prepared.plan.to, unit));
  if (plan.accuracy) line += fmt::format(", to an accuracy of {:.2g}", *plan.accuracy);
  if (!plan.of.empty()) line += fmt::format(" of {}", join(plan.of, ", "));
  return line + "\n";
}

std::string work_text(const RunSummary& s) {
  const Counters& c = s.outcome.counters;
  std::string text = fmt::format("{} step{}", c.steps, c.steps == 1 ? "" : "s");
  if (c.rejected > 0) text += fmt::format(" ({} rejected)", c.rejected);
  if (s.digest && s.digest->h_max > 0) {
    const std::string low = fmt::format("{:.2g}", s.digest->h_min), high = fmt::format("{:.2g}", s.digest->h_max);
    text += low == high ? fmt::format(" of {}", low) : fmt::format(" of {} to {}", low, high);
  }
  text += fmt::format(", {} force evaluations, {:.3g} s", c.most_forces(), c.seconds);
  const std::string& code = s.prepared.options.info.code;
  return code.empty() ? text : fmt::format("{}, model\n{}", text, code);
}

// Amplitudes, middles, bounds and means of single components are left to the rows.
bool is_headline_measure(const EndValue& value) {
  return value.kind != QuantityKind::amplitude && value.kind != QuantityKind::middle &&
         value.kind != QuantityKind::bound && !value.name.starts_with("mean_");
}

// As many as are right, where this is known.
int digits_worth_showing(const RunSummary& s) {
  constexpr double usual = 6, most = 15;
  const double error = s.trust.error > 0 ? s.trust.error : s.asked.plan.accuracy.value_or(1);
  return static_cast<int>(std::clamp(std::ceil(-std::log10(error)) + 1, usual, most));
}

std::string end_text(const RunSummary& s) {
  const std::string& unit = s.prepared.problem->time_unit();
  const int digits = digits_worth_showing(s);
  std::vector<std::string> parts{"t\n=\n" + shown(s.digest->t_end, unit)};
  const auto add = [&](const EndValue& v) {
    const std::string number = fmt::format("{:.{}g}", v.value, digits);
    parts.push_back(fmt::format("{}\n=\n{}{}{}", v.name, number, v.unit.empty() ? "" : "\n", v.unit));
  };
  std::size_t measures = 0, coordinates = 0, taken = 0;
  for (const EndValue& v : s.digest->measures) measures += is_headline_measure(v);
  for (const EndValue& v : s.digest->measures)
    if (is_headline_measure(v) && taken++ < most_measures) add(v);
  const bool has_velocities = std::any_of(s.digest->components.begin(), s.digest->components.end(),
                                          [](const EndValue& v) { return v.kind == QuantityKind::velocity; });
  for (const EndValue& v : s.digest->components) {
    if (has_velocities && v.kind != QuantityKind::position) continue;
    if (coordinates++ < most_coordinates) add(v);
  }
  const std::size_t left =
      measures - std::min(measures, most_measures) + coordinates - std::min(coordinates, most_coordinates);
  return join(parts, ", ") + (left > 0 ? fmt::format(" and {} more", left) : "");
}

std::string events_text(const std::vector<EventHit>& events) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> times;
  for (const EventHit& hit : events) {
    if (!times.contains(hit.name)) names.push_back(hit.name);
    times[hit.name].push_back(hit.t);
  }
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < std::min(names.size(), most_event_names); ++k) {
    const std::vector<double>& t = times[names[k]];
    std::vector<std::string> first;
    for (std::size_t i = 0; i < std::min(t.size(), most_event_times); ++i) first.push_back(fmt::format("{:.6g}", t[i]));
    std::string text = fmt::format("{} at t = {}", names[k], join(first, ", "));
    if (t.size() > most_event_times) text += fmt::format(", ... {:.6g} ({} times)", t.back(), t.size());
    parts.push_back(std::move(text));
  }
  if (names.size() > most_event_names)
    parts.push_back(fmt::format("and {} other events", names.size() - most_event_names));
  return join(parts, "; ");
}

// Events that change the state may change the energy, too.
bool has_jumps(const RunSummary& s) {
  for (const EventInfo& info : s.prepared.problem->events())
    for (const EventHit& hit : s.outcome.events)
      if (hit.name == info.name && !info.restarts && !info.stops) return true;
  return false;
}

std::vector<Drift> drifts_of(const RunSummary& s) {
  std::vector<Drift> kept;
  if (!s.digest || s.prepared.steady) return kept;
  const bool conserves = !has_jumps(s) && conserves_energy(*s.prepared.problem, s.prepared.start, *s.prepared.plan.to);
  for (const Drift& drift : s.digest->drifts)
    if (!drift.start || conserves) kept.push_back(drift);
  return kept;
}

std::string drift_text(const std::vector<Drift>& drifts) {
  std::vector<std::string> parts;
  for (const Drift& d : drifts) {
    std::string text = fmt::format("{} {}", d.name, with_unit(fmt::format("{:.2g}", d.largest), d.unit));
    if (d.start && *d.start != 0 && d.largest > 0)
      text += fmt::format(" ({:.2g} of its start)", d.largest / std::abs(*d.start));
    parts.push_back(std::move(text));
  }
  return join(parts, ", ");
}

std::string attempt_text(const Attempt& a) {
  const std::string step = a.h > 0      ? fmt::format(" with h = {:.2g}", a.h)
                           : a.rtol > 0 ? fmt::format(" with rtol = {:.2g}", a.rtol)
                                        : "";
  return fmt::format("{}{}: given up, because {}", a.way, step, a.why);
}

std::string warning_text(const Notice& n) {
  return fmt::format("at t = {:.6g}: {}{}{}", n.t, n.text,
                     n.threshold == 0 ? "" : fmt::format(" (value {:.3g}, threshold {:.3g})", n.value, n.threshold),
                     n.count > 1 ? fmt::format(", {} times in all", n.count) : "");
}

// A text that is a number becomes one.
json value_of(const std::string& text) {
  const auto number = parse_number(text);
  return number ? json(*number) : json(text);
}
json values_of(const OptionSet& set) {
  json out = json::object();
  for (const auto& [name, value] : set) out[name] = value_of(value);
  return out;
}
json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json end_json(const RunDigest& d) {
  json measures = json::object(), components = json::object();
  for (const EndValue& v : d.measures) measures[v.name] = v.value;
  for (const EndValue& v : d.components) components[v.name] = v.value;
  return {{"t", d.t_end}, {"measures", measures}, {"components", components}};
}

json events_json(const std::vector<EventHit>& events) {
  json out = json::array();
  for (const EventHit& hit : events) out.push_back({{"name", hit.name}, {"t", hit.t}});
  return out;
}

json drifts_json(const std::vector<Drift>& drifts) {
  json out = json::object();
  for (const Drift& d : drifts)
    out[d.name] = {{"largest", d.largest}, {"start", d.start ? json(*d.start) : json(nullptr)}};
  return out;
}

json question_json(const RunPlan& asked, const PreparedRun& prepared) {
  return {{"want", to_text(asked.want)},
          {"from", *prepared.plan.from},
          {"to", *prepared.plan.to},
          {"accuracy", asked.accuracy ? json(*asked.accuracy) : json(nullptr)},
          {"of", asked.of}};
}

json notices_json(const std::vector<Notice>& notices) {
  json out = json::array();
  for (const Notice& n : notices)
    out.push_back({{"t", n.t},
                   {"code", n.code},
                   {"text", n.text},
                   {"severity", to_text(n.severity)},
                   {"value", n.value},
                   {"threshold", n.threshold},
                   {"count", n.count}});
  return out;
}

json attempts_json(const std::vector<Attempt>& attempts) {
  json out = json::array();
  for (const Attempt& a : attempts)
    out.push_back({{"way", a.way},
                   {"h", a.h > 0 ? json(a.h) : json(nullptr)},
                   {"rtol", a.rtol > 0 ? json(a.rtol) : json(nullptr)},
                   {"error", finite_or_null(a.error)},
                   {"seconds", a.seconds},
                   {"why", a.why}});
  return out;
}

json trust_json(const Trust& trust) {
  json components = json::array();
  for (const TrustRow& row : trust.rows)
    components.push_back({{"name", row.name}, {"deviation", row.deviation}, {"relative", row.relative()}});
  return {{"verdict", to_text(trust.verdict)},
          {"headline", trust.headline},
          {"how", trust.how},
          {"error", finite_or_null(trust.error)},
          {"of", trust.of},
          {"until", finite_or_null(trust.until)},
          {"remedy", trust.remedy},
          {"components", components}};
}

// The keys have the names of the members of SteadyState; a multiplier is its real and its imaginary part.
json steady_json(const SteadyState& s) {
  json multipliers = json::array(), signals = json::object(), powers = json::object();
  for (const std::complex<double>& m : s.multipliers) multipliers.push_back({m.real(), m.imag()});
  for (const SteadySignal& x : s.signals)
    signals[x.name] = {
        {"unit", x.unit},       {"mean", x.mean},          {"rms", x.rms}, {"min", x.min}, {"max", x.max},
        {"ripple", x.ripple()}, {"harmonics", x.harmonics}};
  for (const SteadyPower& p : s.powers) powers[p.element] = {{"is_source", p.is_source}, {"mean", p.mean}};
  return {{"period", s.period},
          {"frequency", 1 / s.period},
          {"has_clock", s.has_clock},
          {"multipliers", multipliers},
          {"multiplier_error", finite_or_null(s.multiplier_error)},
          {"is_stable", s.is_stable},
          {"is_stability_known", s.is_stability_known},
          {"stability", s.stability},
          {"residual", s.residual},
          {"signals", signals},
          {"powers", powers},
          {"load", s.load},
          {"efficiency", s.efficiency ? json(*s.efficiency) : json(nullptr)},
          {"iterations", s.iterations},
          {"cycles", s.cycles},
          {"cycles_with_sensitivities", s.cycles_with_sensitivities},
          {"products", s.products},
          {"transient", s.transient}};
}

json statistics_json(const std::vector<MeasureStatistics>& all) {
  json out = json::object();
  for (const MeasureStatistics& m : all) {
    const Average& a = m.average;
    out[m.quantity.name] = {{"unit", m.quantity.unit},
                            {"mean", a.mean},
                            {"error", a.error},
                            {"deviation", a.deviation},
                            {"correlation_time", a.correlation},
                            {"independent", a.independent},
                            {"is_settled", a.is_settled}};
    if (m.distribution.density.empty()) continue;
    json& distribution = out[m.quantity.name]["distribution"];
    distribution = {{"from", m.distribution.from},
                    {"width", m.distribution.width},
                    {"density", m.distribution.density},
                    {"error", m.distribution.error}};
    if (m.law.empty()) continue;
    distribution["exact"] = m.law;
    distribution["distance"] = m.distance;
    distribution["distance_by_chance"] = m.noise;
  }
  return out;
}
}  // namespace

std::string text_of(const RunSummary& s) {
  std::string out = headline(s);
  const auto say = [&](const std::string& label, const std::string& text) {
    if (!text.empty()) out += labelled(label, text);
  };
  for (const Attempt& a : s.attempts) say("tried", attempt_text(a));
  say("why", s.prepared.choice);
  say("resonance", s.prepared.outlook);
  say("work", work_text(s));
  if (s.outcome.ok()) say("note", s.outcome.message);
  say("note", s.prepared.remark);
  if (s.digest && !s.prepared.steady) say("end", end_text(s));
  for (const RunResult& r : s.results)
    say("measure",
        fmt::format("{} = {}", r.name, r.value ? shown(*r.value, r.unit) : "not known from the rows of this run"));
  for (std::size_t k = 0; k < std::min(s.statistics.size(), most_measures); ++k)
    say(k == 0 ? "averages" : "", statistics_text(s.statistics[k], s.prepared.problem->time_unit()));
  if (s.statistics.size() > most_measures)
    say("", fmt::format("and {} more, see the report or --json", s.statistics.size() - most_measures));
  say("events", events_text(s.outcome.events));
  say("drift", drift_text(drifts_of(s)));
  for (const Notice& n : s.outcome.notices)
    if (n.code == "summary") say("", n.text);
  for (const Notice& n : s.outcome.notices) {
    if (n.severity != Severity::info) say(to_text(n.severity), warning_text(n));
    if (n.code == "start") say("note", n.text);
  }
  say("trust",
      (s.trust.verdict == Verdict::none ? "" : fmt::format("{}. ", to_text(s.trust.verdict))) + s.trust.headline);
  say("", s.shortfall);
  say("better", s.trust.remedy);
  say("solution", s.solution);
  say("report", s.report);
  return out;
}

std::string json_of(const RunSummary& s) {
  const RunInfo& info = s.prepared.options.info;
  json files = json::object();
  if (!s.solution.empty()) files["solution"] = s.solution;
  if (!s.report.empty()) files["report"] = s.report;
  const Counters& c = s.outcome.counters;
  json measures = json::object();
  for (const RunResult& r : s.results) measures[r.name] = r.value ? json(*r.value) : json(nullptr);
  const bool has_steps = s.digest && s.digest->h_max > 0;
  json summary = {{"model", info.problem},
                  {"question", question_json(s.asked.plan, s.prepared)},
                  {"method", info.method},
                  {"formulation", info.formulation},
                  {"choice", s.prepared.choice},
                  {"status", to_text(s.outcome.status)},
                  {"message", s.outcome.message},
                  {"steps", c.steps},
                  {"rejected", c.rejected},
                  {"step_range", has_steps ? json{s.digest->h_min, s.digest->h_max} : json(nullptr)},
                  {"forces", c.most_forces()},
                  {"newton_iterations", c.newton_iterations},
                  {"seconds", c.seconds},
                  {"code", info.code},
                  {"settings", values_of(info.settings)},
                  {"parameters", values_of(info.parameters)},
                  {"end", s.digest ? end_json(*s.digest) : json(nullptr)},
                  {"events", events_json(s.outcome.events)},
                  {"drift", drifts_json(drifts_of(s))},
                  {"trust", trust_json(s.trust)},
                  {"attempts", attempts_json(s.attempts)},
                  {"shortfall", s.shortfall},
                  {"notices", notices_json(s.outcome.notices)},
                  {"measures", measures},
                  {"files", files}};
  if (!s.statistics.empty()) summary["statistics"] = statistics_json(s.statistics);
  if (const auto& steady = s.prepared.steady_state) summary["steady"] = steady_json(*steady);
  return summary.dump(2) + "\n";
}

std::string json_of(const RunArguments& asked, const PreparedRun& prepared) {
  const RunInfo& info = prepared.options.info;
  const json plan = {{"model", info.problem},
                     {"question", question_json(asked.plan, prepared)},
                     {"method", info.method},
                     {"formulation", info.formulation},
                     {"choice", prepared.choice},
                     {"remark", prepared.advice_remark},
                     {"settings", values_of(info.settings)},
                     {"options", values_of(info.options)},
                     {"parameters", values_of(info.parameters)},
                     {"next", plans_json(asked.plan, prepared.rungs)}};
  return plan.dump(2) + "\n";
}
}  // namespace trill::cli
