// SPDX-License-Identifier: BSD-3-Clause
// The slow motion in whole runs: events, switches, the order that the tolerance needs, and the oscillation added
// afterwards.
#include "support/mentions.hpp"
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using testing::HasSubstr;

Solution solve(std::unique_ptr<Problem> problem, const std::string& method, double to, double rtol,
               OptionSet options = {}, Output output = EveryStep{}) {
  RunPlan plan;
  plan.model = "test";
  plan.method = method;
  plan.options = std::move(options);
  plan.to = to;
  plan.rtol = rtol;
  plan.output = std::move(output);
  plan.native = Native::never;
  PreparedRun run = prepare(plan, std::move(problem));
  return run.run();
}

Vec row(const Solution& s, const char* name) { return s.measured().row(s.quantity(name)).transpose(); }

std::unique_ptr<Problem> pair(double stretch, const std::string& more) {
  return read_model("pair.toml", R"([parameters]
omega = 500
[coordinates]
x1 = { start = 0, velocity = 0.3 }
y1 = { start = 1 }
x2 = { start = "0.6 + )" + std::to_string(stretch) +
                                     R"(/omega", velocity = 0.3 }
y2 = { start = 1.8 }
[[stiff]]
gap = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
stiffness = "omega^2"
)" + more)
      .problem;
}

const std::string floor_below = R"([[potential]]
energy = "y1 + y2"
[[event]]
name = "floor"
when = "y1"
direction = -1
then = { vy1 = "-vy1" }
)";

// The pair falls without oscillation. When one of its ends hits the floor, the gap begins to oscillate, with the
// energy that the slow motion loses.
TEST(SlowEvents, ABlowStartsTheOscillation) {
  const Solution s = solve(pair(0, floor_below), "slow", 1.6, 1e-7);
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  ASSERT_EQ(s.outcome.events.size(), 1u);
  const Vec slow = row(s, "energy"), fast = row(s, "fast_energy");
  EXPECT_NEAR(fast[0], 0, 1e-6);
  EXPECT_GT(fast[fast.size() - 1], 1);
  EXPECT_NEAR(slow[slow.size() - 1] + fast[fast.size() - 1], slow[0] + fast[0], 1e-4);
  const Vec total = row(s, "total_energy");
  EXPECT_LT((total - slow - fast).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(s.outcome.notices.back().code, "summary");
  EXPECT_THAT(s.outcome.notices.back().text, mentions("707.1 to 707.1"));
}

TEST(SlowEvents, ABlowToAnOscillatingMotionIsRefused) {
  const Solution s = solve(pair(1, floor_below), "slow", 1.6, 1e-5);
  EXPECT_EQ(s.outcome.status, RunStatus::refused);
  EXPECT_THAT(s.outcome.message, mentions("event", "motion", "phase"));
  EXPECT_GT(s.rows(), 2) << "what was computed stays";
}

// A step ends where a formula in the model switches. The oscillation goes on unchanged.
TEST(SlowEvents, ASwitchKeepsTheActions) {
  const Solution s =
      solve(pair(1, "[[potential]]\nenergy = \"y1 + y2 + if(x1 > 0.3, 2*(x1 - 0.3)^2, 0)\"\n"), "slow", 2, 1e-6);
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_FALSE(s.outcome.events.empty());
  const Vec action = row(s, "action_1");
  EXPECT_GT(action[0], 1e-4);
  EXPECT_EQ(action.maxCoeff(), action.minCoeff());
}

// The same with output between steps, which evaluates other states than the search for the switch.
TEST(SlowEvents, ASwitchKeepsTheActionsBesideAGrid) {
  const Solution s = solve(pair(1, "[[potential]]\nenergy = \"y1 + y2 + if(x1 > 0.3, 2*(x1 - 0.3)^2, 0)\"\n"), "slow",
                           2, 1e-6, {}, Grid{0.1});
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  const Vec action = row(s, "action_1");
  EXPECT_EQ(action.maxCoeff(), action.minCoeff());
}

// A stiff spring along y whose load ends at an event. Then it oscillates about another length. With the energy E of
// the oscillation before, and F^2/(2 k) from the stretch by the load, the mean energy over all phases is E + F^2/(2
// k).
TEST(SlowEvents, ALoadThatEndsGivesTheOscillationItsMeanAction) {
  const double k = 250000, load = 40, speed = 0.5;
  const Solution s = solve(read_model("m.toml", fmt::format(R"([parameters]
load = {}
[coordinates]
x = {{ start = 0, velocity = 3 }}
y = {{ start = "load/{}", velocity = {} }}
[[stiff]]
gap = "y"
stiffness = {}
[[force]]
on = "y"
value = "load"
[[event]]
name = "let go"
when = "t - 0.5"
then = {{ load = 0 }}
)",
                                                            load, k, speed, k))
                               .problem,
                           "slow", 1, 1e-7, {{"order", "1"}});
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  const Vec fast = row(s, "fast_energy");
  EXPECT_NEAR(fast[0], 0.5 * speed * speed, 1e-6);
  EXPECT_NEAR(fast[fast.size() - 1], 0.5 * speed * speed + 0.5 * load * load / k, 1e-6);
  const auto told = [](const Notice& n) { return n.code == "event_in_oscillation" && n.severity == Severity::doubt; };
  EXPECT_TRUE(std::any_of(s.outcome.notices.begin(), s.outcome.notices.end(), told));
}

