// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/slow_subspace.hpp"

#include "linalg/dense_decompositions.hpp"

#include <algorithm>
#include <numeric>

namespace trill {
namespace {
constexpr Index most_directions = 30;
constexpr double least_new_share = 1e-4;   // of a vector that is not in the space yet
constexpr double least_multiplier = 1e-3;  // what decays faster needs no direction of its own
constexpr double least_reciprocal_condition = 1e-13;
}  // namespace

void SlowSubspace::take(const std::vector<Vec>& x, const std::vector<Vec>& y) {
  const Mat old_directions = std::move(directions_), old_images = std::move(images_);
  directions_ = images_ = Mat(size_, 0);
  for (std::size_t k = 0; k < x.size(); ++k) append(x[k], y[k]);
  for (Index k = 0; k < old_directions.cols(); ++k) append(old_directions.col(k), old_images.col(k));
  keep_slowest();
}

void SlowSubspace::rescale(In factors) {
  if ((factors.array() == 1).all()) return;
  for (Mat* columns : {&directions_, &images_}) columns->topRows(factors.size()).array().colwise() *= factors.array();
  take({}, {});
}

void SlowSubspace::append(Vec x, Vec y) {
  const double length = x.norm();
  if (!(length > 0)) return;
  for (int pass = 0; pass < 2; ++pass) {
    const Vec share = directions_.transpose() * x;
    x -= directions_ * share;
    y -= images_ * share;
  }
  const double rest = x.norm();
  if (rest < least_new_share * length || directions_.cols() == size_) return;
  directions_.conservativeResize(Eigen::NoChange, directions_.cols() + 1);
  images_.conservativeResize(Eigen::NoChange, images_.cols() + 1);
  directions_.rightCols(1) = x / rest;
  images_.rightCols(1) = y / rest;
}

void SlowSubspace::keep_slowest() {
  if (dimension() == 0) return;
  const GeneralEigen eigen = general_eigen(directions_.transpose() * images_, true);
  if (eigen.converged) {
    std::vector<Index> order(static_cast<std::size_t>(dimension()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return std::abs(eigen.values[a]) > std::abs(eigen.values[b]); });
    Mat kept(dimension(), 0);
    for (const Index k : order) {
      if (kept.cols() >= most_directions || std::abs(eigen.values[k]) < least_multiplier) break;
      if (eigen.values[k].imag() < 0) continue;  // the real and imaginary part of a pair are taken with its other half
      const bool is_pair = eigen.values[k].imag() > 0;
      kept.conservativeResize(Eigen::NoChange, kept.cols() + (is_pair ? 2 : 1));
      if (is_pair) kept.col(kept.cols() - 2) = eigen.vectors.col(k).imag();
      kept.col(kept.cols() - 1) = eigen.vectors.col(k).real();
    }
    if (kept.cols() > 0 && kept.cols() < dimension()) {
      const Mat turn = orthonormal_columns(kept);
      directions_ = (directions_ * turn).eval();
      images_ = (images_ * turn).eval();
    }
  }
  invert();
}

void SlowSubspace::pose(const CycleWeights& weights) {
  const auto is_same = [](const Mat& a, const Mat& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
  };
  if (is_same(weights.own, weights_.own) && is_same(weights.image, weights_.image)) return;
  weights_ = weights;
  own_inverse_ = inverse_of(weights_.own).matrix;
  invert();
}

void SlowSubspace::memory(Archive& archive) {
  archive(weights_.own, weights_.image, directions_, images_);
  if (!archive.reading()) return;
  own_inverse_ = inverse_of(weights_.own).matrix;
  invert();
}

void SlowSubspace::invert() {
  const Index p = dimension(), stages = weights_.own.rows();
  if (p == 0) return;
  const Mat inside = directions_.transpose() * images_;
  Mat small = Mat::Zero(p * stages, p * stages);
  for (Index i = 0; i < stages; ++i)
    for (Index j = 0; j < stages; ++j)
      small.block(i * p, j * p, p, p) = weights_.own(i, j) * Mat::Identity(p, p) - weights_.image(i, j) * inside;
  DenseInverse inverse = inverse_of(small);
  if (inverse.reciprocal_condition > least_reciprocal_condition)
    inverse_ = std::move(inverse.matrix);
  else
    forget();
}

// With V the directions and W = A V their images, the system with W V^T in place of A is solved exactly.
void SlowSubspace::apply(In x, Out y) {
  const Index stages = weights_.own.rows();
  const Eigen::Map<const Mat> right(x.data(), size_, stages);
  Eigen::Map<Mat> left(y.data(), size_, stages);
  if (dimension() == 0) {
    left = right * own_inverse_.transpose();
    return;
  }
  const Mat within = directions_.transpose() * right;
  const Vec solved = inverse_ * within.reshaped();
  const Mat share = solved.reshaped(dimension(), stages) * weights_.image.transpose();
  left = (right + images_ * share) * own_inverse_.transpose();
}
}  // namespace trill
