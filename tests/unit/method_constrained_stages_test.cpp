// SPDX-License-Identifier: BSD-3-Clause
// Methods that solve one stage at a time on constrained systems: the contract of a stepper, constraints, formulations.
#include "formulation/constraint_formulation.hpp"
#include "support/allocation_count.hpp"
#include "support/small_problems.hpp"
#include "support/text_models.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::test {
namespace {
using testing_models::mechanics;

const std::vector<std::string> forms = {"index2", "cs", "cm", "ggl"};

struct Case {
  std::string method;
  OptionSet options;
  double order = 2;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.method; }

// A pendulum whose constraint moves, with forces that depend on velocities and a mass that depends on positions.
const TextModel& pendulum() {
  static const TextModel made = read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0.3 }
coordinates.y = { start = 0, velocity = 0.5 }
[[kinetic]]
energy = "0.5*vx^2 + (1 + 0.2*x^2)*vy^2"
[[potential]]
energy = "y"
[[force]]
on = "x"
value = "-0.2*vx"
[[constraint]]
equation = "x^2 + y^2 - (1 + 0.3*sin(t))^2"
)toml");
  return made;
}

class ConstrainedStages : public testing::TestWithParam<Case> {
 protected:
  Walk walk(const std::string& formulation = "") const {
    OptionSet options = GetParam().options;
    if (!formulation.empty()) options["formulation"] = formulation;
    return Walk(*pendulum().problem, GetParam().method, options);
  }
};

TEST_P(ConstrainedStages, AStepAllocatesNothing) {
  Walk w = walk();
  w.walk(0.02, 3);
  AllocationGuard guard;
  for (int k = 0; k < 10; ++k) w.step(0.02);
  EXPECT_EQ(guard.count(), 0u);
  EXPECT_NEAR(w.s.t, 0.26, 1e-12);
}

TEST_P(ConstrainedStages, ASavedStepperGoesOnBitByBit) {
  Walk one = walk(), other = walk();
  one.walk(0.03, 5);
  Archive archive;
  one.stepper->memory(archive);
  Archive stored(archive.bytes());
  other.stepper->memory(stored);
  other.s = one.s;
  other.jumped = false;
  for (const double h : {0.03, 0.03, 0.02}) {
    ASSERT_EQ(one.step(h).status, StepStatus::ok);
    ASSERT_EQ(other.step(h).status, StepStatus::ok);
    EXPECT_EQ(one.s.y, other.s.y);
  }
}

TEST_P(ConstrainedStages, ConstraintsAreKeptAlsoInsideSteps) {
  const ConstraintMap& map = *mechanics(pendulum()).constraints();
  Vec g(1), gt(1), rate(1), inside(5);
  MatrixSlot G = map.pattern();
  const auto check = [&](double t, const Vec& y) {
    map.value(t, y.head(2), g);
    map.time_derivative(t, y.head(2), gt);
    map.jacobian(t, y.head(2), G);
    G.multiply(y.segment(2, 2), rate);
    EXPECT_NEAR(g[0], 0, 1e-11);
    EXPECT_NEAR(rate[0] + gt[0], 0, 1e-11);
  };
  for (const std::string& form : forms) {
    Walk w = walk(form);
    for (int k = 0; k < 40; ++k) {
      ASSERT_EQ(w.step(0.04).status, StepStatus::ok) << form;
      check(w.s.t, w.s.y);
      w.stepper->interpolate(0.4, inside);
      check(w.s.t - 0.6 * 0.04, inside);
    }
  }
}

// index2, cs and cm solve the same equations in different variables; ggl projects in another metric.
TEST_P(ConstrainedStages, FormulationsAgreeAndHaveTheirOrder) {
  const Vec exact = at_end(*pendulum().problem, "dop853", {}, 1, 400), one = walk("index2").walk(0.01, 100);
  for (const char* form : {"cs", "cm"}) EXPECT_LT((walk(form).walk(0.01, 100) - one).norm(), 1e-8) << form;
  for (const std::string& form : forms) {
    const double coarse = (walk(form).walk(0.01, 100) - exact).norm(),
                 fine = (walk(form).walk(0.0025, 400) - exact).norm();
    EXPECT_NEAR(std::log(coarse / fine) / std::log(4), GetParam().order, 0.2) << form;
  }
}

TEST_P(ConstrainedStages, AJumpLeavesNothingOfTheMotionBefore) {
  Walk jumper = walk(), fresh = walk();
  const State start = fresh.s;
  jumper.walk(0.1, 8);
  jumper.s = start;
  jumper.jumped = true;
  const double error = jumper.step(0.03).error, expected = fresh.step(0.03).error;
  EXPECT_LT((jumper.s.y - fresh.s.y).norm(), 1e-10);
  EXPECT_EQ(std::isnan(error), std::isnan(expected));
  if (std::isfinite(expected)) {
    EXPECT_NEAR(error / expected, 1, 1e-4);
  }
}

