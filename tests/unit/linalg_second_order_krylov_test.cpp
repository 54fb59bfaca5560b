// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/second_order_krylov.hpp"
#include "problem/generated_structure.hpp"
#include "trill/base/errors.hpp"

#include <gtest/gtest.h>

namespace trill::test {
namespace {
GeneratedStructure small_shaft() {
  return generate_structure("shaft",
                            {{"speed", 20}, {"external_damping", 0.2}, {"internal_damping", 0.1}, {"elements", 4}});
}
Vec some_vector(Index n) { return Vec::LinSpaced(n, 1, 2).array().sin(); }

// The basis contains the vectors r_j = -K^-1 (C r_{j-1} + M r_{j-2}).
TEST(SecondOrderKrylov, SpansTheRecurrence) {
  const GeneratedStructure s = small_shaft();
  const Vec b = some_vector(s.mass.rows());
  const Mat q = second_order_basis(s.stiffness, s.damping, s.mass, b, 5);
  ASSERT_EQ(q.cols(), 5);
  EXPECT_LT((q.transpose() * q - Mat::Identity(5, 5)).norm(), 1e-13);
  const Mat inverse = Mat(s.stiffness).inverse();
  Vec before = Vec::Zero(b.size()), now = inverse * b;
  for (Index j = 0; j < 5; ++j) {
    EXPECT_LT((now - q.leftCols(j + 1) * (q.leftCols(j + 1).transpose() * now)).norm(), 1e-9 * now.norm()) << j;
    const Vec next = -inverse * (s.damping * now + s.mass * before);
    before = now;
    now = next;
  }
}

TEST(SecondOrderKrylov, EndsWhereNothingIsLeft) {
  const GeneratedStructure s = small_shaft();
  EXPECT_EQ(second_order_basis(s.stiffness, s.damping, s.mass, some_vector(s.mass.rows()), 1000).cols(), s.mass.rows());
  EXPECT_EQ(second_order_basis(s.stiffness, s.damping, s.mass, Vec::Zero(s.mass.rows()), 5).cols(), 0);
}

TEST(SecondOrderKrylov, ASingularStiffnessIsRefused) {
  const SpMat k = hermite_line(4, 1, {}).curvatures, m = hermite_line(4, 1, {}).values;
  EXPECT_THROW(second_order_basis(SpMat(0 * k), m, m, some_vector(k.rows()), 3), UsageError);
}

// The roots of s^2 + 2 s + 5 = 0 and of s^2 + 100 = 0.
TEST(SecondOrderKrylov, RootsOfAQuadraticProblem) {
  const Eigen::VectorXcd roots =
      quadratic_roots(Mat::Identity(2, 2), Vec{{2, 0}}.asDiagonal(), Vec{{5, 100}}.asDiagonal());
  ASSERT_EQ(roots.size(), 4);
  EXPECT_LT(std::abs(roots[0].real() + 1) + std::abs(std::abs(roots[0].imag()) - 2), 1e-12);
  EXPECT_LT(std::abs(roots[2].real()) + std::abs(std::abs(roots[3].imag()) - 10), 1e-12);
}
}  // namespace
}  // namespace trill::test
