// SPDX-License-Identifier: BSD-3-Clause
#include "papers/filters.hpp"

#include <fmt/format.h>

namespace trill::papers::filters {
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

Steps mollified_impulse(const Problem& problem, const Pair& pair) {
  return {problem, "mollified_impulse", {{"phi", pair.phi}, {"psi", pair.psi}}};
}
}  // namespace trill::papers::filters
