// SPDX-License-Identifier: BSD-3-Clause
// YPR98 table 2, and when the CM iteration needs fewer or more iterations than CS and index-2.
#include "papers/ypr98.hpp"
#include "papers/ypr98_newton.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::ypr98 {
namespace {
struct Form {
  ConstraintForm form;
  const char* name;
};
constexpr std::array<Form, 3> forms{
    {{ConstraintForm::index2, "index2"}, {ConstraintForm::cs, "cs"}, {ConstraintForm::cm, "cm"}}};

const Mechanism& slider_crank() {
  static const Mechanism mechanism{"slider_crank", {}, 1, 0.3};
  return mechanism;
}

FigureResult largest_steps(bool) {
  FigureResult result;
  constexpr std::array<int, 19> tried{50,  80,  100, 125, 150, 175, 200,  250,  300, 350,
                                      400, 450, 500, 600, 700, 800, 1000, 1500, 2000};
  constexpr std::array<double, 3> tolerances{1e-5, 1e-7, 1e-9}, printed_index2{175, 500, 800},
      printed_cm{100, 250, 400};
  for (const auto& [frozen, limit] : {std::pair{false, 4}, {false, 10}, {true, 10}, {true, 20}})
    for (const Form& form : {forms[0], forms[2]})
      for (std::size_t k = 0; k < tolerances.size(); ++k)
        result.cells.push_back(shown(
            near(fmt::format("1/h, {}, tolerance {:.0e}, {} Newton, at most {}", form.name, tolerances[k],
                             matrix_kind(frozen), limit),
                 fewest_steps(slider_crank(), 0.75,
                              {.form = form.form, .limit = limit, .frozen = frozen, .tolerance = tolerances[k]}, tried),
                 (form.form == ConstraintForm::cm ? printed_cm : printed_index2)[k], 0, print)));
  const auto end = [](ConstraintForm form) {
    return count_iterations(slider_crank(), 0.75, 800, {.form = form, .limit = 20, .tolerance = 1e-10}).q;
  };
  const Vec reference = end(ConstraintForm::index2);
  for (const Form& form : {forms[1], forms[2]})
    result.cells.push_back(near(fmt::format("{} - index2, 800 steps", form.name), (end(form.form) - reference).norm(),
                                0, 1e-7, expected_since("the same equations")));
  result.remark =
      "1/h is 0 where no tried step up to 1/2000 completes. The largest step is decided by how many iterations are "
      "allowed and by whether the matrix is renewed, which the paper does not say.";
  return result;
}

struct StudyCase {
  std::string title;
  Mechanism mechanism;
  double rho;
  std::vector<int> steps;
};

std::vector<StudyCase> study_cases() {
  std::vector<StudyCase> cases;
  const Mechanism bushing{"bushing_constrained", {}, 40 * std::numbers::pi * 1e-5};
  for (const double rho : {0.0, 0.75}) cases.push_back({"bushing", bushing, rho, {100, 200, 500, 1200}});
  struct Bars {
    const char *k, *offset;
    double rho;
  };
  for (const Bars& b : {Bars{"1e4", "1e-3", 0.5}, {"1e4", "1e-2", 0.5}, {"1e6", "0.1", 0}, {"1e8", "1e-3", 0.5}}) {
    const Mechanism bars{
        "bushing_pendulum",
        {{"kx", b.k}, {"ky", b.k}, {"ktheta", fmt::format("{:g}", std::stod(b.k) / 10)}, {"offset", b.offset}},
        1};
    cases.push_back({fmt::format("two bars, k = {}, offset {}", b.k, b.offset), bars, b.rho, {20, 50, 100, 500}});
  }
  cases.push_back({"slider crank", slider_crank(), 0.75, {100, 200, 500, 1000}});
  return cases;
}

void add_counts(const StudyCase& c, bool frozen, FigureResult& result, Chart& chart) {
  std::array<ChartSeries, 3> curves;
  for (std::size_t f = 0; f < forms.size(); ++f) curves[f].label = forms[f].name;
  for (const int steps : c.steps) {
    std::array<IterationCount, 3> found;
    for (std::size_t f = 0; f < forms.size(); ++f)
      found[f] = count_iterations(c.mechanism, c.rho, steps,
                                  {.form = forms[f].form, .limit = 20, .frozen = frozen, .tolerance = 1e-10});
    const auto iterations = [&](std::size_t f) { return found[f].completed ? found[f].each_step : std::nan(""); };
    for (std::size_t f = 0; f < forms.size(); ++f) {
      add_point(curves[f], steps, iterations(f));
      if (f > 0)
        result.cells.push_back(shown(near(fmt::format("{}: {} iterations a step, {} steps, rho = {}, {} Newton",
                                                      c.title, forms[f].name, steps, c.rho, matrix_kind(frozen)),
                                          iterations(f), iterations(0), 0, own_by("index2, the same steps"))));
    }
    if (found[0].completed && found[2].completed)
      result.cells.push_back(near(
          fmt::format("{}: cm - index2, {} steps, rho = {}, {} Newton", c.title, steps, c.rho, matrix_kind(frozen)),
          (found[2].q - found[0].q).cwiseAbs().maxCoeff(), 0, 1e-4, expected_since("the same equations")));
  }
  for (ChartSeries& curve : curves) chart.series.push_back(std::move(curve));
}

FigureResult cm_study(bool) {
  FigureResult result;
  for (const StudyCase& c : study_cases())
    for (const bool frozen : {false, true}) {
      Chart chart{.title = c.title,
                  .note = fmt::format("rho = {}, {} Newton, at most 20", c.rho, matrix_kind(frozen)),
                  .x = {"steps", "", true},
                  .y = {"iterations a step", "", false},
                  .style = ChartStyle::both,
                  .series = {}};
      add_counts(c, frozen, result, chart);
      result.charts.push_back(std::move(chart));
    }
  result.remark = "Iterations of CS and CM beside those of index-2; nan: an iteration failed before the end.";
  return result;
}
}  // namespace
}  // namespace papers::ypr98

void register_figure_ypr98_study(FigureRegistry& registry) {
  using namespace papers::ypr98;
  registry.add({"ypr98_table2", "Largest steps of the slider crank", "YPR98 table 2", largest_steps});
  registry.add({"ypr98_cm_study", "Iterations of CM, CS and index-2", "YPR98 sec. 3.1 and 4", cm_study});
}
}  // namespace trill
