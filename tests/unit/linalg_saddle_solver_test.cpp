// SPDX-License-Identifier: BSD-3-Clause
// M x + G^T mu = r, G x + c = 0 is solved through the Schur complement S = G M^-1 G^T or as a single matrix.
#include "linalg/saddle_solver.hpp"
#include "support/allocation_count.hpp"

#include <gtest/gtest.h>

namespace trill {
namespace {
MatrixSlot filled(const Mat& values, bool sparse) {
  MatrixSlot slot = sparse ? MatrixSlot::sparse(values.sparseView()) : MatrixSlot::dense(values.rows(), values.cols());
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i)
      if (values(i, j) != 0) slot.add(i, j, values(i, j));
  return slot;
}

// The rows of chain links, each of which joins two of n coordinates.
Mat links(Index n) {
  Mat G = Mat::Zero(n / 2, n);
  for (Index k = 0; k < n / 2; ++k) {
    G(k, 2 * k) = 1 + 0.1 * static_cast<double>(k);
    G(k, 2 * k + 1) = -2;
    if (k > 0) G(k, 2 * k - 1) = 0.5;
  }
  return G;
}

Mat diagonal_mass(Index n) { return Vec::LinSpaced(n, 1, 3).asDiagonal(); }

Mat full_mass(Index n) {
  Mat M = diagonal_mass(n);
  M.diagonal(1).setConstant(0.3);
  M.diagonal(-1).setConstant(0.3);
  return M;
}

void expect_solution(SaddleSolver& saddle, const Mat& M, const Mat& G, double tolerance) {
  const Index n = M.rows(), m = G.rows();
  const Vec r = Vec::LinSpaced(n, -1, 2), c = Vec::LinSpaced(m, 1, 4);
  Vec x(n), mu(m);
  ASSERT_TRUE(saddle.factorise());
  saddle.solve(r, c, x, mu);
  EXPECT_LT((M * x + G.transpose() * mu - r).norm(), tolerance * (1 + mu.norm()));
  EXPECT_LT((G * x + c).norm(), tolerance);
  saddle.smallest(c, x, mu);
  EXPECT_LT((M * x - G.transpose() * mu).norm(), tolerance * (1 + mu.norm()));
  EXPECT_LT((G * x - c).norm(), tolerance);
}

TEST(SaddleSolver, SolvesWithEveryKindOfMassAndRows) {
  for (const Index n : {6, 40})
    for (const bool sparse : {false, true})
      for (const MassShape shape : {MassShape::identity, MassShape::diagonal, MassShape::full}) {
        const Mat G = links(n);
        const Mat M = shape == MassShape::identity ? Mat(Mat::Identity(n, n))
                      : shape == MassShape::full   ? full_mass(n)
                                                   : diagonal_mass(n);
        SCOPED_TRACE(testing::Message() << n << (sparse ? " sparse " : " dense ") << static_cast<int>(shape));
        SaddleSolver saddle(shape, filled(M, sparse || shape != MassShape::full), filled(G, sparse));
        expect_solution(saddle, M, G, 1e-12);
        EXPECT_EQ(saddle.uses_schur(), shape != MassShape::full);
        SaddleSolver by_schur(shape, filled(M, sparse || shape != MassShape::full), filled(G, sparse),
                              SaddleSolver::Way::schur_only);
        expect_solution(by_schur, M, G, 1e-12);
        EXPECT_TRUE(by_schur.uses_schur());
      }
}

TEST(SaddleSolver, TakesTheWholeMatrixWhereTheMassIsSingular) {
  const Mat G = links(6);
  Mat M = diagonal_mass(6);
  M(0, 0) = 0;
  SaddleSolver saddle(MassShape::diagonal, filled(diagonal_mass(6), true), filled(G, false));
  *saddle.mass().entry(0, 0) = 0;
  expect_solution(saddle, M, G, 1e-12);
  EXPECT_FALSE(saddle.uses_schur());
  *saddle.mass().entry(0, 0) = 1;
  saddle.choose_again();
  expect_solution(saddle, diagonal_mass(6), G, 1e-12);
  EXPECT_TRUE(saddle.uses_schur());
}

TEST(SaddleSolver, GoesOverToTheWholeMatrixWhereAMassVanishesOnTheWay) {
  const Mat G = links(6);
  Mat M = full_mass(6);
  SaddleSolver saddle(MassShape::full, filled(M, false), filled(G, false), SaddleSolver::Way::schur_first);
  expect_solution(saddle, M, G, 1e-12);
  EXPECT_TRUE(saddle.uses_schur());
  M.row(0).setZero();
  M.col(0).setZero();
  *saddle.mass().entry(0, 0) = *saddle.mass().entry(0, 1) = *saddle.mass().entry(1, 0) = 0;
  saddle.change_mass();
  expect_solution(saddle, M, G, 1e-12);
}

// Two heavy bodies with a light one between them: through the Schur complement S, 12 of 16 digits would be lost.
TEST(SaddleSolver, KeepsItsDigitsWithLightBodiesAmongHeavyOnes) {
  const Mat G{{1, -1, 0}, {0, 1, -1}};
  for (const bool full : {false, true}) {
    Mat M = Vec{{1, 1e-12, 2}}.asDiagonal();
    if (full) M(0, 2) = M(2, 0) = 0.5;
    SaddleSolver saddle(full ? MassShape::full : MassShape::diagonal, filled(M, !full), filled(G, false),
                        SaddleSolver::Way::schur_first);
    ASSERT_TRUE(saddle.factorise());
    EXPECT_FALSE(saddle.uses_schur());
    Vec x(3), mu(2);
    saddle.solve(Vec{{1, 0, 0}}, Vec::Zero(2), x, mu);
    EXPECT_NEAR(x[0], full ? 0.25 : 1.0 / 3, 1e-11);
    EXPECT_NEAR(mu[0], full ? 0.625 : 2.0 / 3, 1e-11);
  }
}

// The rows hardly depend on one of the coordinates here, as on y for a pendulum at the height of its pivot. This must
// not be taken for a light body.
TEST(SaddleSolver, UsesTheSchurComplementWhereACoordinateHardlyCounts) {
  SaddleSolver saddle(MassShape::identity, filled(Mat::Identity(2, 2), true), filled(Mat{{1, 6e-17}}, false));
  ASSERT_TRUE(saddle.factorise());
  EXPECT_TRUE(saddle.uses_schur());
}

TEST(SaddleSolver, SaysWhereRowsDependOnEachOther) {
  for (const Index n : {6, 40}) {
    Mat G = links(n);
    G.row(1) = -3 * G.row(0);
    for (const bool sparse : {false, true}) {
      SaddleSolver saddle(MassShape::diagonal, filled(diagonal_mass(n), true), filled(G, sparse));
      EXPECT_FALSE(saddle.factorise()) << n << sparse;
    }
  }
}

TEST(SaddleSolver, AllocatesNothingFromPointToPoint) {
  if (!counts_allocations()) GTEST_SKIP();
  for (const auto& [n, way] : {std::pair<Index, SaddleSolver::Way>{6, SaddleSolver::Way::best},
                               {40, SaddleSolver::Way::best},
                               {6, SaddleSolver::Way::schur_first},
                               {40, SaddleSolver::Way::schur_first}}) {
    const Vec r = Vec::Ones(n), c = Vec::Ones(n / 2);
    Vec x(n), mu(n / 2);
    SaddleSolver saddle(MassShape::full, filled(full_mass(n), false), filled(links(n), false), way);
    ASSERT_TRUE(saddle.factorise());
    const AllocationGuard guard;
    *saddle.rows().entry(0, 0) = 1.5;
    *saddle.mass().entry(0, 0) = 1.5;
    saddle.change_mass();
    ASSERT_TRUE(saddle.factorise());
    saddle.solve(r, c, x, mu);
    saddle.smallest(c, x, mu);
    EXPECT_EQ(guard.count(), 0u) << n;
  }
}
}  // namespace
}  // namespace trill
