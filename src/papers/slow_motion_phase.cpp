// SPDX-License-Identifier: BSD-3-Clause
// The oscillation added back to a slow motion: the error of its phase.
#include "papers/slow_motion.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::slow_motion {
namespace {
struct PhaseRow {
  const char* subject;
  const char* measure;              // name of the value that measures the gap
  std::array<double, 5> published;  // phase error at t = 10 in radians, at the frequencies below
};
constexpr std::array<double, 5> phase_frequencies{100, 300, 1000, 3000, 10000};
constexpr std::array<PhaseRow, 4> phase_rows{{
    {"varying frequency", "y", {0.00228, 0.000749, 0.000223, 7.23e-5, 2.13e-5}},
    {"curved wire", "gap", {0.0265, 0.00883, 0.00265, 0.000882, 0.000265}},
    {"spring pendulum", "r", {0.146, 0.0484, 0.0146, 0.00484, 0.00145}},
    {"cart", "r", {0.112, 0.0374, 0.0112, 0.00375, 0.00112}},
}};
constexpr double at = 10;
constexpr int periods = 4, samples_a_period = 64;

std::vector<double> times_around(double omega) {
  std::vector<double> times;
  const double width = periods * 2 * std::numbers::pi / omega;
  for (int k = 0; k <= periods * samples_a_period; ++k)
    times.push_back(at + width * (static_cast<double>(k) / (periods * samples_a_period) - 0.5));
  return times;
}

std::vector<double> values_of(const Solution& solution, const std::string& name) {
  const auto& components = solution.info.components;
  std::vector<double> values;
  Index row = -1;
  for (std::size_t i = 0; i < components.size(); ++i)
    if (components[i].name == name) row = static_cast<Index>(i);
  const Index quantity = row < 0 ? solution.quantity(name) : -1;
  for (Index k = 1; k <= periods * samples_a_period + 1; ++k)
    values.push_back(row >= 0 ? solution.y()(row, k) : solution.measured()(quantity, k));
  return values;
}

// The Fourier component of the values at omega, with a window that suppresses other harmonics of its length.
std::complex<double> turning_part(const std::vector<double>& times, const std::vector<double>& values, double omega) {
  std::complex<double> sum = 0;
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(times.size() - 1);
    const double window = std::pow(std::sin(std::numbers::pi * share), 4);
    sum += window * values[k] * std::polar(1.0, -omega * (times[k] - at));
  }
  return sum;
}

double phase_error(const Subject& what, double omega, const char* measure) {
  const OptionSet options{{"order", "0"}, {"fast_energy", "keep"}, {"fast_part", "on"}};
  RunPlan plan = slow_plan(at, options, 1e-11);
  const Solution before = finished(prepare_run(what, omega, Data::fast, plan));
  const double fast = before.measured()(before.quantity("frequency_1"), before.rows() - 1);
  const std::vector<double> times = times_around(fast);
  RunPlan stiff = stiff_plan(times.back());
  plan.to = times.back();
  plan.output = stiff.output = Times{times};
  const auto part = [&](const RunPlan& chosen) {
    const Solution found = finished(prepare_run(what, omega, Data::fast, chosen));
    return turning_part(times, values_of(found, measure), fast);
  };
  return std::abs(std::arg(part(plan) / part(stiff)));
}

FigureResult phase(bool full) {
  FigureResult result;
  std::vector<ChartSeries> series;
  for (const PhaseRow& row : phase_rows) {
    const Subject& what = subject(row.subject);
    ChartSeries errors{what.name, {}, {}};
    for (std::size_t k = 0; k < (full ? 5u : 3u); ++k) {
      const double omega = phase_frequencies[k], error = phase_error(what, omega, row.measure);
      result.cells.push_back(
          judged_if(what.same_data, relative(fmt::format("{}, omega = {}, phase times omega", what.name, omega),
                                             error * omega, row.published[k] * omega, 0.2)));
      add_point(errors, omega, error);
    }
    result.cells.push_back(near(what.name + ", slope", falling_order(errors.x, errors.y), 1, 0.1));
    series.push_back(std::move(errors));
  }
  Chart chart = error_chart("Phase of the oscillation at t = 10", "Falls with 1/omega.", std::move(series));
  chart.y = {"phase error", "rad", true};
  result.charts = {chart};
  result.remark =
      "The phase advances with the frequency of the slow motion; what the amplitude and the slow forces add to that "
      "frequency is of order 1/omega and left out; the slow motion is that of order 0. Below omega = 15 to 150 the "
      "phase is therefore lost within 10 s. The published phase of the varying frequency belongs to other data, as "
      "its errors in slow_fast_energy do: shown, not judged.";
  return result;
}
}  // namespace
}  // namespace papers::slow_motion

void register_figure_slow_motion_phase(FigureRegistry& registry) {
  using namespace papers::slow_motion;
  registry.add({"slow_phase", "Phase of the oscillation on a slow motion", "after PJY97 sec. 3.2", phase});
}
}  // namespace trill
