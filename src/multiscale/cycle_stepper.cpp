// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_stepper.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

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
  points_.push(s.t, s.y);
  pace_.restart();
  allocate(scale);
}

StepResult CycleStepper::step(State& s, const StepRequest& request) {
  if (request.jumped || request.restart) {
    points_.clear();
    points_.push(s.t, s.y);
    change_known_ = false;
    pace_.restart();
    forget();
  }
  const double most = std::floor(request.h + whole_number_slack);
  if (!(most >= 1)) return {.status = StepStatus::refused};
  while (true) {
    const double cycles = std::min(pace_.cycles(), most);
    if (pace_.is_single(cycles)) return single(s, request);
    next_change_known_ = false;
    error_.setZero();
    const StepStatus status = attempt(cycles, next_, error_, request);
    if (status != StepStatus::ok || !all_finite(next_)) {
      if (pace_.is_fixed()) return {.status = status == StepStatus::ok ? StepStatus::non_finite : status};
      ++request.work.rejected;
      pace_.fail(cycles);
      continue;
    }
    map_.sizes(next_, largest_, sizes_);
    const double error = request.scale.norm(error_, sizes_, sizes_);
    if (pace_.is_fixed() || error <= 1) {
      pace_.accept(cycles, error, info_.order);
      accept(s, cycles);
      return {.error = error, .h_taken = cycles};
    }
    ++request.work.rejected;
    pace_.reject(cycles, error, info_.order);
  }
}

StepResult CycleStepper::single(State& s, const StepRequest& request) {
  if (!find_change(request)) return {.status = StepStatus::outside_domain, .h_taken = 1};
  next_ = s.y + change_;
  if (!all_finite(next_)) return {.status = StepStatus::non_finite, .h_taken = 1};
  next_change_known_ = false;
  pace_.took_single();
  accept(s, 1);
  return {.error = 0, .h_taken = 1};
}

void CycleStepper::accept(State& s, double cycles) {
  took(cycles);
  s.y = next_;
  s.t += cycles;
  points_.push(s.t, s.y);
  largest_ = largest_.cwiseMax(s.y.cwiseAbs());
  change_known_ = next_change_known_;
  if (change_known_) change_.swap(next_change_);
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

void CycleStepper::compare_with_past(double cycles, In next, Out error) const {
  const int points = std::min(info_.order + 1, points_.count());
  const double end = points_.n(0) + cycles;
  points_.extrapolate(end, points, error);
  error = cycles / (end - points_.n(points - 1) + (points == 1 ? cycles : 0)) * (next - error);
}

void CycleStepper::interpolate(double theta, Out z) {
  const int points = std::min(info_.order + 1, points_.count());
  points_.extrapolate(points_.n(1) + theta * (points_.n(0) - points_.n(1)), points, z);
}

void CycleStepper::memory(Archive& archive) {
  archive(pace_, points_, change_, largest_, change_known_);
  more_memory(archive);
}
}  // namespace trill
