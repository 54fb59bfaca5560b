// SPDX-License-Identifier: BSD-3-Clause
// Runs of text models with switches, compared with closed forms, and messages about formulas that jump.
#include "support/mentions.hpp"
#include "support/text_models.hpp"

#include <numbers>

namespace trill::testing_models {
namespace {
using std::numbers::pi;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const pushed = R"toml(
coordinates.x = 1
[[force]]
on = "x"
value = "if(x > 0, -x, 1 - x)"
)toml";

// The exact motion: cos t until it reaches 0 at pi/2, then 1 - cos(s) - sin(s) with s = t - pi/2 until it returns to 0
// at pi.
Vec pushed_at(double t) {
  if (t > pi) return Vec{{std::sin(t - pi), std::cos(t - pi)}};
  const double s = t - pi / 2;
  return t < pi / 2 ? Vec{{std::cos(t), -std::sin(t)}}
                    : Vec{{1 - std::cos(s) - std::sin(s), std::sin(s) - std::cos(s)}};
}

TEST(TextSwitches, AreHitAndTheOrderIsKept) {
  const TextModel model = read_model("m.toml", pushed);
  ASSERT_EQ(model.problem->events().size(), 1u);
  EXPECT_EQ(model.problem->events()[0].name, "switch in line 5");
  EXPECT_TRUE(model.problem->events()[0].restarts);
  const auto error = [&](const char* method, double step) {
    return (last_of(run_of(model.problem->clone(), plan_with(method, 4, step))) - pushed_at(4)).cwiseAbs().maxCoeff();
  };
  EXPECT_LE(error("dop853", 1e-10), 1e-8);
  EXPECT_LE(error("dopri5", 1e-9), 1e-7);
  const Solution s = run_of(model.problem->clone(), plan_with("dop853", 4, 1e-11));
  EXPECT_THAT(times_of(s, "switch in line 5"),
              ElementsAre(testing::DoubleNear(pi / 2, 1e-9), testing::DoubleNear(pi, 1e-9)));
  for (const auto& [method, order] : {std::pair{"verlet", 2}, std::pair{"rk4", 4}}) {
    const double coarse = error(method, 0.05), fine = error(method, 0.025);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.7) << method << " " << coarse << " " << fine;
  }
}

// The force is n + 1 in the second after t = n, so velocity and position follow by integrating over each second.
TEST(TextSwitches, OfFloorEndStepsAtWholeNumbers) {
  const TextModel of_time = read_model("m.toml", R"toml(
coordinates.x = 0
[[force]]
on = "x"
value = "1 + floor(t)"
)toml");
  Vec end{{0, 0}};
  for (int n = 0; n < 3; ++n) end = Vec{{end[0] + end[1] + 0.5 * (n + 1), end[1] + n + 1}};
  end = Vec{{end[0] + 0.5 * end[1] + 0.5 * 4 * 0.25, end[1] + 0.5 * 4}};
  for (const char* method : {"verlet", "rk4", "dopri5"})
    expect_equal(last_of(run_of(of_time.problem->clone(), plan_with(method, 3.5, *method == 'd' ? 1e-6 : 0.3))), end,
                 method, 1e-12);
}

// x = t^2/2 reaches 1 at sqrt 2. There 1 - floor(x) becomes 0, so that from then on the velocity is constant.
TEST(TextSwitches, OfFloorOfAPositionHoldTheSideOfTheMotion) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = 0
[[force]]
on = "x"
value = "1 - floor(x)"
)toml");
  const double root = std::numbers::sqrt2;
  const Vec end{{1 + root * (2 - root), root}};
  for (const char* method : {"verlet", "rk4", "dopri5"})
    expect_equal(last_of(run_of(model.problem->clone(), plan_with(method, 2, *method == 'd' ? 1e-6 : 0.3))), end,
                 method, 1e-9);
}

// Dry friction, written with sign, and a force in an interval, written with words. The motion starts at 0 with
// velocity 1.
TEST(TextSwitches, OfSignAndWordsAreHit) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 0, velocity = 1 }
[[force]]
on = "x"
value = "-sign(vx) + 3*(x > 0.25 and x < 0.375)"
)toml");
  // v^2 = 1 - 2x up to 0.25, then 1/2 + 4 (x - 0.25) up to 0.375, then 1 - 2 (x - 0.375).
  // The mass is at rest at x = 0.875.
  const Solution s = run_of(model.problem->clone(), plan_with("dop853", 1.3, 1e-11));
  const double v1 = std::sqrt(0.5);
  EXPECT_THAT(times_of(s, "switch in line 5"),
              ElementsAre(testing::DoubleNear(1 - v1, 1e-9), testing::DoubleNear(1 - v1 + (1 - v1) / 2, 1e-9)));
}

