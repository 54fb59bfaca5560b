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
  rest_ = Vec::Zero(n);
  now_ = before_ = {.q = rest_, .a = rest_};
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
  return kick_force(t, h / steps(h), q, work) && flow_on(t, h, q, v, work);
}

bool KickedFlow::flow_on(double t, double h, Out q, Out v, Counters& work) {
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

// The kick at its start is known.
bool KickedFlow::one_step(double t, double h, Out q, Out v, Counters& work) {
  std::swap(now_, before_);
  known_ = false;
  return inner_->flow_after_kick(t, h, 0.5 * h, before_.a, q, v, work) && kick_force(t + h, h, q, work) &&
         add_scaled_checked(v.data(), 0.5 * h, now_.a.data(), q.size());
}

// A force that is not finite is found in the velocities that it changes.
bool KickedFlow::kick_force(double t, double h, In q, Counters& work) {
  if (knows(t, h) && same_numbers(q, now_.q)) return true;
  known_ = false;
  if (averaging_) {
    if (!mollified_force(t, h, q, work)) return false;
  } else {
    problem_.force(all_, t, q, rest_, now_.a);
  }
  work.count_forces(counted_);
  if (!accelerate_.divide_by_mass(q, now_.a)) return false;
  known_ = true;
  now_.t = t;
  now_.h = std::abs(h);
  now_.q = q;
  return true;
}

bool KickedFlow::mollified_force(double t, double h, In q, Counters& work) {
  if (!averaging_->average(t, h, q, averages_, work)) return false;
  for (std::size_t j = 0; j < slow_.size(); ++j) {
    const auto column = static_cast<Index>(j);
    problem_.force(slow_[j], t, averages_.col(column), rest_, forces_.col(column));
  }
  shifts_known_ = false;
  if (!averaging_->mollify(forces_, now_.a, work)) return false;
  if (!unit_mass_) mollified_ = now_.a;
  return true;
}

// Only output asks for them, after few of the kicks.
KickedFlow::Shifts KickedFlow::shifts() const {
  if (shifts_known_) return shifts_;
  const Vec& mollified = unit_mass_ ? now_.a : mollified_;
  shifts_ = {(averages_.colwise() - now_.q).cwiseAbs().maxCoeff(),
             (forces_.rowwise().sum() - mollified).cwiseAbs().maxCoeff()};
  shifts_known_ = true;
  return shifts_;
}

void KickedFlow::memory(Archive& archive) {
  Shifts shift = shifts();
  archive(frequency_, known_, now_.t, now_.h, now_.q, now_.a, shift.average, shift.mollifier, *inner_);
  shifts_ = shift;
  if (averaging_ && averaging_ != inner_) archive(*averaging_);
}
}  // namespace trill
