// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/stiffness_inverse.hpp"

#include <algorithm>

namespace trill {
namespace {
// Unknowns whose values tell the motions without strain apart: the largest entry, and then what is left without it.
std::vector<Index> distinguishing_unknowns(Mat rigid) {
  std::vector<Index> chosen;
  for (Index j = 0; j < rigid.cols(); ++j) {
    Index row = 0, column = 0;
    rigid.rightCols(rigid.cols() - j).cwiseAbs().maxCoeff(&row, &column);
    rigid.col(j).swap(rigid.col(j + column));
    chosen.push_back(row);
    for (Index c = j + 1; c < rigid.cols(); ++c) rigid.col(c) -= rigid.col(j) * (rigid(row, c) / rigid(row, j));
  }
  return chosen;
}

SpMat held_at(const SpMat& k, const std::vector<Index>& held) {
  std::vector<bool> is_held(static_cast<std::size_t>(k.rows()));
  for (const Index i : held) is_held[static_cast<std::size_t>(i)] = true;
  SpMat out = k;
  out.prune([&](Index row, Index column, double) {
    return row == column || (!is_held[static_cast<std::size_t>(row)] && !is_held[static_cast<std::size_t>(column)]);
  });
  return out;
}
}  // namespace

StiffnessInverse::StiffnessInverse(const SpMat& k, const SpMat& m, const Mat& rigid)
    : rigid_(rigid), momentum_(m * rigid), held_(distinguishing_unknowns(rigid)) {
  factors_.emplace(held_at(k, held_));
}

Mat StiffnessInverse::balanced(Mat loads) const {
  if (rigid_.cols() > 0) loads -= momentum_ * (rigid_.transpose() * loads);
  return loads;
}

Mat StiffnessInverse::solve(const Mat& b) const {
  if (rigid_.cols() == 0) return factors_->solve(b);
  Mat loads = balanced(b);
  for (const Index i : held_) loads.row(i).setZero();
  Mat x = factors_->solve(loads);
  x -= rigid_ * (momentum_.transpose() * x);
  return x;
}
}  // namespace trill
