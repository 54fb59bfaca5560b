// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trill {
// Scales a sparse A = [J G^T; G C] to D A D with |diagonal of J| = 1 and rows of G of length 1. Without this, small
// inertias together with long lever arms would lead to pivots off the diagonal, and the factors of a long chain would
// fill up. Dense patterns and systems with very light and very heavy bodies are not scaled.
class SaddleBalance {
 public:
  // The pattern must outlive this object. n: number of rows of J.
  SaddleBalance(const MatrixSlot& pattern, Index n)
      : pattern_(pattern), n_(n), d_(Vec::Ones(pattern.is_sparse() && n < pattern.rows() ? pattern.rows() : 0)) {}

  // Computes D for these values, which are in the order of the pattern.
  template <class Scalar>
  void find(const Scalar* values) {
    if (d_.size() == 0) return;
    const auto inverse_root = [](double square) { return square > 0 ? 1 / std::sqrt(square) : 1.0; };
    d_.setZero();
    each_entry(values, [&](Index r, Index c, const Scalar& value) {
      if (r == c) d_[r] = std::abs(value);
    });
    d_.head(n_) = d_.head(n_).unaryExpr(inverse_root);
    each_entry(values, [&](Index r, Index c, const Scalar& value) {
      if (r >= n_ && c < n_) d_[r] += std::norm(value) * d_[c] * d_[c];
    });
    d_.tail(d_.size() - n_) = d_.tail(d_.size() - n_).unaryExpr(inverse_root);
    if (!is_even(values)) d_.setOnes();
  }
  template <class Scalar>
  void apply(Scalar* values) const {
    if (d_.size() > 0) each_entry(values, [&](Index r, Index c, Scalar& value) { value *= d_[r] * d_[c]; });
  }
  // To be applied to right-hand sides before solving and to solutions afterwards.
  template <class Scalar>
  void scale(Scalar* x) const {
    for (Index i = 0; i < d_.size(); ++i) x[i] *= d_[i];
  }

 private:
  // False if there are both very light and very heavy bodies: then pivots off the diagonal are needed.
  template <class Scalar>
  bool is_even(const Scalar* values) const {
    constexpr double far_apart = 1e8;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    Index column = -1;
    double largest = 0;
    const auto close_column = [&] {
      if (largest == 0) return;
      least = std::min(least, largest);
      most = std::max(most, largest);
      largest = 0;
    };
    each_entry(values, [&](Index r, Index c, const Scalar& value) {
      if (c != column) close_column();
      column = c;
      if (r >= n_ && c < n_) largest = std::max(largest, std::norm(value) * d_[c] * d_[c]);
    });
    close_column();
    return most <= far_apart * least;
  }
  template <class Scalar, class Use>
  void each_entry(Scalar* values, Use use) const {
    for (Index c = 0; c < pattern_.cols(); ++c)
      for (SpMat::InnerIterator it(pattern_.as_sparse(), c); it; ++it) use(it.row(), c, *values++);
  }

  const MatrixSlot& pattern_;
  Index n_;
  Vec d_;
};
}  // namespace trill
