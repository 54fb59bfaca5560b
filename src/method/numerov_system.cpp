// SPDX-License-Identifier: BSD-3-Clause
#include "method/numerov_system.hpp"

namespace trill {
namespace {
// A matrix of two by two blocks with this pattern.
MatrixSlot doubled(const MatrixSlot& one) {
  const Index n = one.rows();
  if (!one.is_sparse()) return MatrixSlot::dense(2 * n, 2 * n);
  std::vector<Eigen::Triplet<double>> entries;
  const SpMat& pattern = one.as_sparse();
  for (Index j = 0; j < pattern.outerSize(); ++j)
    for (SpMat::InnerIterator it(pattern, j); it; ++it)
      for (const Index row : {Index{0}, n})
        for (const Index col : {Index{0}, n}) entries.emplace_back(it.row() + row, it.col() + col, 0.0);
  SpMat all(2 * n, 2 * n);
  all.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(all));
}
}  // namespace

NumerovMatrix::NumerovMatrix(const MechanicalProblem& problem, double alpha)
    : p_(problem),
      alpha_(alpha),
      n_(problem.layout().nq),
      mass_(problem.mass_pattern()),
      k_(problem.stiffness_pattern()),
      dv_(problem.damping_pattern()),
      even_(doubled(union_pattern(mass_, k_))),
      odd_(union_pattern(mass_, k_)),
      mass_in_xx_(even_, mass_),
      mass_in_xz_(even_, mass_, 0, n_),
      mass_in_zz_(even_, mass_, n_, n_),
      k_in_xz_(even_, k_, 0, n_),
      k_in_zx_(even_, k_, n_, 0),
      mass_in_odd_(odd_, mass_),
      k_in_odd_(odd_, k_),
      differences_(k_),
      even_solver_(make_linear_solver(even_)),
      odd_solver_(make_linear_solver(odd_)),
      v_(Vec::Zero(n_)),
      product_(n_),
      pair_(2 * n_) {
  q = Vec::Zero(n_);
}

void NumerovMatrix::forget() {
  even_solver_->analyse(even_);
  odd_solver_->analyse(odd_);
  valid = false;
}

void NumerovMatrix::evaluate(double at, In position) {
  if (!p_.force_jacobian(all_groups, at, position, v_, k_, dv_)) {
    const auto force = [&](In x, Out f) { p_.force(all_groups, at, x, v_, f); };
    differences_.evaluate(std::cref(force), position, k_);
  }
  p_.mass(position, mass_);
}

// [ M   -1/12 M + 5/6 alpha h^2 K ] (x)   (M r)
// [ h^2 K         -M              ] (z) = ( 0 )
bool NumerovMatrix::prepare(double at, In position, double step, bool with_odd) {
  t = at;
  q = position;
  h = step;
  evaluate(at, position);
  even_.set_zero();
  even_.scale_add(1, mass_, mass_in_xx_);
  even_.scale_add(-1.0 / 12, mass_, mass_in_xz_);
  even_.scale_add(5.0 / 6 * alpha_ * h * h, k_, k_in_xz_);
  even_.scale_add(h * h, k_, k_in_zx_);
  even_.scale_add(-1, mass_, mass_in_zz_);
  valid = even_solver_->factorise(even_);
  if (!with_odd) return valid;
  odd_.set_zero();
  odd_.scale_add(1, mass_, mass_in_odd_);
  odd_.scale_add(-h * h / 6, k_, k_in_odd_);
  return odd_solver_->factorise(odd_) && valid;
}

void NumerovMatrix::solve_even(In r, Out x) {
  mass_.multiply(r, product_);
  pair_.head(n_) = product_;
  pair_.tail(n_).setZero();
  even_solver_->solve(pair_, pair_);
  x = pair_.head(n_);
}

void NumerovMatrix::solve_odd(In r, Out x) {
  mass_.multiply(r, product_);
  odd_solver_->solve(product_, x);
}

void NumerovAhead::allocate() { after.q = after.g = now_.q = now_.g = g_before_ = increment_before_ = Vec::Zero(n_); }

void NumerovAhead::begin(double h, const NumerovPoint& now, In g_before, In increment_before) {
  stand_at(h, now);
  g_before_ = g_before;
  increment_before_ = increment_before;
}

void NumerovAhead::residual(In x, Out r) {
  after.q = now_.q + x;
  formula_.acceleration(after.t, after.q, after.g);
  formula_.right_side(h_, now_, g_before_, after.g, r);
  r = x - increment_before_ - r;
}

bool NumerovAhead::prepare(In) {
  ++preparations;
  return matrix_.prepare(after.t, after.q, h_, false);
}

void NumerovStart::allocate() { after.q = after.g = now_.q = now_.g = v_ = q_before_ = g_before_ = Vec::Zero(n_); }

void NumerovStart::begin(double h, const NumerovPoint& now, In v) {
  stand_at(h, now);
  v_ = v;
}

void NumerovStart::residual(In x, Out r) {
  after.q = now_.q + x.head(n_) + x.tail(n_);
  q_before_ = now_.q + x.head(n_) - x.tail(n_);
  formula_.acceleration(after.t, after.q, after.g);
  formula_.acceleration(now_.t - h_, q_before_, g_before_);
  formula_.right_side(h_, now_, g_before_, after.g, r.head(n_));
  r.head(n_) = x.head(n_) - 0.5 * r.head(n_);
  r.tail(n_) = x.tail(n_) - h_ * v_ - h_ * h_ / 12 * (after.g - g_before_);
}

bool NumerovStart::prepare(In) {
  ++preparations;
  return matrix_.prepare(now_.t, now_.q, h_, true);
}

void NumerovStart::correct(In r, Out dx) {
  matrix_.solve_even(r.head(n_), dx.head(n_));
  matrix_.solve_odd(r.tail(n_), dx.tail(n_));
}
}  // namespace trill
