// SPDX-License-Identifier: BSD-3-Clause
// Bounds for reduced structures with random loads, outputs, damping and initial states. The exact motion is the sum of
// all modes, from a dense eigenvalue decomposition.
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

struct Trial {
  double error = 0, size = 0, bound = 0;
  bool proved = false, complete = false;
  bool holds() const { return error <= bound + 1e-9 * size; }
};

Trial reduced_and_exact(const GivenStructure& s, const Vec& weights, const ReductionTask& task) {
  constexpr int steps = 60;
  const Reduction reduced = reduce(task);
  AllModes all = all_modes(s);
  ModalMotion exact(all.system, s), motion(reduced.system, s);
  Vec x = reduced.x0, v = reduced.v0;
  Trial trial{.bound = reduced.outputs[0].bound, .proved = reduced.proved, .complete = reduced.complete};
  for (int i = 0; i <= steps; ++i) {
    const double y = weights.dot(all.shapes * all.x), y_reduced = weights.dot(reduced.shapes * x);
    trial.error = std::max(trial.error, std::abs(y - y_reduced));
    trial.size = std::max(trial.size, std::abs(y));
    exact.advance(task.t_end * i / steps, task.t_end / steps, all.x, all.v);
    motion.advance(task.t_end * i / steps, task.t_end / steps, x, v);
  }
  return trial;
}

TEST(RitzBounds, HoldInAThousandRandomCases) {
  RandomStructures random(2026);
  int held = 0, complete = 0;
  std::vector<double> ratios;
  for (int n = 0; n < 1000; ++n) {
    const GivenStructure s = random.structure();
    const Vec weights = random.vector(s.m.rows());
    const double tolerance = std::pow(10, random.uniform(-6, -1));
    const Trial trial = reduced_and_exact(
        s, weights, {s, s.initial_state(), 6, tolerance, {{"y", weights}}, static_cast<Index>(random.uniform(4, 20))});
    ASSERT_TRUE(trial.proved);
    held += trial.holds();
    complete += trial.complete;
    EXPECT_TRUE(trial.holds()) << "case " << n << ": error " << trial.error << ", bound " << trial.bound;
    if (trial.error > 1e-9 * trial.size) ratios.push_back(trial.bound / trial.error);
  }
  EXPECT_EQ(held, 1000);
  ASSERT_GT(ratios.size(), 300u);
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  RecordProperty("median_bound_over_error", std::to_string(ratios[ratios.size() / 2]));
  RecordProperty("complete", complete);
  EXPECT_LT(ratios[ratios.size() / 2], 100);
}

// An estimate may be wrong, but only rarely. The structures are finer here, so that not all vectors are needed.
TEST(RitzBounds, ChangesOfOutputsAreGoodEstimates) {
  RandomStructures random(2027);
  int held = 0, judged = 0;
  double worst = 0;
  for (int n = 0; n < 900; ++n) {
    const GivenStructure s = random.structure();
    const Vec weights = random.vector(s.m.rows());
    const Trial trial = reduced_and_exact(s, weights,
                                          {.structure = s,
                                           .start = s.initial_state(),
                                           .t_end = 6,
                                           .tolerance = std::pow(10, random.uniform(-5, -1)),
                                           .targets = {{"y", weights}},
                                           .solves_for_bound = 0});
    if (trial.complete || trial.proved) continue;
    ++judged;
    held += trial.holds();
    if (!trial.holds()) worst = std::max(worst, trial.error / trial.bound);
  }
  RecordProperty("judged", judged);
  RecordProperty("held", held);
  RecordProperty("worst_error_over_estimate", std::to_string(worst));
  ASSERT_GT(judged, 50);
  EXPECT_GE(held, 0.95 * judged);
  EXPECT_LT(worst, 3);
}
}  // namespace