TEST(SlowEvents, AGapThatChangesItsLengthIsRefusedWhileItOscillates) {
  const Solution s = solve(read_model("m.toml", R"([parameters]
length = 1
[coordinates]
x = { start = 1.002 }
y = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "sqrt(x^2 + y^2) - length"
stiffness = 1e6
[[event]]
name = "longer"
when = "t - 0.5"
then = { length = 1.01 }
)")
                               .problem,
                           "slow", 1, 1e-5);
  EXPECT_EQ(s.outcome.status, RunStatus::refused);
  EXPECT_THAT(s.outcome.message, mentions("event", "the gaps", "phase"));
}

// The gap is closed at the start and opens a little because the pair turns. The oscillation that results is below the
// tolerance, so a blow is accepted. The run ends at 1.63 because the slow motion comes back to the floor at 1.6307,
// where a second blow would be refused.
TEST(SlowEvents, ABlowToAMotionThatHardlyOscillatesIsTaken) {
  const Solution s = solve(read_model("m.toml", R"([parameters]
omega = 200
[coordinates]
x1 = { start = 0 }
y1 = { start = 1 }
x2 = { start = 1, velocity = 0 }
y2 = { start = 1, velocity = 1 }
[[stiff]]
gap = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
stiffness = "omega^2"
)" + floor_below)
                               .problem,
                           "slow", 1.63, 1e-5);
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_EQ(s.outcome.events.size(), 1u);
  const Vec fast = row(s, "fast_energy");
  EXPECT_GT(fast[0], 0) << "it does oscillate before";
  EXPECT_GT(fast[fast.size() - 1], 1e3 * fast[0]);
}

// Two oscillators that are not coupled, together with enough others that matrices are sparse, lose the same energy as
// one alone.
TEST(SlowDrag, IsAveragedForGapsThatNothingJoins) {
  const auto oscillators = [](int count, int others) {
    return read_model("m.toml", fmt::format(R"([sets]
gap = {}
idle = {}
[coordinates]
x = {{ over = "gap", start = 1, velocity = 0.2 }}
y = {{ over = "gap", start = 0, velocity = 1 }}
z = {{ over = "idle", start = 1 }}
[[stiff]]
over = "gap"
gap = "sqrt(1 + x[gap]^2)*y[gap]"
stiffness = 1e6
[[force]]
over = "gap"
on = "y[gap]"
value = "-0.2*vy[gap]^3"
)",
                                            count, others))
        .problem;
  };
  const Output end = Times{{3.0}};
  const Solution one = solve(oscillators(1, 1), "slow", 3, 1e-9, {}, end);
  const Solution two = solve(oscillators(2, 40), "slow", 3, 1e-9, {}, end);
  ASSERT_TRUE(one.ok() && two.ok()) << one.outcome.message << two.outcome.message;
  const double expected = row(one, "action_1").tail(1)[0];
  EXPECT_LT(expected, 0.95 * row(one, "action_1")[0]);
  for (const char* action : {"action_1", "action_2"})
    EXPECT_NEAR(row(two, action).tail(1)[0], expected, 1e-8 * expected);
}

