// SPDX-License-Identifier: BSD-3-Clause
// What runs of structures say about themselves: growth, bounds and estimates, the tolerance for an accuracy; and the
// exponentials that move coupled oscillators.
#include "linalg/exponential_ladder.hpp"
#include "linalg/oscillator_response.hpp"
#include "multiscale/ritz_reduction.hpp"
#include "multiscale/structure_checks.hpp"
#include "problem/generated_structure.hpp"
#include "support/mentions.hpp"
#include "support/test_structure.hpp"
#include "trill/driver/plan.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using testing_structures::GivenStructure;

GivenStructure pushed(const std::string& shape, const std::map<std::string, double>& numbers, const std::string& load) {
  const GeneratedStructure made = generate_structure(shape, numbers);
  GivenStructure s;
  s.m = made.mass;
  s.k = made.stiffness;
  s.c = SpMat(s.m.rows(), s.m.rows());
  s.u0 = s.v0 = Vec::Zero(s.m.rows());
  s.shapes = made.vectors.at(load);
  s.factors = {[](double) { return 1.0; }};
  return s;
}

RunPlan plan_of(const char* method, double to = 0.01) {
  RunPlan plan;
  plan.method = method;
  plan.to = to;
  return plan;
}

std::string warned(const GivenStructure& s, const char* method, const char* code) {
  const Solution run = prepare(plan_of(method), std::make_unique<GivenStructure>(s)).run();
  EXPECT_TRUE(run.ok()) << method << ": " << run.outcome.message;
  for (const Notice& notice : run.outcome.notices)
    if (notice.code == code) return notice.text;
  return "";
}

// An axial force of twice the critical one: the first eigenvalue of K is negative, the others are not.
TEST(BucklingStructures, AreNamedByEveryMethodThatRunsThem) {
  const GivenStructure held = pushed("beam", {{"elements", 6}}, "tip");
  GivenStructure s = held;
  s.k = held.k - 30 * held.m;  // between the first two frequencies squared
  for (const char* method : {"radau", "generalized_alpha", "dop853", "soar", "krylov"}) {
    EXPECT_THAT(warned(s, method, "buckling"), tells({"", "indefinite", "1 of its 12 eigenvalues is", "grows"}))
        << method;
    EXPECT_EQ(warned(held, method, "buckling"), "") << method;
  }
}

TEST(DampingThatDrives, IsNamed) {
  GivenStructure s = pushed("beam", {{"elements", 6}}, "tip");
  s.c.coeffRef(10, 10) = -0.5;
  s.share.reset();
  for (const char* method : {"radau", "ritz", "soar"})
    EXPECT_THAT(warned(s, method, "driving_damping"), tells({"", "adds energy", "entry 11", "-0.5"})) << method;
  s.c.coeffRef(10, 10) = 0.5;
  EXPECT_EQ(warned(s, "radau", "driving_damping"), "");
}

// A membrane that a load hits everywhere: its bound takes many more vectors than its answer.
TEST(Estimates, StandForBoundsThatTakeTooManySolves) {
  const GivenStructure s = pushed("membrane", {{"points", 24}}, "uniform");
  const Vec centre = Vec::Unit(s.m.rows(), 24 * 12 + 12);
  const auto reduced = [&](double tolerance, Index solves_for_bound) {
    return reduce({.structure = s,
                   .start = s.initial_state(),
                   .t_end = 2,
                   .tolerance = tolerance,
                   .targets = {{"centre", centre}},
                   .solves_for_bound = solves_for_bound});
  };
  constexpr double tolerance = 3e-3;
  const Index never = std::numeric_limits<Index>::max();
  const Reduction bound = reduced(tolerance, never), either = reduced(tolerance, solves_before_estimates);
  EXPECT_TRUE(bound.reached && bound.proved);
  EXPECT_EQ(bound.unmet_bound, 0);
  ASSERT_GT(bound.solves, 1.5 * static_cast<double>(solves_before_estimates));
  EXPECT_TRUE(either.reached);
  EXPECT_FALSE(either.proved) << "a number that is not proved must not be called a bound";
  EXPECT_GT(either.unmet_bound, tolerance);
  EXPECT_GE(either.solves, solves_before_estimates);
  EXPECT_LT(either.solves, bound.solves);
  EXPECT_LE(either.outputs[0].relative(), tolerance);

  const auto end = [&](const Reduction& r) {
    Vec x = r.x0, v = r.v0;
    ModalMotion(r.system, s).advance(0, 2, x, v);
    return centre.dot(r.shapes * x);
  };
  EXPECT_NEAR(end(either), end(reduced(1e-5, never)), tolerance * either.outputs[0].range);

  // Where few solves prove the bound, it stays one.
  const Reduction coarse = reduced(0.1, solves_before_estimates);
  EXPECT_LT(coarse.solves, solves_before_estimates);
  EXPECT_TRUE(coarse.reached && coarse.proved);
}

