// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/cost_of_error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t enough = 2;  // methods that reach an error, for a comparison
constexpr int smallest_power = -14, largest_power = 2;

bool counts(const CostCurve::Point& p) {
  return std::isfinite(p.error) && p.error > 0 && std::isfinite(p.seconds) && p.seconds > 0;
}

std::string duration_text(double seconds) {
  const auto two_digits = [](double value) {
    return value < 10 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
  };
  if (seconds < 1e-4) return two_digits(1e6 * seconds) + " us";
  if (seconds < 1) return two_digits(1e3 * seconds) + " ms";
  return two_digits(seconds) + " s";
}

struct Contest {
  double error = 0;
  std::vector<std::pair<double, std::string>> times;  // ascending
};

Contest contest_at(const std::vector<CostCurve>& curves, double error) {
  Contest contest{error, {}};
  for (const CostCurve& curve : curves)
    if (const auto seconds = seconds_for(curve, error)) contest.times.emplace_back(*seconds, curve.name);
  std::sort(contest.times.begin(), contest.times.end());
  return contest;
}
}  // namespace

std::optional<double> seconds_for(const CostCurve& curve, double error) {
  std::optional<double> best;
  const auto offer = [&](double seconds) { best = std::min(best.value_or(seconds), seconds); };
  for (const CostCurve::Point& fine : curve.points) {
    if (!counts(fine) || fine.error > error) continue;
    offer(fine.seconds);
    for (const CostCurve::Point& coarse : curve.points) {
      if (!counts(coarse) || coarse.error <= error) continue;
      const double share = std::log(error / fine.error) / std::log(coarse.error / fine.error);
      offer(fine.seconds * std::pow(coarse.seconds / fine.seconds, share));
    }
  }
  return best;
}

std::string cheapest_sentence(const std::vector<CostCurve>& curves) {
  Contest best;
  for (int power = smallest_power; power <= largest_power; ++power) {
    // Where all methods are more accurate than that, nothing is compared at this error.
    const double error = std::pow(10.0, power);
    const bool crossed = std::any_of(curves.begin(), curves.end(), [&](const CostCurve& curve) {
      return std::any_of(curve.points.begin(), curve.points.end(),
                         [&](const CostCurve::Point& p) { return counts(p) && p.error >= error; });
    });
    if (!crossed) continue;
    Contest contest = contest_at(curves, error);
    if (std::min(contest.times.size(), enough) > std::min(best.times.size(), enough)) best = std::move(contest);
  }
  if (best.times.empty()) return "";
  const auto& [seconds, name] = best.times.front();
  std::string text = fmt::format("To an error of {:.0e} {} needs {}", best.error, name, duration_text(seconds));
  if (best.times.size() > 1)
    text += fmt::format(", the next {} ({})", duration_text(best.times[1].first), best.times[1].second);
  std::vector<std::string> others;
  for (const CostCurve& curve : curves)
    if (std::none_of(best.times.begin(), best.times.end(), [&](const auto& t) { return t.second == curve.name; }))
      others.push_back(curve.name);
  if (!others.empty()) text += fmt::format("; not reached by {}", fmt::join(others, ", "));
  return text + ".";
}
}  // namespace trill
