// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_matrix.hpp"

#include "linalg/dense_decompositions.hpp"

namespace trill {
namespace {
constexpr double least_condition_of_cycles = 1e-15;
constexpr double gmres_tolerance = 1e-7;
constexpr int most_products_of_a_solve = 200, most_products_in_a_row = 60;
}  // namespace

void DenseCycleMatrix::set(const Mat& a) {
  DenseInverse inverse = inverse_of(Mat::Identity(a.rows(), a.cols()) - a);
  invertible_ = inverse.reciprocal_condition > least_condition_of_cycles;
  inverse_ = std::move(inverse.matrix);
}

bool DenseCycleMatrix::solve(In r, Out d) {
  if (invertible_) d = inverse_ * r;
  return invertible_;
}

KrylovCycleMatrix::KrylovCycleMatrix(Index size, Product product, Index columns)
    : product_(std::move(product)),
      size_(size),
      slow_(size),
      gmres_(size * columns, most_products_in_a_row),
      tolerance_(gmres_tolerance) {}

void KrylovCycleMatrix::pose(const CycleWeights& weights) {
  weights_ = weights;
  slow_.pose(weights);
}

void KrylovCycleMatrix::apply(In v, Out y) {
  const Index columns = weights_.own.rows();
  const Eigen::Map<const Mat> of(v.data(), size_, columns);
  Mat images(size_, columns);
  for (Index j = 0; j < columns; ++j) {
    product_(of.col(j), images.col(j));
    inputs_.emplace_back(of.col(j));
    outputs_.emplace_back(images.col(j));
  }
  Eigen::Map<Mat>(y.data(), size_, columns) = of * weights_.own.transpose() - images * weights_.image.transpose();
}

bool KrylovCycleMatrix::solve(In r, Out d) {
  inputs_.clear();
  outputs_.clear();
  slow_.apply(r, d);
  const GmresOptions options{.relative_tolerance = tolerance_, .max_iterations = most_products_of_a_solve};
  const GmresResult result = gmres_.solve(*this, r, d, options, &slow_);
  if (!result.non_finite) slow_.take(inputs_, outputs_);
  return result.converged;
}
}  // namespace trill
