// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/lifted_form.hpp"
#include "method/stage_block.hpp"
#include "trill/linalg/newton.hpp"

#include <memory>

namespace trill {
class ShiftedMatrix;

// All stages of one step as r(x) = 0 for the Newton loop: x holds the displacement of every implicit stage (from y0, or
// W_i from the straight flight) and its multipliers L_i, stage after stage. The matrix is that of one point for all
// stages, so that it falls apart into one per eigenvalue of the tableau.
class StageSystem : public NonlinearSystem {
 public:
  // Where the Newton matrix is formed.
  struct Point {
    double t = 0;
    Vec q, v, k, l;
  };
  ~StageSystem() override;
  Index size() const override { return block_.count * width_; }
  Index unknowns() const { return n_; }
  Index multipliers() const { return m_; }
  const StageBlock& block() const { return block_; }

  // The step to solve; k1: the derivative at its start, for methods whose first stage is explicit.
  void begin(double t, double h, In y0, In k1);
  void residual(In x, Out r) override;
  bool prepare(In x) override;  // at `point`
  void correct(In r, Out dx) override;
  void set_h(double h) { h_ = h; }

  // Stage values from the unknowns. Columns: stages; explicit ones are filled in by the step.
  void unpack(In x);
  virtual void guess(const Mat& k, const Mat& l, Out x) const = 0;  // from derivatives and multipliers of the stages
  virtual void newton_weights(In w, Out x_weights) const = 0;

  Point point;
  Mat Q, V, K, L;  // first order: V holds y, K its derivative; Q is empty
  int evaluations = 0, preparations = 0;
  bool has_sparse_factors() const;
  void forget();  // pivots of earlier matrices; allocates
  // (matrix of the real mode)^-1 b: the filter of error estimates.
  void solve_real(Vec& b);
  double real_shift() const;  // 1/(h gamma) of that mode

 protected:
  StageSystem(const StageBlock& block, Index unknowns, Index multipliers);
  virtual void find_derivatives(In x) = 0;  // V, K, Q of implicit stages
  virtual void stage_residual(Index stage, double t, In l, Out r) = 0;
  virtual void linearise() = 0;

  const StageBlock& block_;
  Index n_, m_, width_;
  double t_ = 0, h_ = 0;
  Vec y0_, k1_;
  std::unique_ptr<ShiftedMatrix> matrix_;
};

// y' = f(t, y).
class FirstOrderStages final : public StageSystem {
 public:
  FirstOrderStages(const StageBlock& block, const FirstOrderProblem& problem);
  void guess(const Mat& k, const Mat& l, Out x) const override;
  void newton_weights(In w, Out x_weights) const override { x_weights = w.replicate(block_.count, 1); }

 protected:
  void find_derivatives(In x) override;
  void stage_residual(Index stage, double t, In l, Out r) override;
  void linearise() override;

 private:
  const FirstOrderProblem& problem_;
  MatrixSlot identity_, jacobian_;
  DifferenceJacobian differences_;
};

// M v' = f - G^T l, 0 = g - C l.
class MechanicalStages final : public StageSystem {
 public:
  MechanicalStages(const StageBlock& block, LiftedForm& form);
  void guess(const Mat& k, const Mat& l, Out x) const override;
  void newton_weights(In w, Out x_weights) const override;

 protected:
  void find_derivatives(In x) override;
  void stage_residual(Index stage, double t, In l, Out r) override;
  void linearise() override;

 private:
  LiftedForm& form_;
  MatrixSlot compliance_;
};
}  // namespace trill
