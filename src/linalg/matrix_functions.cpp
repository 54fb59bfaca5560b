// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/matrix_functions.hpp"

#include "base/tolerances.hpp"
#include "linalg/dense_decompositions.hpp"
#include "linalg/eigenpairs.hpp"
#include "linalg/pencil_parts.hpp"
#include "trill/base/errors.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index dense_functions_up_to = 64;
constexpr double worst_condition = 1e8;

Decomposition symmetric_decomposition(const Mat& s, const Mat& m) {
  EigenPairs pairs = symmetric_eigenpairs(s, m);
  if (!pairs.converged) throw UsageError("the eigenvectors of the fast motion could not be computed: " + pairs.message);
  return {pairs.values, pairs.vectors, pairs.vectors.transpose() * m};
}

Decomposition general_decomposition(const Mat& s, const Mat& m) {
  Cholesky mass;
  mass.compute(m);
  Mat k = s;
  mass.solve(k);
  if (!k.allFinite())
    throw UsageError("the stiffness or the mass matrix of the fast motion contains values that are not finite");
  const GeneralEigen found = general_eigen(k, true);
  if (!found.converged) throw UsageError("the eigenvalues of the fast motion could not be computed");
  const double largest = found.values.cwiseAbs().maxCoeff();
  if (found.values.imag().cwiseAbs().maxCoeff() > tolerance::eigenvalue * largest)
    throw UsageError("some eigenvalues of the fast linear force are not real numbers, so that its motion grows");
  const Mat vectors = found.vectors.real();
  DenseInverse inverse = inverse_of(vectors);
  if (!(inverse.reciprocal_condition * worst_condition > 1))
    throw UsageError("the eigenvectors of the fast linear force are linearly dependent, so that its motion grows");
  return {found.values.real(), vectors, std::move(inverse.matrix)};
}

class DenseFunctions final : public MatrixFunctions {
 public:
  DenseFunctions(const Pencil& pencil, FunctionFamilies families) : families_(std::move(families)) {
    const Mat s = as_dense(pencil.stiffness), m = as_dense(pencil.mass);
    k_ = decompose(s, m, is_symmetric(pencil.stiffness));
    const double largest = k_.values.size() == 0 ? 0 : k_.values.cwiseAbs().maxCoeff();
    if (k_.values.size() > 0) require_not_negative(k_.values.minCoeff(), tolerance::eigenvalue * largest);
    omega_ = k_.values.cwiseMax(0).cwiseSqrt();
    Index last = 0;
    if (omega_.size() > 0) fastest_ = omega_.maxCoeff(&last);
    if (omega_.size() > 0) mode_ = k_.vectors.col(last).normalized();
    for (const FunctionFamily& family : families_) {
      matrices_.emplace_back(family.size(), Mat(s.rows(), s.cols()));
      results_.emplace_back(s.rows(), static_cast<Index>(family.size()));
    }
  }
  std::string name() const override { return "dense"; }
  double fastest() const override { return fastest_; }
  const Vec& fastest_mode() const override { return mode_; }

  void prepare(double h) override {
    for (std::size_t i = 0; i < families_.size(); ++i)
      for (std::size_t f = 0; f < families_[i].size(); ++f) {
        scaled_ = k_.vectors;
        for (Index j = 0; j < omega_.size(); ++j) scaled_.col(j) *= families_[i][f](h * omega_[j]);
        matrices_[i][f].noalias() = scaled_ * k_.inverse;
      }
  }

  const Mat* apply(std::size_t family, In x) override {
    Mat& y = results_[family];
    for (std::size_t f = 0; f < families_[family].size(); ++f)
      y.col(static_cast<Index>(f)).noalias() = matrices_[family][f].lazyProduct(x);
    return &y;
  }
  long products() const override { return 0; }

 private:
  FunctionFamilies families_;
  Decomposition k_;
  Vec omega_, mode_;
  double fastest_ = 0;
  Mat scaled_;
  std::vector<std::vector<Mat>> matrices_;
  std::vector<Mat> results_;
};
}  // namespace

Decomposition decompose(const Mat& s, const Mat& m, bool symmetric) {
  return symmetric ? symmetric_decomposition(s, m) : general_decomposition(s, m);
}

Mat as_dense(const MatrixSlot& a) { return a.is_sparse() ? Mat(a.as_sparse()) : a.as_dense(); }

bool is_symmetric(const MatrixSlot& a) {
  if (!a.is_sparse()) {
    const Mat& d = a.as_dense();
    return (d - d.transpose()).cwiseAbs().maxCoeff() <= 1e-14 * d.cwiseAbs().maxCoeff();
  }
  const SpMat& s = a.as_sparse();
  const SpMat difference = s - SpMat(s.transpose());
  return difference.norm() <= 1e-14 * s.norm();
}

std::optional<Vec> diagonal_of(const MatrixSlot& a) {
  Vec d(a.rows());
  for (Index i = 0; i < d.size(); ++i) d[i] = a.value(i, i);
  const double squares = a.is_sparse() ? a.as_sparse().squaredNorm() : a.as_dense().squaredNorm();
  if (squares > d.squaredNorm() * (1 + 1e-15)) return std::nullopt;
  return d;
}

void require_not_negative(double smallest, double least) {
  if (smallest < -least)
    throw UsageError(fmt::format(
        "the fast linear force pushes the motion away from its equilibrium: M^-1 S has the eigenvalue {:.4g}",
        smallest));
}

std::unique_ptr<MatrixFunctions> dense_functions(const Pencil& pencil, FunctionFamilies families) {
  return std::make_unique<DenseFunctions>(pencil, std::move(families));
}

std::unique_ptr<MatrixFunctions> make_matrix_functions(const Pencil& pencil, FunctionFamilies families,
                                                       double tolerance) {
  if (pencil.mass.rows() > most_in_block)
    if (auto blocks = small_blocks(pencil.stiffness, pencil.mass))
      return block_functions(pencil, std::move(*blocks), std::move(families));
  if (pencil.mass.rows() <= dense_functions_up_to) return dense_functions(pencil, std::move(families));
  if (diagonal_of(pencil.mass) || !is_symmetric(pencil.stiffness))
    return chebyshev_functions(pencil, std::move(families), tolerance);
  return lanczos_functions(pencil, std::move(families), tolerance);
}
}  // namespace trill
