// SPDX-License-Identifier: BSD-3-Clause
// radau with stiff gaps and a tolerance: together with hard constraints, from smooth and from oscillating starts, and
// on structures in which nothing moves slowly.
#include "formulation/slow_point.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
RunPlan plan_of(const std::string& method, double to, double rtol) {
  RunPlan plan = plan_with(method, to, rtol);
  plan.atol = rtol;
  return plan;
}

Solution solve(const std::string& text, const RunPlan& plan, const OptionSet& parameters = {}) {
  return run_of(read_model("m.toml", text, parameters).problem, plan);
}

Vec end_of(const Solution& s, Index n) { return last_of(s).head(n); }

const Notice* notice(const Solution& s, std::string_view code) {
  for (const Notice& n : s.outcome.notices)
    if (n.code == code) return &n;
  return nullptr;
}

// A bob on a rod, and a second bob on a stiff spring below it. At the start the spring is being stretched.
const char* rod_and_spring = R"toml(
[parameters]
speed = 0.8
drag = 0.15
[coordinates]
x = { start = 0.8, mass = 1.5 }
y = { start = -0.6, mass = 1.5 }
u = { start = 0.8, velocity = 0 }
w = { start = -1.9, velocity = "-speed" }
[[stiff]]
gap = "sqrt((u - x)^2 + (w - y)^2) - 1.3"
stiffness = 4e6
group = "spring"
[[potential]]
energy = "1.5*y + w"
group = "gravity"
[[force]]
on = "x"
value = "-drag*vx"
group = "drag"
[[force]]
on = "y"
value = "-drag*vy"
group = "drag"
[[force]]
on = "u"
value = "-drag*vu"
group = "drag"
[[force]]
on = "w"
value = "-drag*vw"
group = "drag"
[[constraint]]
equation = "x^2 + y^2 - 1"
)toml";

// The first bob can only move perpendicular to the rod: omega^2 = k (1/m2 + sin^2(angle)/m1), where angle is that
// between spring and rod.
TEST(SlowPointBesideConstraints, ComparesTheFrequenciesThatTheConstraintsLeave) {
  const TextModel model = read_model("m.toml", rod_and_spring, {});
  const LiftedForm form(mechanics(model));
  SlowPoint here(form), there(form);
  const auto square = [](double angle) { return 1 + std::pow(std::sin(angle), 2) / 1.5; };
  const auto find = [](SlowPoint& point, double rod, double spring) {
    const Vec q = Vec{
        {std::cos(rod), std::sin(rod), std::cos(rod) + 1.3 * std::cos(spring), std::sin(rod) + 1.3 * std::sin(spring)}};
    return point.find(0, q, Vec::Zero(4));
  };
  ASSERT_EQ(find(here, -0.6, -1.5), SlowPoint::Status::ok);
  ASSERT_EQ(find(there, -1.1, -1.4), SlowPoint::Status::ok);
  EXPECT_NEAR(here.frequencies_differ(there), std::abs(square(0.9) / square(0.3) - 1), 1e-12);
  ASSERT_EQ(find(there, 1.1, 0.2), SlowPoint::Status::ok);  // rod and spring form the same angle
  EXPECT_NEAR(here.frequencies_differ(there), 0, 1e-12);
}

// The oscillation of the spring exerts a mean force on the slow motion, which radau's long steps do not contain.
TEST(RadauBesideConstraints, DoubtsItselfWhereTheyMakeFrequenciesVary) {
  const Solution radau = solve(rod_and_spring, plan_of("radau", 3, 1e-6));
  const Solution exact = solve(rod_and_spring, plan_of("dop853", 3, 1e-11));
  ASSERT_TRUE(radau.ok() && exact.ok());
  EXPECT_GT((end_of(radau, 4) - end_of(exact, 4)).cwiseAbs().maxCoeff(), 0.01);
  const Notice* said = notice(radau, "fast_energy_with_varying_frequencies");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->severity, Severity::doubt);
}

