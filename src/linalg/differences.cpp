// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace trill {
DifferenceJacobian::DifferenceJacobian(const MatrixSlot& pattern, const DifferenceOptions& options)
    : pattern_(pattern),
      central_(options.central),
      typical_(Vec::Constant(pattern.cols(), options.typical)),
      shifted_(Vec::Zero(pattern.cols())),
      f_at_x_(Vec::Zero(pattern.rows())),
      above_(Vec::Zero(pattern.rows())),
      below_(Vec::Zero(pattern.rows())),
      width_(Vec::Zero(pattern.cols())) {
  set_typical(Vec::Constant(pattern.cols(), options.typical));
  colour_columns();
}

void DifferenceJacobian::set_typical(In typical) {
  if (typical.size() != typical_.size() || !(typical.array() > 0).all())
    throw std::invalid_argument(
        "difference jacobian: there must be one typical size for each unknown, and all must be positive");
  typical_ = typical;
}

void DifferenceJacobian::colour_columns() {
  const Index n = pattern_.cols();
  colour_.assign(static_cast<std::size_t>(n), -1);
  if (!pattern_.is_sparse()) {
    for (Index j = 0; j < n; ++j) {
      colour_[static_cast<std::size_t>(j)] = static_cast<int>(j);
      columns_of_colour_.push_back({j});
    }
    return;
  }
  const SpMat& a = pattern_.as_sparse();
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = a;
  std::vector<Index> taken_by;  // for each colour: the last column that has a neighbour of this colour
  for (Index j = 0; j < n; ++j) {
    for (SpMat::InnerIterator row(a, j); row; ++row)
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator other(by_rows, row.row()); other; ++other) {
        const int c = colour_[static_cast<std::size_t>(other.col())];
        if (c >= 0) taken_by[static_cast<std::size_t>(c)] = j;
      }
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [j](Index by) { return by != j; });
    const auto chosen = static_cast<std::size_t>(free - taken_by.begin());
    if (free == taken_by.end()) {
      taken_by.push_back(-1);
      columns_of_colour_.emplace_back();
    }
    colour_[static_cast<std::size_t>(j)] = static_cast<int>(chosen);
    columns_of_colour_[chosen].push_back(j);
  }
}

void DifferenceJacobian::evaluate(const Function& f, In x, MatrixSlot& j) {
  if (!central_) {
    f(x, f_at_x_);
    ++evaluations_;
  }
  difference(f, x, f_at_x_.data(), j);
}

void DifferenceJacobian::evaluate(const Function& f, In x, In f_at_x, MatrixSlot& j) {
  difference(f, x, f_at_x.data(), j);
}

void DifferenceJacobian::difference(const Function& f, In x, const double* f_at_x, MatrixSlot& j) {
  if (x.size() != shifted_.size() || !j.same_pattern(pattern_))
    throw std::logic_error(
        "difference jacobian: evaluate was called with another sparsity pattern than the constructor");
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static const double relative_step = std::sqrt(epsilon), relative_step_central = std::cbrt(epsilon);
  const double relative = central_ ? relative_step_central : relative_step;

  shifted_ = x;
  for (const std::vector<Index>& columns : columns_of_colour_) {
    for (const Index c : columns) shifted_[c] = x[c] + relative * std::max(std::abs(x[c]), typical_[c]);
    f(shifted_, above_);
    ++evaluations_;
    for (const Index c : columns) width_[c] = shifted_[c] - x[c];  // the actual increment after rounding
    const double* from = f_at_x;
    if (central_) {
      for (const Index c : columns) {
        const double up = shifted_[c];
        shifted_[c] = x[c] - width_[c];
        width_[c] = up - shifted_[c];
      }
      f(shifted_, below_);
      ++evaluations_;
      from = below_.data();
    }
    for (const Index c : columns) {
      shifted_[c] = x[c];
      if (j.is_sparse()) {
        const SpMat& a = j.as_sparse();
        for (Index p = a.outerIndexPtr()[c]; p < a.outerIndexPtr()[c + 1]; ++p) {
          const Index i = a.innerIndexPtr()[p];
          j.values()[p] = (above_[i] - from[i]) / width_[c];
        }
      } else {
        for (Index i = 0; i < j.rows(); ++i) j.values()[c * j.rows() + i] = (above_[i] - from[i]) / width_[c];
      }
    }
  }
}
}  // namespace trill
