// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/fast_flow.hpp"
#include "trill/formulation/acceleration.hpp"

#include <cmath>

namespace trill {
// Whether two times are equal up to the rounding accumulated over steps of h.
inline bool same_time(double a, double b, double h) { return std::abs(a - b) <= 1e-9 * std::abs(h); }

// Motion without any force.
class FreeFlow final : public Flow {
 public:
  void start(const State&) override {}
  bool flow(double, double h, Out q, Out v, Counters&) override;
};

// Half kick, inner flow, half kick, repeated several times in h. If an averaging flow is given, the force of the kicks
// is averaged and mollified along the fast motion. It may be the inner flow itself; levels can be nested.
class KickedFlow final : public Flow {
 public:
  // averaging: none, or a flow with one pair per entry of `slow`. steps = 0: enough for omega tau <= 0.25.
  KickedFlow(const MechanicalProblem& problem, std::vector<Groups> slow, std::shared_ptr<Flow> inner,
             std::shared_ptr<FastFlow> averaging, int steps);

  void start(const State& s) override;
  bool flow(double t, double h, Out q, Out v, Counters& work) override;
  void refine() override;
  void forget() override;
  void memory(Archive& archive) override;

  // Computes kick() for a step h from (t, q), unless it is known already.
  bool kick_force(double t, double h, In q, Counters& work);
  // Whether it is known for a step from t, if q has not changed since the last call.
  bool knows(double t, double h) const { return known_ && same_time(t, now_.t, h) && std::abs(h) == now_.h; }
  // The same as flow() after kick_force() at the start.
  bool flow_on(double t, double h, Out q, Out v, Counters& work);

  // An acceleration, and where it was computed for steps of size h.
  struct Kick {
    double t = 0, h = 0;
    Vec q, a;
  };
  const Kick& kick() const { return now_; }
  const Kick& kick_before() const { return before_; }  // at the start of the last of our steps
  Flow& inner() { return *inner_; }
  int steps(double h) const;
  // Max entries at the last kick: |A - q|, and |Mol g - g| of the forces.
  struct Shifts {
    double average = 0, mollifier = 0;
  };
  Shifts shifts() const;

 private:
  bool one_step(double t, double h, Out q, Out v, Counters& work);
  bool mollified_force(double t, double h, In q, Counters& work);

  const MechanicalProblem& problem_;
  std::vector<Groups> slow_;
  Groups all_ = 0, counted_;
  std::shared_ptr<Flow> inner_;
  std::shared_ptr<FastFlow> averaging_;
  int steps_, finer_ = 1;
  double frequency_ = 0;  // frequency of its forces at the start, if the number of steps depends on it
  bool unit_mass_;
  Acceleration accelerate_;
  Vec rest_;
  Kick now_, before_;
  Vec mollified_;  // the force, where it is not the acceleration itself
  bool known_ = false;
  Mat averages_, forces_;
  mutable Shifts shifts_;
  mutable bool shifts_known_ = true;
};
}  // namespace trill
