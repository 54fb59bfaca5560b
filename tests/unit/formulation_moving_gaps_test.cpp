// SPDX-License-Identifier: BSD-3-Clause
// Stiff gaps that depend on time: springs between a body and the road under it, pivots that are shaken. Every method
// is compared with a run that follows all oscillations.
#include "support/text_models.hpp"

#include <cmath>

namespace {
using namespace trill;
using testing_models::last_of;
using testing_models::mechanics;
using testing_models::plan_with;
using testing_models::run_of;

// A quarter of a car (one wheel and its share of the body) goes over a bump. The tyre is stiff.
const char* const car = R"toml(
[coordinates]
body = { start = 0, velocity = 0.1, mass = 4 }
axle = { start = 0, mass = 0.3 }
[derived]
road = "0.08*exp(-((t - 0.9)/0.2)^2)"
[[stiff]]
gap = "axle - road"
stiffness = 2e6
[[potential]]
energy = "120*(body - axle)^2"
[[force]]
on = "body"
value = "-6*(vbody - vaxle)"
[[force]]
on = "axle"
value = "6*(vbody - vaxle)"
)toml";

// A bob on a stiff spring whose pivot is shaken. The option kick gives it a radial velocity relative to the pivot.
const char* const shaken = R"toml(
[parameters]
w = 400
kick = 0
[coordinates]
x = { start = "cos(0.4)", velocity = "0.36 - 0.6*sin(0.4) + kick*cos(0.4)" }
y = { start = "sin(0.4)", velocity = "0.6*cos(0.4) + kick*sin(0.4)" }
[derived]
px = "0.3*sin(1.2*t)"
[[stiff]]
gap = "hypot(x - px, y) - 1"
stiffness = "w^2"
[[potential]]
energy = "1.5*y"
[[measure]]
name = "angle"
value = "atan2(y, x - px)"
)toml";

// The frequency depends on t and x, the position of the closed gap on t and z.
const char* const swelling = R"toml(
[parameters]
w = 400
kick = 1.1
open = 0.8
[coordinates]
x = { start = 0.6, velocity = 0.2 }
y = { start = "0.3*sin(0.5) + open/w", velocity = "0.3*cos(0.5) + kick" }
z = { start = 0.1, velocity = -0.3 }
[[stiff]]
gap = "(y - 0.3*sin(t + 0.5) - 0.2*(z^2 - 0.01))*(1 + 0.4*x^2 + 0.3*sin(2*t + 0.3))"
stiffness = "w^2"
[[potential]]
energy = "x^2/2 + z^2 + 0.3*y*x"
)toml";

std::unique_ptr<Problem> problem_of(const char* text, const OptionSet& given = {}) {
  return read_model("m.toml", text, given).problem;
}

Vec end_by(const char* text, const RunPlan& plan, const OptionSet& given = {}) {
  return last_of(run_of(problem_of(text, given), plan));
}
Vec resolved(const char* text, double to, const OptionSet& given = {}) {
  return end_by(text, plan_with("dop853", to, 1e-11), given);
}
RunPlan by_formulation(const std::string& name, const std::string& method, double to, double rtol) {
  RunPlan plan = plan_with(method, to, rtol);
  plan.formulation = name;
  return plan;
}

TEST(MovingGaps, HaveTheDerivativesOfTheirValues) {
  const auto problem = problem_of(swelling);
  const ConstraintMap& map = *mechanics(*problem).strong_potential()->map;
  EXPECT_TRUE(map.moving());
  const double t = 0.7, d = 1e-4;
  const Vec q = Vec::LinSpaced(3, 0.3, 0.9), v = Vec::LinSpaced(3, -0.4, 1.1), a = Vec::LinSpaced(3, 0.8, -0.5);
  const auto value = [&](double s) {
    Vec g(1);
    map.value(t + s, q + s * v + s * s / 2 * a, g);
    return g[0];
  };
  Vec gt(1), eta(1), first(1), second(1);
  MatrixSlot G = map.pattern(), change = map.pattern(), before = map.pattern(), after = map.pattern();
  map.time_derivative(t, q, gt);
  map.jacobian(t, q, G);
  map.curvature(t, q, v, eta);
  Vec Gv(1), Ga(1);
  G.multiply(v, Gv);
  G.multiply(a, Ga);
  EXPECT_NEAR(Gv[0] + gt[0], (value(d) - value(-d)) / (2 * d), 1e-6);
  EXPECT_NEAR(Ga[0] + eta[0], (value(d) - 2 * value(0) + value(-d)) / (d * d), 1e-5);
  const Motion motion{t, q.data(), v.data(), a.data()};
  ASSERT_TRUE(map.value_derivative(1, motion, first) && map.value_derivative(2, motion, second));
  EXPECT_NEAR(first[0], Gv[0] + gt[0], 1e-13);
  EXPECT_NEAR(second[0], Ga[0] + eta[0], 1e-12);
  ASSERT_TRUE(map.jacobian_derivative(1, motion, change));
  map.jacobian(t + d, q + d * v, after);
  map.jacobian(t - d, q - d * v, before);
  for (Index j = 0; j < 3; ++j)
    EXPECT_NEAR(change.value(0, j), (after.value(0, j) - before.value(0, j)) / (2 * d), 1e-6);
}

