// SPDX-License-Identifier: BSD-3-Clause
// The scales by which deviations are judged: from the whole run and not only from its rows, and, for a component that
// does not move, from what moves beside it.
#include "driver/check_scales.hpp"
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

namespace trill::testing_models {
namespace {
Trust trust_of(const char* text, RunPlan plan, Output output = EveryStep{}) {
  plan.output = std::move(output);
  PreparedRun run = prepare(plan, read_model("m.toml", text).problem);
  const Solution s = run.run();
  EXPECT_TRUE(s.ok()) << s.outcome.message;
  return check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
}

const TrustRow& row_of(const Trust& trust, const std::string& name) {
  for (const TrustRow& row : trust.rows)
    if (row.name == name) return row;
  throw std::logic_error("no row " + name);
}

// Both masses start at rest, a pulse sets them in motion, and drag brings them back to where they were.
const char* const pulse = R"toml(
[coordinates]
x = 0
y = 0
[[potential]]
energy = "2*x^2 + 3*(y - x)^2"
[[force]]
on = "x"
value = "8*exp(-(t - 3)^2) - 0.9*vx"
[[force]]
on = "y"
value = "-1.1*vy"
)toml";

TEST(TrustScales, AnErrorAsLargeAsTheMotionIsRedHoweverRoughTheAccuracy) {
  EXPECT_EQ(verdict_of(0.04, 1e-3), Verdict::amber);
  EXPECT_EQ(verdict_of(0.06, 1e-3), Verdict::red);
  EXPECT_EQ(verdict_of(0.15, 0.02), Verdict::amber);
  EXPECT_EQ(verdict_of(0.25, 0.02), Verdict::red);
  EXPECT_EQ(verdict_of(0.25, 0.1), Verdict::amber);
  EXPECT_EQ(verdict_of(0.35, 0.1), Verdict::red);
}

TEST(TrustScales, AMotionThatComesToRestBetweenTheRows) {
  const RunPlan plan = plan_with("dopri5", 160, 1e-5);
  const Trust every_step = trust_of(pulse, plan);
  EXPECT_EQ(every_step.verdict, Verdict::green);
  for (const Output& sparse : {Output(Grid{40}), Output(EveryStep{1000}), Output(Times{{80, 160}})}) {
    const Trust trust = trust_of(pulse, plan, sparse);
    EXPECT_LT(trust.error, 1e-3) << trust.headline;
    // Single times were chosen by the user. With equally spaced rows the user may not know that something happens
    // between them, so the verdict is amber.
    EXPECT_EQ(trust.verdict, std::holds_alternative<Times>(sparse) ? Verdict::green : Verdict::amber) << trust.headline;
    for (const char* name : {"x", "y", "vx", "vy"})
      EXPECT_NEAR(row_of(trust, name).scale / row_of(every_step, name).scale, 1, 0.02) << name;
  }
}

TEST(TrustScales, AWrongRunIsRedWithFewRowsToo) {
  EXPECT_EQ(trust_of("coordinates.x = 1\npotential = [{ energy = \"50*x^2\" }]", plan_with("verlet", 30, 0.15), Grid{7})
                .verdict,
            Verdict::red);
}

// A quantity that is constant up to rounding is judged by the scale of what moves beside it.
TEST(TrustScales, ADrivenSpeedAndAMultiplierThatIsZero) {
  const char* const wheel = R"toml(
[coordinates]
phi = { start = 0, velocity = 40, mass = 2 }
x = 0.3
[[potential]]
energy = "1 - cos(x)"
[[constraint]]
equation = "phi - 40*t"
)toml";
  for (const char* method : {"radau", "generalized_alpha", "bdf"}) {
    const Trust trust = trust_of(wheel, plan_with(method, 5, 1e-7));
    EXPECT_EQ(trust.verdict, Verdict::green) << method << ": " << trust.headline;
    EXPECT_NEAR(row_of(trust, "vphi").scale, 0.4, 1e-6) << method;  // 1 % of the distance 200 in the time 5
    EXPECT_NEAR(row_of(trust, "lambda").scale, 0.01 * 2 * 40 / 5, 1e-6) << method;  // 1 % of the momentum per time
  }
}

// A rod holds a weight, so its force is constant. The second multiplier, perpendicular to the force, is zero.
TEST(TrustScales, AMultiplierThatBalancesNothing) {
  const char* const held = R"toml(
[coordinates]
x = 0
y = { start = -1, mass = 3 }
z = 1
[[potential]]
energy = "30*y + z^2/2"
[[constraint]]
equation = "y + 1"
[[constraint]]
equation = "x"
)toml";
  const Trust trust = trust_of(held, plan_with("generalized_alpha", 5, 1e-7));
  EXPECT_EQ(trust.verdict, Verdict::green) << trust.headline;
  EXPECT_NEAR(row_of(trust, "lambda1").scale, 0.3, 1e-9);
  EXPECT_NEAR(row_of(trust, "lambda2").scale, 0.3, 1e-9);
}

