// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

namespace trill {
namespace {
MatrixSlot dense_from(const Mat& a) {
  MatrixSlot slot = MatrixSlot::dense(a.rows(), a.cols());
  std::copy_n(a.data(), a.size(), slot.values());
  return slot;
}

MatrixSlot sparse_from(const Mat& a) {
  const SpMat entries = a.sparseView();
  MatrixSlot slot = MatrixSlot::sparse(entries);
  std::copy_n(entries.valuePtr(), entries.nonZeros(), slot.values());
  return slot;
}

// A few entries per row around a random permutation: far from diagonally dominant, so pivoting matters.
Mat random_matrix(Index n, unsigned seed, double density) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1), chance(0, 1);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), random);
  Mat a = Mat::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i)
      if (chance(random) < density) a(i, j) = number(random);
    a(order[static_cast<std::size_t>(j)], j) = 1.0 + chance(random);
  }
  return a;
}

// The backward error |A x - b| / (|A| |x| + |b|) in the maximum norm. For a stable solver it is of the order of
// rounding.
double backward_error(const Mat& a, const Vec& x, const Vec& b) {
  const double scale = a.cwiseAbs().rowwise().sum().maxCoeff() * x.lpNorm<Eigen::Infinity>();
  return (a * x - b).lpNorm<Eigen::Infinity>() / (scale + b.lpNorm<Eigen::Infinity>());
}

struct Case {
  std::string solver;
  bool sparse;
  Index max_size;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.solver << (c.sparse ? " sparse" : " dense"); }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string& name : linear_solver_names()) {
    const bool only_sparse = name == "klu" || name == "sparse_lu";
    if (!only_sparse) cases.push_back({name, false, name == "small_lu" ? 24 : 300});
    cases.push_back({name, true, name == "small_lu" ? 24 : 300});
  }
  return cases;
}

class EverySolver : public testing::TestWithParam<Case> {
 protected:
  MatrixSlot slot(const Mat& a) const { return GetParam().sparse ? sparse_from(a) : dense_from(a); }
  std::unique_ptr<LinearSolver> make(const MatrixSlot& a) const { return make_linear_solver(GetParam().solver, a); }
};
}  // namespace

TEST_P(EverySolver, SolvesRandomSystemsOfEverySize) {
  for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 33, 64, 65, 100, 300}) {
    if (n > GetParam().max_size) break;
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Mat a = random_matrix(n, seed + static_cast<unsigned>(100 * n), n > 30 ? 0.1 : 0.6);
      const MatrixSlot s = slot(a);
      const auto solver = make(s);
      EXPECT_EQ(solver->name(), GetParam().solver);
      EXPECT_EQ(solver->size(), n);
      ASSERT_TRUE(solver->factorise(s)) << n;
      const Vec b = Vec::LinSpaced(n, -1, 1.5);
      Vec x = Vec::Constant(n, 77.0);
      solver->solve(b, x);
      EXPECT_LT(backward_error(a, x, b), GetParam().solver == "klu" ? 1e-13 : 1e-14) << n;
      Vec in_place = b;
      solver->solve(in_place, in_place);
      EXPECT_EQ(in_place, x);
    }
  }
}

TEST_P(EverySolver, FactorisesAgainAndAgain) {
  const Index n = 20;
  const Mat first = random_matrix(n, 4, 0.3);
  MatrixSlot s = slot(first);
  const auto solver = make(s);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> number(-1, 1);
  const Vec b = Vec::Ones(n);
  Vec x(n);
  for (int again = 0; again < 30; ++again) {
    for (Index k = 0; k < s.stored(); ++k)
      if (s.values()[k] != 0.0) s.values()[k] = number(random);
    const Mat a = s.is_sparse() ? Mat(s.as_sparse()) : s.as_dense();
    ASSERT_TRUE(solver->factorise(s));
    solver->solve(b, x);
    EXPECT_LT(backward_error(a, x, b), 1e-10);  // klu may keep pivots that let rounding grow a little
  }
}

TEST_P(EverySolver, TellsSingularMatrices) {
  Mat rank_one(3, 3);
  rank_one << 1, 2, 3, 2, 4, 6, 3, 6, 9;
  Mat by_rounding(3, 3);  // singular in exact arithmetic, not in floating point
  by_rounding << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9;
  const Mat scaled = (Vec(3) << std::ldexp(1.0, -60), 1.0, std::ldexp(1.0, 60)).finished().asDiagonal() * by_rounding;
  for (const Mat& a : {rank_one, by_rounding, Mat(std::ldexp(1.0, -80) * by_rounding), scaled}) {
    const MatrixSlot s = slot(a);
    EXPECT_FALSE(make(s)->factorise(s)) << a;
  }
  MatrixSlot zero = slot(rank_one);
  zero.set_zero();
  EXPECT_FALSE(make(zero)->factorise(zero));
}

