// SPDX-License-Identifier: BSD-3-Clause
// For programs with a time loop of their own: one accepted step at a time.
#pragma once

#include "trill/control/controller.hpp"
#include "trill/method/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace trill {
struct FixedStep {
  double h;
};
struct AdaptiveStep {
  double rtol = 1e-6;
  Vec atol = Vec::Constant(1, 1e-9);    // one value for all components, or one for each
  double h0 = 0, h_min = 0, h_max = 0;  // 0: chosen automatically
  std::string controller = "pi";
  bool weigh_multipliers = false;
};
using StepControl = std::variant<FixedStep, AdaptiveStep>;
// Why the method cannot be run with this step control; empty: it can.
std::string misfit(const MethodInfo& method, const StepControl& control);

enum class AdvanceStatus { ok, step_too_small, newton_failed, non_finite, refused };

struct AdvanceResult {
  AdvanceStatus status = AdvanceStatus::ok;
  StepResult step;  // the accepted step, or the last one that failed
  double h_tried = 0;
  double t_begin = 0;  // where the last accepted step began
};

// Two times that differ by no more than this are considered equal: it covers the rounding of k * h.
inline double landing_slack(double h, double t) { return std::max(1e-12 * std::abs(h), 1e-15 * std::abs(t)); }

// The accept/reject loop and nothing else: weights, step proposal, retry after a failed Newton iteration, landing on
// t_stop exactly. The driver uses it between outputs.
class Advancer {
 public:
  Advancer(Stepper& stepper, const StepControl& control, int newton_retries = 8, std::uint64_t seed = 0);
  void start(State& s, double t_end);          // t_end gives the direction and the largest first step
  AdvanceResult one(State& s, double t_stop);  // one accepted step, or the reason why none was possible
  // Up to `most` accepted steps; ends early with the step that reaches t_look. For fixed steps of explicit methods this
  // avoids the overhead of calling one() for each step; in all other cases it just calls one().
  AdvanceResult several(State& s, double t_stop, double t_look, std::int64_t most);
  // The state was changed from outside: reused values are stale, and the next adaptive step starts small.
  void note_jump() { jumped_ = cautious_ = true; }
  void note_correction() { jumped_ = true; }  // the state was changed slightly, e.g. by a projection
  void note_restart() { restart_ = true; }    // checkpoint: methods that cannot save their history drop it
  double next_h() const { return h_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  Notes& notes() { return notes_; }
  void memory(Archive& archive);

 private:
  AdvanceResult fixed(State& s, double t_stop);
  AdvanceResult adaptive(State& s, double t_stop);
  AdvanceResult owned(State& s, double t_stop);
  StepRequest request(double h);
  void count(const StepResult& result);

  Stepper& stepper_;
  StepControl control_;
  int retries_;
  std::uint64_t seed_;
  bool owns_step_ = false, jumped_ = true, cautious_ = false, restart_ = false;
  double h_ = 0, h_min_ = 0, h_max_ = 0, direction_ = 1;
  double t_grid_ = 0;  // fixed steps: the time is t_grid_ + k_grid_ h, without accumulated rounding
  std::int64_t k_grid_ = 0;
  bool off_grid_ = false;  // between grid points after a Newton failure
  ErrorScale scale_;
  Vec weights_;
  bool needs_weights_ = true;
  std::unique_ptr<Controller> controller_;
  Counters counters_;
  Notes notes_;
};
}  // namespace trill
