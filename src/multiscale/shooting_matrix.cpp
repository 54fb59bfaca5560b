// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/shooting_matrix.hpp"

#include "linalg/dense_decompositions.hpp"

namespace trill {
namespace {
constexpr double least_condition_of_cycles = 1e-15;
constexpr double gmres_tolerance = 1e-7;
constexpr int most_products_of_a_solve = 200;
}  // namespace

void DenseShootingMatrix::set(const Mat& a) {
  DenseInverse inverse = inverse_of(Mat::Identity(a.rows(), a.cols()) - a);
  invertible_ = inverse.reciprocal_condition > least_condition_of_cycles;
  inverse_ = std::move(inverse.matrix);
}

bool DenseShootingMatrix::solve(In r, Out d) {
  if (invertible_) d = inverse_ * r;
  return invertible_;
}

KrylovShootingMatrix::KrylovShootingMatrix(Index size, Product product)
    : product_(std::move(product)), slow_(size), gmres_(size, 60) {}

void KrylovShootingMatrix::apply(In v, Out y) {
  product_(v, y);
  inputs_.emplace_back(v);
  outputs_.emplace_back(y);
  y = v - y;
}

bool KrylovShootingMatrix::solve(In r, Out d) {
  inputs_.clear();
  outputs_.clear();
  slow_.apply(r, d);
  const GmresOptions options{.relative_tolerance = gmres_tolerance, .max_iterations = most_products_of_a_solve};
  const GmresResult result = gmres_.solve(*this, r, d, options, &slow_);
  slow_.take(inputs_, outputs_);
  return result.converged;
}
}  // namespace trill
