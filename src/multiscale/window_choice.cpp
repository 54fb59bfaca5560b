// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/window_choice.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double longest_window = 1;                      // in units of the slow time 1/rate
constexpr double leak_factor = 0.02, least_leak = 1e-14;  // the latter due to rounding
constexpr double least_distance = 0.05;  // relative distance of two fast frequencies that must be separated

double phase(double omega_h) { return 2 * std::asin(std::min(1.0, omega_h / 2)); }

WindowPlan plan(double h, const StopBand& band, const WindowNeeds& needs) {
  if (least_reach(band) > longest_reach)
    throw UsageError(
        fmt::format("hmm: the fast frequencies, from {:.4g} to {:.4g}, are too far apart for windows with one size of "
                    "micro-steps; use slow or radau",
                    needs.nearest > 0 ? std::min(needs.slowest, needs.nearest) : needs.slowest, needs.fastest));
  return {h, stopping_weights(band)};
}
}  // namespace

double window_slack(bool constant) { return constant ? 0.02 : 0.06; }

WindowPlan choose_windows(const WindowNeeds& needs) {
  const double low = needs.constant ? 0.97 : 0.85, high = 1 + 1.5 * window_slack(true);
  const double h = needs.constant ? 1.8 / needs.fastest : 1.7 / (1.06 * needs.fastest);
  StopBand band{phase(low * needs.slowest * h), phase((needs.constant ? high : 1.06) * needs.fastest * h),
                std::max(leak_factor * std::pow(needs.rate / needs.fastest, 2), least_leak)};
  if (needs.nearest > 0) {
    if (needs.nearest < least_distance * needs.fastest)
      throw UsageError(fmt::format(
          "hmm: two fast frequencies come within {:.4g} of each other, and the largest is {:.4g}; where they cross, "
          "energy passes from one mode to the other, which this method does not follow; fast_energy=drop leaves "
          "the force of the oscillation out",
          needs.nearest, needs.fastest));
    band.from = std::min(band.from, low * needs.nearest * h);
  }
  if (const double length = 2 * h * static_cast<double>(least_reach(band)); length * needs.rate > longest_window)
    throw UsageError(fmt::format(
        "hmm: a window of {:.3g} would be needed to average frequencies from {:.4g} on, but the slow motion changes "
        "within {:.3g}; fast and slow motion are not separate enough; use dop853 or cvode_bdf",
        length, needs.nearest > 0 ? std::min(needs.nearest, needs.slowest) : needs.slowest, 1 / needs.rate));
  return plan(h, band, needs);
}

WindowPlan rough_windows(const WindowNeeds& needs) {
  constexpr double leak = 1e-6;
  const double h = 1.7 / (1.06 * needs.fastest);
  return plan(h, {phase(0.85 * needs.slowest * h), phase(1.7), leak}, needs);
}

WindowPlan published_windows(double omega) {
  constexpr int steps_each_period = 6, periods = 10;
  return {2 * std::numbers::pi / omega / steps_each_period, bump_weights(periods * steps_each_period)};
}

std::string gap_complaint(const WindowNeeds& needs) {
  if (needs.slowest >= least_gap * needs.rate) return "";
  return fmt::format(
      "fast and slow motion are not separate enough: the slowest of the fast frequencies is {:.4g}, only {:.3g} times "
      "the rate {:.4g} of the slow motion, and {:.0f} times is needed; use dop853 or verlet, which follow the "
      "oscillation",
      needs.slowest, needs.slowest / needs.rate, needs.rate, least_gap);
}
}  // namespace trill
