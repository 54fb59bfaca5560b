// SPDX-License-Identifier: BSD-3-Clause
// What a text model knows about time alone: when its functions of t act, so that no method steps over them.
#include "problem/time_marks.hpp"
#include "support/small_problems.hpp"
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <numbers>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TextModel pushed(const std::string& force, const std::string& more = "") {
  return read_model("m.toml", more + "[coordinates]\nx = 0\n[[force]]\non = \"x\"\nvalue = \"-x + " + force + "\"\n");
}

double longest_step_at(const Problem& problem, double t0, double t1, double t) {
  double longest = HUGE_VAL;
  for (const TimeMark& mark : time_marks_of(problem, t0, t1))
    if (mark.t <= t) longest = mark.longest_step;
  return longest;
}

TEST(TimeMarks, OfAShortPulse) {
  const TextModel model = pushed("exp(-((t - 31)/0.02)^2)");
  EXPECT_EQ(longest_step_at(*model.problem, 0, 70, 10), HUGE_VAL);
  EXPECT_EQ(longest_step_at(*model.problem, 0, 70, 40), HUGE_VAL);
  for (const double t : {30.97, 31.0, 31.03}) {
    EXPECT_LT(longest_step_at(*model.problem, 0, 70, t), 0.05) << t;
    EXPECT_GT(longest_step_at(*model.problem, 0, 70, t), 0.01) << t;
  }
}

TEST(TimeMarks, ASineIsBoundedByHalfItsPeriod) {
  for (const double omega : {3.0, 40.0, 700.0}) {
    const TextModel model = pushed(fmt::format("0.1*sin({}*t + 0.4)", omega));
    const double longest = longest_step_at(*model.problem, 0, 25, 12);
    EXPECT_NEAR(longest * omega / std::numbers::pi, 1, 0.1) << omega;
  }
}

// Slow functions need no marks. Functions that are too fast for bounds leave the steps to the error estimate.
TEST(TimeMarks, AreLeftOutWhereTheyWouldNotHelp) {
  for (const char* force : {"1", "t", "t^2 - 3*t", "sin(0.05*t)", "x*t", "exp(-0.02*t)", "sin(1e9*t)", "1/(20 + t)"})
    EXPECT_THAT(time_marks_of(*pushed(force).problem, 0, 30), IsEmpty()) << force;
}

TEST(TimeMarks, OfPulsesInATable) {
  const TextModel model = read_model("m.toml", R"toml([sets]
blow = { at = [10, 50.5, 80], width = [0.1, 0.3, 0.02] }
[coordinates]
x = 0
[[force]]
over = "blow"
on = "x"
value = "exp(-((t - at)/width)^2)"
)toml");
  for (const double t : {10.0, 50.5, 80.0}) EXPECT_LT(longest_step_at(*model.problem, 0, 100, t), 0.6) << t;
  for (const double t : {0.0, 30.0, 70.0, 90.0}) EXPECT_EQ(longest_step_at(*model.problem, 0, 100, t), HUGE_VAL) << t;
}

TEST(TimeMarks, AreFoundWithGivenParameters) {
  const std::string text = R"([parameters]
centre = 5
width = 0.01
[coordinates]
x = 0
[[force]]
on = "x"
value = "1/cosh((t - centre)/width)^2"
)";
  const TextModel early = read_model("m.toml", text), late = read_model("m.toml", text, {{"centre", "25"}});
  EXPECT_LT(longest_step_at(*early.problem, 0, 30, 5), 0.03);
  EXPECT_EQ(longest_step_at(*late.problem, 0, 30, 5), HUGE_VAL);
  EXPECT_LT(longest_step_at(*late.problem, 0, 30, 25), 0.03);
}

TEST(Breakpoints, OfSwitchesThatAreNotLinearInTime) {
  EXPECT_THAT(pushed("if(abs(t - 30) < 0.05, 1, 0)").problem->breakpoints(0, 60),
              ElementsAre(DoubleNear(29.95, 1e-12), DoubleNear(30.05, 1e-12)));
  EXPECT_THAT(pushed("max(0, 1 - (t - 3)^2)").problem->breakpoints(0, 60),
              ElementsAre(DoubleNear(2, 1e-12), DoubleNear(4, 1e-12)));
  EXPECT_THAT(pushed("if(sin(t) > 0.99, 1, 0)").problem->breakpoints(0, 60), SizeIs(20));
  EXPECT_THAT(pushed("if((t - 7)^2 > -1, 1, 0)").problem->breakpoints(0, 60), IsEmpty());
  EXPECT_THAT(pushed("if(mod(t, 25) > 24.9, 1, 0)").problem->breakpoints(0, 60),
              UnorderedElementsAre(DoubleNear(24.9, 1e-12), DoubleNear(25, 1e-12), DoubleNear(49.9, 1e-12),
                                   DoubleNear(50, 1e-12)));
}

