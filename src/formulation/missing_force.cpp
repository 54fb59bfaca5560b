// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/missing_force.hpp"

#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr double probe_distance = 1e-3;  // relative to the size of the positions
constexpr double constant_up_to = 1e-7;  // relative change of frequencies: slow points are accurate to nine digits
constexpr double still = 1e-2;           // a motion that covers less than this share of its positions is at rest
}  // namespace

MissingForce::MissingForce(LiftedForm& form) : form_(form), first_(form) {
  last_ = x_ = w_ = Vec::Zero(form.unknowns());
}

bool MissingForce::start(double t, In q, In v, SlowPoint& beside) {
  seen_ = {};
  steepest_ = acceleration_ = 0;
  if (first_.find(t, q, v) != SlowPoint::Status::ok) return false;
  t_first_ = t;
  last_ = first_.q;
  size_ = max_abs(first_.q);
  probe(beside);
  look(first_);
  return true;
}

// This force may be the only one that moves the system, so frequencies are compared beside the start as well as along
// the path.
void MissingForce::probe(SlowPoint& beside) {
  const double away = probe_distance * (size_ > 0 ? size_ : 1);
  for (const double seed : {1.0, 2.0}) {
    for (Index i = 0; i < x_.size(); ++i) x_[i] = std::sin(seed + 2.4 * static_cast<double>(i));
    first_.make_tangential(x_);
    const double length = max_abs(x_);
    if (length < 1e-12) continue;
    x_ /= length;
    form_.times_mass(first_.q, x_, w_);
    const double mass = x_.dot(w_);
    x_ = first_.q + away * x_;
    if (beside.find(t_first_, x_, first_.v) != SlowPoint::Status::ok) continue;
    const double changed = 0.5 * first_.frequencies_differ(beside), slope = changed / away;
    if (changed <= constant_up_to) continue;
    steepest_ = std::max(steepest_, slope);
    acceleration_ = std::max(acceleration_, slope / mass);
  }
}

void MissingForce::look(const SlowPoint& here) {
  form_.times_mass(here.q, here.v, w_);
  seen_.kinetic = std::max(seen_.kinetic, 0.5 * here.v.dot(w_));
  seen_.speed = std::max(seen_.speed, max_abs(here.v));
  x_ = here.q - last_;
  seen_.travelled += max_abs(x_);
  x_ = here.q - first_.q;
  seen_.reach = std::max(seen_.reach, max_abs(x_));
  const double changed = 0.5 * first_.frequencies_differ(here);
  if (changed > constant_up_to) seen_.changed = std::max(seen_.changed, changed);
  last_ = here.q;
}

// The work that is missing, relative to the kinetic energy; the error grows with the length of the path. Where the
// missing force would move the system farther than it moves, it is what moves it.
double MissingForce::error(double t, double energy) const {
  const double work = energy * std::max(seen_.changed, steepest_ * seen_.reach);
  const double turns = seen_.reach > 0 ? seen_.travelled / seen_.reach : 0;
  const double by_work = seen_.kinetic > 0 ? work / seen_.kinetic * (1 + turns) : 0;
  const double slow_time = seen_.speed > 0 ? seen_.reach / seen_.speed : HUGE_VAL;
  const double time = std::min(std::abs(t - t_first_), slow_time);
  const double moved = 0.5 * energy * acceleration_ * time * time;
  const double at_rest = moved > seen_.reach ? moved / std::max({seen_.reach, still * size_, 1e-300}) : 0;
  return std::min(std::max(by_work, at_rest), 1.0);
}
}  // namespace trill