// The oscillation does not move the constrained bob, so its frequency is constant.
TEST(RadauBesideConstraints, DoesNotDoubtConstantFrequencies) {
  const char* two_pendulums = R"toml(
[coordinates]
x = { start = 1, velocity = 0.4 }
y = 0
u = 1
w = 0
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 1e8
group = "spring"
[[potential]]
energy = "y + w + 0.1*y*w"
[[constraint]]
equation = "u^2 + w^2 - 1"
)toml";
  const Solution s = solve(two_pendulums, plan_of("radau", 3, 1e-6));
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(notice(s, "fast_energy_with_varying_frequencies"));
  EXPECT_TRUE(notice(s, "slow_motion_only"));
}

// Three masses on stiff springs that are unstretched at the start. The whole motion is smooth.
const char* chain_of_three = R"toml(
[parameters]
k = 2e6
[coordinates]
x1 = { start = 0.9, mass = 1.2 }
y1 = { start = 0, mass = 1.2 }
x2 = 1.4
y2 = -0.7
x3 = { start = 1.1, mass = 0.7 }
y3 = { start = -1.5, mass = 0.7 }
[derived]
l1 = "sqrt(x1^2 + y1^2) - 0.9"
l2 = "sqrt((x2 - x1)^2 + (y2 - y1)^2) - sqrt(0.74)"
l3 = "sqrt((x3 - x2)^2 + (y3 - y2)^2) - sqrt(0.73)"
[[stiff]]
gap = "l1"
stiffness = "k"
[[stiff]]
gap = "l2"
stiffness = "k"
[[stiff]]
gap = "l3"
stiffness = "k"
[[potential]]
energy = "1.2*y1 + y2 + 0.7*y3"
)toml";

TEST(RadauOnChains, FollowsItsToleranceFromASmoothStart) {
  const Solution exact = solve(chain_of_three, plan_of("dop853", 1.5, 1e-13));
  ASSERT_TRUE(exact.ok());
  double last = HUGE_VAL;
  for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11}) {
    const Solution s = solve(chain_of_three, plan_of("radau", 1.5, rtol));
    ASSERT_TRUE(s.ok()) << rtol;
    const double error = (end_of(s, 6) - end_of(exact, 6)).cwiseAbs().maxCoeff();
    EXPECT_LT(error, rtol) << rtol;
    EXPECT_LT(error, last) << rtol;
    last = error;
    EXPECT_FALSE(notice(s, "slow_motion_only")) << rtol;
    if (rtol == 1e-7) {
      EXPECT_LT(s.outcome.counters.steps, 40);
    }
  }
}

// From a start that oscillates radau gives the slow motion, and the run says so. If the slow motion cannot be found
// with the accuracy of the tolerance, the oscillation is followed.
TEST(RadauOnChains, SaysThatItAnswersForTheSlowMotionOrFollowsTheTolerance) {
  const char* two_springs = R"toml(
[coordinates]
x1 = 1.0002
y1 = 0
x2 = 1.7
y2 = -0.7
[[stiff]]
gap = "sqrt(x1^2 + y1^2) - 1"
stiffness = 2.5e5
[[stiff]]
gap = "sqrt((x2 - x1)^2 + (y2 - y1)^2) - sqrt(0.98)"
stiffness = 2.5e5
[[potential]]
energy = "y1 + y2"
)toml";
  const Solution exact = solve(two_springs, plan_of("dop853", 1, 1e-12));
  const auto error_of = [&](const Solution& s) { return (end_of(s, 4) - end_of(exact, 4)).cwiseAbs().maxCoeff(); };
  const Solution slow = solve(two_springs, plan_of("radau", 1, 1e-7)),
                 whole = solve(two_springs, plan_of("radau", 1, 1e-11));
  ASSERT_TRUE(exact.ok() && slow.ok() && whole.ok());
  EXPECT_GT(error_of(slow), 1e-6);
  ASSERT_TRUE(notice(slow, "slow_motion_only"));
  EXPECT_GT(notice(slow, "slow_motion_only")->value, 1);
  EXPECT_LT(error_of(whole), 1e-10);
  EXPECT_FALSE(notice(whole, "slow_motion_only"));
  EXPECT_FALSE(notice(whole, "fast_energy_with_varying_frequencies"));
}

