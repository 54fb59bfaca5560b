// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/second_order_krylov.hpp"

#include "linalg/dense_decompositions.hpp"
#include "trill/base/errors.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double dependent_vector = 1e-13;

class StiffnessSolver {
 public:
  explicit StiffnessSolver(const SpMat& k) {
    MatrixSlot slot = MatrixSlot::sparse(k);
    std::copy_n(k.valuePtr(), k.nonZeros(), slot.values());
    solver_ = make_linear_solver(slot);
    if (!solver_->factorise(slot))
      throw UsageError("the stiffness matrix is singular, so that some motion meets no resistance");
  }
  Vec solve(const Vec& b) const {
    Vec x(b.size());
    solver_->solve(b, x);
    return x;
  }

 private:
  std::unique_ptr<LinearSolver> solver_;
};
}  // namespace

Mat second_order_basis(const SpMat& k, const SpMat& c, const SpMat& m, const Vec& b, Index vectors) {
  const StiffnessSolver inverse(k);
  const Index n = k.rows(), most = std::min(vectors, n);
  Mat q(n, most), p(n, most);  // p: what the vector before has become under the same combinations
  Vec r = inverse.solve(b), s = Vec::Zero(n);
  double given = r.norm();
  for (Index size = 0; size < most; ++size) {
    for (int pass = 0; pass < 2; ++pass) {
      const Vec along = q.leftCols(size).transpose() * r;
      r -= q.leftCols(size) * along;
      s -= p.leftCols(size) * along;
    }
    const double length = r.norm();
    if (!(length > dependent_vector * given)) return q.leftCols(size);
    q.col(size) = r / length;
    p.col(size) = s / length;
    if (size + 1 == most) break;
    r = -inverse.solve(c * q.col(size) + m * p.col(size));
    s = q.col(size);
    given = r.norm();
  }
  return q;
}

Eigen::VectorXcd quadratic_roots(const Mat& m, const Mat& c, const Mat& k) {
  const Index n = m.rows();
  const Mat inverse = inverse_of(k).matrix;
  Mat a = Mat::Zero(2 * n, 2 * n);
  a.topRightCorner(n, n).setIdentity();
  a.bottomLeftCorner(n, n) = -inverse * m;
  a.bottomRightCorner(n, n) = -inverse * c;
  Eigen::VectorXcd roots = general_eigen(a, false).values.cwiseInverse();
  std::sort(roots.begin(), roots.end(), [](const auto& x, const auto& y) {
    return std::abs(x) < std::abs(y) || (std::abs(x) == std::abs(y) && x.imag() < y.imag());
  });
  return roots;
}
}  // namespace trill
