// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/inspection.hpp"
#include "commands.hpp"
#include "terminal.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;

json inspection_json(const ModelInfo& info, const Inspection& in) {
  json modes = json::array(), advice = json::array();
  for (const Mode& m : in.modes) modes.push_back({{"omega", m.omega}, {"growth", m.growth}, {"fast", m.fast}});
  for (const MethodAdvice& m : in.advice)
    advice.push_back({{"method", m.method}, {"fits", m.fits}, {"says", m.says}, {"h", m.h}});
  return {{"model", info.name}, {"modes", modes},
          {"gap", in.gap},      {"fast_energy", in.fast_energy ? json(*in.fast_energy) : json(nullptr)},
          {"methods", advice},  {"recommended", in.recommended},
          {"why", in.why}};
}
}  // namespace

int inspect(const InspectArguments& a) {
  const TextModel model = make_model(a.model, a.parameters);
  const ModelInfo& info = model.info;
  const Problem& problem = *model.problem;
  const Inspection in = inspect_problem(problem, problem.initial_state());
  if (a.json) {
    print(inspection_json(info, in).dump(2) + "\n");
    return ExitCode::ok;
  }
  print(fmt::format("{}: {}\n{} coordinates, {} constraints\n", info.name, info.title, problem.layout().nq,
                    problem.layout().nl));
  if (!in.modes.empty()) {
    std::vector<std::vector<std::string>> rows{{"frequency at the start", "period", "growth rate", "kind"}};
    for (const Mode& m : in.modes)
      rows.push_back({fmt::format("{:.6g}", m.omega),
                      m.omega > 0 ? fmt::format("{:.4g}", 6.283185307179586 / m.omega) : "-",
                      fmt::format("{:.3g}", m.growth), m.fast ? "fast" : "slow"});
    print("\n" + text_table(rows));
  }
  if (in.gap > 1) print(fmt::format("\nthe slowest fast frequency is {:.3g} times the fastest slow one\n", in.gap));
  if (in.fast_energy) print(fmt::format("energy in the stiff gaps at the start: {:.4g}\n", *in.fast_energy));
  std::vector<std::vector<std::string>> rows{{"method", "largest sensible h", "what it would do with this model"}};
  for (const MethodAdvice& m : in.advice)
    rows.push_back({m.method, m.h > 0 ? fmt::format("{:.3g}", m.h) : "-", m.says});
  print("\n" + text_table(rows));
  print(fmt::format("\nrecommended: {} ({})\n", in.recommended, in.why));
  return ExitCode::ok;
}
}  // namespace trill::cli