TEST(Breakpoints, OfAModelInAHeatBath) {
  const TextModel model = read_model("m.toml", R"toml([coordinates]
x = 1
[[force]]
on = "x"
value = "if(t < 0.37, -x, -2*x)"
[heat_bath]
friction = 1
temperature = 1
)toml");
  EXPECT_THAT(model.problem->breakpoints(0, 1), ElementsAre(DoubleNear(0.37, 1e-15)));
}

// The response of x'' = -x + f(t) to a short f: the integral of sin(t - s) f(s).
struct KnownForce {
  std::string name, value, more;
  double at, size;  // afterwards x = size sin(t - at)
};
const double half = 0.03, width = 0.05;
std::vector<KnownForce> short_forces() {
  const double root_pi = std::sqrt(std::numbers::pi);
  return {{"gaussian", "7*exp(-((t - 61)/0.05)^2)", "", 61, 7 * width * root_pi * std::exp(-width * width / 4)},
          {"rectangle", "5*if(abs(t - 61.3) < 0.03, 1, 0)", "", 61.3, 10 * std::sin(half)},
          {"steps", "5*if(t > 47.2, if(t < 47.26, 1, 0), 0)", "", 47.23, 10 * std::sin(half)},
          {"triangle", "9*max(0, 1 - abs(t - 71)/0.05)", "", 71, 9 * (2 - 2 * std::cos(width)) / width},
          {"repeated", "5*if(mod(t, 66) > 65.94, 1, 0)", "", 65.97, 10 * std::sin(half)},
          {"cut off", "7/cosh(min(300, abs(t - 66.6)/0.05))^2", "", 66.6,
           7 * std::numbers::pi * width * width / std::sinh(std::numbers::pi * width / 2)},
          {"product", "7*exp(-((t - 61)/0.05)^2)*if(x > -1e9, 1, 2)", "", 61,
           7 * width * root_pi * std::exp(-width * width / 4)}};
}

class ShortForces : public testing::TestWithParam<std::string> {};

TEST_P(ShortForces, AreNotSteppedOver) {
  const double to = 130;
  for (const KnownForce& force : short_forces()) {
    const TextModel model = pushed(force.value, force.more);
    const Solution s = run_of(model.problem->clone(), plan_with(GetParam(), to, 1e-5));
    EXPECT_NEAR(last_of(s)[0], force.size * std::sin(to - force.at), 0.02 * force.size) << force.name;
    EXPECT_LT(s.outcome.counters.steps, 4000) << force.name;
  }
}

TEST_P(ShortForces, AreNotSteppedOverBackwards) {
  const TextModel model = pushed("7*exp(-((t - 61)/0.05)^2)");
  RunPlan plan = plan_with(GetParam(), 0, 1e-5);
  plan.from = 130;
  const Solution s = run_of(model.problem->clone(), plan);
  EXPECT_NEAR(last_of(s)[0], -short_forces()[0].size * std::sin(-61), 0.02 * short_forces()[0].size);
}
INSTANTIATE_TEST_SUITE_P(All, ShortForces,
                         testing::Values("radau", "dop853", "dopri5", "sdirk", "generalized_alpha", "cvode_bdf"),
                         [](const auto& info) { return info.param; });

// Fixed steps are not changed by marks.
TEST(ShortForce, DoNotMoveFixedSteps) {
  const TextModel model = pushed("exp(-((t - 3.21)/0.01)^2)");
  const Solution s = run_of(model.problem->clone(), plan_with("verlet", 6, 0.5));
  ASSERT_EQ(s.rows(), 13);
  for (Index k = 0; k < s.rows(); ++k) EXPECT_DOUBLE_EQ(s.t[static_cast<std::size_t>(k)], 0.5 * static_cast<double>(k));
}

// A model in C++ does not tell when its pulse comes, and the run misses it. The repetition uses the same stages, takes
// no more steps than the run and misses it too, so their agreement must not count as accuracy.
TEST(ShortForce, ARepetitionThatTakesNoMoreStepsSaysNothing) {
  for (const double rtol : {2e-4, 1e-8}) {
    auto problem = std::make_unique<test::FormulaMechanics>(Vec::Zero(1), Vec::Zero(1), [](double t, In q, In, Out f) {
      f[0] = -q[0] + std::exp(-std::pow((t - 61.03) / 0.002, 2));
    });
    PreparedRun run = prepare(plan_with("radau", 130, rtol), std::move(problem), {});
    const Solution s = run.run();
    ASSERT_LT(std::abs(last_of(s)[0]), 1e-9) << "the pulse was found, and the test says nothing";
    EXPECT_NE(check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL}).verdict, Verdict::green) << rtol;
  }
}
}  // namespace
}  // namespace trill::testing_models
