// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_stepper.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_points = 7;
constexpr double whole_number_slack = 1e-9, ending_slack = 1e-9, rounding_of_times = 4e-15;
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
  double most = std::floor(map_.cycles_until(s.t + request.h, points_.n(0), s.y) + whole_number_slack);
  while (true) {
    if (!(most >= 1)) return rest(s, request);
    const double cycles = std::min(pace_.cycles(), most);
    if (pace_.is_single(cycles)) {
      const StepResult result = single(s, request);
      if (result.h_taken > 0 || result.status != StepStatus::ok) return result;
      most = 0;
      continue;
    }
    next_change_known_ = false;
    error_.setZero();
    const StepStatus status = attempt(cycles, next_, error_, request);
    if (status != StepStatus::ok || !all_finite(next_)) {
      if (pace_.is_fixed()) return {.status = status == StepStatus::ok ? StepStatus::non_finite : status};
      fail(cycles, status, s.t, request);
      continue;
    }
    if (const double fit = those_that_fit(cycles, s, request); fit < cycles) {
      most = fit;
      continue;
    }
    find_sizes(next_);
    leave_out(error_);
    const double error = request.scale.norm(error_, sizes_, sizes_);
    if (pace_.is_fixed() || error <= 1) {
      const Outlook next = pace_.is_fixed() ? Outlook{info_.order, error} : outlook(error, request);
      pace_.accept(cycles, next.error, next.order);
      return {.error = error, .h_taken = accept(s, cycles)};
    }
    ++request.work.rejected;
    note_rung(Rung::shorter);
    pace_.reject(cycles, error, order());
  }
}

void CycleStepper::fail(double cycles, StepStatus status, double t, const StepRequest& request) {
  ++request.work.rejected;
  note_rung(Rung::quarter);
  request.notes.raise_with(
      t, "envelope_shortened",
      [&] {
        const std::string trouble = map_.trouble();
        return fmt::format(
            "A step over many cycles could not be computed ({}), so a quarter of it was tried. The value is the number "
            "of cycles.",
            trouble.empty() ? to_text(status) : trouble);
      },
      Severity::info, cycles, 0);
  pace_.fail(cycles);
}

void CycleStepper::note_effort(CycleEquations::Effort effort) {
  if (effort == CycleEquations::Effort::refreshed) note_rung(Rung::refreshed);
  if (effort == CycleEquations::Effort::damped) note_rung(Rung::damped);
}

// The last rung. What follows are single cycles again, and then longer steps.
bool CycleStepper::pass_plainly(const StepRequest& request) {
  const std::string trouble = map_.trouble();
  if (!map_.change_plainly(points_.n(0), points_.value(0), change_) || !all_finite(change_)) return false;
  note_rung(Rung::transient);
  request.notes.raise_with(
      map_.time(points_.n(0), points_.value(0)), "envelope_transient",
      [&] {
        return fmt::format(
            "A cycle could not be computed by itself{}, so an ordinary method went through it. The value is the number "
            "of the cycle.",
            trouble.empty() ? "" : fmt::format(" ({})", trouble));
      },
      Severity::info, points_.n(0), 0);
  return true;
}

StepResult CycleStepper::single(State& s, const StepRequest& request) {
  note_rung(Rung::single);
  if (!find_change(request) && !pass_plainly(request)) return {.status = StepStatus::outside_domain, .h_taken = 1};
  next_ = s.y + change_;
  if (!all_finite(next_)) return {.status = StepStatus::non_finite, .h_taken = 1};
  if (those_that_fit(1, s, request) < 1) return {.error = 0, .h_taken = 0};
  next_change_known_ = false;
  pace_.took_single();
  return {.error = 0, .h_taken = accept(s, 1)};
}

const Vec& CycleStepper::find_sizes(In z) {
  map_.sizes(z, largest_, sizes_);
  return sizes_;
}

// Cycles become longer, and the attempted step may end later than it should: how many cycles would end in time.
double CycleStepper::those_that_fit(double cycles, const State& s, const StepRequest& request) const {
  const double end = map_.time(points_.n(0) + cycles, next_), last = s.t + request.h;
  if (!(end - last > ending_slack * (end - s.t) + rounding_of_times * std::abs(last))) return cycles;
  return std::min(cycles - 1, std::floor(cycles * (last - s.t) / (end - s.t)));
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
  ++log_.counts[static_cast<std::size_t>(log_.rung)];
  log_.longest = std::max(log_.longest, cycles);
  const double before = s.t, n = points_.n(0) + cycles;
  s.y = next_;
  s.t = map_.time(n, s.y);
  points_.push(n, s.y);
  map_.passed(n);
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
  return {{"cycles", "", QuantityKind::cycles}, {"rung", "", QuantityKind::cycles}};
}

void CycleStepper::diagnose(Out values) const { values << log_.cycles, static_cast<double>(log_.rung); }

std::string CycleStepper::summary() const {
  const auto count = [&](Rung rung) { return log_.counts[static_cast<std::size_t>(rung)]; };
  std::string text = fmt::format("steps of up to {:g} cycles, {} cycles one by one", log_.longest, count(Rung::single));
  const std::array<std::pair<Rung, const char*>, 4> fall_backs{
      {{Rung::refreshed, "{} steps with a new derivative"},
       {Rung::damped, "{} with damped iterations"},
       {Rung::quarter, "{} steps that failed and were shortened"},
       {Rung::transient, "{} cycles by an ordinary method"}}};
  for (const auto& [rung, what] : fall_backs)
    if (count(rung) > 0) text += ", " + fmt::format(fmt::runtime(what), count(rung));
  return text;
}

void CycleStepper::memory(Archive& archive) {
  archive(pace_, points_, change_, largest_, change_known_, log_);
  more_memory(archive);
}
}  // namespace trill
