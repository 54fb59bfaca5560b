// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "trill/control/advance.hpp"
#include "trill/driver/plan.hpp"

namespace trill::test {
namespace {
// A slow pair of components with frequency 1 and a fast pair with frequency 40, each driven by the other.
FormulaRate coupled(double coupling = 0.1) {
  Vec y(4);
  y << 1, 0, 0.5, 0.2;
  return {y, [coupling](double, In x, Out d) {
            d[0] = x[1];
            d[1] = -x[0] + coupling * x[2];
            d[2] = 40 * x[3];
            d[3] = -40 * x[2] + 40 * coupling * x[0];
          }};
}

double value_of(const Notes& notes, const std::string& code) {
  for (const Notice& notice : notes.notices())
    if (notice.code == code) return notice.value;
  return -1;
}

std::vector<double> errors(const OptionSet& options) {
  const Vec exact = at_end(coupled(), "dop853", {}, 2, 4000);
  std::vector<double> all;
  for (int steps = 80; steps <= 1280; steps *= 2)
    all.push_back((at_end(coupled(), "multirate", options, 2, steps) - exact).head(2).norm());
  return all;
}

TEST(Multirate, OrderTwoWithLinearExtrapolation) {
  const std::vector<double> e = errors({{"substeps", "10"}});
  for (std::size_t k = 3; k < e.size(); ++k) EXPECT_GT(std::log2(e[k - 1] / e[k]), 1.9) << k;
  EXPECT_LT(e.back(), 1e-5);
}

TEST(Multirate, OrderOneWithConstantExtrapolation) {
  const std::vector<double> e = errors({{"substeps", "10"}, {"extrapolation", "constant"}});
  for (std::size_t k = 2; k < e.size(); ++k) EXPECT_NEAR(std::log2(e[k - 1] / e[k]), 1, 0.15) << k;
}

// Thirty components, of which three are fast. These are coupled to their slow neighbours.
FormulaRate three_of_thirty() {
  Vec y(30);
  for (Index i = 0; i < 30; ++i) y[i] = 1 + 0.1 * std::sin(static_cast<double>(i));
  return {y, [](double t, In x, Out d) {
            for (Index i = 0; i < 30; ++i) d[i] = -0.5 * x[i] + 0.1 * x[(i + 1) % 30];
            d[7] = 60 * x[19] + 0.1 * x[8];
            d[19] = -60 * x[7] + 0.1 * x[20];
            d[24] = -50 * (x[24] - std::cos(40 * t));
          }};
}

TEST(Multirate, FindsThreeFastOfThirty) {
  Walk walk(three_of_thirty(), "multirate");
  ASSERT_EQ(walk.step(0.01).status, StepStatus::ok);
  EXPECT_EQ(value_of(walk.notes, "multirate_fast"), 3);
  EXPECT_FALSE(has_note(walk.notes, "multirate_all_fast"));
}

// A step with N micro steps takes 4 N + 1 evaluations: four for each micro step of the fast components, and one for
// the slow components, whose first slope is known from the step before.
TEST(Multirate, Evaluations) {
  Walk walk(three_of_thirty(), "multirate", {{"substeps", "8"}});
  walk.step(0.01);
  const auto before = walk.work.most_forces();
  walk.walk(0.01, 10);
  EXPECT_EQ(walk.work.most_forces() - before, 10 * (4 * 8 + 1));
}

// The fast components become slow at t = 1. After a while nothing distinguishes them from the others.
TEST(Multirate, DividesAgainWhenSpeedsChange) {
  Vec y(4);
  y << 1, 0, 1, 0;
  const FormulaRate changing(y, [](double t, In x, Out d) {
    const double omega = t < 1 ? 60 : 1;
    d << x[1], -x[0], omega * x[3], -omega * x[2];
  });
  Walk walk(changing, "multirate", {{"substeps", "10"}});
  walk.walk(0.02, 50);
  EXPECT_EQ(value_of(walk.notes, "multirate_fast"), 2);
  EXPECT_FALSE(has_note(walk.notes, "multirate_all_fast"));
  walk.walk(0.02, 1000);
  EXPECT_TRUE(has_note(walk.notes, "multirate_all_fast"));
}

// A bead near a wire: the fast motion is a thousandth of the positions but the whole of the velocities. A coordinate
// must be in the same part (slow or fast) as its velocity.
TEST(Multirate, CoordinatesGoWithTheirVelocities) {
  const auto problem = one_mass(1, 1, [](double x) { return -1e6 * (x - 1); });
  Walk walk(problem, "multirate");
  walk.walk(1e-4, 100);
  EXPECT_TRUE(has_note(walk.notes, "multirate_all_fast"));
  EXPECT_FALSE(has_note(walk.notes, "multirate_fast"));
}

// If there is no gap between fast and slow, all components take ordinary RK4 steps.
TEST(Multirate, AllFastIsRk4) {
  const auto problem = one_mass(1, 0.5, [](double x) { return -std::sin(x); });
  Walk walk(problem, "multirate");
  const Vec y = walk.walk(0.1, 20);
  EXPECT_TRUE(has_note(walk.notes, "multirate_all_fast"));
  EXPECT_LT((y - at_end(problem, "rk4", {}, 2, 20)).cwiseAbs().maxCoeff(), 1e-13);
}

// In 40 small steps one component of a rotation may change much more slowly than the other one. This is no reason to
// divide them.
TEST(Multirate, ShortArcsDivideNothing) {
  const FormulaRate rotation(Vec::Unit(2, 0), [](double, In y, Out d) { d << y[1], -y[0]; });
  Walk walk(rotation, "multirate");
  walk.walk(5e-4, 8000);
  EXPECT_TRUE(has_note(walk.notes, "multirate_all_fast"));
  EXPECT_FALSE(has_note(walk.notes, "multirate_fast"));
}

// The error of a slow step is large only if the fast motion differed from its extrapolation.
TEST(Multirate, EstimateSeesTheExtrapolation) {
  const auto estimate = [](double coupling, double h) {
    Walk walk(coupled(coupling), "multirate", {{"substeps", "20"}});
    return walk.step(h).error;
  };
  EXPECT_GT(estimate(0.1, 0.02) / estimate(0.1, 0.01), 5);
  EXPECT_GT(estimate(0.1, 0.02), 5 * estimate(0.01, 0.02));
}

TEST(Multirate, AdaptiveStepsMeetTheTolerance) {
  const auto problem = three_of_thirty();
  const auto stepper = Catalogue::all().method("multirate").make(problem, {});
  AdaptiveStep adaptive;
  adaptive.rtol = 1e-5;
  adaptive.atol = Vec::Constant(30, 1e-7);
  Advancer advancer(*stepper, adaptive);
  State s = problem.initial_state();
  advancer.start(s, 2);
  while (s.t < 2) ASSERT_EQ(advancer.one(s, 2).status, AdvanceStatus::ok);
  const Vec error = s.y - at_end(problem, "dop853", {}, 2, 4000);
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_GT(error.cwiseAbs().maxCoeff(), 1e-9);
}

// The micro steps are stored, so that the fast motion can be interpolated inside a step.
TEST(Multirate, InterpolatesTheFastMotion) {
  Walk walk(coupled(), "multirate", {{"substeps", "20"}});
  walk.walk(0.05, 4);
  Vec inside(4);
  walk.stepper->interpolate(0.37, inside);
  const Vec exact = at_end(coupled(), "dop853", {}, 0.15 + 0.37 * 0.05, 1000);
  EXPECT_LT((inside - exact).cwiseAbs().maxCoeff(), 2e-3);
}

TEST(Multirate, ResumesBitForBit) {
  Walk whole(coupled(), "multirate"), rest(coupled(), "multirate");
  whole.walk(0.01, 37);
  Archive archive;
  whole.stepper->memory(archive);
  Archive stored(archive.bytes());
  rest.stepper->memory(stored);
  rest.s = whole.s;
  rest.jumped = false;
  EXPECT_TRUE(stored.at_end());
  EXPECT_EQ(whole.walk(0.01, 20), rest.walk(0.01, 20));
}

TEST(Multirate, AllocatesNothingInAStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  Walk walk(three_of_thirty(), "multirate");
  walk.step(0.01);
  AllocationGuard guard;
  for (int i = 0; i < 100; ++i) walk.step(0.01);
  EXPECT_EQ(guard.count(), 0u);
}

TEST(Multirate, RefusesConstraints) {
  const auto made = make_model("rigid", {});
  EXPECT_THAT(refusal([&] { Catalogue::all().method("multirate").make(*made.problem, {}); }),
              mentions("multirate", "constraints", "'pendulum/rigid'"));
}

TEST(Multirate, NonFiniteRatesAreAStatus) {
  const FormulaRate edge(Vec::Ones(2), [](double t, In x, Out d) {
    d[0] = t > 0.95 && t < 1.5 ? std::nan("") : -x[0];
    d[1] = -x[1];
  });
  Walk walk(edge, "multirate");
  ASSERT_EQ(walk.step(0.9).status, StepStatus::ok);
  const Vec before = walk.s.y;
  EXPECT_EQ(walk.step(0.3).status, StepStatus::non_finite);
  EXPECT_EQ(walk.s.y, before);
}
}  // namespace
}  // namespace trill::test