TEST(SlowBath, RefusesSoftGapsAndOptionsWithoutMeaning) {
  const auto run = [](const char* stiffness, const OptionSet& options) {
    RunPlan plan;
    plan.model = "bath";
    plan.method = "slow";
    plan.h = 0.01;
    plan.to = 0.1;
    plan.options = options;
    prepare(plan, read_model("m.toml", std::string(R"([coordinates]
x = { start = 1 }
y = 0
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = )") + stiffness + R"(
[[potential]]
energy = "x + y^2"
[heat_bath]
friction = 1
temperature = 1
)")
                      .problem)
        .run();
  };
  EXPECT_NO_THROW(run("1e6", {}));
  EXPECT_THROW(run("1", {}), UsageError);
  EXPECT_THROW(run("1e6", {{"order", "1"}}), UsageError);
}

std::unique_ptr<Problem> springs(const char* omega2) {
  return ModelRegistry::all().find("two_springs").make({{"omega2", omega2}, {"stretch2", "0"}});
}

// The error of order 0 is a multiple of epsilon^2. This is good enough for a loose tolerance and stiff springs.
TEST(SlowOrder, FollowsTheTolerance) {
  const auto distance = [](const Solution& a, const Solution& b) {
    return (a.y().rightCols(1) - b.y().rightCols(1)).cwiseAbs().maxCoeff();
  };
  const Output end = Times{{10.0}};
  const Solution stiff = solve(springs("20000"), "slow", 10, 1e-4, {}, end);
  EXPECT_LT(distance(stiff, solve(springs("20000"), "slow", 10, 1e-4, {{"order", "0"}}, end)), 1e-12);
  EXPECT_GT(distance(stiff, solve(springs("20000"), "slow", 10, 1e-4, {{"order", "1"}}, end)), 1e-10);
  const Solution soft = solve(springs("100"), "slow", 10, 1e-9, {}, end);
  EXPECT_LT(distance(soft, solve(springs("100"), "slow", 10, 1e-9, {{"order", "1"}}, end)), 1e-12);
  EXPECT_GT(distance(soft, solve(springs("100"), "slow", 10, 1e-9, {{"order", "0"}}, end)), 1e-5);
}

// Phases are known up to a multiple of epsilon, so at omega = 1000 the oscillation itself comes out right.
TEST(SlowFastPart, IsTheOscillation) {
  const auto oscillator = [] { return ModelRegistry::all().find("varying_frequency").make({{"omega", "1000"}}); };
  const Output times = Times{{0.5, 1.0, 1.5, 2.0}};
  const Solution full = solve(oscillator(), "dop853", 2, 1e-11, {}, times);
  const Solution added = solve(oscillator(), "slow", 2, 1e-9, {{"fast_part", "on"}}, times);
  const Solution without = solve(oscillator(), "slow", 2, 1e-9, {}, times);
  const Index y = full.component("y"), vy = full.component("vy");
  EXPECT_LT((full.y().row(y) - added.y().row(y)).cwiseAbs().maxCoeff(), 2e-5);
  EXPECT_LT((full.y().row(vy) - added.y().row(vy)).cwiseAbs().maxCoeff(), 2e-2);
  EXPECT_GT((full.y().row(vy) - without.y().row(vy)).cwiseAbs().maxCoeff(), 0.5);
  // The recorded error of the phase, times the amplitude, bounds the error of y.
  const Vec bound = row(added, "phase_error"), band = row(without, "amplitude_y");
  for (Index k = 0; k < full.rows(); ++k) {
    EXPECT_LE(std::abs(full.y()(y, k) - added.y()(y, k)), (bound[k] + 1e-3) * band[k]);
    EXPECT_LT(bound[k], 0.05);
  }
  for (Index k = 0; k < full.rows(); ++k) EXPECT_LE(std::abs(full.y()(y, k)), 1.01 * band[k]);
}

// The same wire with any unit of mass and any origin. Estimates must depend on neither.
std::unique_ptr<Problem> wire(double mass, double shift) {
  return read_model("wire.toml", fmt::format("[coordinates]\nx = {{ start = {0}, velocity = 0.3, mass = {1} }}\n"
                                             "y = {{ start = 0.44, velocity = 1, mass = {1} }}\n[[stiff]]\n"
                                             "gap = \"y - 0.6*(1 - cos(1.3*(x - {0} + 1)))\"\nstiffness = {2}\n"
                                             "[[potential]]\nenergy = \"{1}*y\"\n",
                                             shift, mass, 1e6 * mass))
      .problem;
}
TEST(SlowEstimates, DoNotDependOnUnitsAndOrigin) {
  const auto error = [](double mass, double shift) {
    return row(solve(wire(mass, shift), "slow", 5, 1e-6), "model_error").tail(1)[0];
  };
  const double here = error(1, 1);
  EXPECT_GT(here, 1e-7);
  EXPECT_NEAR(error(1e-9, 1), here, 1e-3 * here);
  EXPECT_NEAR(error(1, 0), here, 0.5 * here);
  EXPECT_GT(error(1, 1e5), 0.05 * here);
}

// In polar coordinates the gap is linear, but the mass depends on it.
TEST(SlowEstimates, SeeAMassThatChangesWithTheGap) {
  const auto pendulum = [](double stretch) {
    return read_model("polar.toml",
                      fmt::format("[coordinates]\nr = {{ start = {} }}\np = {{ start = 0.3, velocity = 1 }}\n"
                                  "[[kinetic]]\nenergy = \"(vr^2 + r^2*vp^2)/2\"\n[[stiff]]\n"
                                  "gap = \"r - 1\"\nstiffness = 1e6\n",
                                  1 + stretch))
        .problem;
  };
  const double error = row(solve(pendulum(0.05), "slow", 3, 1e-6), "model_error").tail(1)[0];
  EXPECT_GT(error, 1e-3);
  EXPECT_LT(error, 0.3);
  EXPECT_THROW(solve(pendulum(0.3), "slow", 3, 1e-6), UsageError);
}

// A start found by averaging over a window agrees with the closed form up to epsilon^2.
TEST(SlowStart, ByAWindowAgreesWithTheClosedForm) {
  const auto end = [](const char* omega, const char* start) -> Vec {
    return solve(ModelRegistry::all().find("wire").make({{"omega", omega}}), "slow", 5, 1e-10,
                 {{"start", start}, {"order", "0"}}, Times{{5.0}})
        .y()
        .rightCols(1);
  };
  const auto distance = [&](const char* omega) {
    return (end(omega, "window") - end(omega, "matched")).head(2).norm();
  };
  const double coarse = distance("250"), fine = distance("1000");
  EXPECT_GT(coarse, 1e-7);
  EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.3);
}

