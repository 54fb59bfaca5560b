// SPDX-License-Identifier: BSD-3-Clause
// What the figures of (phi, psi)-methods with linear fast forces have in common.
#pragma once

#include "papers/runs.hpp"
#include "trill/problem/mechanical.hpp"

#include <functional>

namespace trill::papers::filters {
struct Pair {
  std::string phi, psi;
  std::string name() const { return "(" + phi + "," + psi + ")"; }
};

// q_i'' = -omega_i^2 q_i + g_i(q): the first force is fast, the second slow.
class LinearFast final : public MechanicalProblem {
 public:
  using Slow = std::function<void(In q, Out g)>;
  LinearFast(Vec omega, Slow slow, Vec q, Vec v);
  std::string name() const override { return "oscillators"; }
  Layout layout() const override { return {omega_.size(), omega_.size(), 0, 0}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<LinearFast>(*this); }
  std::vector<GroupInfo> groups() const override { return {{"fast", true}, {"slow", false}}; }
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override { return MatrixSlot::dense(omega_.size(), omega_.size()); }
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override;
  bool linear_force(Groups groups) const override { return groups == fast; }

 private:
  static constexpr Groups fast = 1, slow = 2;
  Vec omega_;
  Slow slow_;
  Vec q_, v_;
};

Steps mollified_impulse(const Problem& problem, const Pair& pair);
}  // namespace trill::papers::filters
