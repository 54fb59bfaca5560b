// SPDX-License-Identifier: BSD-3-Clause
// Stages of mechanical systems in lifted form: JP95 eq. 19.
#include "method/shifted_matrix.hpp"
#include "method/stage_sums.hpp"
#include "method/stage_system.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
void add_entries(const MatrixSlot& slot, Index row, Index col, bool transposed,
                 std::vector<Eigen::Triplet<double>>& all) {
  for (Index j = 0; j < slot.cols(); ++j)
    for (SpMat::InnerIterator it(slot.as_sparse(), j); it; ++it)
      all.emplace_back(row + (transposed ? j : it.row()), col + (transposed ? it.row() : j), 1.0);
}

// The matrix [M, slope, damping: G^T; G: -C], sparse if all its parts are.
MatrixSlot saddle_pattern(const LiftedForm& form) {
  const Index n = form.unknowns(), m = form.rows();
  const bool sparse = form.slope().is_sparse() && (m == 0 || form.jacobian().is_sparse()) && form.mass().is_sparse() &&
                      (form.damping().stored() == 0 || form.damping().is_sparse()) &&
                      (!form.reactions() || form.reaction_slope().is_sparse());
  if (!sparse) return MatrixSlot::dense(n + m, n + m);
  std::vector<Eigen::Triplet<double>> entries;
  add_entries(form.mass(), 0, 0, false, entries);
  add_entries(form.slope(), 0, 0, false, entries);
  if (form.damping().stored() > 0) add_entries(form.damping(), 0, 0, false, entries);
  if (m > 0) {
    add_entries(form.jacobian(), n, 0, false, entries);
    add_entries(form.jacobian(), 0, n, true, entries);
    if (form.reactions()) add_entries(form.reaction_slope(), 0, n + form.gaps(), false, entries);
    for (Index i = 0; i < m; ++i) entries.emplace_back(n + i, n + i, 1.0);
  }
  SpMat pattern(n + m, n + m);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace

MechanicalStages::MechanicalStages(const StageBlock& block, LiftedForm& form)
    : StageSystem(block, form.unknowns(), form.unknowns(), form.rows(), form.counted_groups()),
      form_(form),
      mass_(form.problem(), form.soft_groups()),
      compliance_(diagonal_slot(form.compliance())),
      gaps_(Vec::Zero(m_)) {
  matrix_ = std::make_unique<ShiftedMatrix>(saddle_pattern(form), block, n_);
  matrix_->add(form.mass(), 0, 0, false, 0, 1);
  matrix_->add(form.slope(), 0, 0, false, -2, 1);
  if (form.damping().stored() > 0 && !block.partitioned) matrix_->add(form.damping(), 0, 0, false, -1, -1);
  if (m_ == 0) return;
  matrix_->add(form.jacobian(), n_, 0, false, 0, 1);
  matrix_->add(form.jacobian(), 0, n_, true, 0, 1);
  if (form.reactions()) matrix_->add(form.reaction_slope(), 0, n_ + form.gaps(), false, 0, -1);
  matrix_->add(compliance_, n_, n_, false, 2, -1);
}

void MechanicalStages::find_derivatives(In x) {
  with_small(n_, [&](auto n) {
    using Sum = StageSum<decltype(n)>;
    const typename Sum::Read q0(y0_.data(), n), v0(y0_.data() + n, n), k1(k1_.data(), n);
    const double by_h = 1 / h_;
    const Index count = block_.count, width = width_;
    for (Index i = 0; i < count; ++i) {
      const Index stage = block_.first + i;
      const typename Sum::Read moved(x.data() + i * width_, n);
      typename Sum::Write q(Q.col(stage).data(), n), v(V.col(stage).data(), n), k(K.col(stage).data(), n);
      auto by_s = Sum::zero(v.data(), n), by_p = Sum::zero(k.data(), n);
      const double *s = block_.S.data() + i, *p = block_.P.data() + i, *w = x.data();
      for (Index j = 0; j < count; ++j, s += count, p += count, w += width) {
        const typename Sum::Read displacement(w, n);
        by_s += *s * displacement;
        by_p += *p * displacement;
      }
      q = q0 + (h_ * block_.r_v[i] * v0 + moved);
      v = v0 + (by_h * by_s + h_ * block_.s_k[i] * k1);
      k = by_h * (by_h * by_p) + block_.p_k[i] * k1;
    }
  });
}

// Hard constraints have no compliance from which their multipliers could be computed; these are given in l.
bool MechanicalStages::derivative(const State& s, Out k, Out l) {
  if (m_ > 0) form_.map()->value(s.t, s.q(), gaps_);
  for (Index i = 0; i < form_.gaps(); ++i) l[i] = gaps_[i] / form_.compliance()[i];
  form_.pull(s.t, s.q(), s.v(), l, k);
  return mass_.divide_by_mass(s.q(), k) && all_finite(k);
}

// The position of the last stage follows from the accelerations of the earlier ones.
bool MechanicalStages::fill_last() {
  const Index last = block_.stages - 1;
  const Mat &A = block_.position.A, &B = block_.velocity.A;
  K.col(last).setZero();
  for (Index i = 0; i <= last; ++i) {
    V.col(i) = y0_.segment(n_, n_);
    for (Index j = 0; j < last; ++j) add_scaled(V.col(i).data(), h_ * B(i, j), K.col(j).data(), n_);
  }
  Q.col(last) = y0_.head(n_);
  for (Index j = 0; j <= last; ++j) add_scaled(Q.col(last).data(), h_ * A(last, j), V.col(j).data(), n_);
  const double t = t_ + block_.position.c[last] * h_;
  if (m_ > 0) {
    form_.map()->value(t, Q.col(last), gaps_);
    L.col(last) = gaps_.cwiseQuotient(form_.compliance());
  }
  form_.pull(t, Q.col(last), V.col(last), L.col(last), K.col(last));
  return mass_.divide_by_mass(Q.col(last), K.col(last));
}

// Forces come from differences of positions, so each of them is affected by the rounding of the largest position.
double MechanicalStages::size_in_tolerances(In weights) const {
  return max_abs(y0_.head(n_)) * std::sqrt(weights.head(n_).squaredNorm() / static_cast<double>(n_));
}

// Solves (M sigma^2 - f_v sigma - f_q) x + G^T l = M sigma^2 e, G x - C l = 0, for positions and velocities alike.
void MechanicalStages::filter(Vec& error) {
  const double sigma = real_shift();
  for (Index part = 0; part < 2; ++part) {
    filtered_.setZero();
    form_.mass().multiply(error.segment(part * n_, n_), filtered_.head(n_));
    filtered_ *= sigma * sigma;
    matrix_->solve_real(filtered_);
    error.segment(part * n_, n_) = filtered_.head(n_);
  }
}

void MechanicalStages::stage_residual(Index stage, double t, const double* l, double* r) {
  const Index at = stage * n_;
  form_.residual(t, Q.data() + at, V.data() + at, K.data() + at, l, r, r + n_);
}

void MechanicalStages::linearise() { form_.linearise(point.t, point.q, point.v, point.k, point.l); }

void MechanicalStages::guess(const Mat& k, const Mat& l, Out x) const {
  for (Index i = 0; i < block_.count; ++i) {
    double* w = x.data() + i * width_;
    const double rk = h_ * h_ * block_.r_k[i];
    for (Index c = 0; c < n_; ++c) w[c] = rk * k1_[c];
    for (Index j = 0; j < block_.count; ++j)
      add_scaled(w, h_ * h_ * block_.R(i, j), k.col(block_.first + j).data(), n_);
    for (Index c = 0; c < m_; ++c) w[n_ + c] = l(c, block_.first + i);
  }
}

// The norm is max(|dQ|, h |dV|) in the weights of positions; multipliers may be large and are not tested.
void MechanicalStages::newton_weights(In w, Out x_weights) const {
  const double factor = block_.amplification * std::sqrt(static_cast<double>(width_) / static_cast<double>(n_));
  for (Index i = 0; i < block_.count; ++i) {
    x_weights.segment(i * width_, n_) = factor * w.head(n_);
    x_weights.segment(i * width_ + n_, m_).setZero();
  }
}
}  // namespace trill