TEST(SlowForm, AProjectedStartTellsWhatItLeavesOut) {
  const Solution s = solve(wire(1, 1), "slow", 1, 1e-4, {{"start", "projected"}});
  EXPECT_GT(row(s, "model_error")[0], 0.1);
}

TEST(SlowForm, IsDrivenByOtherMethods) {
  RunPlan plan;
  plan.model = "wire";
  plan.method = "slow";
  plan.to = 2;
  plan.output = Times{{2.0}};
  plan.options = {{"macro", "implicit_midpoint"}};
  plan.h = 1e-3;
  const Vec midpoint = prepare(plan).run().y().rightCols(1);
  const Vec rk = solve(ModelRegistry::all().find("wire").make({}), "slow", 2, 1e-9, {}, Times{{2.0}}).y().rightCols(1);
  EXPECT_LT((midpoint - rk).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SlowForm, RefusesWhatItCannotWrite) {
  const auto message = [](std::unique_ptr<Problem> problem, OptionSet options = {}) -> std::string {
    try {
      solve(std::move(problem), "slow", 1, 1e-4, std::move(options));
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(message(ModelRegistry::all().find("kepler").make({})), mentions("'orbit/kepler'", "stiff gaps"));
  EXPECT_THAT(message(pair(200, "")), mentions("too large", "gaps"));
  EXPECT_THAT(message(read_model("m.toml", R"([coordinates]
x = { start = 1.01 }
y = 0
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 1e6
[[potential]]
group = "fast"
energy = "y"
)")
                          .problem),
              mentions("'m'", "group"));
  // The first spring is nearly as stiff as the second one, but only the second counts as a gap.
  EXPECT_THAT(message(ModelRegistry::all().find("two_springs").make({{"omega1", "300"}, {"omega2", "400"}})),
              mentions("forces other than", "[[stiff]]"));
  EXPECT_THAT(message(pair(0, "[[force]]\non = \"x1\"\nvalue = \"0.1*sin(400*t)\"\n")), mentions("in time", "rate"));
  EXPECT_EQ(message(pair(0, "[[force]]\non = \"x1\"\nvalue = \"1 + 0.1*sin(4*t)\"\n")), "");
  EXPECT_THAT(message(read_model("m.toml", R"([coordinates]
x = { start = 1 }
y = 0
[[stiff]]
gap = "x - 1"
stiffness = 1e6
[[stiff]]
gap = "2*x - 2"
stiffness = 1e6
)")
                          .problem),
              mentions("gaps", "depend on each other"));
}

// A pendulum in air that starts from rest. The drag contains |v| v, and the root in |v| has no derivative at rest that
// could be found from its formula.
std::string let_go(const std::string& speed) {
  return R"([coordinates]
x = { start = 0.28 }
y = { start = -0.96 }
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 160000
[[potential]]
energy = "3*y - x"
[[force]]
on = "x"
value = "-0.7*vx*)" +
         speed + R"("
[[force]]
on = "y"
value = "-0.7*vy*)" +
         speed + "\"\n";
}

TEST(SlowDrag, OfTheSquareOfASpeedStartsFromRest) {
  const auto run = [](const std::string& speed, const std::string& method, double rtol) {
    return solve(read_model("air.toml", let_go(speed)).problem, method, 2, rtol, {}, Grid{0.5});
  };
  const Solution stiff = run("hypot(vx, vy)", "dop853", 1e-10);
  for (const char* speed : {"sqrt(vx^2 + vy^2)", "hypot(vx, vy)"}) {
    const Solution slow = run(speed, "slow", 1e-8);
    ASSERT_EQ(slow.outcome.status, RunStatus::reached_end) << speed << ": " << slow.outcome.message;
    EXPECT_LT((slow.y().topRows(2) - stiff.y().topRows(2)).cwiseAbs().maxCoeff(), 1e-4) << speed;
  }
}

// Written with abs() instead of a root, all derivatives are known from the formula. For a motion along x alone both
// forces are the same.
TEST(SlowDrag, ASpeedWrittenAsARootIsThatWrittenAsAnAbsoluteValue) {
  const auto run = [](const std::string& speed) {
    return solve(read_model("slide.toml", R"([coordinates]
x = { start = 0.5 }
y = { start = 0.01 }
[[stiff]]
gap = "y - 0.02*x"
stiffness = 250000
[[potential]]
energy = "0.5*x^2"
[[force]]
on = "x"
value = "-0.3*vx*)" + speed + "\"\n")
                     .problem,
                 "slow", 3, 1e-8, {{"order", "1"}}, Grid{0.5});
  };
  const Solution root = run("sqrt(vx^2)"), absolute = run("abs(vx)");
  ASSERT_EQ(root.outcome.status, RunStatus::reached_end) << root.outcome.message;
  EXPECT_LT((root.y() - absolute.y()).cwiseAbs().maxCoeff(), 1e-9);
}

// Three masses whose fast modes change quickly. How close two frequencies come to each other, and what this does to
// the slow motion, must depend on the motion and not on the steps.
TEST(SlowPassages, AreTheSameForLongAndShortSteps) {
  const std::string chain = R"([coordinates]
x1 = { start = 0.745, velocity = 0.528, mass = 0.88 }
y1 = { start = -0.668, velocity = -0.009, mass = 1.17 }
x2 = { start = 1.699, velocity = -0.812, mass = 0.54 }
y2 = { start = -0.369, velocity = 0.672, mass = 1.15 }
x3 = { start = 2.563, velocity = -0.109, mass = 1.58 }
y3 = { start = 0.132, velocity = -0.542, mass = 1.92 }
[[stiff]]
gap = "sqrt(x1^2 + y1^2) - 1"
stiffness = 2.75e6
group = "bonds"
[[stiff]]
gap = "sqrt((x2 - x1)^2 + (y2 - y1)^2) - 1"
stiffness = 5.76e5
group = "bonds"
[[stiff]]
gap = "sqrt((x3 - x2)^2 + (y3 - y2)^2) - 1"
stiffness = 5.64e5
group = "bonds"
)";
  const auto estimate = [&](double rtol) {
    const Solution s = solve(read_model("chain.toml", chain).problem, "slow", 5, rtol);
    EXPECT_TRUE(s.ok()) << rtol << ": " << s.outcome.message;
    return row(s, "model_error").tail(1)[0];
  };
  const double expected = estimate(1e-8);
  for (const double rtol : {1e-3, 1e-4, 1e-5}) EXPECT_NEAR(estimate(rtol) / expected, 1, 0.25) << rtol;
}
}  // namespace
}  // namespace trill
