// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/inspection.hpp"
#include "commands.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;

constexpr std::size_t plans_shown = 5;

std::string name_of(const Way& way) { return way.formulation ? way.formulation->name : way.method->info.name; }
json number_or_null(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json plan_json(const RunPlan& plan, const RankedWay& way) {
  return {{"method", name_of(way.way)},
          {"h", number_or_null(way.h)},
          {"rtol", number_or_null(way.rtol)},
          {"steps", way.predicted_steps},
          {"seconds", way.predicted_seconds},
          {"error", way.predicted_error},
          {"why", way.why},
          {"command", command_of(plan, way)}};
}

json inspection_json(const RunPlan& plan, const ModelInfo& info, const Inspection& in) {
  json modes = json::array(), methods = json::array();
  for (const Mode& m : in.modes) modes.push_back({{"omega", m.omega}, {"growth", m.growth}, {"fast", m.fast}});
  for (const RankedWay& way : in.advice.ranked)
    methods.push_back({{"method", name_of(way.way)}, {"fits", true}, {"says", way.why}});
  for (const Objection& o : in.advice.objections)
    methods.push_back({{"method", o.name}, {"fits", false}, {"says", o.reason}});
  const bool any = !in.advice.ranked.empty();
  return {{"model", info.name},
          {"modes", modes},
          {"modes_left_out", in.modes_left_out},
          {"gap", in.gap},
          {"fast_energy", number_or_null(in.fast_energy)},
          {"resonance", in.resonance},
          {"plans", plans_json(plan, in.advice.ranked)},
          {"methods", methods},
          {"recommended", any ? name_of(in.advice.ranked.front().way) : ""},
          {"why", any ? in.advice.choice : in.refusal}};
}

const char* words_for(Want want) {
  return want == Want::slow         ? "slow motion"
         : want == Want::amplitude  ? "amplitudes of the fast motion"
         : want == Want::statistics ? "averages"
         : want == Want::envelope   ? "envelope"
         : want == Want::steady     ? "steady state"
                                    : "full motion";
}

void print_modes(const Inspection& in) {
  if (!in.modes_left_out.empty()) print(paragraph("\n" + in.modes_left_out + "\n"));
  if (!in.modes.empty()) {
    std::vector<std::vector<std::string>> rows{{"frequency at the start", "period", "growth rate", "kind"}};
    for (const Mode& m : in.modes)
      rows.push_back({fmt::format("{:.6g}", m.omega),
                      m.omega > 0 ? fmt::format("{:.4g}", 2 * std::numbers::pi / m.omega) : "-",
                      fmt::format("{:.3g}", m.growth),
                      m.omega == 0 && m.growth == 0 ? "free"
                      : m.fast                      ? "fast"
                                                    : "slow"});
    print("\n" + text_table(rows));
  }
  if (in.gap > 1)
    print(fmt::format("\nthe slowest fast frequency is {:.3g} times the fastest slow one\n", in.gap));
  else if (in.modes.size() > 1)
    print(
        paragraph("\nno two neighbouring frequencies are more than five times apart: none of them is slow compared "
                  "with the others"));
  if (!in.resonance.empty()) print(paragraph(fmt::format("\nwith impulse or respa {}\n", in.resonance)));
  if (in.fast_energy) print(fmt::format("energy in the stiff gaps at the start: {:.4g}\n", *in.fast_energy));
}
}  // namespace

std::string plans_text(const std::vector<RankedWay>& ranked, std::size_t most) {
  std::vector<std::vector<std::string>> rows{{"method", "step", "steps", "time", "error", "why"}};
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) {
    const RankedWay& way = ranked[i];
    const auto shown = [](double value, const char* unit) {
      return value > 0 ? fmt::format("{:.2g}{}", value, unit) : std::string("-");
    };
    rows.push_back({name_of(way.way),
                    way.h      ? fmt::format("h = {:.3g}", *way.h)
                    : way.rtol ? fmt::format("rtol = {:.2g}", *way.rtol)
                               : "-",
                    way.predicted_steps > 0 ? fmt::format("{:.0f}", way.predicted_steps) : "-",
                    shown(way.predicted_seconds, " s"), shown(way.predicted_error, ""), way.why});
  }
  return text_table(rows);
}

json plans_json(const RunPlan& plan, const std::vector<RankedWay>& ranked) {
  json plans = json::array();
  for (const RankedWay& way : ranked) plans.push_back(plan_json(plan, way));
  return plans;
}

int inspect(const InspectArguments& a) {
  const TextModel model = make_model(a.plan.model, a.plan.parameters, a.plan.from.value_or(0));
  const ModelInfo& info = model.info;
  const Inspection in = inspect_problem(a.plan, *model.problem, info.run);
  if (a.json) {
    print(inspection_json(a.plan, info, in).dump(2) + "\n");
    return ExitCode::ok;
  }
  print(fmt::format("{}: {}\n{} coordinates, {} constraints\n", info.name, info.title, model.problem->layout().nq,
                    model.problem->layout().nl));
  print_modes(in);
  if (!in.refusal.empty()) {
    print(paragraph(fmt::format("\n{}\n", in.refusal)));
    return ExitCode::ok;
  }
  const bool is_predicted = in.advice.ranked.front().predicted_seconds > 0;
  print(fmt::format("\nways to compute the {}, {}\n\n", words_for(a.plan.want),
                    is_predicted ? "by the time that each would take" : "in the order in which they are tried"));
  print(plans_text(in.advice.ranked, a.all ? in.advice.ranked.size() : plans_shown));
  if (a.all) {
    std::vector<std::vector<std::string>> rows{{"not taken", "because"}};
    for (const Objection& o : in.advice.objections) rows.push_back({o.name, o.reason});
    print("\n" + text_table(rows));
  }
  if (!info.run.method.empty()) print(fmt::format("\nthe model itself names {}\n", info.run.method));
  print(fmt::format("\nrecommended: {}\n", command_of(a.plan, in.advice.ranked.front())));
  return ExitCode::ok;
}
}  // namespace trill::cli
