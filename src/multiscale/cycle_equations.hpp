// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/cycle_map.hpp"
#include "trill/base/archive.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/solution/counters.hpp"

namespace trill {
// The equations of an implicit step on a cycle map: w_i = base_i + sum_j alpha_ij g(w_j), where g is the change in one
// cycle that starts at w_j. The matrix has the derivative of g at the last of the w, for all of them.
//
// A single equation with few unknowns gets its derivative together with every cycle, since it then costs little more
// than the cycle. If the derivative has hardly changed since the step before, one cycle is enough for a step. In all
// other cases the derivative is kept from step to step, while alpha changes with the length of the step.
class CycleEquations final : public NonlinearSystem {
 public:
  CycleEquations(const CycleMap& map, Index unknowns);  // unknowns: the most w that are solved for at once
  // base has one column and n one value for each unknown.
  void pose(const Mat& alpha, const Mat& base, const Vec& n, Counters& work);
  // w: a guess in, the solution out, one column each.
  NewtonStats solve(Mat& w, In weights);
  auto change(Index i) const { return changes_.col(i); }  // at the solution
  void forget() { has_derivative_ = false; }
  void memory(Archive& archive) { archive(derivative_, has_derivative_); }  // between two steps

  Index size() const override { return alpha_.rows() * size_; }
  void residual(In x, Out r) override;
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  double next_correction(In dx, In weights) const override;

 private:
  bool assemble();
  bool evaluate(In x);

  const CycleMap& map_;
  Index size_;
  Mat alpha_, inverse_, base_, changes_, derivative_, earlier_;
  Vec n_, unknowns_, weights_;
  MatrixSlot matrix_;
  std::unique_ptr<LinearSolver> solver_;
  Newton newton_;
  Counters* work_ = nullptr;
  bool has_derivative_ = false, has_earlier_ = false, invertible_ = false;
  bool derives_always_;  // the derivative comes with every cycle
};
}  // namespace trill
