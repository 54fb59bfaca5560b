// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/block_lanczos.hpp"

#include "trill/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
// A column that shrinks below this share of its length when it is made orthogonal to the others is a combination of
// them, up to rounding.
constexpr double dependent_share = 1e-10;
constexpr Index columns_at_a_time = 32;  // by which the memory for the basis grows
}  // namespace

BlockLanczos::BlockLanczos(const ShiftedInverse& inverse, const Mat& locked, Index block, std::uint64_t seed)
    : inverse_(inverse), locked_(locked), seed_(seed) {
  Mat start(space().rows(), std::min(block, room()));
  for (Index c = 0; c < start.cols(); ++c) start.col(c) = random_vector();
  normalise(start);
  next_ = std::move(start);
}

Vec BlockLanczos::random_vector() {
  const RandomKey key{seed_, 0, drawn_++};
  return Vec::NullaryExpr(space().rows(), [&](Index i) {
    return random_uniform(key, static_cast<std::uint32_t>(space().first() + i)) - 0.5;
  });
}

// Two passes are enough (Parlett 1980, The symmetric eigenvalue problem, sec. 6.9: Kahan).
void BlockLanczos::orthogonalise(Mat& w) const {
  const auto basis = basis_.leftCols(size_);
  for (int pass = 0; pass < 2; ++pass) {
    const Mat mw = space().mass_times(w);
    if (locked_.cols() > 0) w.noalias() -= locked_ * space().products(locked_, mw);
    if (size_ > 0) w.noalias() -= basis * space().products(basis, mw);
  }
}

// w = (M-orthonormal columns) coupling_. A column that depends on the others is replaced by a random one, to which
// nothing couples.
void BlockLanczos::normalise(Mat& w) {
  Vec lengths(w.cols());
  for (Index c = 0; c < w.cols(); ++c) lengths[c] = space().length(w.col(c));
  coupling_ = Mat::Zero(w.cols(), w.cols());
  orthogonalise(w);
  const auto remove_earlier = [&](Index c) {
    Vec along = Vec::Zero(c);
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < c; ++j) {
        const double part = space().products(w.col(j), space().mass_times(w.col(c)))(0, 0);
        w.col(c) -= part * w.col(j);
        along[j] += part;
      }
    return along;
  };
  for (Index c = 0; c < w.cols(); ++c) {
    coupling_.col(c).head(c) = remove_earlier(c);
    double length = space().length(w.col(c));
    coupling_(c, c) = length;
    if (!(length > dependent_share * lengths[c])) {
      coupling_(c, c) = 0;
      Mat fresh = random_vector();
      orthogonalise(fresh);
      w.col(c) = fresh;
      remove_earlier(c);
      length = space().length(w.col(c));
    }
    w.col(c) /= length;
  }
}

void BlockLanczos::append_to_basis() {
  const Index width = next_.cols();
  if (basis_.cols() < size_ + width)
    basis_.conservativeResize(next_.rows(), size_ + std::max(width, columns_at_a_time));
  basis_.middleCols(size_, width) = next_;
  Mat grown = Mat::Zero(size_ + width, size_ + width);
  grown.topLeftCorner(size_, size_) = projection_;
  if (size_ > 0) {
    const Index last = coupling_.cols();
    grown.block(size_, size_ - last, width, last) = coupling_.topRows(width);
    grown.block(size_ - last, size_, last, width) = coupling_.topRows(width).transpose();
  }
  projection_ = std::move(grown);
  size_ += width;
}

bool BlockLanczos::extend() {
  const Index width = next_.cols();
  if (width == 0) return false;
  append_to_basis();
  Mat w = inverse_.apply_to_mass_times(space().mass_times(next_));
  solves_ += width;
  const Mat diagonal = space().products(next_, space().mass_times(w));
  projection_.bottomRightCorner(width, width) = 0.5 * (diagonal + diagonal.transpose());
  if (room() < width) {
    // The basis is nearly complete: what is left over is not looked at.
    coupling_ = Mat::Zero(width, width);
    w.resize(w.rows(), 0);
  } else {
    normalise(w);
  }
  next_ = std::move(w);
  return projection_.allFinite() && coupling_.allFinite();
}

bool BlockLanczos::solve_projected() { return projected_.compute(projection_); }

double BlockLanczos::residual(Index i) const {
  return (coupling_ * projected_.vectors().col(size_ - 1 - i).tail(coupling_.cols())).norm();
}

Mat BlockLanczos::vectors(Index count) const {
  return basis_.leftCols(size_) * projected_.vectors().rightCols(count).rowwise().reverse();
}
}  // namespace trill
