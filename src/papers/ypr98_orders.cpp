// SPDX-License-Identifier: BSD-3-Clause
// Orders of the alpha family on constrained motion: YPR98 theorems 2.1 and 3.1, which claim too low orders.
#include "papers/ypr98.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::ypr98 {
namespace {
using Errors = std::array<double, 3>;  // errors of q, v and lambda at the end

struct Member {
  std::string title, method;
  OptionSet options;
  Errors errors;  // with 320 steps, from an independent program; 4 digits
};
// The rigid pendulum from (1, 0) at rest to t = 2.
const std::array<Member, 8> members{{
    {"Newmark", "newmark", {}, {2.709e-5, 3.908e-5, 2.100e-5}},
    {"HHT(-0.1)", "hht", {{"alpha", "-0.1"}}, {3.553e-5, 5.232e-5, 3.836e-5}},
    {"HHT(-1/3)", "hht", {{"alpha", "-0.3333333333333333"}}, {4.175e-5, 6.100e-5, 4.057e-5}},
    {"WBZ(0.5)", "wbz", {{"rho", "0.5"}}, {6.430e-5, 9.732e-5, 9.072e-5}},
    {"generalized alpha(0.9)", "generalized_alpha", {{"rho", "0.9"}}, {2.746e-5, 3.962e-5, 2.148e-5}},
    {"generalized alpha(0.5)", "generalized_alpha", {{"rho", "0.5"}}, {4.175e-5, 6.100e-5, 4.057e-5}},
    {"generalized alpha(0)", "generalized_alpha", {{"rho", "0"}}, {1.584e-4, 2.371e-4, 2.032e-4}},
    {"generalized alpha(1)", "generalized_alpha", {{"rho", "1"}}, {2.709e-5, 3.908e-5, 2.100e-5}},
}};
const std::array<const char*, 3> parts{"q", "v", "lambda"};

Vec end_of(const std::string& model, const std::string& method, const OptionSet& options, double to, int steps) {
  RunPlan plan;
  plan.model = model;
  plan.method = method;
  plan.options = options;
  plan.h = to / steps;
  plan.to = to;
  plan.output = Times{{to}};
  const Solution s = finished(prepare(plan));
  return s.y().col(s.rows() - 1);
}

Errors errors_of(const Vec& y, const Vec& exact, Index n) {
  const Vec d = y - exact;
  return {d.head(n).norm(), d.segment(n, n).norm(), d.tail(d.size() - 2 * n).norm()};
}

// From integrators of the independent program, to 15 and 12 digits.
Vec pendulum_end() {
  return Vec{{-0.204193214788267, 0.978930605831926, -1.369754885003488, -0.285714484535028, 2.936791817495875}};
}
Vec crank_end() {
  return Vec{{6.45743325982078, -0.086792690487468, 0.446599343172677, 31.721489871048, -15.679588696101,
              -1.232671168341, 4.321317574431, 15.816067623589}};
}

FigureCell order_cell(const std::string& label, double coarse, double fine) {
  return near(label, std::log2(coarse / fine), 2, 0.1,
              expected_since("two for every member; the theorems say 1 for v and lambda"));
}

FigureResult orders(bool) {
  FigureResult result;
  Chart chart = log_chart("Errors on the rigid pendulum", "t = 2, of q", "steps", "error");
  chart.style = ChartStyle::line;
  for (const Member& m : members) {
    std::array<Errors, 4> found;
    ChartSeries series{m.title, {}, {}};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const int steps = 40 << i;
      found[i] = errors_of(end_of("rigid", m.method, m.options, 2, steps), pendulum_end(), 2);
      add_point(series, steps, found[i][0]);
    }
    for (std::size_t p = 0; p < 3; ++p) {
      result.cells.push_back(
          relative(fmt::format("{}: error of {}, 320 steps", m.title, parts[p]), found[3][p], m.errors[p], 5e-3));
      result.cells.push_back(order_cell(fmt::format("{}: order of {}", m.title, parts[p]), found[2][p], found[3][p]));
    }
    chart.series.push_back(std::move(series));
  }
  const auto crank = [](int steps) {
    return errors_of(end_of("rigid_slider_crank", "generalized_alpha", {{"rho", "0.5"}}, 0.3, steps), crank_end(), 3);
  };
  const Errors coarse = crank(600), fine = crank(1200);
  for (std::size_t p = 0; p < 3; ++p)
    result.cells.push_back(order_cell(fmt::format("slider crank: order of {}", parts[p]), coarse[p], fine[p]));
  const auto form = [](const char* name) {
    return end_of("rigid_slider_crank", "generalized_alpha", {{"rho", "0.5"}, {"formulation", name}}, 0.3, 300);
  };
  for (const char* name : {"cs", "cm"})
    result.cells.push_back(near(fmt::format("slider crank: {} - index2", name), (form(name) - form("index2")).norm(), 0,
                                1e-7, expected_since("the same equations")));
  result.charts = {std::move(chart)};
  return result;
}
}  // namespace
}  // namespace papers::ypr98

void register_figure_ypr98_orders(FigureRegistry& registry) {
  using namespace papers::ypr98;
  registry.add({"ypr98_orders", "Orders of the alpha family with constraints", "YPR98 theorem 3.1", orders});
}
}  // namespace trill
