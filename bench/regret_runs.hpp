// SPDX-License-Identifier: BSD-3-Clause
// Runs of one problem with many methods, timed and compared with a reference.
#pragma once

#include "driver/advice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>

#include <fmt/format.h>

namespace trill::regret {
constexpr int compared_times = 64;
constexpr double unnoticed = 2e-4;  // seconds; faster runs count as equally fast

struct Setting {
  std::string method;
  OptionSet options = {};
  std::optional<double> h = {}, rtol = {};
};

inline std::string text_of(const Setting& s) {
  if (s.h) return fmt::format("{} h={:.2g}", s.method, *s.h);
  return s.rtol ? fmt::format("{} rtol={:.1g}", s.method, *s.rtol) : s.method;
}

struct Result {
  bool ok = false;
  std::string message;
  double seconds = 0, error = HUGE_VAL;
  std::int64_t steps = 0;
  Mat y;
};

// The processor time of this thread, which other programs hardly disturb.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Laboratory {
 public:
  Laboratory(std::string name, std::unique_ptr<Problem> problem, RunDefaults defaults)
      : name_(std::move(name)), problem_(std::move(problem)), defaults_(std::move(defaults)) {
    defaults_.method.clear();
    defaults_.names_rtol = false;
    const State start = problem_->initial_state();
    layout_ = start.layout;
    begin_ = start.t;
    span_ = defaults_.to;
    for (int i = 1; i <= compared_times; ++i) times_.push_back(begin_ + span_ * i / compared_times);
  }
  const std::string& name() const { return name_; }
  const Problem& problem() const { return *problem_; }
  const RunDefaults& defaults() const { return defaults_; }
  double span() const { return span_; }

  RunPlan plan(const Setting& s) const {
    RunPlan p;
    p.model = name_;
    p.method = s.method;
    p.options = s.options;
    p.h = s.h;
    p.rtol = s.rtol;
    p.native = Native::never;
    p.output = Times{times_};
    return p;
  }

  Result run(const Setting& s, double most_seconds) const {
    try {
      PreparedRun prepared = prepare(plan(s), problem_->clone(), defaults_);
      return run(prepared, most_seconds);
    } catch (const std::exception& e) {
      return {.ok = false, .message = e.what(), .y = {}};
    }
  }

  // Short runs are repeated, and the fastest one counts.
  Result run(PreparedRun& prepared, double most_seconds) const {
    Result best;
    for (int i = 0; i < 3; ++i) {
      Result r = once(prepared, most_seconds);
      if (i == 0 || (r.ok && r.seconds < best.seconds)) best = std::move(r);
      if (!best.ok || best.seconds > 5e-3) break;
    }
    if (best.ok) best.error = error_of(best.y);
    return best;
  }

  // Uses the slow motion itself as the reference, if two runs of `slow` agree.
  bool find_slow_reference(double accuracy, double most_seconds) {
    const Result tight = run({.method = "slow", .rtol = 1e-10}, most_seconds);
    if (!tight.ok || tight.y.size() == 0) return false;
    slow_ = tight.y;
    set_reference(tight.y);
    judge_positions_only();
    slow_range_ = range_;
    set_reference({});
    if (run({.method = "slow", .rtol = 1e-9}, most_seconds).error < 0.2 * accuracy) return true;
    slow_.resize(0, 0);
    return false;
  }

  void set_reference(const Mat& y) {
    reference_ = y;
    if (y.size() == 0) return;
    range_ = y.rowwise().maxCoeff() - y.rowwise().minCoeff();
    Index at = 0;
    for (const Index size : {layout_.nq, layout_.nv, layout_.nl, layout_.nx}) {
      if (size > 0)
        range_.segment(at, size) = range_.segment(at, size).cwiseMax(1e-2 * range_.segment(at, size).maxCoeff());
      at += size;
    }
    range_.segment(layout_.nq + layout_.nv, layout_.nl).setConstant(HUGE_VAL);
    range_ = range_.cwiseMax(1e-300);
  }
  double error_of(const Mat& y) const {
    return std::min(distance(y, reference_, range_), distance(y, slow_, slow_range_));
  }

 private:
  // Only positions are judged, because the velocities of a slow motion do not contain the fast ones.
  void judge_positions_only() { range_.segment(layout_.nq, layout_.nv).setConstant(HUGE_VAL); }

  static double distance(const Mat& y, const Mat& reference, const Vec& range) {
    if (reference.size() == 0 || y.cols() != reference.cols() || !y.allFinite()) return HUGE_VAL;
    return ((y - reference).array().abs().colwise() / range.array()).maxCoeff();
  }

  Result once(PreparedRun& prepared, double most_seconds) const {
    class Watch final : public Observer {
     public:
      explicit Watch(double most) : most_(most), begun_(processor_seconds()) {}
      void accepted(const State&, const StepResult&) override {
        if (++count_ % 64 == 0 && processor_seconds() - begun_ > most_) stop = true;
      }
      std::atomic<bool> stop = false;

     private:
      double most_, begun_;
      int count_ = 0;
    } watch(most_seconds);
    prepared.options.observers = {&watch};
    prepared.options.stop = &watch.stop;
    const double begun = processor_seconds();
    const Solution solution = prepared.run();
    Result r;
    r.seconds = processor_seconds() - begun;
    r.ok = solution.ok();
    r.message = solution.outcome.message;
    r.steps = solution.outcome.counters.steps;
    if (r.ok && solution.rows() > 1) r.y = solution.y().rightCols(solution.rows() - 1);
    prepared.options.observers.clear();
    prepared.options.stop = nullptr;
    return r;
  }

  std::string name_;
  std::unique_ptr<Problem> problem_;
  RunDefaults defaults_;
  Layout layout_;
  double begin_ = 0, span_ = 0;
  std::vector<double> times_;
  Mat reference_, slow_;
  Vec range_, slow_range_;
};
}  // namespace trill::regret
