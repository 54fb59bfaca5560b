// SPDX-License-Identifier: BSD-3-Clause
#include "papers/slow_motion.hpp"

#include "analysis/convergence.hpp"
#include "analysis/slow_part.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill::papers::slow_motion {
namespace {
constexpr double most_half_width = 0.5;   // a wider window would distort the slow motions below
constexpr double below_rounding = 2e-11;  // for runs with rtol = 1e-11: smaller errors are shown, not judged

// Both springs of two_springs are gaps here, although their frequencies differ.
constexpr const char* two_stiff_springs = R"toml(
[parameters]
omega = 1000
ratio = 2
[coordinates]
x1 = { start = 1, velocity = 0.5 }
y1 = { start = 0, velocity = -0.5 }
x2 = { start = "2 + 1/(ratio*omega)", velocity = -0.5 }
y2 = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "sqrt(x1^2 + y1^2) - 1"
stiffness = "omega^2"
[[stiff]]
gap = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
stiffness = "(ratio*omega)^2"
)toml";

constexpr int samples = 10;
std::vector<double> sample_times(double to) {
  std::vector<double> times;
  for (int k = 1; k <= samples; ++k) times.push_back(to * k / samples);
  return times;
}

OptionSet only_omega(double omega, Data) { return {{"omega", digits(omega)}}; }

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all{
      {.name = "spring pendulum",
       .to = 20,
       .slowest = 1,
       .model = "stiff_spring",
       .parameters =
           [](double omega, Data data) {
             return OptionSet{
                 {"epsilon", digits(1 / omega)}, {"x0", digits(data == Data::fast ? 1 + 1 / omega : 1)}, {"y0", "0"}};
           }},
      {.name = "two springs i",
       .slowest = 1,
       .model = "two_springs",
       .parameters =
           [](double omega, Data data) {
             return OptionSet{{"omega2", digits(omega)}, {"stretch2", data == Data::fast ? "1" : "0"}};
           }},
      {.name = "two springs ii",
       .slowest = 1,
       .model = "two_springs",
       .parameters =
           [](double omega, Data data) {
             return OptionSet{{"omega1", digits(omega)},
                              {"omega2", "1"},
                              {"stretch1", data == Data::fast ? "20" : "0"},
                              {"stretch2", "0"}};
           }},
      {.name = "two springs iii",
       .slowest = 0.6,
       .model = "two_springs",
       .parameters =
           [](double omega, Data data) {
             return OptionSet{
                 {"omega1", digits(omega)}, {"omega2", digits(omega)}, {"stretch2", data == Data::fast ? "1" : "0"}};
           }},
      {.name = "two stiff springs, 1:2",
       .slowest = 0.6,
       .model = "",
       .text = two_stiff_springs,
       .parameters = only_omega},
      {.name = "two stiff springs, 1:4",
       .slowest = 0.6,
       .model = "",
       .text = two_stiff_springs,
       .parameters =
           [](double omega, Data) {
             return OptionSet{{"omega", digits(omega)}, {"ratio", "4"}};
           }},
      {.name = "varying frequency",
       .slowest = 1,
       .model = "varying_frequency",
       .parameters = only_omega,
       .same_data = false},
      {.name = "curved wire",
       .slowest = 1,
       .model = "wire",
       .parameters =
           [](double omega, Data data) {
             const bool fast = data == Data::fast;
             return OptionSet{{"omega", digits(omega)}, {"u0", fast ? "0.3" : "0"}, {"v0", fast ? "1" : "0"}};
           }},
      {.name = "planar chain", .slowest = 1, .model = "planar_chain", .parameters = only_omega, .same_data = false},
      {.name = "cart",
       .slowest = 1,
       .model = "cart",
       .parameters =
           [](double omega, Data data) {
             const bool fast = data == Data::fast;
             return OptionSet{{"omega", digits(omega)}, {"stretch", fast ? "1" : "0"}, {"w0", fast ? "0.3" : "0"}};
           }},
  };
  return all;
}
}  // namespace

const Subject& subject(std::string_view name) {
  for (const Subject& s : subjects())
    if (s.name == name) return s;
  throw UsageError(fmt::format("there is no slow motion called '{}'", name));
}

PreparedRun prepare_run(const Subject& subject, double omega, Data data, RunPlan plan, const OptionSet& more) {
  OptionSet parameters = subject.parameters(omega, data);
  for (const auto& [name, value] : more) parameters[name] = value;
  plan.model = subject.model.empty() ? subject.name : subject.model;
  plan.parameters = parameters;
  if (!subject.model.empty()) return prepare(plan);
  plan.parameters.clear();
  return prepare(plan, read_model(subject.name, subject.text, parameters).problem);
}

RunPlan slow_plan(double to, const OptionSet& options, double rtol) {
  RunPlan plan;
  plan.method = "slow";
  plan.options = options;
  plan.rtol = rtol;
  plan.atol = rtol;
  plan.to = to;
  plan.output = Times{sample_times(to)};
  return plan;
}

RunPlan stiff_plan(double to) { return dop853_plan("", 1e-13, 1e-13, {to, Times{sample_times(to)}}); }

Mat slow_part_of_stiff_motion(const Subject& subject, double omega, const OptionSet& more) {
  const std::vector<double> centres = sample_times(subject.to);
  const double slowest = subject.slowest * omega, periods = most_half_width * slowest / (2 * std::numbers::pi);
  const FlatWindow window(slowest, std::min(16, static_cast<int>(periods)));
  RunPlan plan = stiff_plan(subject.to + 1.001 * window.half_width());
  plan.rtol = plan.atol = 1e-12;
  plan.output = Times{window.times(centres)};
  return window.averages(finished(prepare_run(subject, omega, Data::fast, plan, more)), centres);
}

Mat samples_of(const Solution& solution) { return solution.y().middleCols(1, samples); }

Errors distance(const Mat& a, const Mat& b, Index nq) {
  const Mat d = (a - b).cwiseAbs();
  return {d.topRows(nq).maxCoeff(), d.middleRows(nq, nq).maxCoeff()};
}

double falling_order(const std::vector<double>& omega, const std::vector<double>& error) {
  return -log_slope(omega, error);
}

FigureCell error_cell(std::string label, double ours, double published, double max_factor) {
  return judged_if(published >= below_rounding, by_factor(std::move(label), ours, published, max_factor));
}

Chart error_chart(std::string title, std::string note, std::vector<ChartSeries> series) {
  return log_chart(std::move(title), std::move(note), "omega", "error", std::move(series));
}
}  // namespace trill::papers::slow_motion
