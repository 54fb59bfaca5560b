// SPDX-License-Identifier: BSD-3-Clause
// Bounds of reduced structures: random loads, outputs, damping and initial states. The exact motion is that of all
// modes, by a dense eigenvalue decomposition.
#include "multiscale/ritz_reduction.hpp"
#include "support/test_structure.hpp"

#include <algorithm>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace {
using namespace trill;
using testing_structures::GivenStructure;
using testing_structures::RandomStructures;

struct AllModes {
  ModalSystem system;
  Mat shapes;
  Vec x, v;
};

AllModes all_modes(const GivenStructure& s) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Mat> eigen{Mat(s.k), Mat(s.m)};
  AllModes all;
  all.shapes = eigen.eigenvectors();
  all.system.lambda = eigen.eigenvalues();
  all.system.damping = Vec::Constant(s.m.rows(), s.share->mass) + s.share->stiffness * all.system.lambda;
  all.system.loads = all.shapes.transpose() * s.shapes;
  all.x = all.shapes.transpose() * (s.m * s.u0);
  all.v = all.shapes.transpose() * (s.m * s.v0);
  return all;
}

TEST(RitzBounds, HoldInAThousandRandomCases) {
  RandomStructures random(2026);
  const double t_end = 6;
  constexpr int steps = 60;
  int held = 0, complete = 0;
  std::vector<double> ratios;
  for (int n = 0; n < 1000; ++n) {
    const GivenStructure s = random.structure();
    const Vec weights = random.vector(s.m.rows());
    const Reduction reduced = reduce({s,
                                      s.initial_state(),
                                      t_end,
                                      std::pow(10, random.uniform(-6, -1)),
                                      {{"y", weights}},
                                      static_cast<Index>(random.uniform(4, 20))});
    ASSERT_TRUE(reduced.proved);
    AllModes all = all_modes(s);
    ModalMotion exact(all.system, s), motion(reduced.system, s);
    Vec x = reduced.x0, v = reduced.v0;
    double error = 0, size = 0;
    for (int i = 0; i <= steps; ++i) {
      const double y = weights.dot(all.shapes * all.x), y_reduced = weights.dot(reduced.shapes * x);
      error = std::max(error, std::abs(y - y_reduced));
      size = std::max(size, std::abs(y));
      exact.advance(t_end * i / steps, t_end / steps, all.x, all.v);
      motion.advance(t_end * i / steps, t_end / steps, x, v);
    }
    const double bound = reduced.outputs[0].bound;
    held += error <= bound + 1e-9 * size;
    complete += reduced.complete;
    EXPECT_LE(error, bound + 1e-9 * size) << "case " << n << " with " << reduced.system.size() << " vectors";
    if (error > 1e-9 * size) ratios.push_back(bound / error);
  }
  EXPECT_EQ(held, 1000);
  ASSERT_GT(ratios.size(), 300u);
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  RecordProperty("median_bound_over_error", std::to_string(ratios[ratios.size() / 2]));
  RecordProperty("complete", complete);
  EXPECT_LT(ratios[ratios.size() / 2], 100);
}
}  // namespace
