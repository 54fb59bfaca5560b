// SPDX-License-Identifier: BSD-3-Clause
#include "support/algebra.hpp"

#include <Eigen/Dense>

namespace trill::test {
Vec solved(const Mat& a, const Vec& b) { return a.fullPivLu().solve(b); }
Vec solved_by_rows(const Mat& a, const Vec& b) { return a.partialPivLu().solve(b); }
Mat inverse(const Mat& a) { return a.inverse(); }
double determinant(const Mat& a) { return a.determinant(); }
Eigen::VectorXcd eigenvalues(const Mat& a) { return a.eigenvalues(); }
bool is_positive_definite(const Mat& a) { return a.llt().info() == Eigen::Success; }
Mat kernel(const Mat& a) { return a.fullPivLu().kernel(); }
Mat orthonormal_complement(const Mat& columns) {
  const Mat all = Eigen::HouseholderQR<Mat>(columns).householderQ();
  return all.rightCols(columns.rows() - columns.cols());
}
Pairs symmetric_pairs(const Mat& k) {
  const Eigen::SelfAdjointEigenSolver<Mat> solver(k);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
Pairs symmetric_pairs(const Mat& k, const Mat& m) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Mat> solver(k, m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
Pairs real_pairs(const Mat& a) {
  const Eigen::EigenSolver<Mat> solver(a);
  return {solver.eigenvalues().real(), solver.eigenvectors().real()};
}
}  // namespace trill::test