// On a pendulum r v is conserved. If the spring is open by 1 % at the start, the speed of the slow motion is larger by
// 1 %, because the slow motion has the closed spring. A step that closes the spring does not change the speed, so
// radau must report a doubt.
TEST(RadauOnOpenGaps, DoubtsTheSpeedItStartsWith) {
  const auto start = [](double x0, double v0) {
    return prepare([&] {
             RunPlan plan = plan_of("radau", 3, 1e-6);
             plan.model = "stiff_spring";
             plan.parameters = {
                 {"epsilon", "1e-3"}, {"x0", fmt::format("{:g}", x0)}, {"y0", "0"}, {"v0", fmt::format("{:g}", v0)}};
             return plan;
           }())
        .run();
  };
  const Solution fast = start(1.01, 2), still = start(1.01, 0), closed = start(1, 2);
  ASSERT_TRUE(notice(fast, "open_gaps_at_start"));
  EXPECT_NEAR(notice(fast, "open_gaps_at_start")->value, 0.01, 0.006);
  EXPECT_EQ(notice(fast, "open_gaps_at_start")->severity, Severity::doubt);
  EXPECT_FALSE(notice(still, "open_gaps_at_start"));
  EXPECT_FALSE(notice(closed, "open_gaps_at_start"));
}

// A bead on an ellipse, and a mass that is attached to it by a stiff spring and oscillates.
const char* bead_and_spring = R"toml(
[coordinates]
x = { start = 1, mass = 2 }
y = { start = 0, velocity = 0.5, mass = 2 }
p = { start = 1.9, velocity = 1.2, mass = 0.5 }
q = { start = 0, velocity = 0.5, mass = 0.5 }
[[constraint]]
equation = "x^2 + 4*y^2 - 1"
[[stiff]]
gap = "sqrt((p - x)^2 + (q - y)^2) - 0.9"
stiffness = 4e5
[[potential]]
energy = "(p^2 + 3*q^2)/2 + x*y"
)toml";

// These tolerances are close to the accuracy with which the slow motion is known. Then the oscillation must either be
// followed from the start, or be removed completely (so that its force is missing to the end). It must not be removed
// in part.
TEST(RadauAtTightTolerances, RemovesAnOscillationOrFollowsIt) {
  const Solution exact = solve(bead_and_spring, plan_of("dop853", 1.5, 1e-11));
  bool removes = false, follows = false;
  for (const double rtol : {1e-9, 1e-10}) {
    const Solution radau = solve(bead_and_spring, plan_with("radau", 1.5, rtol));
    ASSERT_TRUE(radau.ok() && exact.ok());
    const double off = (end_of(radau, 4) - end_of(exact, 4)).cwiseAbs().maxCoeff();
    const Notice* missing = notice(radau, "fast_energy_with_varying_frequencies");
    if (notice(radau, "slow_motion_only")) {
      removes = true;
      ASSERT_TRUE(missing) << rtol;
      EXPECT_GT(missing->value, 0.5 * off) << rtol;
      EXPECT_GT(off, 1e-2) << rtol;
    } else {
      follows = true;
      EXPECT_FALSE(missing) << rtol;
      EXPECT_LT(off, 1e-8) << rtol;
    }
  }
  EXPECT_TRUE(removes && follows);
}

std::string beam(const std::string& support) {
  return R"toml(
[parameters]
EI = 4
[beams]
rod = { length = 1.2, mass = 0.8, stiffness = "EI", elements = 2 }
)toml" + support;
}

