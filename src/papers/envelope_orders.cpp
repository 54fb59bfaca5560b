// SPDX-License-Identifier: BSD-3-Clause
// Orders of methods on cycle maps, where they are exact, and what they do to components that decay within a cycle:
// PJY97 sec. 5, with coefficients that depend on the number of cycles of a step.
#include "multiscale/cycle_tableau.hpp"
#include "multiscale/section_cycle.hpp"
#include "papers/cells.hpp"
#include "papers/hopf_cycles.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace papers::envelopes {
namespace {
constexpr int cycles_followed = 1024;

struct CycleMethod {
  std::string label, method;
  OptionSet options;
};

struct ErrorRow {
  CycleMethod method;
  std::array<double, 5> errors;  // with 128, 64, 32, 16 and 8 cycles in a step
};

const std::vector<ErrorRow>& hopf_rows() {
  static const std::vector<ErrorRow> all{
      {{"Runge-Kutta, order 4", "cycle_rk", {{"scheme", "rk4"}}},
       {7.111e-06, 4.609e-07, 2.328e-08, 7.766e-10, 6.126e-12}},
      {{"Adams-Bashforth, order 4", "cycle_adams", {{"order", "4"}, {"corrector", "none"}}},
       {0.003307, 0.0001584, 7.443e-06, 3.8e-07, 1.982e-08}},
      {{"PJY97 eq. 5.3", "cycle_implicit", {{"scheme", "next_cycle_euler"}}},
       {0.1282, 0.0644, 0.03268, 0.01684, 0.008917}},
      {{"implicit Euler, last cycle", "cycle_implicit", {{"scheme", "euler"}}},
       {0.1262, 0.06242, 0.0307, 0.01486, 0.006935}},
      {{"trapezoidal", "cycle_implicit", {{"scheme", "trapezoid"}}},
       {0.002833, 0.0007144, 0.0001789, 4.461e-05, 1.102e-05}},
      {{"SDIRK, order 2", "cycle_implicit", {{"scheme", "sdirk2"}}},
       {0.0002251, 6.047e-05, 1.531e-05, 3.683e-06, 8.136e-07}},
      {{"Radau, order 3", "cycle_implicit", {{"scheme", "radau2"}}},
       {9.691e-05, 1.312e-05, 1.663e-06, 1.979e-07, 2.12e-08}},
      {{"Radau, order 5", "cycle_implicit", {{"scheme", "radau3"}}},
       {2.995e-07, 8.944e-09, 2.614e-10, 7.168e-12, 1.605e-13}},
      {{"Gauss, order 4", "cycle_implicit", {{"scheme", "gauss2"}}},
       {1.242e-05, 7.791e-07, 4.857e-08, 2.992e-09, 1.76e-10}}};
  return all;
}

double hopf_error(const CycleMethod& m, int each) {
  const HopfCycles map;
  const Vec exact = HopfCycles::after(map.initial_state().y, cycles_followed);
  return (in_equal_steps(map, m.method, m.options, each, cycles_followed) - exact).norm();
}

// y'' + y = mu (1 - y^2) y'
class VanDerPol final : public FirstOrderProblem {
 public:
  std::string name() const override { return "Van der Pol oscillator"; }
  Layout layout() const override { return {.nq = 2}; }
  std::vector<Quantity> components() const override { return {{"y", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 0.5, 0;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<VanDerPol>(*this); }
  void rhs(double, In y, Out dy) const override { dy << y[1], -y[0] + 0.001 * (1 - y[0] * y[0]) * y[1]; }
};

// Amplitude and time at the last max of y, by Runge-Kutta steps whose stages are moved onto the section y' = 0.
Vec van_der_pol_end(int each) {
  const VanDerPol problem;
  const SectionCycle map(problem, problem.initial_state(), {.direction = Vec{{-1, 0}}}, 6,
                         {.rtol = 1e-13, .atol = Vec::Constant(2, 1e-13)});
  const CycleTableau tableau = cycle_tableau(CycleScheme::rk4, 1.0 / each);
  Vec z = map.initial_state().y, stage = z;
  Mat changes = Mat::Zero(z.size(), tableau.c.size());
  for (int k = 0; k < cycles_followed; k += each) {
    for (Index i = 0; i < tableau.c.size(); ++i) {
      stage = z + changes.leftCols(i) * (each * tableau.a.row(i).head(i).transpose());
      if (!map.settle(0, stage) || !map.change(0, stage, changes.col(i)))
        throw UsageError("a cycle of the Van der Pol oscillator could not be computed");
    }
    z += changes * (each * tableau.b);
    if (!map.settle(0, z)) throw UsageError("a cycle of the Van der Pol oscillator could not be computed");
  }
  return Vec{{z[0], z[2]}};
}

FigureResult orders(bool) {
  FigureResult result;
  Chart chart = log_chart("Errors after 1024 cycles", "Hopf oscillator in closed form", "cycles in a step", "error");
  for (const ErrorRow& row : hopf_rows()) {
    ChartSeries series{row.method.label, {}, {}};
    for (std::size_t k = 0; k < row.errors.size(); ++k) {
      const int each = 128 >> k;
      const double error = hopf_error(row.method, each);
      add_point(series, each, error);
      // Below 1e-11 rounding over 1024 cycles shows.
      result.cells.push_back(
          judged_if(row.errors[k] > 1e-11,
                    relative(fmt::format("{}, M = {}", row.method.label, each), error, row.errors[k], 0.02)));
    }
    chart.series.push_back(std::move(series));
  }
  const std::array<std::pair<int, double>, 5> published{
      {{256, 0.009787}, {128, 0.0002725}, {64, 1.133e-05}, {32, 5.114e-07}, {16, 2.04e-08}}};
  const Vec end{{1.97633605592676, 6433.98112888124}};
  ChartSeries series{"Van der Pol, Runge-Kutta, order 4", {}, {}};
  for (const auto& [each, error] : published) {
    const double ours = (van_der_pol_end(each) - end).norm();
    add_point(series, each, ours);
    result.cells.push_back(relative(fmt::format("Van der Pol, M = {}", each), ours, error, 0.05));
  }
  chart.series.push_back(std::move(series));
  result.charts = {std::move(chart)};
  return result;
}

FigureResult exactness(bool) {
  FigureResult result;
  struct ExactCase {
    CycleMethod method;
    int each;
  };
  const std::vector<ExactCase> exact{{{"Heun", "cycle_rk", {{"scheme", "heun"}}}, 1},
                                     {{"midpoint", "cycle_rk", {{"scheme", "midpoint"}}}, 1},
                                     {{"Runge-Kutta, order 4", "cycle_rk", {{"scheme", "rk4"}}}, 4},
                                     {{"implicit Euler, last cycle", "cycle_implicit", {{"scheme", "euler"}}}, 1},
                                     {{"trapezoidal", "cycle_implicit", {{"scheme", "trapezoid"}}}, 1},
                                     {{"SDIRK, order 2", "cycle_implicit", {{"scheme", "sdirk2"}}}, 2},
                                     {{"Radau, order 3", "cycle_implicit", {{"scheme", "radau2"}}}, 2},
                                     {{"Gauss, order 4", "cycle_implicit", {{"scheme", "gauss2"}}}, 2}};
  for (const ExactCase& c : exact)
    result.cells.push_back(at_most(fmt::format("{}, M = {}, error", c.method.label, c.each),
                                   hopf_error(c.method, c.each), 1e-12, expected_since("exact by theory")));
  const CycleMethod printed{"PJY97 eq. 5.3", "cycle_implicit", {{"scheme", "next_cycle_euler"}}};
  result.cells.push_back(relative("PJY97 eq. 5.3, M = 1, error", hopf_error(printed, 1), 1.98e-3, 0.01));

  const auto factor = [](const LinearCycles& map, const std::string& scheme, int each) {
    return in_equal_steps(map, "cycle_implicit", {{"scheme", scheme}}, each, each).norm();
  };
  for (const int each : {3, 10, 100}) {
    for (const std::string scheme : {"euler", "sdirk2", "radau2", "radau3"})
      if (each > 3 || scheme != "radau3")
        result.cells.push_back(at_most(fmt::format("{}, M = {}, factor for rho = 0", scheme, each),
                                       factor(LinearCycles(0, 0), scheme, each), 1e-9,
                                       expected_since("exact by theory")));
    result.cells.push_back(near(fmt::format("trapezoid, M = {}, factor for rho = 0", each),
                                factor(LinearCycles(0, 0), "trapezoid", each), (each - 1.0) / (each + 1.0), 1e-9,
                                closed_form));
    for (const double angle : {0.5, 2.0, 3.0})
      result.cells.push_back(near(fmt::format("trapezoid, M = {}, factor for rho = exp({} i)", each, angle),
                                  factor(LinearCycles(std::cos(angle), std::sin(angle)), "trapezoid", each), 1, 1e-9,
                                  closed_form));
  }
  ChartSeries first{"PJY97 eq. 5.3", {}, {}}, last{"implicit Euler, last cycle", {}, {}};
  for (const int each : {1, 2, 4, 8, 16, 32}) {
    add_point(first, each, hopf_error(printed, each));
    if (each > 1) add_point(last, each, hopf_error(exact[3].method, each));
  }
  result.charts = {log_chart("Implicit Euler on cycles", "The form printed in the survey is exact for no step",
                             "cycles in a step", "error", {std::move(first), std::move(last)})};
  result.remark = "A component with rho = 0 follows the others within a cycle; only the trapezoidal rule keeps it.";
  return result;
}
}  // namespace
}  // namespace papers::envelopes

void register_figure_envelope_orders(FigureRegistry& registry) {
  using namespace papers::envelopes;
  registry.add({"envelope_orders", "Errors of methods on cycles", "PJY97 sec. 5", orders});
  registry.add({"envelope_exactness", "Where methods on cycles are exact", "PJY97 sec. 5", exactness});
}
}  // namespace trill
