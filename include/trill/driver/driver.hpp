// SPDX-License-Identifier: BSD-3-Clause
// For programs that integrate a problem with a stepper they made themselves.
#pragma once

#include "trill/control/advance.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/solution/recorder.hpp"

#include <atomic>
#include <functional>
#include <variant>

namespace trill {
struct EveryStep {
  int stride = 1;
  bool operator==(const EveryStep&) const = default;
};
struct Grid {
  double dt;
  bool operator==(const Grid&) const = default;
};
struct Times {
  std::vector<double> t;  // in the direction of the run
  bool operator==(const Times&) const = default;
};
using Output = std::variant<EveryStep, Grid, Times>;

struct Event {
  std::string name;
  std::function<double(const State&)> root;  // its zeros are located on the interpolant
  int direction = 0;                         // -1 falling, 0 both, +1 rising
  // May change the state; returns true if the run is to go on. Empty: the run stops at the event.
  std::function<bool(State&)> action;
  bool restarts = false;  // the step ends there even if the action changes nothing
};

// Is shown every accepted step; must not change anything.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Problem&, const State&) {}
  virtual void accepted(const State&, const StepResult&) = 0;
  virtual void end(const RunOutcome&) {}
};

struct DriverOptions {
  StepControl control = FixedStep{1e-3};
  Output output = EveryStep{};
  bool dense = false;
  int newton_retries = 8;  // how often h is halved after failed Newton iterations
  std::int64_t max_steps = 100'000'000'000;
  std::vector<Event> events;
  std::vector<Observer*> observers;
  std::function<void(double fraction)> progress;
  const std::atomic<bool>* stop = nullptr;  // set from outside (a signal): the run checkpoints and ends as `stopped`
  Recorder* recorder = nullptr;             // nullptr: rows go into the returned Solution
  std::int64_t checkpoint_every = 1000;     // steps; only if the recorder keeps checkpoints
  Archive* resume = nullptr;                // a checkpoint of the same run
  Reformulation* reformulation = nullptr;   // the stepper must then be one for its inner problem
  std::uint64_t seed = 0;
  std::vector<Notice> notices;  // what is known about the problem before the run; copied to the solution
  RunInfo info;                 // what the caller knows (names, options); the driver fills in layout and quantities
};

// Throws UsageError before the first step only. After that every failure is a status in the Solution, which always
// holds what was computed so far.
Solution integrate(const Problem& problem, Stepper& stepper, State start, double t_end,
                   const DriverOptions& options = {});
}  // namespace trill
