// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/coordinate_split.hpp"

#include "linalg/dense_decompositions.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace trill {
namespace {
constexpr double most_growth = 10;  // limit for the growth of (G Y)^-1 before the split is chosen again
constexpr double lost_pivot = 1e-13;

// Pattern of G G0^T, where both factors have the pattern of G.
MatrixSlot product_pattern(const MatrixSlot& G) {
  const Index m = G.rows();
  if (!G.is_sparse()) return MatrixSlot::dense(m, m);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < G.cols(); ++j)
    for (SpMat::InnerIterator a(G.as_sparse(), j); a; ++a)
      for (SpMat::InnerIterator b(G.as_sparse(), j); b; ++b) entries.emplace_back(a.row(), b.row(), 1.0);
  SpMat pattern(m, m);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace

// For large sparse constraints there is no elimination here: rows of G are used as Y, as for qr.
CoordinateSplit::CoordinateSplit(const MatrixSlot& G, SplitBy by)
    : n_(G.cols()),
      m_(G.rows()),
      by_(G.is_sparse() ? SplitBy::qr : by),
      work_(by_ == SplitBy::lu ? Mat::Zero(n_, m_) : Mat()),
      picked_(static_cast<std::size_t>(n_)),
      reference_(G),
      gy_(product_pattern(G)),
      solver_(make_linear_solver(gy_)),
      y_r_(m_),
      probe_(m_) {
  solver_->analyse(gy_);
}

bool CoordinateSplit::choose(const MatrixSlot& G) {
  if (by_ == SplitBy::lu && !pick_rows(G)) return false;
  reference_.assign_values(G);
  if (!stand_at(G)) return false;
  chosen_size_ = inverse_size();
  return std::isfinite(chosen_size_);
}

// Elimination of G^T with row pivoting: E G^T = L U, [Y, X] = E^T.
bool CoordinateSplit::pick_rows(const MatrixSlot& G) {
  work_ = G.as_dense().transpose();
  std::iota(picked_.begin(), picked_.end(), Index{0});
  const double scale = work_.cwiseAbs().maxCoeff();
  for (Index k = 0; k < m_; ++k) {
    Index best = k;
    for (Index i = k + 1; i < n_; ++i)
      if (std::abs(work_(i, k)) > std::abs(work_(best, k))) best = i;
    if (!(std::abs(work_(best, k)) > lost_pivot * scale)) return false;
    for (Index j = 0; j < m_; ++j) std::swap(work_(k, j), work_(best, j));
    std::swap(picked_[static_cast<std::size_t>(k)], picked_[static_cast<std::size_t>(best)]);
    for (Index i = k + 1; i < n_; ++i) {
      const double factor = work_(i, k) / work_(k, k);
      for (Index j = k + 1; j < m_; ++j) work_(i, j) -= factor * work_(k, j);
    }
  }
  return true;
}

void CoordinateSplit::form(const MatrixSlot& G) {
  if (by_ == SplitBy::lu) {
    for (Index i = 0; i < m_; ++i)
      for (Index k = 0; k < m_; ++k) *gy_.entry(k, i) = G.as_dense()(i, picked_[static_cast<std::size_t>(k)]);
    return;
  }
  gy_.set_zero();
  if (!G.is_sparse()) {
    for (Index i = 0; i < m_; ++i)
      for (Index k = 0; k < m_; ++k)
        for (Index j = 0; j < n_; ++j) gy_.add(k, i, reference_.as_dense()(k, j) * G.as_dense()(i, j));
    return;
  }
  for (Index j = 0; j < n_; ++j)
    for (SpMat::InnerIterator a(reference_.as_sparse(), j); a; ++a)
      for (SpMat::InnerIterator b(G.as_sparse(), j); b; ++b) gy_.add(a.row(), b.row(), a.value() * b.value());
}

bool CoordinateSplit::stand_at(const MatrixSlot& G) {
  form(G);
  return solver_->factorise(gy_);
}

// A lower bound of the size of (G Y)^-1, good enough to see it grow.
double CoordinateSplit::inverse_size() {
  for (Index i = 0; i < m_; ++i) probe_[i] = i % 2 == 0 ? 1 : -1;
  solver_->solve(probe_, probe_);
  return max_abs(probe_);
}

bool CoordinateSplit::is_worn() { return !(inverse_size() <= most_growth * chosen_size_); }

void CoordinateSplit::multipliers(In r, Out s) {
  if (by_ == SplitBy::lu) {
    for (Index k = 0; k < m_; ++k) y_r_[k] = -r[picked_[static_cast<std::size_t>(k)]];
  } else {
    reference_.multiply(r, y_r_);
    y_r_ *= -1;
  }
  solver_->solve(y_r_, s);
}

Mat CoordinateSplit::rest() const {
  if (by_ == SplitBy::lu) {
    Mat x = Mat::Zero(n_, n_ - m_);
    for (Index k = m_; k < n_; ++k) x(picked_[static_cast<std::size_t>(k)], k - m_) = 1;
    return x;
  }
  return orthonormal_basis(reference_.as_dense().transpose()).rightCols(n_ - m_);
}
}  // namespace trill
