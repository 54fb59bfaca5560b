// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structure_modes.hpp"
#include "commands.hpp"
#include "places.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
constexpr Index default_modes = 10;

// Frequencies are square roots, so their relative error is half that of the eigenvalues.
double frequency_of(const Modes& modes, Index i) {
  return modes.is_rigid(i) ? 0 : std::sqrt(std::max(modes.pairs.values[i], 0.0));
}
double uncertainty_of(const Modes& modes, Index i) { return 0.5 * modes.uncertainty[i]; }

const char* words_for(CountCheck check) { return check == CountCheck::deflation ? "deflation" : "inertia"; }

nlohmann::json modes_json(const std::string& model, const ModesArguments& a, const Modes& modes) {
  nlohmann::json list = nlohmann::json::array();
  for (Index i = 0; i < modes.pairs.values.size(); ++i)
    list.push_back(
        {{"omega", frequency_of(modes, i)},
         {"rigid", modes.is_rigid(i)},
         {"uncertainty", modes.is_rigid(i) ? nlohmann::json(nullptr) : nlohmann::json(uncertainty_of(modes, i))}});
  return {{"model", model},
          {"unknowns", modes.pairs.vectors.rows()},
          {"modes", list},
          {"checked_by", words_for(a.check)},
          {"found_by_check", modes.found_by_check},
          {"solves", modes.solves},
          {"factorisations", modes.factorisations},
          {"engine", modes.engine},
          {"bytes_of_factors", modes.bytes_of_factors}};
}

std::string shapes_csv(const Problem& problem, const Modes& modes) {
  std::string text = "coordinate";
  for (Index i = 0; i < modes.pairs.values.size(); ++i) text += fmt::format(",omega={:.9g}", frequency_of(modes, i));
  text += '\n';
  const auto names = problem.components();
  for (Index k = 0; k < modes.pairs.vectors.rows(); ++k) {
    text += names[static_cast<std::size_t>(k)].name;
    for (Index i = 0; i < modes.pairs.vectors.cols(); ++i) text += fmt::format(",{:.17g}", modes.pairs.vectors(k, i));
    text += '\n';
  }
  return text;
}

std::string summary(const ModesArguments& a, const Modes& modes) {
  std::string text = fmt::format("{} modes, {} factorisation{}, {} solves; ", modes.pairs.values.size(),
                                 modes.factorisations, modes.factorisations == 1 ? "" : "s", modes.solves);
  if (modes.solves == 0) return fmt::format("{} modes, by a dense decomposition of all\n", modes.pairs.values.size());
  text += fmt::format("checked by {} that none is missing", words_for(a.check));
  if (modes.found_by_check > 0) text += fmt::format(", which found {} more", modes.found_by_check);
  return text + "; " + text_of_factors(modes.engine, modes.bytes_of_factors, modes.pairs.vectors.rows()) + "\n";
}
}  // namespace

int modes(const ModesArguments& a) {
  const TextModel model = make_model(a.model, a.parameters);
  check_apart({a.out}, files_of_model(a.model, model.inputs));
  check_place(a.out);
  const Problem& problem = *model.problem;
  const OscillationMatrices matrices = oscillation_matrices(problem, problem.initial_state());
  const Index unknowns = matrices.mass.rows();
  if (a.count.value_or(1) > unknowns)
    throw UsageError(fmt::format("--count {} is more than the model has: {} coordinates have {} modes", *a.count,
                                 unknowns, unknowns));
  const Index count = a.count.value_or(std::min<Index>(default_modes, unknowns));
  const Modes modes = lowest_modes(matrices.stiffness, matrices.mass, {.count = count, .check = a.check});
  if (!modes.pairs.converged) {
    complain(fmt::format("the modes of '{}' were not found: {}", model.info.name, modes.pairs.message));
    return ExitCode::numerical_failure;
  }
  if (!a.out.empty()) write_whole(a.out, shapes_csv(problem, modes));
  if (a.json) {
    print(modes_json(model.info.name, a, modes).dump(2) + "\n");
    return ExitCode::ok;
  }
  const std::string unit = problem.time_unit().empty() ? "" : " in 1/" + problem.time_unit();
  std::vector<std::vector<std::string>> rows{{"mode", "omega" + unit, "omega / 2 pi", "period", "uncertainty"}};
  for (Index i = 0; i < count; ++i) {
    const double omega = frequency_of(modes, i);
    const bool rigid = modes.is_rigid(i);
    rows.push_back({fmt::format("{}", i + 1), rigid ? "0" : fmt::format("{:.9g}", omega),
                    rigid ? "0" : fmt::format("{:.9g}", omega / (2 * std::numbers::pi)),
                    rigid ? "-" : fmt::format("{:.6g}", 2 * std::numbers::pi / omega),
                    rigid ? "moves as a rigid body" : fmt::format("{:.1e}", uncertainty_of(modes, i))});
  }
  print(paragraph(fmt::format("{}: {}\n{} coordinates\n\n{}\n{}", model.info.name, model.info.title, unknowns,
                              text_table(rows), summary(a, modes))));
  if (matrices.damped) print("damping is left out\n");
  return ExitCode::ok;
}
}  // namespace trill::cli
