// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace trill {
namespace {
EigenPairs lowest(const SpMat& k, const SpMat& m, Index count) { return lowest_modes(k, m, {.count = count}).pairs; }
EigenPairs highest(const SpMat& k, const SpMat& m, Index count) { return highest_modes(k, m, {.count = count}).pairs; }

// n masses between n + 1 unit springs, with both ends fixed: lambda_k = 4 sin^2(k pi / (2 (n + 1))) / mass.
SpMat fixed_chain(Index n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2.0);
    if (i > 0) entries.emplace_back(i, i - 1, -1.0);
    if (i + 1 < n) entries.emplace_back(i, i + 1, -1.0);
  }
  SpMat k(n, n);
  k.setFromTriplets(entries.begin(), entries.end());
  return k;
}

SpMat free_chain(Index n) {
  SpMat k = fixed_chain(n);
  k.coeffRef(0, 0) = 1.0;
  k.coeffRef(n - 1, n - 1) = 1.0;
  return k;
}

SpMat masses(Index n, double mass) {
  SpMat m(n, n);
  m.setIdentity();
  return m * mass;
}

double fixed_chain_value(Index n, Index k, double mass) {
  const double s = std::sin(static_cast<double>(k) * std::numbers::pi / (2.0 * static_cast<double>(n + 1)));
  return 4.0 * s * s / mass;
}

// A block-diagonal matrix with several copies of the same matrix, so that every eigenvalue is multiple.
SpMat copies(const SpMat& a, Index times) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index c = 0; c < times; ++c)
    for (Index j = 0; j < a.cols(); ++j)
      for (SpMat::InnerIterator it(a, j); it; ++it)
        entries.emplace_back(c * a.rows() + it.row(), c * a.cols() + j, it.value());
  SpMat all(times * a.rows(), times * a.cols());
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}

void expect_pairs(const SpMat& k, const SpMat& m, const EigenPairs& pairs) {
  ASSERT_TRUE(pairs.converged) << pairs.message;
  ASSERT_EQ(pairs.vectors.cols(), pairs.values.size());
  const Mat gram = pairs.vectors.transpose() * (m * pairs.vectors);
  EXPECT_LT((gram - Mat::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-8);
  const Mat residual = k * pairs.vectors - m * pairs.vectors * pairs.values.asDiagonal();
  EXPECT_LT(residual.cwiseAbs().maxCoeff(), 1e-9 * (1.0 + k.norm()));
  EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end()));
}
}  // namespace

TEST(Eigenpairs, GeneralMatrixHasComplexValues) {
  const Mat rotation_and_decay = (Mat(3, 3) << 0, -2, 0, 2, 0, 0, 0, 0, -7).finished();
  Eigenvalues result = eigenvalues(rotation_and_decay);
  ASSERT_TRUE(result.converged);
  std::sort(result.values.begin(), result.values.end(), [](auto a, auto b) { return a.imag() < b.imag(); });
  EXPECT_NEAR(std::abs(result.values[0] - std::complex<double>(0, -2)), 0.0, 1e-14);
  EXPECT_NEAR(std::abs(result.values[1] - std::complex<double>(-7, 0)), 0.0, 1e-14);
  EXPECT_NEAR(std::abs(result.values[2] - std::complex<double>(0, 2)), 0.0, 1e-14);
}

TEST(Eigenpairs, DensePencil) {
  const Index n = 12;
  const EigenPairs pairs = symmetric_eigenpairs(Mat(fixed_chain(n)), Mat(masses(n, 2.5)));
  expect_pairs(fixed_chain(n), masses(n, 2.5), pairs);
  ASSERT_EQ(pairs.values.size(), n);
  for (Index k = 1; k <= n; ++k) EXPECT_NEAR(pairs.values[k - 1], fixed_chain_value(n, k, 2.5), 1e-13);
}

TEST(Eigenpairs, SmallestAndLargestOfASparsePencil) {
  for (const Index n : {10, 500, 2000}) {  // 10 is solved densely, 2000 is too large to fall back on a dense solver
    const SpMat k = fixed_chain(n), m = masses(n, 0.5);
    const EigenPairs low = lowest(k, m, 4), high = highest(k, m, 4);
    expect_pairs(k, m, low);
    expect_pairs(k, m, high);
    ASSERT_EQ(low.values.size(), 4);
    ASSERT_EQ(high.values.size(), 4);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(low.values[i] / fixed_chain_value(n, i + 1, 0.5), 1.0, 1e-8);
      EXPECT_NEAR(high.values[i] / fixed_chain_value(n, n - 3 + i, 0.5), 1.0, 1e-10);
    }
  }
}

TEST(Eigenpairs, ConsistentMassMatrix) {
  const Index n = 300;  // linear elements: lambda = 6 (1 - c) / (2 + c), c = cos(k pi / (n + 1))
  SpMat m = -1.0 * fixed_chain(n);
  for (Index i = 0; i < n; ++i) m.coeffRef(i, i) = 4.0;
  const EigenPairs low = lowest(fixed_chain(n), m, 3), high = highest(fixed_chain(n), m, 3);
  expect_pairs(fixed_chain(n), m, low);
  expect_pairs(fixed_chain(n), m, high);
  const auto exact = [&](Index k) {
    const double c = std::cos(static_cast<double>(k) * std::numbers::pi / static_cast<double>(n + 1));
    return (2.0 - 2.0 * c) / (4.0 + 2.0 * c);
  };
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(low.values[i] / exact(i + 1), 1.0, 1e-8);
    EXPECT_NEAR(high.values[i] / exact(n - 2 + i), 1.0, 1e-9);
  }
}

