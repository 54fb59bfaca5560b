// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/modes.hpp"
#include "linalg/simplicial_factors.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "problem/generated_structure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace trill {
namespace {
bool has_engine(FactorEngine engine) {
  const std::vector<FactorEngine> all = factor_engines();
  return std::find(all.begin(), all.end(), engine) != all.end();
}

class EveryEngine : public testing::TestWithParam<FactorEngine> {
 protected:
  void SetUp() override {
    if (!has_engine(GetParam())) GTEST_SKIP() << "not there: this program factorises with " << factor_engines_text();
  }
};

SpMat stiffness_of(const std::string& shape, const std::string& size, double value) {
  return generate_structure(shape, {{size, value}}).stiffness;
}

Mat right_hand_sides(Index n, Index count) {
  return Mat::NullaryExpr(n, count, [](Index i, Index j) { return std::sin(static_cast<double>(i * i + 7 * j + 1)); });
}

SpMat free_chain(Index n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    entries.emplace_back(i, i, 1.0), entries.emplace_back(i + 1, i + 1, 1.0);
    entries.emplace_back(i, i + 1, -1.0), entries.emplace_back(i + 1, i, -1.0);
  }
  SpMat k(n, n);
  k.setFromTriplets(entries.begin(), entries.end());
  return k;
}

// The tridiagonal matrix (-1, 2, -1) of size n has the eigenvalues 4 sin^2(k pi / (2 (n + 1))).
Index modes_below(Index n, double mu) {
  Index count = 0;
  for (Index k = 1; k <= n; ++k)
    if (4 * std::pow(std::sin(static_cast<double>(k) * std::numbers::pi / (2.0 * static_cast<double>(n + 1))), 2) < mu)
      ++count;
  return count;
}
}  // namespace

TEST_P(EveryEngine, GivesTheSameSolutions) {
  for (const SpMat& k : {stiffness_of("plate", "elements", 12), stiffness_of("solid", "elements_across", 3),
                         stiffness_of("membrane", "points", 25)}) {
    const SparseCholesky factors(k, GetParam()), reference(k, FactorEngine::simplicial);
    ASSERT_TRUE(factors.is_positive_definite());
    EXPECT_FALSE(factors.has_rounded_pivot());
    EXPECT_GT(factors.bytes(), 0);
    for (const Index sides : {0, 1, 2, 3, 16, 21}) {
      const Mat b = right_hand_sides(k.rows(), sides), x = factors.solve(b);
      ASSERT_EQ(x.cols(), sides);
      if (sides == 0) continue;
      EXPECT_LT((k * x - b).norm(), 1e-12 * (k.norm() * x.norm())) << sides;
      EXPECT_LT((x - reference.solve(b)).norm(), 1e-9 * x.norm()) << sides;
      EXPECT_LT((x.col(0) - factors.solve(Vec(b.col(0)))).norm(), 1e-11 * x.col(0).norm()) << sides;
    }
  }
}

TEST_P(EveryEngine, CountsEigenvaluesBySigns) {
  const Index n = 300;
  SpMat k = free_chain(n);
  k.coeffRef(0, 0) = k.coeffRef(n - 1, n - 1) = 2;  // held at both ends
  SpMat one(n, n);
  one.setIdentity();
  for (const double mu : {-0.1, 0.0005, 0.3, 1.7, 3.2, 4.1}) {
    const SparseCholesky factors(k - mu * one, GetParam());
    ASSERT_TRUE(factors.succeeded()) << mu;
    EXPECT_EQ(factors.negative_pivots(), modes_below(n, mu)) << mu;
    EXPECT_EQ(factors.is_positive_definite(), mu < 0.0001) << mu;
  }
}

TEST_P(EveryEngine, NoticesThatNothingHoldsABody) {
  SpMat k = free_chain(400);
  const SparseCholesky factors(k, GetParam());
  EXPECT_TRUE(!factors.succeeded() || factors.has_rounded_pivot());
}

TEST_P(EveryEngine, GivesTheSameBitsAgain) {
  const SpMat k = stiffness_of("solid", "elements_across", 4);
  const Mat b = right_hand_sides(k.rows(), 2);
  const Mat first = SparseCholesky(k, GetParam()).solve(b);
  stiffness_of("plate", "elements", 9);
  const SparseCholesky between(stiffness_of("plate", "elements", 9), GetParam());
  EXPECT_EQ(SparseCholesky(k, GetParam()).solve(b), first);
}

TEST_P(EveryEngine, ServesSeveralThreads) {
  const SpMat k = stiffness_of("plate", "elements", 10);
  const Mat b = right_hand_sides(k.rows(), 4), expected = SparseCholesky(k, GetParam()).solve(b);
  std::vector<Mat> found(4);
  std::vector<std::jthread> threads;
  for (Mat& x : found) threads.emplace_back([&] { x = SparseCholesky(k, GetParam()).solve(b); });
  threads.clear();
  for (const Mat& x : found) EXPECT_EQ(x, expected);
}

INSTANTIATE_TEST_SUITE_P(Factorisations, EveryEngine,
                         testing::Values(FactorEngine::simplicial, FactorEngine::mumps, FactorEngine::cholmod));

// In the factor of a full matrix the columns have n - 1, n - 2, ... entries below the diagonal.
TEST(SparseCholesky, CountsOperationsOfAFullMatrix) {
  const Index n = 30;
  const Mat full = Mat::Constant(n, n, 1.0) + Mat::Identity(n, n);
  const double entries = n * (n + 1) / 2.0, operations = (n - 1) * n * (2 * n - 1) / 6.0;
  EXPECT_NEAR(operations_per_entry(full.sparseView()), operations / entries, 1e-12);
}

TEST(SparseCholesky, TakesBlocksOfColumnsWhereThereIsMuchToDo) {
  if (!has_engine(FactorEngine::mumps)) GTEST_SKIP() << "MUMPS is not there";
  EXPECT_EQ(SparseCholesky(stiffness_of("membrane", "points", 60)).engine(), FactorEngine::simplicial);
  EXPECT_NE(SparseCholesky(stiffness_of("solid", "elements_across", 7)).engine(), FactorEngine::simplicial);
}

// A beam with a square section has pairs of equal bending modes. An iteration with single vectors would miss one of
// each.
TEST(Modes, NoneIsMissingOnASquareSection) {
  const GeneratedStructure solid = generate_structure("solid", {{"elements_across", 7}});
  const Modes proved = lowest_modes(solid.stiffness, solid.mass, {.count = 20, .check = CountCheck::inertia});
  ASSERT_TRUE(proved.pairs.converged) << proved.pairs.message;
  const Modes checked = lowest_modes(solid.stiffness, solid.mass, {.count = 20});
  ASSERT_TRUE(checked.pairs.converged) << checked.pairs.message;
  for (Index i = 0; i < 20; ++i) EXPECT_NEAR(checked.pairs.values[i] / proved.pairs.values[i], 1, 1e-9) << i;
  EXPECT_NEAR(proved.pairs.values[1] / proved.pairs.values[0], 1, 1e-9);
}
}  // namespace trill
