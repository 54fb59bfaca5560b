// SPDX-License-Identifier: BSD-3-Clause
#include "papers/filters.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::filters {
LinearFast::LinearFast(Vec omega, Slow slow, Vec q, Vec v)
    : omega_(std::move(omega)), slow_(std::move(slow)), q_(std::move(q)), v_(std::move(v)) {}

std::vector<Quantity> LinearFast::components() const {
  std::vector<Quantity> all;
  for (const char* name : {"q", "v"})
    for (Index i = 1; i <= omega_.size(); ++i) all.push_back({fmt::format("{}{}", name, i), ""});
  return all;
}

State LinearFast::initial_state() const {
  State s(layout());
  s.q() = q_;
  s.v() = v_;
  return s;
}

void LinearFast::force(Groups groups, double, In q, In, Out f) const {
  f.setZero();
  if (groups & slow) slow_(q, f);
  if (groups & fast) f.array() -= omega_.array().square() * q.array();
}

bool LinearFast::force_jacobian(Groups groups, double, In, In, MatrixSlot& dq, MatrixSlot& dv) const {
  if (groups & slow) return false;
  dq.set_zero();
  dv.set_zero();
  for (Index i = 0; i < omega_.size(); ++i) dq.add(i, i, -omega_[i] * omega_[i]);
  return true;
}

Steps::Steps(const Problem& problem, const Pair& pair)
    : stepper_(Catalogue::all().method("mollified_impulse").make(problem, {{"phi", pair.phi}, {"psi", pair.psi}})),
      s_(problem.initial_state()),
      scale_{.rtol = 1e-10, .atol = Vec::Constant(s_.y.size(), 1e-12)},
      weights_(Vec::Ones(s_.y.size())) {
  stepper_->start(s_, scale_);
}

bool Steps::step(double h) {
  const StepResult result =
      stepper_->step(s_, {h, scale_, weights_, HUGE_VAL, first_, false, notes_, work_, RandomKey{}});
  first_ = false;
  return result.status == StepStatus::ok;
}
}  // namespace trill::filters