// A pendulum hangs at rest. All differences are rounding.
TEST(TrustScales, ASystemAtRest) {
  const char* const hanging = R"toml(
[coordinates]
x = 0.6
y = -0.8
[[potential]]
energy = "0.8*y - 0.6*x"
[[constraint]]
equation = "x^2 + y^2 - 1"
)toml";
  for (const char* method : {"generalized_alpha", "bdf", "dopri5"}) {
    const Trust trust = trust_of(hanging, plan_with(method, 50, 1e-6));
    EXPECT_LE(trust.verdict, Verdict::green) << method << ": " << trust.headline;
  }
}

// A bob hangs at rest. Its velocities consist of rounding and of errors within the tolerance.
TEST(TrustScales, ABobThatHangsAtRestOnAStiffSpring) {
  const char* const hanging = R"toml(
[coordinates]
x = 0
y = "-1 - 9.614/7000"
[[potential]]
energy = "9.614*y"
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 7000
)toml";
  RunPlan steps;
  steps.method = "composition8";
  steps.h = 0.01;
  steps.to = 20;
  EXPECT_EQ(trust_of(hanging, steps).verdict, Verdict::green);
  EXPECT_EQ(trust_of(hanging, plan_with("radau", 20, 1e-6), Grid{0.06}).verdict, Verdict::green);
}

// A pendulum turns over. Its kinetic energy changes by 7.4, which few rows do not show.
TEST(TrustScales, AnEnergyOfWhichFewRowsAreRecorded) {
  const char* const turning = R"toml(
[coordinates]
phi = { start = 0, velocity = 6.3 }
[[potential]]
energy = "-3.7*cos(phi)"
)toml";
  const RunPlan plan = plan_with("dopri5", 27, 1e-6);
  const Trust all = trust_of(turning, plan), single = trust_of(turning, plan, Times{{27}});
  EXPECT_NEAR(row_of(all, "energy").scale, 7.4, 0.1);
  EXPECT_NEAR(row_of(single, "energy").scale, 7.4, 0.1);
  EXPECT_EQ(single.verdict, Verdict::green);
}

// A clamped beam. Its base does not turn, and no other unknown is an angle whose scale could be used.
TEST(TrustScales, AnAngleThatIsZeroUpToRounding) {
  const char* const clamped = R"toml(
[beams]
rod = { length = 2, mass = 1.5, stiffness = 40, elements = 2 }
[[joint]]
kind = "rigid"
to = "rod.base"
[[force]]
at = "rod.tip"
value = [0, "0.02*(1 - cos(3*t))"]
)toml";
  for (const char* method : {"radau", "sdirk", "dop853"}) {
    const Trust trust = trust_of(clamped, plan_with(method, 1, 1e-6));
    EXPECT_EQ(trust.verdict, Verdict::green) << method << ": " << trust.headline;
  }
}

// At a tolerance of 1e-8 the steps need not follow the spring between the bobs, at 1e-9 they would have to. The
// repetition with the smaller tolerance must leave the oscillation out as the run does; otherwise two different
// motions would be compared.
TEST(TrustOfSlowMotion, ComparesSlowMotions) {
  const char* const bobs = R"toml(
[coordinates]
x1 = 0.6
y1 = -0.8
x2 = 1.5
y2 = -0.8
[[constraint]]
equation = "x1^2 + y1^2 - 1"
[[stiff]]
gap = "hypot(x2 - x1, y2 - y1) - 0.9"
stiffness = 3e6
[[potential]]
energy = "4*(y1 + y2)"
)toml";
  for (const double rtol : {1e-6, 1e-7, 1e-8, 1e-9}) {
    RunPlan plan = plan_with("radau", 1, rtol);
    // Without the multiplier: it starts with the oscillation, and takes one step to lose it.
    plan.of = {"x1", "y1", "x2", "y2"};
    const Trust trust = trust_of(bobs, plan);
    EXPECT_EQ(trust.verdict, Verdict::green) << rtol << ": " << trust.headline;
  }
}

// Coordinates with different units do not share a scale, and unknowns of first-order equations have a scale of their
// own.
TEST(TrustScales, SmallMotionsOfAnotherKind) {
  const char* const both = R"toml(
[coordinates]
x = 1
s = { start = 1e-4, unit = "rad" }
w = 1e-4
[[potential]]
energy = "x^2/2 + s^2 + 2*w^2"
)toml";
  const Trust trust = trust_of(both, plan_with("dopri5", 20, 1e-6));
  EXPECT_NEAR(row_of(trust, "x").scale, 2, 1e-2);
  EXPECT_NEAR(row_of(trust, "s").scale, 2e-4, 2e-6);
  EXPECT_NEAR(row_of(trust, "w").scale, 2e-2, 1e-4);
  const char* const rates = R"toml(
[coordinates]
a = 1
b = 1e-6
[rate]
a = "-a"
b = "-2*b"
)toml";
  const Trust of_rates = trust_of(rates, plan_with("dopri5", 20, 1e-6));
  EXPECT_NEAR(row_of(of_rates, "b").scale, 1e-6, 1e-8);
}
}  // namespace
}  // namespace trill::testing_models
