// SPDX-License-Identifier: BSD-3-Clause
// Complex systems whose pattern comes from a real matrix are compared with Eigen's full pivoting; singular matrices
// are recognised.
#include "linalg/complex_solver.hpp"

#include <random>

#include <gtest/gtest.h>

namespace {
using namespace trill;

struct System {
  MatrixSlot pattern;
  std::vector<Complex> values;
  Eigen::MatrixXcd whole;
};

// A saddle point matrix with zeros in its last block: elimination needs exchanges of rows.
System saddle(Index n, Index m, bool sparse, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  System s;
  s.whole = Eigen::MatrixXcd::Zero(n + m, n + m);
  const auto number = [&] { return Complex(normal(random), normal(random)); };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (!sparse || std::abs(i - j) <= 2) s.whole(i, j) = number() + (i == j ? 3.0 : 0.0);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      if (!sparse || (j >= i && j <= i + 2)) s.whole(n + i, j) = s.whole(j, n + i) = number();
  if (sparse) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index j = 0; j < n + m; ++j)
      for (Index i = 0; i < n + m; ++i)
        if (s.whole(i, j) != 0.0 || i == j) entries.emplace_back(i, j, 1.0);
    SpMat places(n + m, n + m);
    places.setFromTriplets(entries.begin(), entries.end());
    s.pattern = MatrixSlot::sparse(places);
    for (Index j = 0; j < n + m; ++j)
      for (SpMat::InnerIterator it(s.pattern.as_sparse(), j); it; ++it) s.values.push_back(s.whole(it.row(), j));
  } else {
    s.pattern = MatrixSlot::dense(n + m, n + m);
    s.values.assign(s.whole.data(), s.whole.data() + s.whole.size());
  }
  return s;
}

class ComplexSystems : public testing::TestWithParam<std::tuple<Index, Index, bool>> {};

TEST_P(ComplexSystems, AreSolved) {
  const auto [n, m, sparse] = GetParam();
  const auto solver = make_complex_solver(saddle(n, m, sparse, 1).pattern);
  for (unsigned seed = 1; seed < 6; ++seed) {  // the same solver is used several times
    const System s = saddle(n, m, sparse, seed);
    ASSERT_TRUE(solver->factorise(s.values.data()));
    Eigen::VectorXcd x = Eigen::VectorXcd::Random(n + m);
    const Eigen::VectorXcd expected = s.whole.fullPivLu().solve(x);
    solver->solve(x.data());
    EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm());
  }
}

TEST_P(ComplexSystems, WithAnEmptyRowAreRefused) {
  const auto [n, m, sparse] = GetParam();
  System s = saddle(n, m, sparse, 3);
  const auto solver = make_complex_solver(s.pattern);
  std::size_t k = 0;
  for (Index j = 0; j < n + m; ++j)
    for (Index i = 0; i < n + m; ++i) {
      if (sparse && s.whole(i, j) == 0.0 && i != j) continue;
      if (i == n) s.values[k] = 0;
      ++k;
    }
  EXPECT_FALSE(solver->factorise(s.values.data()));
  s.values[0] = std::nan("");
  EXPECT_FALSE(solver->factorise(s.values.data()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ComplexSystems,
                         testing::Values(std::tuple{Index{2}, Index{1}, false}, std::tuple{Index{15}, Index{8}, false},
                                         std::tuple{Index{40}, Index{12}, false}, std::tuple{Index{12}, Index{6}, true},
                                         std::tuple{Index{200}, Index{90}, true}));
}  // namespace
