// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/averaged_force.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
AveragedForce::AveragedForce(const MechanicalProblem& stiff, Index actions)
    : stiff_(stiff),
      n_(stiff.layout().nq),
      actions_(actions),
      drag_(stiff.drag(all_groups)),
      micro_(stiff),
      spectrum_(stiff) {}

std::vector<Quantity> AveragedForce::components() const {
  std::vector<Quantity> all = stiff_.components();
  all.resize(static_cast<std::size_t>(2 * n_));
  for (Index k = 1; k <= actions_; ++k) all.push_back({fmt::format("action_{}", k), ""});
  return all;
}

State AveragedForce::initial_state() const {
  const State given = stiff_.initial_state();
  State s(layout(), given.t);
  s.mode = given.mode;
  s.q() = given.q();
  s.v() = given.v();
  return s;
}

std::unique_ptr<Problem> AveragedForce::clone() const {
  const std::shared_ptr<const Problem> problem = stiff_.clone();
  auto copy = std::make_unique<AveragedForce>(problem->as<MechanicalProblem>("hmm"), actions_);
  copy->owned_ = problem;
  copy->start(stiff_.initial_state().q());
  copy->plan(windows_, staged_, lifted_);
  return copy;
}

void AveragedForce::start(In q) {
  micro_.start(q);
  spectrum_.start(q);
  for (MicroWindow::Means* means : {&means_, &inner_, &marked_means_}) means->q = means->v = means->a = Vec::Zero(n_);
  y_ = rate_ = Vec::Zero(layout().size());
  marked_ = State(layout(), std::numeric_limits<double>::quiet_NaN());
  kick_ = v_ = bent_ = at_rest_ = Vec::Zero(n_);
  forget();
}

void AveragedForce::plan(WindowPlan windows, bool staged, bool lifted) {
  windows_ = std::move(windows);
  staged_ = staged;
  lifted_ = lifted;
  forget();
}

// Methods evaluate their starting point twice, so the last result is kept.
void AveragedForce::rhs(double t, In y, Out dy) const {
  if (!means_at(t, y)) {
    t_ = t;
    y_ = y;
    if (!evaluate(t, y, rate_)) rate_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  dy = rate_;
  if (marked_.t != t || marked_.y != y) return;
  marked_means_ = means_;
  seen_marked_ = true;
}

void AveragedForce::mark(const State& s) const {
  marked_ = s;
  seen_marked_ = false;
}

bool AveragedForce::evaluate(double t, In y, Out dy) const {
  const auto q = y.head(n_), v = y.segment(n_, n_);
  dy.head(n_) = v;  // never a mean: SAT09 sec. 3
  dy.tail(actions_).setZero();
  if (!average(t, q, v, means_)) return false;
  if (lifted_) return lifted_acceleration(t, y.tail(actions_), dy);
  if (staged_ && !average(t, means_.q, means_.v, inner_)) return false;
  dy.segment(n_, n_) = staged_ ? inner_.a : means_.a;
  return true;
}

// Modes start with velocities only. Verlet's velocities at its nodes are smaller than those of the oscillation of its
// positions by the factor sqrt(1 - Omega^2 h^2/4), and the force depends on the positions.
bool AveragedForce::lifted_acceleration(double t, In J, Out dy) const {
  if (!spectrum_.find(t, means_.q, means_.v) || spectrum_.count() != actions_) return false;
  const auto omega = spectrum_.frequencies();
  nearest_ = std::min(nearest_, spectrum_.nearest());
  kick_.setZero();
  for (Index k = 0; k < actions_; ++k) {
    const double x = 0.5 * omega[k] * windows_.h;
    if (!(x < 1)) return false;
    kick_ += std::sqrt(2 * std::max(0.0, J[k]) * omega[k] * (1 - x * x)) * spectrum_.mode(k);
  }
  auto a = dy.segment(n_, n_);
  a.setZero();
  for (const double sign : {1.0, -1.0}) {
    v_ = means_.v + sign * kick_;
    if (!average(t, means_.q, v_, inner_)) return false;
    a += 0.5 * inner_.a;
  }
  if (drag_ == Drag::linear) damp(t, J, dy.tail(actions_));
  return true;
}

// J_k' = J_k u_k^T (df/dv) u_k; a difference is exact here because the drag is linear.
void AveragedForce::damp(double t, In J, Out rate) const {
  stiff_.force(all_groups, t, means_.q, means_.v, at_rest_);
  for (Index k = 0; k < actions_; ++k) {
    v_ = means_.v + spectrum_.mode(k);
    stiff_.force(all_groups, t, means_.q, v_, bent_);
    rate[k] = J[k] * spectrum_.mode(k).dot(bent_ - at_rest_);
  }
  micro_.count(1 + actions_);
}
}  // namespace trill
