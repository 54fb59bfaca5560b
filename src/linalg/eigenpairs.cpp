// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/eigenpairs.hpp"

#include "linalg/solver_parts.hpp"
#include "linalg/sparse_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

namespace trill {
namespace {
constexpr Index dense_limit = 64;           // up to this size all pairs cost less than the iteration
constexpr Index dense_rescue_limit = 1500;  // up to this size all pairs are computed if the iteration fails

void require_pencil(const SpMat& k, const SpMat& m) {
  if (k.rows() != k.cols() || m.rows() != m.cols() || k.rows() != m.rows())
    throw std::invalid_argument("eigenpairs: K and M must be square and of the same size");
}

EigenPairs failure(std::string message) {
  EigenPairs pairs;
  pairs.message = std::move(message);
  return pairs;
}

bool finite(const SpMat& a) { return Eigen::Map<const Vec>(a.valuePtr(), a.nonZeros()).allFinite(); }

// Number of eigenvalues below mu by Sylvester's law of inertia: the negative pivots of K - mu M. -1: not decided.
Index count_below(const SpMat& k, const SpMat& m, double mu) {
  const SparseCholesky factors(k - mu * m);
  return factors.succeeded() ? (factors.pivots().array() < 0).count() : -1;
}

bool residuals_are_small(const SpMat& k, const SpMat& m, const EigenPairs& pairs) {
  const double norm_k = k.norm();
  for (Index i = 0; i < pairs.values.size(); ++i) {
    const auto x = pairs.vectors.col(i);
    const Vec mx = m * x;
    const double residual = (k * x - pairs.values[i] * mx).norm();
    if (!(residual <= 1e-8 * std::abs(pairs.values[i]) * mx.norm() + 1e-12 * norm_k * x.norm())) return false;
  }
  return true;
}

// Krylov iterations may miss copies of a multiple eigenvalue; counting by inertia detects this. mu excludes the last
// value found.
bool none_is_missing(const SpMat& k, const SpMat& m, const EigenPairs& pairs, bool smallest, double scale) {
  const Index found = pairs.values.size();
  const double last = smallest ? pairs.values[found - 1] : pairs.values[0];
  const double gap = 1e-6 * std::abs(last) + 1e-10 * scale;
  const double mu = smallest ? last - gap : last + gap;
  const Index below = count_below(k, m, mu);
  if (below < 0) return true;
  if (smallest) return below == (pairs.values.array() < mu).count();
  return k.rows() - below == (pairs.values.array() > mu).count();
}

// The wanted part of sorted pairs: the first or the last `count`.
EigenPairs part_of(EigenPairs pairs, Index count, bool smallest) {
  if (!pairs.converged) return pairs;
  const Index from = smallest ? 0 : pairs.values.size() - count;
  pairs.values = Vec(pairs.values.segment(from, count));
  pairs.vectors = Mat(pairs.vectors.middleCols(from, count));
  return pairs;
}

// (K - shift M)^-1 as Spectra asks for it. Its own operator would compile the factorisation of sparse matrices once
// more.
class ShiftedInverse {
 public:
  using Scalar = double;
  ShiftedInverse(const SpMat& k, const SpMat& m) : k_(k), m_(m), lu_(make_sparse_lu()) {}
  Index rows() const { return k_.rows(); }
  Index cols() const { return k_.cols(); }

  void set_shift(double shift) {
    const SpMat values = k_ - shift * m_;
    MatrixSlot shifted = MatrixSlot::sparse(values);
    std::copy_n(values.valuePtr(), values.nonZeros(), shifted.values());
    lu_->analyse(shifted);
    if (!lu_->factorise(shifted)) throw std::invalid_argument("the shifted matrix is singular");
  }

  void perform_op(const double* x, double* y) const {
    lu_->solve(Eigen::Map<const Vec>(x, rows()), Eigen::Map<Vec>(y, rows()));
  }

