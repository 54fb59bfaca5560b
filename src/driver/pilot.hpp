// SPDX-License-Identifier: BSD-3-Clause
// Short runs that show how well a method solves a problem, before one is chosen.
#pragma once

#include "formulation/prospect.hpp"
#include "trill/driver/driver.hpp"
#include "trill/method/registry.hpp"

#include <atomic>

namespace trill {
double processor_seconds();  // that this thread has used: what others do at the same time does not count

// Stops a run by the time that the processor spends on its steps: how busy the machine is must not change what is
// found, nor what is set up once before the first step.
class TimeLimit final : public Observer {
 public:
  explicit TimeLimit(double seconds) : end_(processor_seconds() + seconds), seconds_(seconds) {}
  void begin(const Problem&, const State&) override {
    last_look_ = processor_seconds();
    end_ = last_look_ + seconds_;
  }
  void accepted(const State&, const StepResult&) override {
    if (++count_ < next_look_) return;
    const double now = processor_seconds();
    if (now > end_) stop_ = true;
    next_look_ = count_ + (now - last_look_ < short_steps * (count_ - looked_at_) ? looks_every : 1);
    last_look_ = now;
    looked_at_ = count_;
  }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  static constexpr int looks_every = 4;        // steps, where these are short:
  static constexpr double short_steps = 1e-5;  // seconds
  double end_, seconds_, last_look_ = 0;
  int count_ = 0, next_look_ = 0, looked_at_ = 0;
  std::atomic<bool> stop_ = false;
};

// What a pilot may cost. Steps come first, so that the same problem gets the same pilot every time; the time is a
// safeguard.
struct PilotLimits {
  std::int64_t steps = 400;
  double seconds = 4e-3, finer_seconds = 8e-3;  // the latter for the run that shows the error of the first; 0: none
};

// The beginning of a run, as far as the limits allow.
class PilotRun {
 public:
  PilotRun(const Problem& problem, State start, double t_end)
      : problem_(problem), start_(std::move(start)), t_end_(t_end) {}

  // With error control: a rough run, and a finer one that shows the error of the first.
  Pilot adaptive(const MethodEntry& method, double rtol, const PilotLimits& limits, const OptionSet& options = {});
  // With equal steps over the interval of the finer run before, which shows its error.
  Pilot fixed(const MethodEntry& method, double h, const PilotLimits& limits);

  // States along the way, from the start on.
  struct Path {
    std::vector<double> t;
    Mat y;  // one column per time
  };
  const Path& path() const { return fine_.t.size() > 1 ? fine_ : rough_; }
  // Rate at which motions part from each other exponentially; 0: they do not.
  double growth() const { return growth_; }

 private:
  struct Flown {
    Solution path;
    double seconds = 0;
  };
  Flown fly(const MethodEntry& method, const OptionSet& options, const StepControl& control, const Output& output,
            double t_end, const PilotLimits& limits) const;
  double error_against_fine(const Path& path, double share);

  const Problem& problem_;
  State start_;
  double t_end_;
  Path rough_, fine_;
  double growth_ = 0;
};
}  // namespace trill
