// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/component_modes.hpp"
#include "trill/base/errors.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
struct Part {
  SpMat k, m;
};

// Hermite elements of a free Euler-Bernoulli beam with unit stiffness and mass: deflection and slope at each node.
Part free_beam(Index elements, double l) {
  Eigen::Matrix4d k, m;
  k << 12, 6 * l, -12, 6 * l, 6 * l, 4 * l * l, -6 * l, 2 * l * l, -12, -6 * l, 12, -6 * l, 6 * l, 2 * l * l, -6 * l,
      4 * l * l;
  m << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l, -13 * l, -3 * l * l,
      -22 * l, 4 * l * l;
  k /= l * l * l;
  m *= l / 420;
  Mat ka = Mat::Zero(2 * elements + 2, 2 * elements + 2), ma = ka;
  for (Index e = 0; e < elements; ++e) {
    ka.block<4, 4>(2 * e, 2 * e) += k;
    ma.block<4, 4>(2 * e, 2 * e) += m;
  }
  return {ka.sparseView(), ma.sparseView()};
}

Part without_first(const Part& part, Index count) {
  std::vector<Index> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), Index{0});
  const std::vector<Index> rest = all_but(part.k.rows(), first);
  return {picked(part.k, rest, rest), picked(part.m, rest, rest)};
}

Vec frequencies(const Mat& basis, const Part& part) { return modes_in(basis, part.k, part.m).values.cwiseSqrt(); }

// Relative errors of the frequencies of a cantilever of 24 + 16 elements whose two parts are reduced and joined,
// compared with those of the full model.
template <class Reduce>
Vec errors_of_joined_beams(Reduce reduce) {
  const Part whole = without_first(free_beam(40, 1.0 / 40), 2), root = without_first(free_beam(24, 1.0 / 40), 2),
             end = free_beam(16, 1.0 / 40);
  const ComponentBasis a = reduce(root, std::vector<Index>{46, 47}), b = reduce(end, std::vector<Index>{0, 1});
  const Index inner_a = a.vectors.cols() - 2, inner_b = b.vectors.cols() - 2;
  Mat joined = Mat::Zero(80, 2 + inner_a + inner_b);
  joined.topRows(48).leftCols(2 + inner_a) = a.vectors;
  joined.bottomRows(32).leftCols(2) = b.vectors.bottomRows(32).leftCols(2);
  joined.bottomRows(32).rightCols(inner_b) = b.vectors.bottomRows(32).rightCols(inner_b);
  return frequencies(joined, whole).head(5).cwiseQuotient(frequencies(Mat::Identity(80, 80), whole).head(5)).array() -
         1;
}

void expect_near(const Vec& errors, std::initializer_list<double> expected, double floor) {
  Index i = 0;
  for (const double e : expected) {
    EXPECT_LE(std::abs(errors[i]), 2 * std::abs(e) + floor) << i;
    EXPECT_GE(std::abs(errors[i]), 0.5 * std::abs(e) - floor) << i;
    ++i;
  }
}

// The expected errors are from an independent computation in Python.
TEST(ComponentModes, CraigAndBampton) {
  const auto errors = [](Index modes) {
    return errors_of_joined_beams([modes](const Part& part, const std::vector<Index>& boundary) {
      return craig_bampton(part.k, part.m, boundary, modes);
    });
  };
  expect_near(errors(2), {2.298e-6, 1.579e-4, 8.43e-4, 3.6e-3, 2.865e-2}, 2e-9);
  expect_near(errors(4), {1.323e-7, 1.032e-5, 3.83e-5, 1.774e-4, 1.0495e-3}, 2e-9);
  expect_near(errors(8), {5.64e-9, 4.792e-7, 1.855e-6, 6.654e-6, 4.881e-5}, 2e-9);
  EXPECT_GT(errors(8).minCoeff(), -2e-9) << "frequencies come from above";
}

TEST(ComponentModes, Rubin) {
  const auto errors = [](Index modes) {
    return errors_of_joined_beams([modes](const Part& part, const std::vector<Index>& boundary) {
      const Index rigid = part.k.rows() == 34 ? 2 : 0;
      const ComponentBasis basis = rubin(part.k, part.m, boundary, modes);
      EXPECT_EQ(basis.rigid, rigid);
      EXPECT_LT((basis.vectors(boundary, Eigen::all).leftCols(2) - Mat::Identity(2, 2)).norm(), 1e-9);
      EXPECT_LT(basis.vectors(boundary, Eigen::all).rightCols(rigid + modes).norm(), 1e-9);
      return basis;
    });
  };
  expect_near(errors(2), {0, 1.365e-6, 6.18e-6, 7.317e-3, 8.76e-2}, 3e-9);
  expect_near(errors(4), {0, 5.0e-9, 6.63e-8, 4.064e-6, 3.394e-5}, 3e-9);
  expect_near(errors(8), {0, 0, 0, 5.1e-9, 6.91e-8}, 3e-9);
}

TEST(ComponentModes, APartThatMovesFreelyIsRefused) {
  const Part beam = free_beam(4, 0.25);
  EXPECT_THROW(craig_bampton(beam.k, beam.m, {0}, 2), UsageError);
  EXPECT_NO_THROW(craig_bampton(beam.k, beam.m, {0, 8}, 2));
}
}  // namespace
}  // namespace trill::test