TEST(MovingGaps, AreDrivenOverByEveryMethod) {
  const Vec known = resolved(car, 2);
  EXPECT_GT(std::abs(known[0]), 1e-3);
  struct Case {
    const char* method;
    double h_or_rtol, error;
  };
  for (const auto& [method, by, error] :
       {Case{"radau", 1e-4, 1e-6}, Case{"radau", 1e-6, 1e-7}, Case{"generalized_alpha", 1e-5, 3e-4},
        Case{"bdf", 1e-5, 1e-3}, Case{"gauss", 5e-3, 1e-7}, Case{"implicit_midpoint", 1e-4, 1e-4}})
    EXPECT_NEAR(end_by(car, plan_with(method, 2, by))[0], known[0], error) << method;
  EXPECT_NEAR(end_by(car, by_formulation("slow", "dop853", 2, 1e-7))[0], known[0], 1e-6);
  EXPECT_NEAR(end_by(car, by_formulation("hmm", "dopri5", 2, 1e-6))[0], known[0], 1e-5);
  EXPECT_NEAR(end_by(car, by_formulation("rigid_limit", "dop853", 2, 1e-8))[0], known[0], 1e-4);
}

// Only the gap moves this mass, so only the gap can tell how long steps may be.
TEST(MovingGaps, SetTheStepsOfAMotionThatFollowsThem) {
  const char* const follower = R"toml(
[coordinates]
y = { start = 0, mass = 2 }
[[stiff]]
gap = "y - 0.1*(1 - cos(3*t))^2"
stiffness = 1e8
)toml";
  for (const char* method : {"radau", "generalized_alpha"}) {
    RunPlan plan = plan_with(method, 6, 1e-5);
    plan.output = Grid{0.1};
    const Solution run = run_of(problem_of(follower), plan);
    for (Index k = 0; k < run.rows(); ++k) {
      const double t = run.t[static_cast<std::size_t>(k)];
      EXPECT_NEAR(run.y().col(k)[0], 0.1 * std::pow(1 - std::cos(3 * t), 2), 1e-5) << method << " at " << t;
    }
  }
}

// A motion without oscillation: the error is of order epsilon^2 without the displacement of the gaps (order 0) and of
// order epsilon^4 with it (order 1).
TEST(MovingGaps, OpenAsTheSlowMotionNeeds) {
  const auto error = [](const char* w, const char* order) {
    const OptionSet given{{"w", w}};
    RunPlan plan = by_formulation("slow", "dop853", 3, 1e-11);
    plan.options = {{"order", order}};
    const Solution slow = run_of(problem_of(shaken, given), plan);
    PreparedRun stiff = prepare(plan_with("dop853", 3, 1e-12), problem_of(shaken, given), {});
    stiff.start.y.head(4) = slow.y().col(0).head(4);
    return (last_of(stiff.run()).head(2) - last_of(slow).head(2)).norm();
  };
  EXPECT_LT(error("200", "0"), 1e-3);
  EXPECT_NEAR(error("100", "0") / error("200", "0"), 4, 0.5);
  EXPECT_NEAR(error("60", "1") / error("120", "1"), 16, 5);
}

