// SPDX-License-Identifier: BSD-3-Clause
#include "driver/step_count.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double most_counted = 1e12;
constexpr std::int64_t forecast_every = 20'000;  // steps
constexpr double still_growing = 2;              // distance covered, relative to that of as many steps before

void check_interval(double length, const char* name, const char* counted, double t0, double t1) {
  const double count = std::abs(t1 - t0) / length;
  if (count > most_counted)
    throw UsageError(
        fmt::format("with {} = {} the run from t = {} to t = {} would have about {:.2g} {}, and at most {:.0g} are "
                    "possible; choose a larger {} or a shorter run",
                    name, length, t0, t1, count, counted, most_counted, name));
  const double latest = std::max(std::abs(t0), std::abs(t1));
  if (length < 2 * std::numeric_limits<double>::epsilon() * latest)
    throw UsageError(fmt::format("{} = {} is below the rounding of t = {} and would not change it; choose a larger {}",
                                 name, length, latest, name));
}
}  // namespace

void check_step_count(const StepControl& control, const Output& output, double t0, double t1) {
  if (!std::isfinite(t1 - t0))
    throw UsageError("the start time and the end time must be finite, and so must be their difference");
  const auto* fixed = std::get_if<FixedStep>(&control);
  const auto* adaptive = std::get_if<AdaptiveStep>(&control);
  if (fixed && fixed->h > 0) check_interval(fixed->h, "h", "steps", t0, t1);
  if (adaptive && adaptive->h_max > 0) check_interval(adaptive->h_max, "h_max", "steps", t0, t1);
  if (const auto* grid = std::get_if<Grid>(&output)) check_interval(std::abs(grid->dt), "dt", "rows", t0, t1);
}

std::optional<double> StepForecast::look(std::int64_t steps, double t, double t_end) {
  if (steps < next_) return std::nullopt;
  const double before = advanced_;
  advanced_ = next_ == 0 ? 0 : std::abs(t - t_);
  t_ = t;
  next_ = steps + forecast_every;
  if (before == 0 || advanced_ > still_growing * before) return std::nullopt;
  const double needed = static_cast<double>(forecast_every) * std::abs(t_end - t) / advanced_;
  return needed > most_counted ? std::optional(needed) : std::nullopt;
}
}  // namespace trill