const char* clamped = R"toml(
[[joint]]
kind = "rigid"
from = [0, 0]
to = "rod.base"
[[force]]
at = "rod.tip"
value = [0, 0.02]
)toml";

const char* driven = R"toml(
[[joint]]
kind = "revolute"
from = [0, 0]
to = "rod.base"
[[driver]]
of = "rod.angle"
value = "0.2*(t - sin(t))"
)toml";

// Together with the gaps this support has one row more than there are coordinates, so rows are dependent.
const char* propped = R"toml(
[[joint]]
kind = "rigid"
from = [0, 0]
to = "rod.base"
[[joint]]
kind = "point_on_line"
to = "rod.tip"
[[force]]
on = "rod[0].deflection"
value = "0.1"
)toml";

// There are at least as many gaps and constraints as coordinates. Then nothing moves but the vibration, which is
// followed.
TEST(RadauOnBeams, FollowsTheVibrationWhereNothingElseMoves) {
  for (const char* support : {clamped, driven, propped})
    for (const char* EI : {"4", "400"}) {
      const RunPlan reference = plan_of("dop853", 0.3, 1e-11);
      RunPlan plan = plan_of("radau", 0.3, 1e-8);
      const Solution exact = solve(beam(support), reference, {{"EI", EI}}),
                     radau = solve(beam(support), plan, {{"EI", EI}});
      plan.options = {{"fast", "resolve"}};
      const Solution resolved = solve(beam(support), plan, {{"EI", EI}});
      ASSERT_TRUE(exact.ok() && radau.ok() && resolved.ok()) << EI << support;
      const double reach = exact.y().topRows(7).bottomRows(4).cwiseAbs().maxCoeff();
      EXPECT_GT(reach, 1e-5);
      for (const Solution* s : {&radau, &resolved})
        EXPECT_LT((end_of(*s, 7) - end_of(exact, 7)).cwiseAbs().maxCoeff(), 1e-4 * reach) << EI << support;
      EXPECT_FALSE(notice(radau, "slow_motion_only"));
      EXPECT_FALSE(notice(resolved, "no_slow_point"));
    }
}

// Everything is zero at the start, so no size tells how long a first step may be.
TEST(RadauOnBeams, StartsFromRestOnAShakenSupport) {
  const std::string text = beam(R"toml(
[[joint]]
kind = "rigid"
from = [0, "0.03*sin(9*t)^2"]
to = "rod.base"
)toml");
  const Solution exact = solve(text, plan_of("dop853", 0.2, 1e-11)), radau = solve(text, plan_of("radau", 0.2, 1e-8));
  ASSERT_TRUE(exact.ok() && radau.ok());
  EXPECT_LT((end_of(radau, 7) - end_of(exact, 7)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_GT(end_of(exact, 7).cwiseAbs().maxCoeff(), 1e-3);
}

// The only point of the slow manifold may be q = 0, where errors relative to the size of q mean nothing.
TEST(SlowPointAtZero, IsFound) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = 1e-3
y = 2e-3
z = -3e-3
[[stiff]]
gap = "x + 0.3*y + 0.11*z"
stiffness = 1e6
[[stiff]]
gap = "0.7*x - y/3 + z"
stiffness = 3e6
[[stiff]]
gap = "0.1*x + y/7 - 1.3*z"
stiffness = 7e6
)toml",
                                     {});
  const LiftedForm form(mechanics(model));
  SlowPoint point(form);
  for (int k = 1; k <= 300; ++k) {
    const Vec q = Vec{{std::sin(1.0 * k), std::sin(2.0 * k), std::sin(3.0 * k)}};
    EXPECT_EQ(point.find(0, q, Vec::Zero(3)), SlowPoint::Status::ok) << k;
  }
}
}  // namespace
}  // namespace trill::testing_models
