// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/kicked_flow.hpp"

#include "multiscale/force_products.hpp"
#include "multiscale/same_numbers.hpp"
#include "trill/linalg/kernels.hpp"

namespace trill {
bool FreeFlow::flow(double, double h, Out q, Out v, Counters&) {
  return add_scaled_checked(q.data(), h, v.data(), q.size());
}

KickedFlow::KickedFlow(const MechanicalProblem& problem, std::vector<Groups> slow, std::shared_ptr<Flow> inner,
                       std::shared_ptr<FastFlow> averaging, int steps)
    : problem_(problem),
      slow_(std::move(slow)),
      inner_(std::move(inner)),
      averaging_(std::move(averaging)),
      steps_(steps),
      unit_mass_(problem.mass_kind() == MassKind::identity),
      accelerate_(problem) {
  for (const Groups groups : slow_) all_ |= groups;
  counted_ = all_ & known_groups(problem);
}

void KickedFlow::start(const State& s) {
  const Index n = s.layout.nq, forces = static_cast<Index>(slow_.size());
  rest_ = a_ = at_ = Vec::Zero(n);
  averages_ = forces_ = Mat::Zero(n, forces);
  known_ = false;
  mollified_ = Vec::Zero(unit_mass_ ? 0 : n);
  shifts_ = {};
  shifts_known_ = true;
  accelerate_.start(s.q());
  inner_->start(s);
  if (averaging_ && averaging_ != inner_) averaging_->start(s);
  if (steps_ == 0) frequency_ = find_fastest_mode(problem_, all_, s.t, s.q()).frequency;
}

int KickedFlow::steps(double h) const { return steps_ > 0 ? steps_ : finer_ * steps_for(frequency_, h); }

void KickedFlow::refine() {
  finer_ *= 2;
  inner_->refine();
  if (averaging_ && averaging_ != inner_) averaging_->refine();
}

bool KickedFlow::flow(double t, double h, Out q, Out v, Counters& work) {
  const int count = steps(h);
  const double tau = h / count;
  for (int i = 0; i < count; ++i)
    if (!one_step(t + i * tau, tau, q, v, work)) return false;
  return true;
}

void KickedFlow::forget() {
  known_ = false;
  inner_->forget();
  if (averaging_) averaging_->forget();
}

bool KickedFlow::one_step(double t, double h, Out q, Out v, Counters& work) {
  const Index n = q.size();
  if (!kick_force(t, h, q, work)) return false;
  add_scaled(v.data(), 0.5 * h, a_.data(), n);
  if (!inner_->flow(t, h, q, v, work) || !kick_force(t + h, h, q, work)) return false;
  return add_scaled_checked(v.data(), 0.5 * h, a_.data(), n);
}

// A force that is not finite is found in the velocities that it changes.
bool KickedFlow::kick_force(double t, double h, In q, Counters& work) {
  if (known_ && same_time(t, at_t_, h) && std::abs(h) == at_h_ && same_numbers(q, at_)) return true;
  known_ = false;
  ++kicks_;
  if (averaging_) {
    if (!mollified_force(t, h, q, work)) return false;
  } else {
    problem_.force(all_, t, q, rest_, a_);
  }
  work.count_forces(counted_);
  if (!accelerate_.divide_by_mass(q, a_)) return false;
  known_ = true;
  at_t_ = t;
  at_h_ = std::abs(h);
  at_ = q;
  return true;
}

bool KickedFlow::mollified_force(double t, double h, In q, Counters& work) {
  if (!averaging_->average(t, h, q, averages_, work)) return false;
  for (std::size_t j = 0; j < slow_.size(); ++j) {
    const auto column = static_cast<Index>(j);
    problem_.force(slow_[j], t, averages_.col(column), rest_, forces_.col(column));
  }
  shifts_known_ = false;
  if (!averaging_->mollify(forces_, a_, work)) return false;
  if (!unit_mass_) mollified_ = a_;
  return true;
}

// Only output asks for them, after few of the kicks.
KickedFlow::Shifts KickedFlow::shifts() const {
  if (shifts_known_) return shifts_;
  const Vec& mollified = unit_mass_ ? a_ : mollified_;
  shifts_ = {(averages_.colwise() - at_).cwiseAbs().maxCoeff(),
             (forces_.rowwise().sum() - mollified).cwiseAbs().maxCoeff()};
  shifts_known_ = true;
  return shifts_;
}

void KickedFlow::memory(Archive& archive) {
  Shifts shift = shifts();
  archive(frequency_, known_, at_t_, at_h_, at_, a_, shift.average, shift.mollifier, *inner_);
  shifts_ = shift;
  if (averaging_ && averaging_ != inner_) archive(*averaging_);
}
}  // namespace trill