// The largest difference between the slow and the fully resolved motion in the quantity that `tell` computes.
template <class Tell>
double largest_difference(const char* text, const OptionSet& given, Tell tell) {
  RunPlan slowly = by_formulation("slow", "dop853", 3, 1e-9), exactly = plan_with("dop853", 3, 1e-11);
  slowly.output = exactly.output = Grid{0.2};
  const Solution slow = run_of(problem_of(text, given), slowly), stiff = run_of(problem_of(text, given), exactly);
  double largest = 0;
  for (Index k = 0; k < slow.rows(); ++k) {
    const double t = slow.t[static_cast<std::size_t>(k)];
    largest = std::max(largest, std::abs(tell(t, slow.y().col(k)) - tell(t, stiff.y().col(k))));
  }
  return largest;
}

// The start oscillates. The mean motion is found from it, with an error of order epsilon^2 in quantities that do not
// oscillate themselves.
TEST(MovingGaps, AreMatchedWhileTheyOscillate) {
  const auto angle = [](double t, const Vec& y) { return std::atan2(y[1], y[0] - 0.3 * std::sin(1.2 * t)); };
  const auto angle_error = [&](const char* w) { return largest_difference(shaken, {{"w", w}, {"kick", "1"}}, angle); };
  EXPECT_LT(angle_error("800"), 2e-5);
  EXPECT_NEAR(angle_error("200") / angle_error("800"), 16, 8);
  const auto x = [](double, const Vec& y) { return y[0]; };
  EXPECT_LT(largest_difference(swelling, {{"w", "200"}}, x), 4e-5);
  EXPECT_LT(largest_difference(swelling, {{"w", "800"}}, x), 3e-6);
}

// At a kink of the road the velocity at which the gap opens jumps, so it begins to oscillate.
TEST(MovingGaps, OscillateBehindAKinkOfTheRoad) {
  std::string ramp = car;
  const std::size_t begin = ramp.find("road = ");
  ramp.replace(begin, ramp.find('\n', begin) - begin, "road = \"if(t < 0.6, 0, 0.3*(t - 0.6))\"");
  const double known = resolved(ramp.c_str(), 2)[0];
  EXPECT_NEAR(end_by(ramp.c_str(), by_formulation("slow", "dop853", 2, 1e-7))[0], known, 1e-6);
  EXPECT_NEAR(end_by(ramp.c_str(), plan_with("radau", 2, 1e-6))[0], known, 2e-6);
}

TEST(MovingGaps, MayStartOnTheSlowManifold) {
  RunPlan plan = plan_with("generalized_alpha", 3, 1e-6);
  plan.options = {{"start", "slow"}};
  const OptionSet given{{"w", "2000"}, {"kick", "0.5"}};
  const Vec known = end_by(shaken, by_formulation("slow", "dop853", 3, 1e-8), {{"w", "2000"}});
  EXPECT_LT((end_by(shaken, plan, given) - known).head(2).norm(), 1e-3);
}

// A bob on a rigid rod, with a second bob attached to it by a stiff spring. The rigid limit is a double pendulum.
TEST(RigidLimits, HaveTheHardConstraintsToo) {
  const char* const pendulum = R"toml(
[parameters]
k = 1e5
[coordinates]
a = { start = [1, 0], point = 2, mass = 1.5 }
b = { start = [1, -0.7], point = 2, mass = 0.8 }
[[constraint]]
equation = "norm(a) - 1"
[[stiff]]
gap = "distance(a, b) - 0.7"
stiffness = "k"
[[potential]]
energy = "9*(1.5*a.y + 0.8*b.y)"
)toml";
  const Vec limit = end_by(pendulum, by_formulation("rigid_limit", "dop853", 1.5, 1e-9));
  EXPECT_NEAR(limit.head(2).norm(), 1, 1e-7);
  EXPECT_NEAR((limit.segment(2, 2) - limit.head(2)).norm(), 0.7, 1e-7);
  const auto off = [&](const char* k) { return (resolved(pendulum, 1.5, {{"k", k}}) - limit).head(4).norm(); };
  EXPECT_LT(off("1e7"), 1e-4);
  EXPECT_NEAR(off("1e5") / off("1e6"), 10, 5);
  // The multiplier of the rod is the only one in the solution.
  const Solution run = run_of(problem_of(pendulum), by_formulation("rigid_limit", "rattle", 0.5, 1e-4));
  EXPECT_EQ(run.info.layout.nl, 1);
}
}  // namespace
