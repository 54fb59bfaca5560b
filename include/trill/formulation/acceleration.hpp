// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods for mechanical systems: accelerations from forces and masses.
#pragma once

#include "trill/linalg/linear_solver.hpp"
#include "trill/problem/mechanical.hpp"

#include <memory>

namespace trill {
// a = M(q)^-1 f(t, q, v) for an unconstrained mechanical system; a constant mass matrix is factorised once.
class Acceleration {
 public:
  explicit Acceleration(const MechanicalProblem& problem, Groups groups = all_groups);
  // Allocates and factorises; UsageError when the mass matrix is singular.
  void start(In q);
  // false: the mass matrix at q is singular.
  bool operator()(double t, In q, In v, Out a) {
    problem_.force(groups_, t, q, v, a);
    return kind_ == MassKind::identity || divide_by_mass(q, a);
  }
  bool divide_by_mass(In q, Out a);
  Groups counted_groups() const { return counted_; }

 private:
  bool factorise(In q);
  const MechanicalProblem& problem_;
  Groups groups_, counted_;
  MassKind kind_;
  MatrixSlot mass_;
  Vec inverse_, work_;
  std::unique_ptr<LinearSolver> solver_;
};
}  // namespace trill
