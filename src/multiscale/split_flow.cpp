// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/split_flow.hpp"

namespace trill {
SplitFlow::SplitFlow(const MechanicalProblem& problem, LinearOscillation& fast, In q)
    : fast_(fast),
      accelerate_(problem, slow_groups(problem)),
      by_velocity_(problem.velocity_dependent(slow_groups(problem))),
      n_(q.size()),
      steady_(fast.steady_force()) {
  accelerate_.start(q);
  accelerate_.divide_by_mass(q, steady_);
  y_ = y_start_ = Vec::Zero(2 * n_);
  a_ = a_start_ = between_ = Vec::Zero(n_);
}

void SplitFlow::slow_acceleration(double t, In q, In v, Out a) {
  accelerate_(t, q, v, a);
  a += steady_;
  ++forces;
}

void SplitFlow::set_off(double t, In y) {
  t_start_ = t;
  y_start_ = y;
  slow_acceleration(t, y.head(n_), y.tail(n_), a_start_);
  return_to_start();
}

void SplitFlow::return_to_start() {
  t_ = t_start_;
  y_ = y_start_;
  a_ = a_start_;
}

void SplitFlow::kick(double time) {
  auto v = y_.tail(n_);
  if (by_velocity_) {
    between_ = v + 0.5 * time * a_;
    slow_acceleration(t_, y_.head(n_), between_, a_);
  }
  v += time * a_;
}

void SplitFlow::run(double h, const LinearOscillation::Turn& turn, int steps) {
  kick(0.5 * h);
  for (int step = 1; step <= steps; ++step) {
    fast_.apply(turn, y_.head(n_), y_.tail(n_));
    t_ += h;
    ++micro_steps;
    slow_acceleration(t_, y_.head(n_), y_.tail(n_), a_);
    kick(step < steps ? h : 0.5 * h);
  }
  if (by_velocity_) slow_acceleration(t_, y_.head(n_), y_.tail(n_), a_);
}
}  // namespace trill
