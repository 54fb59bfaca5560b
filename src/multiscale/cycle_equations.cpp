// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_equations.hpp"

#include "linalg/dense_decompositions.hpp"
#include "trill/linalg/kernels.hpp"

#include <limits>

namespace trill {
namespace {
// In tolerances of the envelope. Convergence is judged by the contraction seen in the same iteration: a contraction
// remembered from earlier steps once hid errors of a tenth where a circuit changed its mode.
NewtonOptions cycle_newton(bool derives_always) {
  return {.tolerance = 0.03, .max_iterations = 12, .jacobian_every = derives_always ? 1 : 3};
}
constexpr double least_condition = 1e-10;
constexpr Index most_derived = 12;  // unknowns for which a derivative costs little more than its cycle

bool derives_cheaply(const CycleMap& map, Index unknowns) {
  return unknowns == 1 && map.layout().size() <= most_derived && map.derives_cheaply();
}
}  // namespace

CycleEquations::CycleEquations(const CycleMap& map, Index unknowns)
    : map_(map),
      size_(map.layout().size()),
      alpha_(Mat::Zero(unknowns, unknowns)),
      changes_(Mat::Zero(size_, unknowns)),
      derivative_(Mat::Zero(size_, size_)),
      earlier_(derivative_),
      unknowns_(Vec::Zero(size_ * unknowns)),
      weights_(Vec::Zero(size_ * unknowns)),
      matrix_(MatrixSlot::dense(size_ * unknowns, size_ * unknowns)),
      solver_(make_linear_solver(matrix_)),
      newton_(size_ * unknowns, cycle_newton(derives_cheaply(map, unknowns))),
      derives_always_(derives_cheaply(map, unknowns)) {}

void CycleEquations::pose(const Mat& alpha, const Mat& base, const Vec& n, Counters& work) {
  const DenseInverse inverse = inverse_of(alpha);
  invertible_ = inverse.reciprocal_condition > least_condition;
  inverse_ = inverse.matrix;
  alpha_ = alpha;
  base_ = base;
  n_ = n;
  work_ = &work;
}

NewtonStats CycleEquations::solve(Mat& w, In weights) {
  const bool reuse = !derives_always_ && has_derivative_ && assemble();
  has_earlier_ = has_derivative_;
  if (has_earlier_) earlier_ = derivative_;
  unknowns_ = w.reshaped();
  weights_ = weights.replicate(alpha_.rows(), 1);
  NewtonStats stats = newton_.solve(*this, unknowns_, weights_, reuse);
  if (!stats.converged) return stats;
  w.reshaped() = unknowns_;
  // The last correction came after the last cycles; the equations say what the changes at the solution are,
  // unless a step has as few cycles as stages: then some w are the start itself.
  if (invertible_) changes_ = (w - base_) * inverse_.transpose();
  return stats;
}

bool CycleEquations::evaluate(In x) {
  work_->micro_steps += alpha_.rows();
  if (derives_always_) {
    ++work_->jacobians;
    has_derivative_ = map_.change_and_derivative(n_[0], x, changes_.col(0), derivative_);
    return has_derivative_;
  }
  for (Index i = 0; i < alpha_.rows(); ++i)
    if (!map_.change(n_[i], x.segment(i * size_, size_), changes_.col(i))) return false;
  return true;
}

void CycleEquations::residual(In x, Out r) {
  if (!evaluate(x)) {
    r.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (Index i = 0; i < alpha_.rows(); ++i)
    r.segment(i * size_, size_) = x.segment(i * size_, size_) - base_.col(i) - changes_ * alpha_.row(i).transpose();
}

bool CycleEquations::prepare(In x) {
  if (derives_always_) return assemble();
  ++work_->jacobians;
  ++work_->micro_steps;
  const Index last = alpha_.rows() - 1;
  has_derivative_ =
      map_.change_and_derivative(n_[last], x.segment(last * size_, size_), changes_.col(last), derivative_);
  return has_derivative_ && assemble();
}

bool CycleEquations::assemble() {
  matrix_.set_zero();
  for (Index i = 0; i < alpha_.rows(); ++i)
    for (Index j = 0; j < alpha_.rows(); ++j)
      for (Index col = 0; col < size_; ++col) {
        for (Index row = 0; row < size_; ++row)
          matrix_.add(i * size_ + row, j * size_ + col, -alpha_(i, j) * derivative_(row, col));
        if (i == j) matrix_.add(i * size_ + col, i * size_ + col, 1);
      }
  return solver_->factorise(matrix_);
}

void CycleEquations::correct(In r, Out dx) { solver_->solve(r, dx); }

// The derivative at the solution differs from that at the guess by less than from that of the step before, which is
// farther away. Where it has jumped, because a circuit has changed its mode, this is large.
double CycleEquations::next_correction(In dx, In weights) const {
  if (!derives_always_ || !has_earlier_) return std::numeric_limits<double>::infinity();
  return weighted_rms(alpha_(0, 0) * ((derivative_ - earlier_) * dx), weights);
}
}  // namespace trill
