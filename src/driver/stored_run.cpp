// SPDX-License-Identifier: BSD-3-Clause
#include "driver/stored_run.hpp"

#include "base/text.hpp"
#include "solution/run_json.hpp"

#include <array>

#include <fmt/format.h>

namespace trill {
namespace {
namespace fs = std::filesystem;

std::optional<double> number_in(const OptionSet& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::nullopt : parse_number(found->second);
}

constexpr std::array endings{".toml", ".data", ".psf", ".cir"};

// The text itself says whether it is TOML, a file of molecules or a netlist.
TextModel read_stored(const RunInfo& info, double begin) {
  for (const char* ending : endings) try {
      return read_model(info.problem + ending, info.model_text, info.parameters, begin);
    } catch (const ModelError&) {
      if (ending == endings.back()) throw;
    }
  return {};
}

// A model that reads other files is loaded from its own, provided that all are as they were.
TextModel load_stored(const RunInfo& info, const std::vector<fs::path>& folders, double begin) {
  for (const fs::path& folder : folders)
    for (const char* ending : endings) {
      const fs::path file = folder / (info.problem + ending);
      if (!fs::exists(file)) continue;
      TextModel model = load_model(file, info.parameters, begin);
      RunInfo now = info;
      now.model_text = model.text;
      now.inputs = model.inputs;
      if (const auto changed = difference(info, now)) throw UsageError(*changed + "; run it again");
      return model;
    }
  throw UsageError(
      fmt::format("the model reads the file {}, which the solution does not contain; go to the folder of the model and "
                  "try again there",
                  info.inputs.begin()->first));
}

// What the model is called on the command line: the name of its file, if that is at hand.
std::string name_to_type(const RunInfo& info, const std::vector<fs::path>& folders) {
  if (info.model_text.empty()) return info.problem;
  for (const fs::path& folder : folders)
    for (const char* ending : endings)
      if (const fs::path file = folder / (info.problem + ending); fs::exists(file))
        return file.lexically_normal().string();
  return info.problem;
}

TextModel stored_model(const RunInfo& info, const std::vector<fs::path>& folders, double begin) {
  if (info.model_text.empty()) return make_model(info.problem, info.parameters, begin);
  return info.inputs.empty() ? read_stored(info, begin) : load_stored(info, folders, begin);
}

Output output_of(const std::string& text) {
  constexpr std::string_view every = "every ", in_time = " in time", steps = " steps";
  if (!text.starts_with(every)) return EveryStep{};
  const std::string rest = text.substr(every.size());
  const auto number_before = [&](std::string_view end) {
    return rest.ends_with(end) ? parse_number(rest.substr(0, rest.size() - end.size())) : std::nullopt;
  };
  if (const auto dt = number_before(in_time)) return Grid{*dt};
  if (const auto stride = number_before(steps)) return EveryStep{static_cast<int>(*stride)};
  return EveryStep{};
}

// A formulation that brings its method is named as the method; `macro` is the one that drives it.
void name_way(const RunInfo& info, RunPlan& plan) {
  plan.method = info.method;
  plan.formulation = info.formulation;
  const ReformulationEntry* form =
      info.formulation.empty() ? nullptr : Catalogue::all().find_formulation(info.formulation);
  if (!form || !form->driving_method) return;
  plan.method = info.formulation;
  plan.formulation.clear();
  plan.options["macro"] = info.method;
  if (!form->ends_by.empty()) plan.options.erase(form->ends_by);
}
}  // namespace

PreparedRun prepare_stored(const RunInfo& info, const std::vector<fs::path>& folders) {
  RunPlan plan;
  plan.model = name_to_type(info, folders);
  plan.options = info.options;
  plan.from = number_in(info.settings, "from");
  plan.to = number_in(info.settings, "to");
  plan.h = number_in(info.settings, "h");
  plan.rtol = number_in(info.settings, "rtol");
  plan.atol = number_in(info.settings, "atol");
  plan.h_max = number_in(info.settings, "h_max");
  if (!plan.from || !plan.to || !(plan.h || plan.rtol))
    throw UsageError("the solution does not say how it was computed, so it cannot be checked; run it again");
  name_way(info, plan);
  if (const auto control = info.settings.find("control"); control != info.settings.end())
    plan.control = control->second;
  if (const auto output = info.settings.find("output"); output != info.settings.end())
    plan.output = output_of(output->second);
  plan.seed = static_cast<std::uint64_t>(number_in(info.settings, "seed").value_or(1));
  plan.parameters = info.parameters;
  if (const auto of = info.settings.find("of"); of != info.settings.end()) plan.of = split(of->second, ',');
  if (const auto accuracy = number_in(info.settings, "accuracy")) plan.accuracy = accuracy;
  TextModel model = stored_model(info, folders, *plan.from);
  PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
  run.options.info.problem = info.problem;
  run.options.info.model_text = info.model_text;
  run.options.info.inputs = info.inputs;
  if (run.start.layout != info.layout)
    throw UsageError("the model has other unknowns in this version of trill than the solution; run it again");
  return run;
}

RunDefaults stored_defaults(const RunInfo& info, const std::vector<fs::path>& folders) {
  return stored_model(info, folders, number_in(info.settings, "from").value_or(0)).info.run;
}
}  // namespace trill
