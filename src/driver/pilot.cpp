// SPDX-License-Identifier: BSD-3-Clause
#include "driver/pilot.hpp"

#include "driver/component_scales.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace trill {
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

namespace {
constexpr double finer = 100;               // by which the tolerance of the second run is smaller
constexpr std::size_t most_compared = 100;  // times
constexpr double still_growing = 2;         // last step over the mean of the last half
constexpr double exponential = 8;           // growth of an error in half the time that no power of time explains
constexpr double most_amplified = 1e3;  // a guess that is too bold costs one repetition, one too careful the whole run
constexpr double saturated = 0.05;      // relative error
constexpr double steepest_power = 2;    // by which errors of regular motions grow with time

// Steps for the rest of the run. Where they still grow, as after a transient, they are expected to grow on.
double steps_left(const std::vector<double>& t, double t_end) {
  const std::size_t n = t.size() - 1, half = n - n / 2;
  const double left = std::abs(t_end - t[n]), last = std::abs(t[n] - t[n - 1]);
  if (left == 0) return 0;
  const double mean = std::abs(t[n] - t[n - half]) / static_cast<double>(half);
  if (n < 3 || last < still_growing * mean) return left / mean;
  const double first = std::abs(t[n - half + 1] - t[n - half]);
  const double factor = std::clamp(std::pow(last / first, 1.0 / static_cast<double>(half)), 1.05, 4.0);
  return std::log1p(left * (factor - 1) / last) / std::log(factor);
}

// Some of these times, spread over the interval: many steps are taken where a motion is quick, and errors there last
// for a moment only.
std::vector<double> spread(const std::vector<double>& t) {
  std::vector<double> kept;
  const double gap = std::abs(t.back() - t.front()) / static_cast<double>(most_compared);
  for (const double time : t)
    if (std::abs(time - t.front()) >= static_cast<double>(kept.size() + 1) * gap * (1 - 1e-9)) {
      kept.push_back(time);
    }
  if (kept.empty() || kept.back() != t.back()) kept.push_back(t.back());
  return kept;
}

// Ranges of components; one that hardly moves is measured by the others of its kind.
Vec ranges_of(const Mat& y, const Layout& layout, double share) {
  Vec range = y.rowwise().maxCoeff() - y.rowwise().minCoeff();
  if (share < 0.5) range = range.cwiseMax(0.3 * y.cwiseAbs().rowwise().maxCoeff());  // the rest of the run moves on
  Index begin = 0;
  for (const Index size : {layout.nq, layout.nv, layout.nl, layout.nx}) {
    if (size > 0)
      range.segment(begin, size) = range.segment(begin, size).cwiseMax(1e-2 * range.segment(begin, size).maxCoeff());
    begin += size;
  }
  range.segment(layout.nq + layout.nv, layout.nl).setConstant(std::numeric_limits<double>::infinity());
  return range.cwiseMax(std::numeric_limits<double>::min());
}
}  // namespace

PilotRun::Flown PilotRun::fly(const MethodEntry& method, const OptionSet& given, const StepControl& control,
                              const Output& output, double t_end, const PilotLimits& limits) const {
  TimeLimit watch(limits.seconds);
  DriverOptions options;
  options.control = control;
  options.output = output;
  options.max_steps = limits.steps;
  options.observers = {&watch};
  options.stop = &watch.stop();
  Flown flown;
  try {
    const auto stepper = method.make(problem_, given);
    const double begun = processor_seconds();
    flown.path = integrate(problem_, *stepper, start_, t_end, options);
    flown.seconds = processor_seconds() - begun;
  } catch (const UsageError& e) {
    flown.path.outcome.status = RunStatus::refused;
    flown.path.outcome.message = e.what();
  }
  return flown;
}

namespace {
AdaptiveStep tolerance(double rtol, double atol) {
  AdaptiveStep control;
  control.rtol = rtol;
  control.atol = Vec::Constant(1, atol);
  return control;
}

bool ended_early(const RunOutcome& outcome) {
  return outcome.status != RunStatus::step_limit && outcome.status != RunStatus::stopped && !outcome.ok();
}

PilotRun::Path path_of(const Solution& solution) {
  if (solution.t.empty()) return {};
  return {solution.t, solution.y()};
}

// The states of a path at some of its times.
PilotRun::Path at_times(const PilotRun::Path& path, const std::vector<double>& times) {
  PilotRun::Path found{{}, Mat(path.y.rows(), static_cast<Index>(times.size()))};
  for (std::size_t i = 0; i < path.t.size() && found.t.size() < times.size(); ++i)
    if (path.t[i] == times[found.t.size()]) {
      found.y.col(static_cast<Index>(found.t.size())) = path.y.col(static_cast<Index>(i));
      found.t.push_back(path.t[i]);
    }
  found.y.conservativeResize(Eigen::NoChange, static_cast<Index>(found.t.size()));
  return found;
}

// Fills in what the whole run would take.
Pilot extrapolated(const Solution& path, double seconds, double t_begin, double t_end) {
  Pilot pilot;
  if (ended_early(path.outcome)) pilot.failure = path.outcome.message;
  if (path.t.size() < 2 || path.t.back() == t_begin) {
    if (pilot.failure.empty()) pilot.failure = "it took no step";
    return pilot;
  }
  pilot.ran = true;
  const Counters& work = path.outcome.counters;
  const double taken = static_cast<double>(std::max<std::int64_t>(1, work.steps));
  const bool at_end = path.outcome.ok();  // an event may end a run before its time
  pilot.reached = at_end ? 1 : std::abs(path.t.back() - t_begin) / std::abs(t_end - t_begin);
  pilot.steps = taken + (at_end ? 0 : steps_left(path.t, t_end));
  pilot.forces = static_cast<double>(work.most_forces()) / taken;
  pilot.factorisations = static_cast<double>(work.factorisations) / taken;
  pilot.seconds = seconds / taken;
  pilot.h = std::abs(path.t.back() - t_begin) / taken;
  return pilot;
}
}  // namespace