TEST(Reductions, TakeTheirToleranceFromTheAccuracyAskedFor) {
  const GivenStructure s = pushed("beam", {{"elements", 6}}, "tip");
  for (const char* method : {"ritz", "soar", "chebyshev"}) {
    RunPlan plan = plan_of(method, 1);
    plan.accuracy = 1e-2;
    plan.of = {"u11"};
    const PreparedRun run = prepare(plan, std::make_unique<GivenStructure>(s));
    ASSERT_TRUE(run.plan.rtol) << method;
    EXPECT_NEAR(*run.plan.rtol, 3e-3, 1e-15) << method;
    plan.rtol = 1e-5;
    EXPECT_EQ(*prepare(plan, std::make_unique<GivenStructure>(s)).plan.rtol, 1e-5) << method;
  }
}

// A matrix of all entries would have 2.9 terabytes, and the advice makes every method before it judges it.
TEST(LargeStructures, LeaveDenseMatricesToMethodsThatNeedThem) {
  constexpr Index n = 300'000;
  GivenStructure s;
  s.m = SpMat(n, n);
  s.m.setIdentity();
  s.k = 2 * s.m;
  s.c = SpMat(n, n);
  s.u0 = s.v0 = Vec::Zero(n);
  s.shapes = Vec::Unit(n, 0);
  s.factors = {[](double) { return 1.0; }};
  std::vector<const char*> methods{"dop853", "verlet", "generalized_alpha", "radau"};
#ifdef TRILL_HAVE_SUNDIALS
  methods.push_back("cvode_adams");
#endif
  for (const char* method : methods) EXPECT_NO_THROW(Catalogue::all().method(method).make(s, {})) << method;
}

// Slow and fast oscillators with damping, lengths from below rounding to many periods.
TEST(ExponentialLadders, MoveByAnyLength) {
  Mat a = Mat::Zero(6, 6);
  const double speeds[] = {1, 40, 900};
  for (Index k = 0; k < 3; ++k) {
    a(k, 3 + k) = a(3 + k, k) = speeds[k];
    a(3 + k, k) *= -1;
    a(3 + k, 3 + k) = -0.3;
  }
  a(3, 4) = 0.7;
  a(4, 3) = -0.7;
  ExponentialLadder ladder(a);
  const Vec start = Vec::LinSpaced(6, 1, 2);
  for (const double h : {0.0, 1e-17, 1e-9, 1e-4, 5.5e-4, 0.013, 0.5, 1.0, 7.7}) {
    const Mat exact = matrix_exponential(h * a);
    Vec x = start;
    ladder.move(h, x);
    EXPECT_LT((x - exact * start).cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, 900 * h)) << h;
    EXPECT_LT((ladder.matrix(h) - exact).cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, 900 * h)) << h;
  }
  Vec x = start;
  EXPECT_FALSE(ladder.nudge(1e-3, x));
  EXPECT_EQ(x, start);
  EXPECT_TRUE(ladder.nudge(-1e-14, x));
  EXPECT_LT((x - matrix_exponential(-1e-14 * a) * start).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(ExponentialLadders, OfNothingDoNothing) {
  Vec none;
  ExponentialLadder(Mat(0, 0)).move(1, none);
  Vec still = Vec::Ones(3);
  ExponentialLadder(Mat::Zero(3, 3)).move(1e300, still);
  EXPECT_EQ(still, Vec::Ones(3));
}
}  // namespace
}  // namespace trill
