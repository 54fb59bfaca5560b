// SPDX-License-Identifier: BSD-3-Clause
#include "report/known_frequencies.hpp"

#include "analysis/inspection.hpp"
#include "problem/clocked.hpp"
#include "trill/problem/circuit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double same = 1e-6;  // relative distance below which two frequencies are marked once

std::optional<double> driving_period(const Problem& problem) {
  if (const auto* circuit = dynamic_cast<const CircuitProblem*>(&problem)) return circuit->clock_period();
  return drive_period_of(problem);
}
}  // namespace

std::vector<ChartMark> known_frequencies(const Problem& problem, double span) {
  std::vector<ChartMark> marks;
  if (const auto period = driving_period(problem)) {
    const double omega = 2 * std::numbers::pi / *period;
    marks.push_back({omega, fmt::format("driven {:.4g}", omega)});
  }
  for (const Mode& mode : inspect_modes(problem, problem.initial_state(), span).modes) {
    const bool known = std::any_of(marks.begin(), marks.end(), [&](const ChartMark& mark) {
      return std::abs(mark.x - mode.omega) <= same * mode.omega;
    });
    if (mode.omega > 0 && !known) marks.push_back({mode.omega, fmt::format("{:.4g}", mode.omega)});
  }
  std::sort(marks.begin(), marks.end(), [](const ChartMark& a, const ChartMark& b) { return a.x < b.x; });
  return marks;
}
}  // namespace trill