 private:
  const SpMat& k_;
  const SpMat& m_;
  std::unique_ptr<LinearSolver> lu_;
};

// The pairs closest to a shift.
EigenPairs closest_pairs(const SpMat& k, const SpMat& m, Index count, Index basis, double shift) {
  using Product = Spectra::SparseSymMatProd<double>;
  ShiftedInverse inverse(k, m);
  Product product(m);
  Spectra::SymGEigsShiftSolver<ShiftedInverse, Product, Spectra::GEigsMode::ShiftInvert> solver(inverse, product, count,
                                                                                                basis, shift);
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-13, Spectra::SortRule::SmallestAlge);
  if (solver.info() != Spectra::CompInfo::Successful) return failure("the iteration did not converge");
  EigenPairs pairs;
  pairs.converged = true;
  pairs.values = solver.eigenvalues();
  pairs.vectors = solver.eigenvectors();
  return pairs;
}

// A number slightly above the largest eigenvalue, by bisection on the inertia. Shift and invert with this shift
// separates the upper end of the spectrum, which for structures is a cluster that a plain iteration resolves very
// slowly.
double just_above_largest(const SpMat& k, const SpMat& m, double scale) {
  const auto is_above = [&](double mu) { return count_below(k, m, mu) == k.rows(); };
  double below = Vec(k.diagonal()).cwiseQuotient(Vec(m.diagonal())).maxCoeff();  // Rayleigh quotients of unit vectors
  double width = std::max(1e-3 * std::abs(below), 1e-6 * scale);
  for (int doubling = 0; doubling < 60 && !is_above(below + width); ++doubling) width *= 2;
  while (width > 1e-5 * std::abs(below) && width > 1e-12 * scale) {
    width /= 2;
    if (!is_above(below + width)) below += width;
  }
  return below + width;
}

EigenPairs some_eigenpairs(const SpMat& k, const SpMat& m, Index count, bool smallest) {
  require_pencil(k, m);
  const Index n = k.rows();
  if (count < 1 || count > n)
    throw std::invalid_argument("eigenpairs: " + std::to_string(count) + " pairs were asked for, of " +
                                std::to_string(n));
  if (!finite(k) || !finite(m)) return failure("K or M contains values that are not finite");
  if (n <= dense_limit || 2 * count >= n) return part_of(symmetric_eigenpairs(Mat(k), Mat(m)), count, smallest);

  const double scale = Vec(k.diagonal()).cwiseAbs().sum() / Vec(m.diagonal()).cwiseAbs().sum();
  if (!(scale > 0)) return failure("the diagonal of K or of M is zero");
  if (!SparseCholesky(m).is_positive_definite()) return failure("M is not positive definite");
  const std::vector<double> shifts = smallest ? std::vector<double>{0.0, -1e-10 * scale, -1e-6 * scale, -1e-3 * scale}
                                              : std::vector<double>{just_above_largest(k, m, scale)};
  std::string reason;
  // Computing more pairs than needed helps to find all copies of multiple eigenvalues; a negative shift makes K
  // invertible if it is singular.
  for (const Index extra : {Index{0}, std::max<Index>(count, 6)}) {
    const Index asked = std::min(count + extra, n / 2);
    const Index basis = std::min(n, std::max<Index>(2 * asked + 1, 20));
    for (const double shift : shifts) {
      EigenPairs pairs;
      try {  // Spectra throws on a singular shifted matrix or a bad start vector: not misuse
        pairs = closest_pairs(k, m, asked, basis, shift);
      } catch (const std::exception& error) {
        pairs = failure(error.what());
      }
      if (pairs.converged && !residuals_are_small(k, m, pairs)) pairs = failure("the residuals are too large");
      if (pairs.converged && smallest && pairs.values[0] < -1e-8 * scale) return failure("K is indefinite");
      pairs = part_of(std::move(pairs), count, smallest);
      if (pairs.converged && !none_is_missing(k, m, pairs, smallest, scale))
        pairs = failure("some eigenpairs were missed");
      if (pairs.converged) return pairs;
      reason = pairs.message;
    }
  }
  if (n <= dense_rescue_limit) return part_of(symmetric_eigenpairs(Mat(k), Mat(m)), count, smallest);
  return failure(reason);
}
}  // namespace

EigenPairs smallest_eigenpairs(const SpMat& k, const SpMat& m, Index count) {
  return some_eigenpairs(k, m, count, true);
}

EigenPairs largest_eigenpairs(const SpMat& k, const SpMat& m, Index count) {
  return some_eigenpairs(k, m, count, false);
}
}  // namespace trill