TEST_P(EverySolver, RecoversAfterASingularMatrix) {
  MatrixSlot good = slot((Mat(2, 2) << 1, 2, 3, 4).finished());
  MatrixSlot bad = slot((Mat(2, 2) << 1, 2, 2, 4).finished());
  const auto solver = make(good);
  EXPECT_TRUE(solver->factorise(good));
  EXPECT_FALSE(solver->factorise(bad));
  EXPECT_TRUE(solver->factorise(good));
  Vec x(2);
  solver->solve((Vec(2) << 5, 11).finished(), x);
  EXPECT_NEAR(x[0], 1.0, 1e-14);
  EXPECT_NEAR(x[1], 2.0, 1e-14);
}

TEST_P(EverySolver, SmallRowsAndColumnsAreNotSingular) {
  const Mat core = random_matrix(6, 8, 0.8);
  for (const bool rows : {true, false}) {
    Vec scale(6);
    for (Index i = 0; i < 6; ++i) scale[i] = std::pow(10.0, -4.0 * static_cast<double>(i));
    const Mat a = rows ? Mat(scale.asDiagonal() * core) : Mat(core * scale.asDiagonal());
    const MatrixSlot s = slot(a);
    const auto solver = make(s);
    ASSERT_TRUE(solver->factorise(s));
    const Vec expected = Vec::LinSpaced(6, 1, 2);
    Vec x(6);
    if (rows) {
      solver->solve(a * expected, x);
    } else {
      solver->solve(core * expected, x);
      x = x.cwiseProduct(scale);
    }
    EXPECT_LT((x - expected).norm(), 1e-11);
  }
}

TEST_P(EverySolver, TellsNonFiniteMatrices) {
  for (const Index n : {1, 4, 7}) {
    const Mat a = random_matrix(n, 3, 1.0);
    MatrixSlot s = slot(a);
    const auto solver = make(s);
    for (Index k = 0; k < s.stored(); ++k) {
      for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const double good = s.values()[k];
        s.values()[k] = bad;
        EXPECT_FALSE(solver->factorise(s)) << n << " " << k << " " << bad;
        s.values()[k] = good;
      }
    }
    EXPECT_TRUE(solver->factorise(s));
  }
  MatrixSlot triangular = slot((Mat(2, 2) << 1, 1, 0, 1).finished());
  // klu uses the block triangular form, in which this entry never meets a pivot.
  *triangular.entry(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(make(triangular)->factorise(triangular));
}

TEST_P(EverySolver, CloneSolvesToTheSameBits) {
  MatrixSlot s = slot(random_matrix(15, 2, 0.5));
  const auto solver = make(s);
  ASSERT_TRUE(solver->factorise(s));
  const auto after_first = solver->clone();
  for (Index k = 0; k < s.stored(); ++k) s.values()[k] *= 1.0 + 0.01 * static_cast<double>(k);
  const Vec b = Vec::LinSpaced(15, 1, 2);
  Vec x(15), y(15);
  solver->solve(b, x);
  after_first->solve(b, y);
  EXPECT_EQ(x, y);
  ASSERT_TRUE(solver->factorise(s));
  solver->solve(b, x);
  solver->clone()->solve(b, y);
  EXPECT_EQ(x, y);
  after_first->solve(b, y);
  EXPECT_NE(x, y) << "a clone must not follow its original";
}

TEST_P(EverySolver, RefusesWhatDoesNotFit) {
  EXPECT_THROW(make(GetParam().sparse ? sparse_from(Mat::Ones(2, 3)) : MatrixSlot::dense(2, 3)), std::invalid_argument);
  const MatrixSlot two = slot(Mat::Identity(2, 2)), three = slot(Mat::Identity(3, 3));
  EXPECT_THROW(make(two)->factorise(three), std::logic_error);
}

TEST_P(EverySolver, EmptySystem) {
  const MatrixSlot s = slot(Mat(0, 0));
  const auto solver = make(s);
  EXPECT_TRUE(solver->factorise(s));
  Vec x(0);
  solver->solve(Vec(0), x);
}

