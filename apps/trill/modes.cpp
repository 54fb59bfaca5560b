// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structure_modes.hpp"
#include "commands.hpp"
#include "model/text/model_picture.hpp"
#include "places.hpp"
#include "report/moving_picture.hpp"
#include "solution/safe_file.hpp"
#include "terminal.hpp"
#include "trill/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
constexpr Index default_modes = 10;
constexpr Index most_numbers_drawn = 1'200'000;  // of all shapes together: 3.2 MB of a page

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

std::string heading_of_omega(const Problem& problem) {
  return problem.time_unit().empty() ? "omega" : "omega in 1/" + problem.time_unit();
}

std::vector<std::vector<std::string>> rows_of(const Modes& modes, Index count) {
  std::vector<std::vector<std::string>> rows;
  for (Index i = 0; i < count; ++i) {
    const double omega = frequency_of(modes, i);
    const bool rigid = modes.is_rigid(i);
    rows.push_back({fmt::format("{}", i + 1), rigid ? "0" : fmt::format("{:.9g}", omega),
                    rigid ? "0" : fmt::format("{:.9g}", omega / (2 * std::numbers::pi)),
                    rigid ? "-" : fmt::format("{:.6g}", 2 * std::numbers::pi / omega),
                    rigid ? "moves as a rigid body" : fmt::format("{:.1e}", uncertainty_of(modes, i))});
  }
  return rows;
}

std::vector<std::string> columns_of(const Problem& problem) {
  return {"mode", heading_of_omega(problem), "omega / 2 pi", "period", "uncertainty"};
}

std::vector<ShapePicture> pictures_of(const TextModel& model, const ModesArguments& a, const Modes& modes,
                                      Index count) {
  const ModelFolder folder =
      is_model_file(a.model) ? ModelFolder(std::filesystem::path(a.model).parent_path()) : ModelFolder();
  const auto points = picture_of_text(model.file, model.text, a.parameters, folder);
  std::vector<ShapePicture> pictures;
  if (!points) return pictures;
  const State rest = model.problem->initial_state();
  const std::string unit = model.problem->time_unit().empty() ? "" : " 1/" + model.problem->time_unit();
  const Index drawn = std::min(count, most_numbers_drawn / (2 * points->numbers() + 1));
  for (Index i = 0; i < drawn; ++i)
    if (auto picture = picture_of_shape(*points, rest, modes.pairs.vectors.col(i)))
      pictures.push_back({modes.is_rigid(i)
                              ? fmt::format("Mode {}: moves as a rigid body", i + 1)
                              : fmt::format("Mode {}: omega = {:.6g}{}", i + 1, frequency_of(modes, i), unit),
                          std::make_shared<const MovingPicture>(std::move(*picture))});
  return pictures;
}

std::string page_of(const TextModel& model, const ModesArguments& a, const Modes& modes, Index count) {
  Report page;
  page.title = fmt::format("{}: {} modes", model.info.title.empty() ? model.info.name : model.info.title, count);
  page.version = TRILL_VERSION;
  page.summary.push_back(summary(a, modes));
  page.shapes = pictures_of(model, a, modes, count);
  if (page.shapes.empty())
    page.summary.push_back(
        "The model does not say where its points are, so that the shapes are not drawn; a table [picture], or nodes "
        "and lines of a [structure], say it.");
  else if (static_cast<Index>(page.shapes.size()) < count)
    page.summary.push_back(fmt::format("{} of the shapes are drawn.", page.shapes.size()));
  page.tables.push_back({.title = "Frequencies",
                         .note = "Uncertainty: how far rounding in the stiffness can move a frequency, relative to it.",
                         .columns = columns_of(*model.problem),
                         .rows = rows_of(modes, count),
                         .marks = {}});
  return report_page(page);
}
}  // namespace

int modes(const ModesArguments& a) {
  check_page_name(a.report);
  const TextModel model = make_model(a.model, a.parameters);
  check_apart({a.out, a.report}, files_of_model(a.model, model.inputs));
  check_place(a.out);
  check_page(a.report);
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
  if (!a.report.empty()) write_whole(a.report, page_of(model, a, modes, count));
  if (a.json) {
    print(modes_json(model.info.name, a, modes).dump(2) + "\n");
    return ExitCode::ok;
  }
  std::vector<std::vector<std::string>> rows = rows_of(modes, count);
  rows.insert(rows.begin(), columns_of(problem));
  print(paragraph(fmt::format("{}: {}\n{} coordinates\n\n{}\n{}", model.info.name, model.info.title, unknowns,
                              text_table(rows), summary(a, modes))));
  if (matrices.damped) print("damping is left out\n");
  return ExitCode::ok;
}
}  // namespace trill::cli
