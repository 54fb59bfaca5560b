// SPDX-License-Identifier: BSD-3-Clause
// Stages of mechanical systems in lifted form: JP95 eq. 19.
#include "linalg/stored_entries.hpp"
#include "method/shifted_matrix.hpp"
#include "method/stage_sums.hpp"
#include "method/stage_system.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>

namespace trill {
namespace {
void add_entries(const MatrixSlot& slot, Index row, Index col, bool transposed,
                 std::vector<Eigen::Triplet<double>>& all) {
  each_stored(slot, [&](Index i, Index j, Index) {
    all.emplace_back(row + (transposed ? j : i), col + (transposed ? i : j), 1.0);
  });
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
  with_small(n_,
             [&](auto n) { with_stages(block_.count, [&](auto count) { find_derivatives_of(n, count, x.data()); }); });
}

void MechanicalStages::find_derivatives_of(auto n, auto count, const double* x) {
  using Sum = StageSum<decltype(n)>;
  // Copies, since for all that the compiler knows the results might be written over the originals.
  const auto q0 = Sum::kept(y0_.data(), n), v0 = Sum::kept(y0_.data() + n, n), k1 = Sum::kept(k1_.data(), n);
  const double h = h_, by_h = 1 / h;
  const double *S = block_.S.data(), *P = block_.P.data();
  const double *r_v = block_.r_v.data(), *s_k = block_.s_k.data(), *p_k = block_.p_k.data();
  const Index width = width_;
  double *to_q = Q.data() + block_.first * n, *to_v = V.data() + block_.first * n, *to_k = K.data() + block_.first * n;
  for (Index i = 0; i < count; ++i, to_q += n, to_v += n, to_k += n) {
    const typename Sum::Read moved(x + i * width, n);
    typename Sum::Write q(to_q, n), v(to_v, n), k(to_k, n);
    auto by_s = Sum::zero(v.data(), n), by_p = Sum::zero(k.data(), n);
    Sum::add(
        count, [&](Index j) { return S[j * count + i]; }, x, width, n, by_s);
    Sum::add(
        count, [&](Index j) { return P[j * count + i]; }, x, width, n, by_p);
    q = q0 + (h * r_v[i] * v0 + moved);
    v = v0 + (by_h * by_s + h * s_k[i] * k1);
    k = by_h * (by_h * by_p) + p_k[i] * k1;
  }
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

bool MechanicalStages::all_residuals(const double* x, double* r) {
  const Index at = block_.first * n_;
  return m_ > 0 && form_.residuals(block_.count, Q.data() + at, V.data() + at, K.data() + at, x + n_, width_, r);
}

void MechanicalStages::linearise() { form_.linearise(point.t, point.q, point.v, point.k, point.l); }

void MechanicalStages::guess(const Mat& k, const Mat& l, Out x) const {
  with_small(n_, [&](auto n) {
    with_stages(block_.count, [&](auto count) {
      using Sum = StageSum<decltype(n)>;
      const double* from = k.data() + block_.first * n;
      const double* R = block_.R.data();
      for (Index i = 0; i < count; ++i) {
        typename Sum::Write w(x.data() + i * width_, n);
        auto sum = Sum::zero(w.data(), n);
        sum = h_ * h_ * block_.r_k[i] * typename Sum::Read(k1_.data(), n);
        Sum::add(
            count, [&](Index j) { return h_ * h_ * R[j * count + i]; }, from, n, n, sum);
        w = sum;
      }
    });
  });
  for (Index i = 0; i < block_.count; ++i)
    for (Index c = 0; c < m_; ++c) x[i * width_ + n_ + c] = l(c, block_.first + i);
}

// The norm is max(|dQ|, h |dV|) in the weights of positions; multipliers may be large and are not tested.
void MechanicalStages::newton_weights(In w, Out x_weights) const {
  const double factor = block_.amplification * std::sqrt(static_cast<double>(width_) / static_cast<double>(n_));
  double* to = x_weights.data();
  for (Index i = 0; i < block_.count; ++i, to += width_) {
    for (Index c = 0; c < n_; ++c) to[c] = factor * w[c];
    for (Index c = n_; c < width_; ++c) to[c] = 0;
  }
}
}  // namespace trill
