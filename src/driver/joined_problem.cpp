// SPDX-License-Identifier: BSD-3-Clause
#include "driver/joined_problem.hpp"

namespace trill {
JoinedProblem::JoinedProblem(std::vector<const MechanicalProblem*> copies)
    : copies_(std::move(copies)),
      count_(static_cast<Index>(copies_.size())),
      own_quantities_(static_cast<Index>(first().quantities().size())),
      block_(first().join(copies_)),
      one_(first().layout()) {}

void JoinedProblem::put(Index copy, In from, Out y) const {
  for (Index i = 0; i < from.size(); ++i) y[i * count_ + copy] = from[i];
}

void JoinedProblem::take(Index copy, const double* from, Out y) const {
  for (Index i = 0; i < y.size(); ++i) y[i] = from[i * count_ + copy];
}

Layout JoinedProblem::layout() const {
  const Layout one = first().layout();
  return {one.nq * count_, one.nv * count_, 0, 0};
}

std::vector<Quantity> JoinedProblem::components() const {
  std::vector<Quantity> all;
  for (const Quantity& component : first().components()) all.insert(all.end(), copies_.size(), component);
  return all;
}

State JoinedProblem::initial_state() const {
  State s(layout());
  for (Index copy = 0; copy < count_; ++copy) put(copy, at(copy).initial_state().y, s.y);
  s.t = first().initial_state().t;
  return s;
}

std::vector<Quantity> JoinedProblem::quantities() const {
  std::vector<Quantity> all;
  for (const MechanicalProblem* copy : copies_) {
    const auto own = copy->quantities();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void JoinedProblem::measure(const State& s, Out values) const {
  one_.t = s.t;
  for (Index copy = 0; copy < count_; ++copy) {
    take(copy, s.y.data(), one_.y);
    at(copy).measure(one_, values.segment(copy * own_quantities_, own_quantities_));
  }
}

void JoinedProblem::mass(In q, MatrixSlot& m) const {
  const Index n = first().layout().nq;
  Vec own(n);
  MatrixSlot mass = first().mass_pattern();
  m.set_zero();
  for (Index copy = 0; copy < count_; ++copy) {
    take(copy, q.data(), own);
    at(copy).mass(own, mass);
    for (Index i = 0; i < n; ++i) m.add(i * count_ + copy, i * count_ + copy, mass.value(i, i));
  }
}
}  // namespace trill
