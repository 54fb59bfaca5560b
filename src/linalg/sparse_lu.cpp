// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solver_parts.hpp"
#include "trill/linalg/kernels.hpp"

#include <Eigen/SparseLU>

namespace trill {
namespace {
// Eigen's supernodal LU, for builds without SuiteSparse. It allocates in every factorisation.
class EigenSparseLu final : public LinearSolver {
 public:
  std::string name() const override { return "sparse_lu"; }
  Index size() const override { return last_.rows(); }

  std::unique_ptr<LinearSolver> clone() const override {
    auto copy = std::make_unique<EigenSparseLu>();
    copy->analyse(last_);
    if (factorised_) copy->factorise(last_);
    return copy;
  }

  void analyse(const MatrixSlot& pattern) override {
    require_square(pattern, "sparse_lu");
    if (!pattern.is_sparse())
      throw std::invalid_argument("sparse_lu: the matrix is dense; use dense_lu or a sparse pattern");
    last_ = pattern;
    factorised_ = false;
    if (size() > 0) lu_.analyzePattern(last_.as_sparse());
  }

  bool factorise(const MatrixSlot& a) override {
    last_.assign_values(a);
    factorised_ = size() == 0;
    if (factorised_ || !all_finite(a.values(), a.stored())) return factorised_;
    lu_.factorize(last_.as_sparse());
    factorised_ = lu_.info() == Eigen::Success && pivots_are_kept();
    return factorised_;
  }

  void solve(In b, Out x) override {
    if (size() > 0) x = lu_.solve(b);
  }

 private:
  // SparseLU::info() reports only pivots that are exactly zero, and the pivots are not accessible. So solve a system
  // with a known solution and compare, each unknown scaled by the size of its column.
  bool pivots_are_kept() const {
    const Index n = size();
    Vec expected(n), b(n);
    for (Index j = 0; j < n; ++j) {
      double largest = 0;
      for (SpMat::InnerIterator it(last_.as_sparse(), j); it; ++it) largest = std::max(largest, std::abs(it.value()));
      if (largest == 0) return false;
      expected[j] = 1.0 / largest;
    }
    last_.multiply(expected, b);
    const Vec x = lu_.solve(b);
    return all_finite(x) && max_abs(x.cwiseQuotient(expected) - Vec::Ones(n)) < 0.5;
  }

  MatrixSlot last_;  // kept so that clone() can factorise it again
  bool factorised_ = false;
  Eigen::SparseLU<SpMat, Eigen::COLAMDOrdering<int>> lu_;
};
}  // namespace

std::unique_ptr<LinearSolver> make_sparse_lu() { return std::make_unique<EigenSparseLu>(); }
}  // namespace trill