TEST(TextSwitches, OfConstantForcesAreExact) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = 0
[[potential]]
energy = "if(x < 1, -x, 2*x - 3)"
)toml");
  // x = t^2/2 up to x = 1, then a motion with the acceleration -2.
  const double tau = 2 - std::numbers::sqrt2;
  const Vec end{{1 + std::numbers::sqrt2 * tau - tau * tau, std::numbers::sqrt2 - 2 * tau}};
  for (const char* method : {"verlet", "rk4", "dopri5"})
    expect_equal(last_of(run_of(model.problem->clone(), plan_with(method, 2, *method == 'd' ? 1e-6 : 0.3))), end,
                 method, 1e-9);
}

TEST(TextSwitches, TheMotionMayStartOnOne) {
  // The motion starts upwards from x = 0. Above, gravity is 1; below, a force pushes up three times as strongly. It
  // returns to 0 at t = 2.
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 0, velocity = 1 }
[[force]]
on = "x"
value = "if(x < 0, 3, -1)"
)toml");
  const Vec end{{-0.5 + 3 * 0.125, -1 + 3 * 0.5}};
  for (const char* method : {"verlet", "rk4", "dopri5"})
    expect_equal(last_of(run_of(model.problem->clone(), plan_with(method, 2.5, *method == 'd' ? 1e-6 : 0.3))), end,
                 method, 1e-9);
}

// d^1.5 is not defined on the other side of the switch.
TEST(TextSwitches, OfFormulasThatEndThere) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.y = 1
[[potential]]
energy = "y + 1000*max(0, -y)^2.5"
)toml");
  EXPECT_TRUE(model.warnings.empty());
  for (const char* method : {"verlet", "dopri5", "dop853"}) {
    const Solution s = run_of(model.problem->clone(), plan_with(method, 10, *method == 'd' ? 1e-9 : 1e-4));
    const auto energy = s.measured().row(0).array();
    EXPECT_LE((energy - 1).abs().maxCoeff(), 1e-5) << method;
    EXPECT_LT(s.y().row(0).minCoeff(), -0.02) << method;
    EXPECT_EQ(times_of(s, "switch in line 4").size(), 6u) << method;
  }
}

// Friction would hold the block after it has come to rest. Steps cannot represent this, and the message says so.
TEST(TextSwitches, ThatAreCrossedAgainAndAgainAreRefusedInWords) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 0, velocity = 1 }
[[force]]
on = "x"
value = "if(vx > 0, -1, 1)"
)toml");
  const Solution s = prepare(plan_with("dopri5", 3, 1e-6), model.problem->clone()).run();
  EXPECT_EQ(s.outcome.status, RunStatus::refused) << last_of(s);
  EXPECT_THAT(s.outcome.message, mentions("at t = 1", "'switch in line 5'"));
  EXPECT_NEAR(last_of(s)[0], 0.5, 1e-6);
}

// Outside of a run no formula is kept beyond its switch: the force is the one at the given position.
TEST(TextSwitches, FormulasAreHeldInRunsOnly) {
  const TextModel model = read_model("m.toml", pushed);
  const MechanicalProblem& p = mechanics(model);
  const Vec right{{2}}, left{{-2}}, v{{0}};
  const auto expect_both = [&] {
    EXPECT_EQ(force_of(p, 0, right, v)[0], -2);
    EXPECT_EQ(force_of(p, 0, left, v)[0], 3);
    EXPECT_EQ(dense(jacobians_of(p, 0, left, v).by_position)(0, 0), -1);
  };
  expect_both();
  PreparedRun run = prepare(plan_with("dopri5", 2, 1e-6), model.problem->clone());
  run.run();
  const MechanicalProblem& after = mechanics(*run.problem);
  EXPECT_EQ(force_of(after, 0, right, v)[0], -2);
  EXPECT_EQ(force_of(after, 0, left, v)[0], 3);
  {
    ProblemSession session(p, Formulas::held);
    session.enter(p.initial_state());
    EXPECT_EQ(force_of(p, 0, left, v)[0], 2);
    EXPECT_EQ(force_of(mechanics(*p.clone()), 0, left, v)[0], 3);
  }
  expect_both();
}

TEST(TextSwitches, AnEventMayMoveTheStateAcrossOne) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0 }
[[force]]
on = "x"
value = "if(x < 0, 1, -1)"
[[event]]
when = "t - 0.5"
then = { x = -2, vx = 0 }
)toml");
  expect_equal(last_of(run_of(model.problem->clone(), plan_with("rk4", 1.5, 0.1))), Vec{{-1.5, 1}}, "end", 1e-9);
}

