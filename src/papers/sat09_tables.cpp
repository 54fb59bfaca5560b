// SPDX-License-Identifier: BSD-3-Clause
// SAT09 tables 1 and 2: errors of HMM with the first spring soft and the second stiff, and its number of steps compared
// with a direct integration.
#include "papers/sat09.hpp"

#include <array>

#include <fmt/format.h>

namespace trill {
namespace papers::sat09 {
namespace {
constexpr std::array<double, 7> omegas{200, 500, 1000, 2000, 5000, 10000, 20000};
constexpr double most_omega_of_short_grid = 5000;
constexpr std::array<int, 6> steps_in_unit{1, 2, 4, 8, 16, 32};

// The last column is for ode45.
constexpr std::array<std::array<double, 7>, 7> printed_errors{{
    {4.3e-1, 6.1e-2, 4.9e-2, 4.8e-2, 4.8e-2, 4.8e-2, 4.9e-2},
    {4.7e-1, 4.6e-2, 9.1e-3, 8.0e-3, 7.9e-3, 7.9e-3, 9.9e-3},
    {4.7e-1, 4.3e-2, 3.3e-3, 2.1e-3, 2.1e-3, 2.1e-3, 4.1e-3},
    {4.7e-1, 4.3e-2, 1.7e-3, 6.5e-4, 5.9e-4, 5.9e-4, 2.7e-3},
    {4.7e-1, 4.1e-2, 1.3e-3, 2.1e-4, 1.5e-4, 1.6e-4, 2.2e-3},
    {4.6e-1, 3.5e-2, 1.4e-3, 1.3e-4, 6.9e-5, 6.9e-5, 1.9e-3},
    {3.5e-1, 2.8e-2, 2.1e-3, 1.4e-4, 3.3e-5, 3.1e-5, 1.6e-3},
}};
constexpr double two_digits = 0.05;  // relative: the print is rounded to two digits

struct PrintedSteps {
  int direct, direct_failed, hmm, hmm_failed;
  double hmm_forces;  // by an independent program, without the projection at the start
};
constexpr std::array<PrintedSteps, 7> printed_steps{{
    {3563, 802, 22, 0, 15827},
    {8880, 2040, 22, 0, 15827},
    {17796, 4012, 22, 0, 15827},
    {35589, 7914, 22, 0, 15827},
    {88898, 19125, 22, 0, 15827},
    {178496, 38840, 22, 1, 16541},
    {350740, 80250, 23, 1, 17255},
}};
constexpr double direct_tolerance = 0.02, direct_failed_tolerance = 0.1;  // these counts depend on rounding
constexpr double projection_forces = 119;

FigureResult errors(bool full) {
  FigureResult result;
  Chart chart = log_chart("Errors of HMM with RK4", "Largest error of a position on [0, 10].", "H", "error");
  for (std::size_t row = 0; row < omegas.size(); ++row) {
    const double omega = omegas[row];
    if (!full && omega > most_omega_of_short_grid) continue;
    const Case c = second_stiff(omega);
    const Pieces stiff = whole(reference(c, Grid{1.0 / steps_in_unit.back()}));
    ChartSeries series{fmt::format("omega2 = {}", omega), {}, {}};
    for (std::size_t k = 0; k < steps_in_unit.size(); ++k) {
      const double h = 1.0 / steps_in_unit[k];
      const double error = largest_distance(whole(hmm_by_rk4(c, h)), stiff);
      add_point(series, h, error);
      result.cells.push_back(relative(fmt::format("omega2 = {}, RK4, H = 1/{}", omega, steps_in_unit[k]), error,
                                      printed_errors[row][k], two_digits, print));
    }
    result.cells.push_back(relative(fmt::format("omega2 = {}, ode45", omega),
                                    largest_distance(whole(hmm_by_ode45(c, Grid{sampling})), stiff),
                                    printed_errors[row].back(), two_digits, print));
    chart.series.push_back(std::move(series));
  }
  result.charts = {std::move(chart)};
  result.remark =
      "Errors are taken at the macro-steps, for ode45 at multiples of 0.25, against ode45 with tolerances 1e-6 and "
      "1e-9.";
  return result;
}

FigureResult steps(bool full) {
  FigureResult result;
  for (std::size_t row = 0; row < omegas.size(); ++row) {
    const double omega = omegas[row];
    const Case c = second_stiff(omega);
    const PrintedSteps& expected = printed_steps[row];
    const auto label = [&](const char* what) { return fmt::format("omega2 = {}, {}", omega, what); };
    const Work hmm = work_of(hmm_by_ode45(c, Grid{sampling}));
    result.cells.push_back(near(label("HMM, steps"), hmm.steps, expected.hmm, 0, print));
    result.cells.push_back(near(label("HMM, failed"), hmm.rejected, expected.hmm_failed, 0, print));
    result.cells.push_back(
        near(label("HMM, forces after the first projection"), hmm.forces - projection_forces, expected.hmm_forces, 0));
    if (!full && omega > most_omega_of_short_grid) continue;
    const Work direct = work_of(by_ode45(c, 1e-3, Grid{sampling}));
    result.cells.push_back(relative(label("direct, steps"), direct.steps, expected.direct, direct_tolerance, print));
    result.cells.push_back(
        relative(label("direct, failed"), direct.rejected, expected.direct_failed, direct_failed_tolerance, print));
  }
  result.remark = "Failed steps of the direct integration depend on rounding. Times are not compared.";
  return result;
}
}  // namespace
}  // namespace papers::sat09

void register_figure_sat09_tables(FigureRegistry& registry) {
  using namespace papers::sat09;
  registry.add({"sat09_table1", "HMM: errors of positions, two springs", "SAT09 table 1", errors});
  registry.add({"sat09_table2", "HMM: steps, compared with a direct integration", "SAT09 table 2", steps});
}
}  // namespace trill