TEST(Eigenpairs, FreeBodyHasAZeroMode) {
  const Index n = 1600;
  const EigenPairs low = lowest(free_chain(n), masses(n, 1.0), 3);
  expect_pairs(free_chain(n), masses(n, 1.0), low);
  ASSERT_EQ(low.values.size(), 3);
  EXPECT_NEAR(low.values[0], 0.0, 1e-12);
  for (Index k = 1; k < 3; ++k) {
    const double s = std::sin(static_cast<double>(k) * std::numbers::pi / (2.0 * n));
    EXPECT_NEAR(low.values[k] / (4 * s * s), 1.0, 1e-6);
  }
}

TEST(Eigenpairs, MultipleValuesAreAllFound) {
  const Index n = 400;  // all copies together are too large to fall back on a dense solver
  const SpMat k = copies(fixed_chain(n), 4), m = copies(masses(n, 1.0), 4);
  const EigenPairs low = lowest(k, m, 6), high = highest(k, m, 6);
  expect_pairs(k, m, low);
  expect_pairs(k, m, high);
  ASSERT_EQ(low.values.size(), 6);
  ASSERT_EQ(high.values.size(), 6);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(low.values[i], fixed_chain_value(n, i / 4 + 1, 1.0), 1e-10) << i;
    EXPECT_NEAR(high.values[5 - i], fixed_chain_value(n, n - i / 4, 1.0), 1e-10) << i;
  }
}

TEST(Eigenpairs, SixRigidBodyModes) {
  const SpMat k = copies(free_chain(300), 6), m = copies(masses(300, 2.0), 6);
  const EigenPairs low = lowest(k, m, 7);
  expect_pairs(k, m, low);
  ASSERT_EQ(low.values.size(), 7);
  EXPECT_LT(low.values.head(6).cwiseAbs().maxCoeff(), 1e-12);
  const double s = std::sin(std::numbers::pi / 600.0);
  EXPECT_NEAR(low.values[6] / (2 * s * s), 1.0, 1e-6);
}

TEST(Eigenpairs, WideSpectrum) {
  const Index n = 2000;  // from 1 to 1e12: soft and stiff parts of one structure
  SpMat k(n, n);
  for (Index i = 0; i < n; ++i) k.insert(i, i) = std::pow(10.0, 12.0 * static_cast<double>(i) / (n - 1));
  const EigenPairs low = lowest(k, masses(n, 1.0), 3), high = highest(k, masses(n, 1.0), 2);
  ASSERT_TRUE(low.converged) << low.message;
  ASSERT_TRUE(high.converged) << high.message;
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(low.values[i] / k.coeff(i, i), 1.0, 1e-9);
  EXPECT_NEAR(high.values[1] / 1e12, 1.0, 1e-12);
}

TEST(Eigenpairs, IndefiniteStiffnessIsTold) {
  const Index n = 2000;
  SpMat k = fixed_chain(n);
  k.coeffRef(7, 7) = -3.0;
  EXPECT_FALSE(lowest(k, masses(n, 1.0), 3).converged);
  const EigenPairs high = highest(k, masses(n, 1.0), 1);
  EXPECT_TRUE(high.converged) << high.message;
}

TEST(Eigenpairs, FailuresAreToldNotThrown) {
  const Index n = 100;
  SpMat indefinite_mass = masses(n, 1.0);
  indefinite_mass.coeffRef(3, 3) = -1.0;
  const EigenPairs high = highest(fixed_chain(n), indefinite_mass, 2);
  EXPECT_FALSE(high.converged);
  EXPECT_FALSE(high.message.empty());
  EXPECT_EQ(high.values.size(), 0);
  const EigenPairs dense = symmetric_eigenpairs(Mat::Identity(2, 2), -Mat::Identity(2, 2));
  EXPECT_FALSE(dense.converged);
  EXPECT_FALSE(dense.message.empty());

  Mat broken = Mat::Identity(3, 3);
  broken(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(eigenvalues(broken).converged);
  EXPECT_FALSE(symmetric_eigenpairs(broken, Mat::Identity(3, 3)).converged);
  SpMat bad = fixed_chain(n);
  bad.coeffRef(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(lowest(bad, masses(n, 1.0), 2).converged);
}

TEST(Eigenpairs, MisuseThrows) {
  EXPECT_THROW(eigenvalues(Mat::Zero(2, 3)), std::invalid_argument);
  EXPECT_THROW(symmetric_eigenpairs(Mat::Zero(2, 2), Mat::Zero(3, 3)), std::invalid_argument);
  EXPECT_THROW(lowest(fixed_chain(5), masses(5, 1.0), 0), std::invalid_argument);
  EXPECT_THROW(highest(fixed_chain(5), masses(5, 1.0), 6), std::invalid_argument);
}

TEST(Eigenpairs, EmptyMatrix) {
  EXPECT_TRUE(eigenvalues(Mat(0, 0)).converged);
  EXPECT_TRUE(symmetric_eigenpairs(Mat(0, 0), Mat(0, 0)).converged);
}
}  // namespace trill