TEST(TextSwitches, OverASet) {
  const TextModel model = read_model("m.toml", R"toml(
sets.ball = 40
coordinates.y = { over = "ball", start = "1 + ball/10" }
[[force]]
over = "ball"
on = "y[ball]"
value = "if(y[ball] > 0, -1, 3)"
)toml");
  ASSERT_EQ(model.problem->events().size(), 40u);
  EXPECT_EQ(model.problem->events()[7].name, "switch in line 7, element 7");
  State s = model.problem->initial_state();
  s.y[7] = -0.25;
  EXPECT_DOUBLE_EQ(std::abs(model.problem->event_value(7, s)), 0.25);
  EXPECT_DOUBLE_EQ(std::abs(model.problem->event_value(39, s)), 4.9);
  const Solution run = run_of(model.problem->clone(), plan_with("dopri5", 3, 1e-6));
  const std::vector<double> times = times_of(run, "switch in line 7, element 7");
  ASSERT_FALSE(times.empty());
  EXPECT_NEAR(times[0], std::sqrt(2 * 1.7), 1e-9);
}

TEST(TextSwitches, ManyAreNotLookedForAndASwitchOfTimeIsOne) {
  const auto model = [](const char* condition) {
    return read_model("m.toml", fmt::format("sets.ball = 5000\ncoordinates.y = {{ over = \"ball\", start = 1 }}\n"
                                            "[[force]]\nover = \"ball\"\non = \"y[ball]\"\nvalue = \"if({}, 1, 2)\"\n",
                                            condition));
  };
  const TextModel many = model("y[ball] < 0");
  EXPECT_TRUE(many.problem->events().empty());
  ASSERT_EQ(many.warnings.size(), 2u);
  EXPECT_THAT(many.warnings[0], mentions("line 6", "5000"));
  EXPECT_THAT(many.warnings[1], AllOf(mentions("line 6", "force jumps by 1"), testing::Not(HasSubstr("steps"))));
  const TextModel timed = model("t < 1");
  ASSERT_EQ(timed.problem->events().size(), 1u);
  EXPECT_EQ(timed.problem->events()[0].name, "switch in line 6");
  const Solution s = run_of(timed.problem->clone(), plan_with("dopri5", 2, 1e-6));
  EXPECT_NEAR(last_of(s)[4999], 1 + 0.5 + 1 + 1, 1e-9);
}

std::vector<std::string> warnings_of(const std::string& kind, const std::string& value) {
  const std::string term = kind == "potential" ? "energy" : "on = \"x\"\nvalue";
  return read_model("m.toml", fmt::format("coordinates.x = {{ start = 0.7, velocity = 0.1 }}\n"
                                          "coordinates.y = {{ start = -0.4, velocity = 1 }}\n[[{}]]\n{} = \"{}\"\n",
                                          kind, term, value))
      .warnings;
}

TEST(TextSwitches, JumpsAreWarnedOf) {
  const auto warns = [](const char* line, const char* of) { return ElementsAre(mentions(line, of)); };
  EXPECT_THAT(warnings_of("potential", "if(x < 0, 2, 5)"), warns("line 4", "energy jumps by 3"));
  EXPECT_THAT(warnings_of("potential", "if(x < y, 0, x - y)"), warns("line 4", "force of this energy jumps"));
  EXPECT_THAT(warnings_of("potential", "3*abs(x)"), warns("line 4", "force of this energy jumps"));
  EXPECT_THAT(warnings_of("potential", "max(0, x) + y"), warns("line 4", "force of this energy jumps"));
  EXPECT_THAT(warnings_of("potential", "min(x, y^2)"), warns("line 4", "force of this energy jumps"));
  EXPECT_THAT(warnings_of("force", "if(x < 0, 2, 5)"), warns("line 5", "force jumps by 3"));
  EXPECT_THAT(warnings_of("force", "2*(x < 0)"), warns("line 5", "force jumps by 2"));
  EXPECT_THAT(warnings_of("force", "-abs(vx)*vx - abs(y)"), warns("line 5", "derivative"));
  EXPECT_THAT(warnings_of("force", "if(t < 1, 0, 3)"), warns("line 5", "force jumps by 3"));
  EXPECT_THAT(warnings_of("force", "if(t < 1, t, 1)"), warns("line 5", "derivative"));
  EXPECT_THAT(warnings_of("force", "max(0, x)"), warns("line 5", "derivative"));
}

TEST(TextSwitches, SmoothOnesAreNotWarnedOf) {
  for (const char* energy : {"max(0, x)^3", "abs(x)^3", "abs(x)*x^2", "if(x < 0, x^3, 2*x^3)", "abs(x)^2", "abs(-x)^4",
                             "if(x < 0, abs(x)^3, x^4)", "min(x, y) + max(x, y)"})
    EXPECT_THAT(warnings_of("potential", energy), IsEmpty()) << energy;
  for (const char* force : {"max(0, x)^2", "if(t < 1, 0, (t - 1)^2)", "abs(x)*x", "if(x < 0, -x^2, x^2)"})
    EXPECT_THAT(warnings_of("force", force), IsEmpty()) << force;
}
}  // namespace
}  // namespace trill::testing_models
