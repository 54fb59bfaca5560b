// SPDX-License-Identifier: BSD-3-Clause
#include "report/facts.hpp"

#include "base/text.hpp"
#include "report/energy_balance.hpp"
#include "report/plain_text.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + " " + unit;
}

// Numbers stay as somebody typed them; those that a program wrote with all their digits are shortened.
std::string short_text(const std::string& value) {
  const auto number = value.size() > 10 ? parse_number(value) : std::nullopt;
  return number ? short_number(*number) : value;
}

std::string count_text(Index count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string unknowns_text(const Layout& l) {
  std::vector<std::string> parts;
  if (l.nv == 0 && l.nl == 0 && l.nx == 0) return std::to_string(l.nq);
  if (l.nq > 0) parts.push_back(count_text(l.nq, "coordinate", "coordinates"));
  if (l.nv > 0) parts.push_back(count_text(l.nv, "velocity", "velocities"));
  if (l.nl > 0) parts.push_back(count_text(l.nl, "multiplier", "multipliers"));
  if (l.nx > 0) parts.push_back(count_text(l.nx, "auxiliary variable", "auxiliary variables"));
  return fmt::format("{} ({})", l.size(), join(parts, ", "));
}

std::string interval_text(const ReportRun& run, const RunView& view) {
  if (view.data.t.empty()) return "nothing was recorded";
  const std::string end = short_number(view.data.t.back());
  std::string text = fmt::format("{} to {}", short_number(view.data.t.front()), end);
  const auto wanted = run.info.settings.find("to");
  if (!run.outcome.ok() && wanted != run.info.settings.end() && wanted->second != end) text += " of " + wanted->second;
  return with_unit(text, run.info.time_unit);
}

void measured_facts(const RunView& view, TextRows& facts) {
  bool energy_said =
      std::any_of(view.series.begin(), view.series.end(), [](const ViewSeries& s) { return s.name == balance_name; });
  for (std::size_t i = 0; i < view.series.size(); ++i) {
    const ViewSeries& s = view.series[i];
    const DecimatedSeries& d = view.data.series[i];
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t k = 0; k < d.data.size(); ++k) {
      const double value = d.value(k);
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low > high) continue;
    if (s.kind == QuantityKind::energy && !energy_said) {
      const double most = largest_deviation(d);
      std::string text = with_unit(fmt::format("{:.3g}", most), s.unit);
      if (d.offset != 0) text += fmt::format(", {:.3g} of its start", most / std::abs(d.offset));
      facts.push_back({"largest deviation of " + s.name, text});
      energy_said = true;
    } else if (s.name == balance_name) {
      facts.push_back({"largest imbalance of energy and work",
                       with_unit(fmt::format("{:.3g}", std::max(std::abs(low), std::abs(high))), s.unit)});
    } else if (s.kind == QuantityKind::constraint) {
      facts.push_back({"largest " + s.name, with_unit(fmt::format("{:.3g}", high), s.unit)});
    } else if (s.kind == QuantityKind::step_size) {
      const std::string from = fmt::format("{:.3g}", low), to = fmt::format("{:.3g}", high);
      facts.push_back({"step size", with_unit(from == to ? from : from + " to " + to, s.unit)});
    }
  }
}
}  // namespace

double largest_deviation(const DecimatedSeries& series) {
  double start = std::numeric_limits<double>::quiet_NaN(), most = 0;
  for (const float value : series.data) {
    if (std::isnan(value)) continue;
    if (std::isnan(start)) start = value;
    most = std::max(most, std::abs(static_cast<double>(value) - start));
  }
  return most;
}

namespace {
// What was asked for; without --want a method that somebody named may deliver something else than the full motion.
std::string wanted_of(const RunInfo& info) {
  constexpr std::array<std::array<const char*, 2>, 5> wants{{{"slow", "the slow motion"},
                                                             {"amplitude", "the amplitudes of the fast motion"},
                                                             {"statistics", "averages"},
                                                             {"envelope", "the envelope"},
                                                             {"steady", "the periodic steady state"}}};
  if (const auto want = info.settings.find("want"); want != info.settings.end())
    for (const auto& [name, words] : wants)
      if (want->second == name) return words;
  if (is_random(info)) return "a random motion";
  return info.formulation.empty() || info.delivers.empty() ? "the full motion" : "the " + info.delivers;
}

std::string setting_of(const RunInfo& info, const char* name) {
  const auto found = info.settings.find(name);
  return found == info.settings.end() ? "" : short_text(found->second);
}
}  // namespace

