// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/krylov_motion.hpp"

#include "linalg/dense_decompositions.hpp"
#include "multiscale/whole_structure.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double shift_share = 0.1;  // gamma over h
constexpr Index most_dimension = 60, dimensions_between_looks = 5;
constexpr Index derivatives = most_force_degree + 1;
constexpr double invariant_space = 1e-14;
}  // namespace

KrylovMotion::KrylovMotion(const LinearStructure& structure)
    : structure_(structure),
      n_(structure.mass_matrix().rows()),
      loads_(structure.load_shapes().cols()),
      by_energy_(is_symmetric_stiffness(structure)),
      factors_(structure),
      load_sizes_(Vec::Zero(loads_)) {
  const Vec mass = structure.mass_matrix().diagonal();
  for (Index i = 0; i < loads_; ++i)
    load_sizes_[i] = std::sqrt(structure.load_shapes().col(i).cwiseAbs2().cwiseQuotient(mass).sum());
  const Index size = 2 * n_ + derivatives * loads_;
  basis_ = images_ = Mat::Zero(size, most_dimension + 1);
  hessenberg_ = Mat::Zero(most_dimension + 1, most_dimension);
  right_ = Vec::Zero(n_);
  next_ = Vec::Zero(size);
}

bool KrylovMotion::prepare(double h) {
  if (solver_ && same_length(h, h_)) return true;
  gamma_ = shift_share * h;
  const SpMat matrix =
      structure_.mass_matrix() + gamma_ * structure_.damping_matrix() + gamma_ * gamma_ * structure_.stiffness_matrix();
  MatrixSlot slot = MatrixSlot::sparse(matrix);
  std::copy_n(matrix.valuePtr(), matrix.nonZeros(), slot.values());
  solver_ = make_linear_solver(slot);
  ++factorisations_;
  h_ = h;
  return solver_->factorise(slot);
}

// (I - gamma B) x = b: the derivatives of loads first, of which the k-th one, times h^k, changes at the rate of the
// next one over h; then velocities; then positions.
void KrylovMotion::apply_inverse(const Vec& b, Vec& x) {
  for (Index k = derivatives; k-- > 0;) {
    x.segment(2 * n_ + k * loads_, loads_) = b.segment(2 * n_ + k * loads_, loads_);
    if (k + 1 < derivatives)
      x.segment(2 * n_ + k * loads_, loads_) += shift_share * x.segment(2 * n_ + (k + 1) * loads_, loads_);
  }
  right_.noalias() = structure_.mass_matrix() * b.segment(n_, n_);
  right_.noalias() -= gamma_ * (structure_.stiffness_matrix() * b.head(n_));
  right_.noalias() += structure_.load_shapes() * (gamma_ * x.segment(2 * n_, loads_));
  solver_->solve(right_, x.segment(n_, n_));
  x.head(n_) = b.head(n_) + gamma_ * x.segment(n_, n_);
  ++solves_;
}

// Positions by K + M/h^2, which is positive definite for bodies that are not held too; loads by what they do to
// velocities in the time h.
Vec KrylovMotion::weighted(const Vec& x) const {
  Vec w(x.size());
  w.segment(n_, n_).noalias() = structure_.mass_matrix() * x.segment(n_, n_);
  w.head(n_).noalias() = structure_.mass_matrix() * x.head(n_) / (h_ * h_);
  if (by_energy_) w.head(n_).noalias() += structure_.stiffness_matrix() * x.head(n_);
  for (Index k = 0; k < derivatives; ++k)
    for (Index i = 0; i < loads_; ++i) {
      const Index place = 2 * n_ + k * loads_ + i;
      w[place] = std::pow(h_ * load_sizes_[i], 2) * x[place];
    }
  return w;
}

KrylovMotion::Outcome KrylovMotion::advance(double t, double& h, double tolerance, Out u, Out v) {
  h = factors_.fit(t, h);
  if (!prepare(h)) return Outcome::singular;
  Vec& x = next_;
  x.head(n_) = u;
  x.segment(n_, n_) = v;
  double power = 1;
  for (Index k = 0; k < derivatives; ++k, power *= h)
    x.segment(2 * n_ + k * loads_, loads_) = power * factors_.derivatives().row(k).transpose();
  const double size = std::sqrt(x.dot(weighted(x)));
  if (size == 0) return Outcome::moved;
  basis_.col(0) = x / size;
  images_.col(0) = weighted(basis_.col(0));
  hessenberg_.setZero();
  Vec before;
  for (Index j = 0; j < most_dimension; ++j) {
    apply_inverse(basis_.col(j), x);
    for (int pass = 0; pass < 2; ++pass) {
      const Vec along = images_.leftCols(j + 1).transpose() * x;
      x.noalias() -= basis_.leftCols(j + 1) * along;
      hessenberg_.col(j).head(j + 1) += along;
    }
    const Vec image = weighted(x);
    const double length = std::sqrt(std::max(x.dot(image), 0.0));
    hessenberg_(j + 1, j) = length;
    const Index count = j + 1;
    const bool ended = !(length > invariant_space);
    if (ended || count % dimensions_between_looks == 0) {
      // exp(h (I - H^-1) / gamma) e_1
      const Mat inverse = inverse_of(hessenberg_.topLeftCorner(count, count)).matrix;
      const Vec y = matrix_exponential((Mat::Identity(count, count) - inverse) / shift_share).col(0);
      Vec change = y;
      if (before.size() > 0) change.head(before.size()) -= before;
      if (ended || (before.size() > 0 && change.norm() <= tolerance)) {
        dimension_ = count;
        const Vec moved = size * (basis_.leftCols(count) * y);
        u = moved.head(n_);
        v = moved.segment(n_, n_);
        return Outcome::moved;
      }
      before = y;
    }
    basis_.col(j + 1) = x / length;
    images_.col(j + 1) = image / length;
  }
  return Outcome::too_long;
}
}  // namespace trill