namespace {
// Where a motion jumps, two runs differ by all of it, but only for the moment between their jumps.
double median_near(const std::vector<double>& values, std::size_t k) {
  std::vector<double> near(values.begin() + static_cast<std::ptrdiff_t>(k < 2 ? 0 : k - 2),
                           values.begin() + static_cast<std::ptrdiff_t>(std::min(k + 3, values.size())));
  std::sort(near.begin(), near.end());
  return near[near.size() / 2];
}
}  // namespace

// The error at the end of the whole run. Along regular motions errors grow like a power of time, along unstable ones
// exponentially.
double PilotRun::error_against_fine(const Path& path, double share) {
  const Index n = std::min(path.y.cols(), fine_.y.cols());
  if (n < 2) return 0;
  const Vec range = ranges_of(fine_.y, start_.layout, share);
  std::vector<double> length, raw, error;  // error: the largest up to this length
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (path.t[k] != fine_.t[k]) break;
    raw.push_back(((path.y.col(i) - fine_.y.col(i)).array().abs() / range.array()).maxCoeff());
    if (!std::isfinite(raw.back())) break;
    length.push_back(std::abs(fine_.t[k] - start_.t));
  }
  raw.resize(length.size());
  for (std::size_t k = 0; k < raw.size(); ++k)
    error.push_back(std::max(median_near(raw, k), error.empty() ? 0 : error.back()));
  if (error.empty()) return 0;
  if (share >= 1) return error.back();
  // Errors as large as the motion itself no longer grow.
  std::size_t last = error.size() - 1;
  while (last > 0 && error[last] > saturated) --last;
  const auto until = [&](double part) {
    std::size_t k = 0;
    while (k < last && length[k + 1] <= part * length[last]) ++k;
    return error[k];
  };
  const double whole = error[last], half = until(0.5), quarter = until(0.25),
               left = length.back() / share - length[last];
  if (!(half > 0) || last < 4) return error.back();
  if (quarter > 0 && whole > exponential * half && half > exponential / 4 * quarter)
    growth_ = std::log(whole / half) / (0.5 * length[last]);
  if (growth_ > 0) return whole * std::min(most_amplified, std::exp(growth_ * left));
  return whole * std::pow(1 + left / length[last], std::clamp(std::log2(whole / half), 0.0, steepest_power));
}

Pilot PilotRun::adaptive(const MethodEntry& method, double rtol, const PilotLimits& limits, const OptionSet& options) {
  const double atol = usual_atol(problem_, start_, t_end_, rtol);
  const Flown rough = fly(method, options, tolerance(rtol, atol), EveryStep{}, t_end_, limits);
  Pilot pilot = extrapolated(rough.path, rough.seconds, start_.t, t_end_);
  pilot.rtol = rtol;
  rough_ = path_of(rough.path);
  if (pilot.ran && limits.finer_seconds > 0) {
    const Times times{spread(rough.path.t)};
    const PilotLimits more{4 * limits.steps, limits.finer_seconds, 0};
    fine_ = path_of(fly(method, options, tolerance(rtol / finer, atol / finer), times, rough.path.t.back(), more).path);
    pilot.error = error_against_fine(at_times(rough_, fine_.t), pilot.reached);
  }
  return pilot;
}

Pilot PilotRun::fixed(const MethodEntry& method, double h, const PilotLimits& limits) {
  if (fine_.t.size() < 2) return {};
  const Flown flown =
      fly(method, {}, FixedStep{h}, Times{{fine_.t.begin() + 1, fine_.t.end()}}, fine_.t.back(), limits);
  Pilot pilot = extrapolated(flown.path, flown.seconds, start_.t, t_end_);
  if (!pilot.ran) return pilot;
  pilot.h = h;
  pilot.steps = std::abs(t_end_ - start_.t) / h;
  pilot.error =
      error_against_fine(path_of(flown.path), std::abs(flown.path.t.back() - start_.t) / std::abs(t_end_ - start_.t));
  return pilot;
}
}  // namespace trill
