// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/block_lanczos.hpp"
#include "linalg/modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace trill {
namespace {
// A square membrane of n x n points with the five-point Laplacian. Eigenvalues with two different wave numbers are
// double.
SpMat square_membrane(Index n) {
  std::vector<Eigen::Triplet<double>> entries;
  const double scale = static_cast<double>((n + 1) * (n + 1));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index at = i * n + j;
      entries.emplace_back(at, at, 4 * scale);
      if (i > 0) entries.emplace_back(at, at - n, -scale), entries.emplace_back(at - n, at, -scale);
      if (j > 0) entries.emplace_back(at, at - 1, -scale), entries.emplace_back(at - 1, at, -scale);
    }
  SpMat k(n * n, n * n);
  k.setFromTriplets(entries.begin(), entries.end());
  return k;
}

std::vector<double> membrane_values(Index n) {
  const auto part = [&](Index wave) {
    const double s = std::sin(static_cast<double>(wave) * std::numbers::pi / (2.0 * static_cast<double>(n + 1)));
    return 4 * static_cast<double>((n + 1) * (n + 1)) * s * s;
  };
  std::vector<double> values;
  for (Index a = 1; a <= n; ++a)
    for (Index b = 1; b <= n; ++b) values.push_back(part(a) + part(b));
  std::sort(values.begin(), values.end());
  return values;
}

SpMat unit_mass(Index n) {
  SpMat m(n, n);
  m.setIdentity();
  return m;
}

SpMat side_by_side(const SpMat& a, Index times) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index c = 0; c < times; ++c)
    for (Index j = 0; j < a.cols(); ++j)
      for (SpMat::InnerIterator it(a, j); it; ++it)
        entries.emplace_back(c * a.rows() + it.row(), c * a.cols() + j, it.value());
  SpMat all(times * a.rows(), times * a.cols());
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}
}  // namespace

TEST(Modes, MembraneHasItsDoubleFrequencies) {
  const Index n = 30;
  const std::vector<double> exact = membrane_values(n);
  for (const CountCheck check : {CountCheck::deflation, CountCheck::inertia}) {
    const Modes modes = lowest_modes(square_membrane(n), unit_mass(n * n), {.count = 20, .check = check});
    ASSERT_TRUE(modes.pairs.converged) << modes.pairs.message;
    for (Index i = 0; i < 20; ++i)
      EXPECT_NEAR(modes.pairs.values[i] / exact[static_cast<std::size_t>(i)], 1, 1e-11) << i;
    EXPECT_LE(modes.solves, 110);
    EXPECT_EQ(modes.factorisations, check == CountCheck::inertia ? 2 : 1);
  }
}

// A start vector that is the same in all copies would never lead out of this symmetry. Random vectors find as many
// copies as a block has columns, and the check must find the others.
TEST(Modes, CheckFindsCopiesThatTheIterationMisses) {
  const Index n = 9, copies = 5;
  const SpMat k = side_by_side(square_membrane(n), copies), m = unit_mass(copies * n * n);
  const double lowest = membrane_values(n).front();
  for (const CountCheck check : {CountCheck::deflation, CountCheck::inertia}) {
    const Modes modes = lowest_modes(k, m, {.count = 5, .block = 1, .check = check});
    ASSERT_TRUE(modes.pairs.converged) << modes.pairs.message;
    for (Index i = 0; i < copies; ++i) EXPECT_NEAR(modes.pairs.values[i] / lowest, 1, 1e-10) << i;
    EXPECT_GT(modes.found_by_check, 0);
  }
}

TEST(Modes, UncertaintyTellsWhatRoundingInTheStiffnessDoes) {
  const Index n = 40;
  const SpMat k = square_membrane(n), plate = k * k;
  const Modes modes = lowest_modes(plate, unit_mass(n * n), {.count = 3});
  ASSERT_TRUE(modes.pairs.converged) << modes.pairs.message;
  const std::vector<double> exact = membrane_values(n);
  for (Index i = 0; i < 3; ++i) {
    const double error = std::abs(modes.pairs.values[i] / std::pow(exact[static_cast<std::size_t>(i)], 2) - 1);
    EXPECT_LE(error, modes.uncertainty[i]) << i;
    EXPECT_LT(modes.uncertainty[i], 1e-8);
    EXPECT_FALSE(modes.is_rigid(i));
  }
}

TEST(Modes, RigidBodyIsRecognised) {
  const Index n = 200;
  SpMat k(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i)
    for (const auto& [row, column, value] :
         {std::tuple{i, i, 1.0}, {i + 1, i + 1, 1.0}, {i, i + 1, -1.0}, {i + 1, i, -1.0}})
      entries.emplace_back(row, column, value);
  k.setFromTriplets(entries.begin(), entries.end());
  const Modes modes = lowest_modes(k, unit_mass(n), {.count = 2});
  ASSERT_TRUE(modes.pairs.converged) << modes.pairs.message;
  EXPECT_TRUE(modes.is_rigid(0));
  EXPECT_FALSE(modes.is_rigid(1));
  EXPECT_LT(modes.shift, 0);
}

TEST(Modes, AllModesOfASmallBlockOfVectors) {
  const Index n = 9;
  const SpMat k = square_membrane(n), m = unit_mass(n * n);
  WholeSpace space(k, m);
  space.factorise(0);
  const ShiftedInverse inverse(space, 0);
  const Mat nothing;
  BlockLanczos iteration(inverse, nothing, 2, 1);
  while (iteration.extend()) {
  }
  ASSERT_TRUE(iteration.solve_projected());
  EXPECT_EQ(iteration.size(), n * n - 1);  // blocks of two columns cannot fill an odd number
  EXPECT_NEAR(1 / iteration.value(0) / membrane_values(n).front(), 1, 1e-12);
  const Mat vectors = iteration.vectors(10);
  EXPECT_LT((vectors.transpose() * vectors - Mat::Identity(10, 10)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SparseCholesky, ManyRightHandSidesGiveWhatEachGivesAlone) {
  const SpMat k = square_membrane(12);
  const SparseCholesky factors(k);
  for (const Index sides : {1, 2, 3, 8, 11, 16}) {
    Mat b(k.rows(), sides);
    for (Index i = 0; i < b.size(); ++i) b.data()[i] = std::sin(static_cast<double>(i * i + 1));
    const Mat x = factors.solve(b);
    EXPECT_LT((k * x - b).cwiseAbs().maxCoeff(), 1e-11) << sides;
    for (Index c = 0; c < sides; ++c)
      EXPECT_LT((x.col(c) - factors.solve(Vec(b.col(c)))).cwiseAbs().maxCoeff(), 1e-14) << sides;
  }
}
}  // namespace trill
