// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solver_parts.hpp"

#include <algorithm>

namespace trill {
namespace {
// P A = L U by panels of columns, in place. Eigen's own PartialPivLU allocates heap memory for its packed blocks once
// the matrix has more than a few hundred unknowns. Here Eigen's products get tiles small enough for the stack, so
// nothing allocates.
class DenseLu final : public LinearSolver {
 public:
  std::string name() const override { return "dense_lu"; }
  Index size() const override { return lu_.rows(); }
  std::unique_ptr<LinearSolver> clone() const override { return std::make_unique<DenseLu>(*this); }

  void analyse(const MatrixSlot& pattern) override {
    require_square(pattern, "dense_lu");
    const Index n = pattern.rows();
    lu_ = Mat::Zero(n, n);
    row_max_ = Vec::Zero(n);
    column_max_ = Vec::Zero(n);
    y_ = Vec::Zero(n);
    row_at_.resize(static_cast<std::size_t>(n));
  }

  bool factorise(const MatrixSlot& a) override {
    require_analysed(a, size(), "dense_lu");
    if (a.is_sparse())
      lu_ = a.as_sparse();
    else
      lu_ = a.as_dense();
    const Index n = size();
    row_max_.setZero();
    for (Index j = 0; j < n; ++j) {
      row_at_[static_cast<std::size_t>(j)] = j;
      column_max_[j] = lu_.col(j).cwiseAbs().maxCoeff();
      row_max_ = row_max_.cwiseMax(lu_.col(j).cwiseAbs());
    }
    for (Index k = 0; k < n; k += panel) {
      const Index width = std::min(panel, n - k);
      if (!factorise_panel(k, width)) return false;
      update_right_of(k, width);
    }
    return true;
  }

  void solve(In b, Out x) override {
    for (Index k = 0; k < size(); ++k) y_[k] = b[row_at_[static_cast<std::size_t>(k)]];
    lu_.triangularView<Eigen::UnitLower>().solveInPlace(y_);
    lu_.triangularView<Eigen::Upper>().solveInPlace(y_);
    x = y_;
  }

 private:
  static constexpr Index panel = 32, tile = 256;

  bool factorise_panel(Index start, Index width) {
    const Index n = size(), end = start + width;
    for (Index k = start; k < end; ++k) {
      Index offset = 0;
      lu_.col(k).tail(n - k).cwiseAbs().maxCoeff(&offset);
      if (offset > 0) {
        lu_.row(k).swap(lu_.row(k + offset));
        std::swap(row_at_[static_cast<std::size_t>(k)], row_at_[static_cast<std::size_t>(k + offset)]);
      }
      const double pivot = lu_(k, k);
      if (pivot_is_lost(pivot, row_max_[row_at_[static_cast<std::size_t>(k)]], column_max_[k], n)) return false;
      auto l = lu_.col(k).tail(n - k - 1);
      l /= pivot;
      for (Index j = k + 1; j < end; ++j) lu_.col(j).tail(n - k - 1) -= lu_(k, j) * l;
    }
    return true;
  }

  void update_right_of(Index start, Index width) {
    const Index n = size(), end = start + width;
    const auto triangle = lu_.block(start, start, width, width).triangularView<Eigen::UnitLower>();
    for (Index j = end; j < n; j += tile) {
      const Index columns = std::min(tile, n - j);
      auto u = lu_.block(start, j, width, columns);
      triangle.solveInPlace(u);
      for (Index i = end; i < n; i += tile) {
        const Index rows = std::min(tile, n - i);
        lu_.block(i, j, rows, columns).noalias() -= lu_.block(i, start, rows, width) * u;
      }
    }
  }

  Mat lu_;
  Vec row_max_, column_max_, y_;  // largest magnitudes of A
  std::vector<Index> row_at_;     // row k of P A is this row of A
};
}  // namespace

std::unique_ptr<LinearSolver> make_dense_lu() { return std::make_unique<DenseLu>(); }
}  // namespace trill
