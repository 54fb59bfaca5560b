// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_stepper.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_points = 7;
constexpr double whole_number_slack = 1e-9;
}  // namespace

MethodInfo CycleStepper::describe_as(std::string name, std::string title, std::string reference, int order) {
  return {.name = std::move(name),
          .title = std::move(title),
          .reference = std::move(reference),
          .accepts = {},
          .order = order,
          .error_order = order,
          .dense_order = order,
          .multistep = true,
          .dense = Dense::slow,
          .owns_step = true};
}

CycleStepper::CycleStepper(MethodInfo info, const Problem& map, const CycleOptions& options, int smallest, int past)
    : info_(std::move(info)),
      map_(map.as<CycleMap>(info_.name)),
      size_(map.layout().size()),
      pace_(options.cycles, smallest, options.cycles > 0 ? past : std::min(info_.order + 1, most_points)) {}

void CycleStepper::start(State& s, const ErrorScale& scale) {
  points_ = CycleHistory(size_, most_points);
  change_ = next_change_ = next_ = error_ = sizes_ = Vec::Zero(size_);
  largest_ = s.y.cwiseAbs();
  change_known_ = next_change_known_ = false;
  points_.push(0, s.y);
  pace_.restart();
  allocate(scale);
}

StepResult CycleStepper::step(State& s, const StepRequest& request) {
  if (request.jumped || request.restart) {
    const double n = points_.n(0);
    points_.clear();
    points_.push(n, s.y);
    change_known_ = false;
    pace_.restart();
    forget();
  }
  log_.rung = Rung::step;
  const double most = std::floor(map_.cycles_until(s.t + request.h, points_.n(0), s.y) + whole_number_slack);
  if (!(most >= 1)) return rest(s, request);
  while (true) {
    const double cycles = std::min(pace_.cycles(), most);
    if (pace_.is_single(cycles)) return single(s, request);
    next_change_known_ = false;
    error_.setZero();
    const StepStatus status = attempt(cycles, next_, error_, request);
    if (status != StepStatus::ok || !all_finite(next_)) {
      if (pace_.is_fixed()) return {.status = status == StepStatus::ok ? StepStatus::non_finite : status};
      ++request.work.rejected;
      ++log_.failures;
      log_.rung = Rung::failed;
      request.notes.raise(s.t, "envelope_shortened",
                          "A step over many cycles could not be computed, so a quarter of it was tried. The value is "
                          "the number of cycles.",
                          Severity::info, cycles, 0);
      pace_.fail(cycles);
      continue;
    }
    map_.sizes(next_, largest_, sizes_);
    const double error = request.scale.norm(error_, sizes_, sizes_);
    if (pace_.is_fixed() || error <= 1) {
      const Outlook next = pace_.is_fixed() ? Outlook{info_.order, error} : outlook(error, request);
      pace_.accept(cycles, next.error, next.order);
      return {.error = error, .h_taken = accept(s, cycles)};
    }
    ++request.work.rejected;
    log_.rung = std::max(log_.rung, Rung::shorter);
    pace_.reject(cycles, error, order());
  }
}

StepResult CycleStepper::single(State& s, const StepRequest& request) {
  if (!find_change(request)) return {.status = StepStatus::outside_domain, .h_taken = 1};
  next_ = s.y + change_;
  if (!all_finite(next_)) return {.status = StepStatus::non_finite, .h_taken = 1};
  next_change_known_ = false;
  pace_.took_single();
  ++log_.singles;
  log_.rung = Rung::single;
  return {.error = 0, .h_taken = accept(s, 1)};
}

// Less than a cycle is left before the time at which the step has to end. What is there is not the start of a cycle.
StepResult CycleStepper::rest(State& s, const StepRequest& request) {
  ++request.work.micro_steps;
  const double end = s.t + request.h;
  if (!map_.part(points_.n(0), s.y, end, next_)) return {.status = StepStatus::outside_domain, .h_taken = request.h};
  if (!all_finite(next_)) return {.status = StepStatus::non_finite, .h_taken = request.h};
  log_.cycles = map_.cycles_until(end, points_.n(0), s.y);
  points_.push(points_.n(0) + 1, next_);
  s.y = next_;
  s.t = end;
  change_known_ = false;
  return {.error = 0, .h_taken = request.h};
}

// Returns the time that the step has taken.
double CycleStepper::accept(State& s, double cycles) {
  took(cycles);
  log_.cycles = cycles;
  log_.longest = std::max(log_.longest, cycles);
  const double before = s.t, n = points_.n(0) + cycles;
  s.y = next_;
  s.t = map_.time(n, s.y);
  points_.push(n, s.y);
  largest_ = largest_.cwiseMax(s.y.cwiseAbs());
  change_known_ = next_change_known_;
  if (change_known_) change_.swap(next_change_);
  return s.t - before;
}

bool CycleStepper::change(double n, In z, Out change, const StepRequest& request) const {
  ++request.work.micro_steps;
  return map_.change(n, z, change) && all_finite(change);
}

bool CycleStepper::find_change(const StepRequest& request) {
  if (!change_known_) change_known_ = change(points_.n(0), points_.value(0), change_, request);
  return change_known_;
}

void CycleStepper::set_next_change(In change) {
  next_change_ = change;
  next_change_known_ = true;
}

void CycleStepper::compare_with_past(double cycles, In next, Out error, int order) const {
  const int points = std::min(order + 1, points_.count());
  const double end = points_.n(0) + cycles;
  points_.extrapolate(end, points, error);
  error = cycles / (end - points_.n(points - 1) + (points == 1 ? cycles : 0)) * (next - error);
}

void CycleStepper::interpolate(double theta, Out z) {
  const int points = std::min(info_.order + 1, points_.count());
  points_.extrapolate(points_.n(1) + theta * (points_.n(0) - points_.n(1)), points, z);
}

std::vector<Quantity> CycleStepper::diagnostics() const {
  return {{"cycles", "", QuantityKind::cycles}, {"rung", "", QuantityKind::other}};
}

void CycleStepper::diagnose(Out values) const { values << log_.cycles, static_cast<double>(log_.rung); }

std::string CycleStepper::summary() const {
  std::string text = fmt::format("steps of up to {:g} cycles, {} cycles one by one", log_.longest, log_.singles);
  if (log_.failures > 0) text += fmt::format(", {} steps that failed and were shortened", log_.failures);
  return text;
}

void CycleStepper::memory(Archive& archive) {
  archive(pace_, points_, change_, largest_, change_known_, log_);
  more_memory(archive);
}
}  // namespace trill
