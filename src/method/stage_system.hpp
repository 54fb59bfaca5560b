// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/lifted_form.hpp"
#include "method/stage_block.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"

#include <limits>
#include <memory>

namespace trill {
class ShiftedMatrix;

// All stages of one step as r(x) = 0 for the Newton loop: x holds, stage after stage, the displacement of every
// implicit stage (from y0, or W_i from straight motion) and its multipliers L_i. The matrix is taken at one point for
// all stages, so it splits into one matrix per eigenvalue of the tableau.
//
// All differences between a step on a first-order and on a mechanical system are here. A state y is (q, v, ...); a
// first-order system has no positions, and its y takes the place of v.
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
  Index positions() const { return Q.rows(); }  // as many as unknowns, or none
  const StageBlock& block() const { return block_; }
  Groups counted_groups() const { return counted_; }

  virtual void start(const State&) {}  // UsageError if the mass is singular
  // Derivative and multipliers of the state itself, not of the slow motion next to it. The multipliers of hard
  // constraints are given in l.
  virtual bool derivative(const State& s, Out k, Out l) = 0;

  // The step to solve; k1: the derivative at its start, for methods whose first stage is explicit.
  virtual void begin(double t, double h, In y0, In k1);
  void residual(In x, Out r) override;
  bool prepare(In x) override;  // after residual() at the same x
  void correct(In r, Out dx) override;

  // Computes stage values from the unknowns. One column per stage.
  void unpack(In x);
  // Stages that are not unknowns: the first, with multipliers l, and a last one on which no other depends.
  void fill_first(In l);
  virtual bool fill_last() = 0;
  void find_end(In x, Out y1) const;                       // the end of the step, from all stages
  void add_slope(double weight, In v, In k, Out y) const;  // y += weight (v, k), or weight k without positions
  // Computes x from derivatives and multipliers of the stages.
  virtual void guess(const Mat& k, const Mat& l, Out x) const = 0;
  virtual void newton_weights(In w, Out x_weights) const = 0;
  // Size of the state at the start of the step, for the rounding in residuals.
  virtual double size_in_tolerances(In weights) const = 0;

  Point point;
  Index point_stage = -1;  // the stage that the matrix is formed at next time, at its first guess; -1: at `point`
  Mat Q, V, K, L;          // first order: V holds y, K its derivative; Q has no rows
  int evaluations = 0, preparations = 0;
  bool has_sparse_factors() const;
  void forget();                     // drops the pivots of earlier matrices; allocates
  virtual void forget_steps() {}     // nothing of earlier steps may be used any more
  virtual void guess_otherwise() {}  // the stages were not found from the last guess
  // dy/dt at a state whose derivative is k; dt: a time that is short compared with the run.
  virtual bool slope(const State& s, In k, double dt, Out slope);
  virtual void settle(double /*t*/, Out /*y*/) {}  // makes interpolated values consistent
  virtual double longest_step() const { return std::numeric_limits<double>::infinity(); }
  // Filters an error by the matrix of the real mode, so that stiff components do not count.
  virtual void filter(Vec& error) = 0;

 protected:
  StageSystem(const StageBlock& block, Index unknowns, Index positions, Index multipliers, Groups counted);
  static MatrixSlot diagonal_slot(In values);
  virtual void find_derivatives(In x) = 0;  // V, K, Q of implicit stages
  virtual void stage_residual(Index stage, double t, const double* l, double* r) = 0;
  virtual bool all_residuals(const double* /*x*/, double* /*r*/) { return false; }  // false: only stage by stage
  virtual void linearise() = 0;
  double real_shift() const { return block_.reals.front().inverse_gamma / h_; }  // 1/(h gamma) of the real mode

  const StageBlock& block_;
  Index n_, m_, width_;
  Groups counted_;
  double t_ = 0, h_ = 0;
  Vec y0_, k1_, filtered_;
  std::unique_ptr<ShiftedMatrix> matrix_;
};

// y' = f(t, y).
class FirstOrderStages final : public StageSystem {
 public:
  FirstOrderStages(const StageBlock& block, const FirstOrderProblem& problem);
  bool derivative(const State& s, Out k, Out l) override;
  bool fill_last() override { return true; }  // methods with such a stage are for mechanical systems
  void guess(const Mat& k, const Mat& l, Out x) const override;
  void newton_weights(In w, Out x_weights) const override { x_weights = w.replicate(block_.count, 1); }
  double size_in_tolerances(In weights) const override;
  void filter(Vec& error) override;

 protected:
  void find_derivatives(In x) override;
  void stage_residual(Index stage, double t, const double* l, double* r) override;
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
  void start(const State& s) override { mass_.start(s.q()); }
  bool derivative(const State& s, Out k, Out l) override;
  bool fill_last() override;
  void guess(const Mat& k, const Mat& l, Out x) const override;
  void newton_weights(In w, Out x_weights) const override;
  double size_in_tolerances(In weights) const override;
  void filter(Vec& error) override;

 protected:
  void find_derivatives(In x) override;
  void stage_residual(Index stage, double t, const double* l, double* r) override;
  bool all_residuals(const double* x, double* r) override;
  void linearise() override;

 private:
  void find_derivatives_of(auto n, auto count, const double* x);

  LiftedForm& form_;
  Acceleration mass_;
  MatrixSlot compliance_;
  Vec gaps_;
};
}  // namespace trill