TEST_P(EverySolver, DoesNotAllocateAfterTheFirstFactorisation) {
  if (GetParam().solver == "sparse_lu") GTEST_SKIP() << "Eigen's SparseLU allocates in every factorisation";
  for (const Index n : {4, 24, 150, 700}) {
    if (n > (GetParam().solver == "small_lu" ? 24 : 1000)) break;
    MatrixSlot s = slot(random_matrix(n, 5, n > 30 ? 0.02 : 0.5));
    const auto solver = make(s);
    ASSERT_TRUE(solver->factorise(s));
    const Vec b = Vec::Ones(n);
    Vec x(n);
    const AllocationGuard guard;
    for (int i = 0; i < 3; ++i) {
      for (Index k = 0; k < s.stored(); ++k) s.values()[k] *= 1.0 + 1e-3 * static_cast<double>(k % 3);
      ASSERT_TRUE(solver->factorise(s));
      solver->solve(b, x);
    }
    EXPECT_EQ(guard.count(), 0u) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(LinearSolver, EverySolver, testing::ValuesIn(all_cases()), [](const auto& info) {
  return info.param.solver + (info.param.sparse ? "_sparse" : "_dense");
});

TEST(LinearSolver, IsChosenBySizeAndKind) {
  EXPECT_EQ(make_linear_solver(MatrixSlot::dense(24, 24))->name(), "small_lu");
  EXPECT_EQ(make_linear_solver(MatrixSlot::dense(25, 25))->name(), "dense_lu");
  EXPECT_EQ(make_linear_solver(sparse_from(Mat::Identity(24, 24)))->name(), "small_lu");
  const std::string large_sparse = make_linear_solver(sparse_from(Mat::Identity(25, 25)))->name();
  EXPECT_TRUE(large_sparse == "klu" || large_sparse == "sparse_lu");
}

TEST(LinearSolver, RefusesUnknownNamesAndWrongKinds) {
  EXPECT_THROW(make_linear_solver("gauss", MatrixSlot::dense(2, 2)), std::invalid_argument);
  EXPECT_THROW(make_linear_solver("small_lu", MatrixSlot::dense(25, 25)), std::invalid_argument);
  EXPECT_THROW(make_linear_solver("sparse_lu", MatrixSlot::dense(2, 2)), std::invalid_argument);
  EXPECT_THROW(make_linear_solver("klu", MatrixSlot::dense(2, 2)), std::invalid_argument);
}

#if TRILL_HAVE_KLU
TEST(Klu, RefactorisationEqualsAFreshFactorisation) {
  const Index n = 60;
  MatrixSlot s = sparse_from(random_matrix(n, 21, 0.08) + 4.0 * Mat::Identity(n, n));
  const auto reused = make_linear_solver("klu", s);
  ASSERT_TRUE(reused->factorise(s));
  for (Index k = 0; k < s.stored(); ++k) s.values()[k] *= 1.0 + 0.02 * static_cast<double>(k % 7);
  ASSERT_TRUE(reused->factorise(s));
  const auto fresh = make_linear_solver("klu", s);
  ASSERT_TRUE(fresh->factorise(s));
  const Vec b = Vec::LinSpaced(n, 1, 2);
  Vec x(n), y(n);
  reused->solve(b, x);
  fresh->solve(b, y);
  EXPECT_LT((x - y).norm(), 1e-13 * y.norm());
}

TEST(Klu, ChoosesPivotsAnewWhenTheOldOnesFail) {
  // For the first matrix the pivots lie on the diagonal. In the other ones the diagonal is small, so that keeping
  // these pivots would lose digits.
  MatrixSlot s = sparse_from((Mat(3, 3) << 4, 1, 1, 1, 4, 1, 1, 1, 4).finished());
  const auto solver = make_linear_solver("klu", s);
  ASSERT_TRUE(solver->factorise(s));
  for (const double tiny : {1e-18, 1e-10}) {
    const auto reused = solver->clone();
    const Mat hard = (Mat(3, 3) << tiny, 1, 2, 3, tiny, 1, 1, 2, tiny).finished();
    std::copy_n(hard.data(), 9, s.values());
    ASSERT_TRUE(reused->factorise(s));
    const Vec b = Vec::LinSpaced(3, 1, 2);
    Vec x(3);
    reused->solve(b, x);
    EXPECT_LT(backward_error(hard, x, b), 1e-15);
  }
}
#endif
}  // namespace trill