// If constraints are dependent after a jump, the acceleration is not determined and no step is possible.
TEST_P(ConstrainedStages, AJumpToASingularPositionIsNoStep) {
  Walk w = walk();
  w.walk(0.03, 5);
  w.s.y.head(2).setZero();
  w.jumped = true;
  EXPECT_NE(w.step(0.03).status, StepStatus::ok);
}

INSTANTIATE_TEST_SUITE_P(All, ConstrainedStages,
                         testing::Values(Case{"generalized_alpha", {{"rho", "0.5"}}}, Case{"bdf", {}},
                                         Case{"sdirk", {}, 3}, Case{"sdirk", {{"stages", "2"}}},
                                         Case{"implicit_midpoint", {}}, Case{"sdirk", {{"stages", "4"}}, 3},
                                         Case{"sdirk", {{"stages", "4"}, {"gamma", "0.3"}}, 3},
                                         Case{"sdirk", {{"gamma", "0.25"}}}),
                         [](const auto& info) { return fmt::format("{}_{}", info.param.method, info.index); });

// From such a small guess Newton's iteration ends near a position of the circle from where chord steps (with the old
// matrix) do not converge.
TEST(ConstrainedStage, IsSolvedFromTheLastPositionsWhereAGuessLeadsNowhere) {
  ConstrainedStage stage(mechanics(pendulum()), {});
  const State s = pendulum().problem->initial_state();
  const Vec weights = Vec::Constant(s.y.size(), 1e10);
  Counters work;
  stage.start(0, s.q());
  stage.equation = {.t = 0.05, .kinematic = 0.05, .dynamic = 0.05, .q_base = s.q(), .v_base = s.v()};
  const auto solved_from = [&](In guess) {
    Vec y = s.y;
    EXPECT_TRUE(stage.solve_from(guess, y, weights, false, work).converged);
    return y;
  };
  const Vec expected = solved_from(s.q());
  for (const double x : {0.0, 1e-9, 1e-3, -0.1, 1e4})
    EXPECT_LT((solved_from(Vec{{x, 0.0}}) - expected).norm(), 1e-8) << x;
}

TEST(ConstrainedSdirk, FollowsItsTolerance) {
  const TextModel rigid = make_model("rigid", {});
  RunPlan plan = testing_models::plan_with("dop853", 5, 1e-11);
  const Vec exact = testing_models::last_of(testing_models::run_of(rigid.problem->clone(), plan));
  double last = 1;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    plan = testing_models::plan_with("sdirk", 5, rtol);
    const Solution s = testing_models::run_of(rigid.problem->clone(), plan);
    const double error = (testing_models::last_of(s) - exact).head(4).cwiseAbs().maxCoeff();
    EXPECT_LT(error, 1e3 * rtol);
    EXPECT_LT(error, last / 5);
    EXPECT_LT(s.outcome.counters.rejected, s.outcome.counters.steps / 5);
    last = error;
  }
}

// Coordinates of size one, and tolerances so small that the rounding of positions divided by a short step is as large
// as the allowed error of velocities. This rounding must not look like an error of the step.
TEST(ConstrainedSdirk, ShortStepsAreNotTakenForInaccurateOnes) {
  const auto linkage = [] {
    return read_model("m.toml", R"toml(
[parameters]
rate = 300
[coordinates]
x = { start = 1, velocity = 0 }
y = { start = 0, velocity = 0 }
u = { start = 1.5, velocity = 0 }
w = { start = 0, velocity = 0 }
[[potential]]
energy = "rate^2*(y + 0.7*w + 0.1*sin(u))"
[[constraint]]
equation = "x^2 + y^2 - 1"
[[constraint]]
equation = "(x - u)^2 + (y - w)^2 - 0.25"
)toml")
        .problem;
  };
  const double to = 0.01;
  const Vec exact =
      testing_models::last_of(testing_models::run_of(linkage(), testing_models::plan_with("dop853", to, 1e-12)));
  std::int64_t last = 0;
  for (const double rtol : {1e-6, 1e-8, 1e-9, 1e-10}) {
    RunPlan plan = testing_models::plan_with("sdirk", to, rtol);
    plan.max_steps = 40'000;
    const Solution s = testing_models::run_of(linkage(), plan);
    EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << rtol;
    EXPECT_LT((testing_models::last_of(s) - exact).head(4).cwiseAbs().maxCoeff(), 3e3 * rtol) << rtol;
    if (last > 0) {
      EXPECT_LT(s.outcome.counters.steps, 6 * last) << rtol;
    }
    last = s.outcome.counters.steps;
  }
}
}  // namespace
}  // namespace trill::test