std::string cycles_asked(const RunInfo& info) {
  const ReformulationEntry* form =
      info.formulation.empty() ? nullptr : Catalogue::all().find_formulation(info.formulation);
  const auto asked = form ? info.options.find(form->ends_by) : info.options.end();
  return asked == info.options.end() || asked->second == "0" ? "" : asked->second + " " + form->ends_by;
}

bool is_random(const RunInfo& info) { return info.delivers == to_text(Delivers::statistics); }

std::string question_of(const RunInfo& info) {
  std::string text = wanted_of(info);
  const std::string from = setting_of(info, "from"), to = setting_of(info, "to");
  if (const std::string cycles = cycles_asked(info); !from.empty() && !cycles.empty())
    text += with_unit(fmt::format(" over {} from t = {}", cycles, from), info.time_unit);
  else if (!from.empty() && !to.empty())
    text += with_unit(fmt::format(" from t = {} to {}", from, to), info.time_unit);
  if (const std::string accuracy = setting_of(info, "accuracy"); !accuracy.empty())
    text += ", to an accuracy of " + accuracy;
  if (const std::string of = setting_of(info, "of"); !of.empty()) text += " of " + of;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string title_of(const RunInfo& info) {
  return fmt::format("{}: {}, by {}", info.problem_title.empty() ? info.problem : info.problem_title, wanted_of(info),
                     way_of(info));
}

std::string label_of(const ReportRun& run) {
  if (!run.label.empty()) return run.label;
  std::string label = run.info.method;
  for (const char* name : {"h", "rtol"})
    if (const auto it = run.info.settings.find(name); it != run.info.settings.end())
      return label + fmt::format(", {} = {}", name, short_text(it->second));
  return label;
}

TextRows facts_of(const ReportRun& run, const RunView& view) {
  const RunInfo& info = run.info;
  TextRows facts{{"interval", interval_text(run, view)}, {"unknowns", unknowns_text(info.layout)}};
  if (!info.formulation.empty()) facts.push_back({"formulation", info.formulation});
  if (!info.code.empty()) facts.push_back({"model", info.code});
  const Index recorded = run.recorded_rows > 0 ? run.recorded_rows : run.rows.rows();
  facts.push_back({"output rows", std::to_string(recorded)});
  if (run.rows.rows() > recorded)
    facts.push_back({"curves", fmt::format("{} points between the rows, by the interpolant of the method",
                                           run.rows.rows() - recorded)});
  measured_facts(view, facts);
  if (!run.outcome.events.empty()) facts.push_back({"events", std::to_string(run.outcome.events.size())});
  if (!info.started.empty()) facts.push_back({"started", info.started});
  if (!info.host.empty()) facts.push_back({"machine", info.host});
  if (!info.version.empty()) facts.push_back({"trill", info.version});
  return facts;
}

TextRows settings_of(const RunInfo& info) {
  TextRows rows;
  for (const OptionSet* set : {&info.settings, &info.options})
    for (const auto& [name, value] : *set) rows.push_back({name, short_text(value)});
  return rows;
}

TextRows parameters_of(const ReportRun& run) {
  TextRows rows;
  for (const Parameter& p : run.parameters)
    rows.push_back({p.name, p.word.empty() ? short_number(p.value) : p.word, p.unit, p.what});
  for (const auto& [name, value] : run.info.parameters) {
    const bool known = std::any_of(run.parameters.begin(), run.parameters.end(),
                                   [&, n = std::string_view(name)](const Parameter& p) { return p.name == n; });
    if (!known) rows.push_back({name, short_text(value), "", ""});
  }
  return rows;
}

TextRows counters_of(const ReportRun& run) {
  const Counters& c = run.outcome.counters;
  const std::string forces = run.info.layout.nv == 0 ? "right-hand sides" : "force evaluations";
  TextRows rows{{"accepted steps", std::to_string(c.steps)}, {"rejected steps", std::to_string(c.rejected)}};
  for (std::size_t i = 0; i < c.forces.size(); ++i) {
    if (c.forces[i] == 0) continue;
    std::string name = forces;
    if (run.info.groups.size() > 1 || i > 0)
      name += ", " + (i < run.info.groups.size() ? run.info.groups[i] : fmt::format("group {}", i));
    rows.push_back({name, std::to_string(c.forces[i])});
  }
  const auto add = [&](const char* name, std::int64_t count) {
    if (count != 0) rows.push_back({name, std::to_string(count)});
  };
  add("Jacobians", c.jacobians);
  add("factorisations", c.factorisations);
  add("Newton iterations", c.newton_iterations);
  add("failed Newton solves", c.newton_failures);
  add("linear iterations", c.linear_iterations);
  add("micro steps", c.micro_steps);
  add("force products", c.products);
  rows.push_back({"solve time", fmt::format("{:.3g} s", c.seconds)});
  return rows;
}
}  // namespace trill
