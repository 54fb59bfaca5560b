// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/control/advance.hpp"

#include <optional>

namespace trill {
// Adds what was done since `seen` to `total`, and has then seen it.
void add_new_work(const Counters& now, Counters& seen, Counters& total);

// The motion of a problem over short stretches, computed again and again from different states: what cycle maps are
// made of. It has a copy of the problem, because a stretch is none of the steps of the run. A stretch from the same
// state is computed in exactly the same way each time, whatever was computed before: its first step has a given length,
// and nothing is remembered.
class InnerMotion {
 public:
  struct Accuracy {
    double rtol = 1e-9;
    Vec atol;  // one value for each component
  };
  // UsageError, in the name of the asker, for problems whose motion is more than y' = f(t, y): constraints, and events
  // that change the state.
  InnerMotion(const Problem& problem, const char* method, Accuracy accuracy, std::string_view asker);
  InnerMotion(const InnerMotion&) = delete;
  InnerMotion& operator=(const InnerMotion&) = delete;

  void set_first_step(double h, double longest);  // of every stretch; 0: chosen by the method
  void start(double t, In y, double t_end);       // breakpoints are known up to t_end
  // One step that ends at t_stop or earlier, and at a breakpoint if there is one. false: it failed.
  bool step(double t_stop);
  bool again(double t_stop);                         // the last step, which shall now end at t_stop
  bool run(double t_stop, std::int64_t most_steps);  // steps until t_stop

  double t() const { return state_.t; }
  double t_before() const { return before_.t; }  // where the last step began
  const Vec& y() const { return state_.y; }
  const Vec& y_before() const { return before_.y; }
  void inside(double t, Out y);  // in the last step
  const Accuracy& accuracy() const { return accuracy_; }
  const Problem& problem() const { return *problem_; }
  const Counters& work() const { return work_; }
  void spent_before(const Counters& work) { work_ = work; }  // by another that this one replaces

 private:
  std::unique_ptr<Problem> problem_;
  ProblemSession session_;
  std::unique_ptr<Stepper> stepper_;
  Accuracy accuracy_;
  std::optional<Advancer> advancer_;
  State state_, before_;
  std::vector<double> breakpoints_;
  std::size_t next_break_ = 0;
  Counters work_, counted_;
};
}  // namespace trill
