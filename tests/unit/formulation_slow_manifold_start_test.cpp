// SPDX-License-Identifier: BSD-3-Clause
// Starts on the slow manifold, compared with the closed form r = 1 + eps^2 (sin theta + r omega^2) of the stiff
// pendulum.
#include "formulation/slow_manifold_start.hpp"
#include "support/text_models.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
TextModel pendulum(double epsilon, double x0, double y0, double u0, double v0) {
  const auto text = [](double x) { return fmt::format("{:.17g}", x); };
  return make_model(
      "stiff_spring",
      {{"epsilon", text(epsilon)}, {"x0", text(x0)}, {"y0", text(y0)}, {"u0", text(u0)}, {"v0", text(v0)}});
}

SlowStart slow_start_of(const MechanicalProblem& p, const State& s) {
  return SlowManifoldStart(p).find(s.t, s.q(), s.v());
}

TEST(SlowManifoldStart, OfThePendulumIsItsClosedForm) {
  const double eps = 0.03;
  const TextModel model = pendulum(eps, 0.8, 0.45, -0.3, 0.9);
  const State given = model.problem->initial_state();
  const SlowStart slow = slow_start_of(mechanics(model), given);
  const double r = slow.q.norm(), theta = std::atan2(slow.q[1], slow.q[0]);
  // The point moves radially, since all masses are equal.
  EXPECT_NEAR(theta, std::atan2(given.q()[1], given.q()[0]), 1e-14);
  const double out = slow.q.dot(slow.v) / r, along = (slow.q[0] * slow.v[1] - slow.q[1] * slow.v[0]) / r;
  EXPECT_NEAR(r - 1, eps * eps * (std::sin(theta) + along * along / r), 1e-14);
  // The rigid pendulum with the same tangential speed has lambda' = (3 cos theta) omega.
  EXPECT_NEAR(out, eps * eps * 3 * std::cos(theta) * along, 1e-10);
  // The acceleration is that of the rigid motion on the circle with radius r.
  EXPECT_NEAR(slow.a.dot(slow.q) / r, -along * along / r, 1e-8);
  const double open = given.q().norm() - 1 - eps * eps * (std::sin(theta) + along * along / r);
  const double across = given.q().dot(given.v()) / given.q().norm() - out;
  EXPECT_NEAR(slow.open, std::abs(open), 1e-14);
  EXPECT_NEAR(slow.fast_energy, 0.5 * open * open / (eps * eps) + 0.5 * across * across, 1e-12);
  EXPECT_NEAR(slow.omega, 1 / eps, 1e-9);
  EXPECT_NEAR(slow.share,
              slow.fast_energy / (slow.fast_energy + slow.a.cwiseAbs().maxCoeff() * slow.q.cwiseAbs().maxCoeff()),
              1e-12);
}

// Along a smooth stiff motion the distance from the slow manifold is of order eps^4, that from the rigid pendulum of
// order eps^2.
TEST(SlowManifoldStart, IsTheStiffMotionUpToTheFourthPowerOfEpsilon) {
  double last = 0;
  for (const double eps : {0.1, 0.1 * std::sqrt(0.1), 0.01}) {
    const TextModel model = pendulum(eps, 1, 0, 0, 0);
    RunPlan plan = plan_with("dop853", 2, 1e-11);
    plan.output = Grid{0.05};
    const Solution stiff = run_of(model.problem->clone(), plan);
    double rigid = 0, left = 0, energy = 0;
    for (Index k = 0; k < stiff.rows(); ++k) {
      State s = model.problem->initial_state();
      s.y = stiff.y().col(k);
      const SlowStart slow = slow_start_of(mechanics(model), s);
      rigid = std::max(rigid, std::abs(s.q().norm() - 1));
      left = std::max(left, std::abs(s.q().norm() - slow.q.norm()));
      energy = std::max(energy, slow.fast_energy);
    }
    EXPECT_NEAR(rigid, 3 * eps * eps, 0.06 * eps * eps) << eps;
    EXPECT_LT(left, 1.2e1 * std::pow(eps, 4)) << eps;
    EXPECT_LT(energy, 100 * std::pow(eps, 6)) << eps;
    if (last > 0) {
      EXPECT_NEAR(std::log(last / left) / std::log(std::sqrt(10)), 4, 0.2) << eps;
    }
    last = left;
  }
}

// A start that oscillates is moved onto the slow manifold. The stiff motion that starts there does not leave it.
TEST(SlowManifoldStart, TheStiffMotionFromItDoesNotOscillate) {
  const double eps = 0.01;
  const TextModel model = pendulum(eps, 1.02, 0.3, 0.2, 0.1);
  const State given = model.problem->initial_state();
  const SlowStart slow = slow_start_of(mechanics(model), given);
  PreparedRun run = prepare(plan_with("dop853", 3, 1e-11), model.problem->clone(), {});
  run.start.q() = slow.q;
  run.start.v() = slow.v;
  const Solution stiff = run.run();
  double most = 0;
  for (Index k = 0; k < stiff.rows(); ++k) {
    State s = given;
    s.y = stiff.y().col(k);
    most = std::max(most, slow_start_of(mechanics(model), s).fast_energy);
  }
  EXPECT_GT(slow.fast_energy, 1);
  EXPECT_GT(slow.share, 0.5);
  EXPECT_LT(most, 1e-9 * slow.fast_energy);
  Notes notes;
  warn_off_manifold(slow, 0, notes);
  ASSERT_EQ(notes.notices().size(), 1u);
  EXPECT_DOUBLE_EQ(notes.notices()[0].value, slow.share);
  EXPECT_THAT(notes.notices()[0].text, testing::HasSubstr("--set start=slow"));
  warn_off_manifold(slow_start_of(mechanics(model), run.start), 0, notes);
  EXPECT_EQ(notes.notices()[0].count, 1);
}

// Besides the gaps there are hard constraints, a mass that depends on positions, and a constraint that moves.
TEST(SlowManifoldStart, HardConstraintsStayClosed) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 1.01, velocity = 0.1 }
coordinates.y = { start = 0.3, velocity = 0.8 }
coordinates.z = { start = 0.3, velocity = 0.9, mass = 2 }
[[kinetic]]
energy = "0.5*(1 + 0.1*y^2)*vx^2 + 0.5*vy^2"
[[potential]]
energy = "y"
group = "gravity"
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 1e6
group = "spring"
[[constraint]]
equation = "z - y - 0.1*sin(t)"
)toml");
  const MechanicalProblem& p = mechanics(model);
  const SlowStart slow = slow_start_of(p, p.initial_state());
  EXPECT_NEAR(slow.q[2], slow.q[1], 1e-15);
  EXPECT_NEAR(slow.v[2], slow.v[1] + 0.1, 1e-14);
  EXPECT_LT(std::abs(slow.q.head(2).norm() - 1), 1e-4);
  EXPECT_NEAR(slow.q.head(2).normalized().dot(slow.v.head(2)), 0, 1e-4);
  EXPECT_GT(slow.fast_energy, 0);
  const State again = [&] {
    State s = p.initial_state();
    s.q() = slow.q;
    s.v() = slow.v;
    return s;
  }();
  EXPECT_LT(slow_start_of(p, again).fast_energy, 1e-16 * slow.fast_energy + 1e-18);
}

// A declared gap that is softer than an ordinary force by a factor of about 10,000. There the multiplier changes by
// more than the gap opens, so a start on the slow manifold is refused.
TEST(SlowManifoldStart, RefusesGapsThatAreSofterThanOtherForces) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = 0.1
y = 1.2
[[stiff]]
gap = "y - x - 1"
stiffness = 12
[[potential]]
energy = "6e4*x^2"
)toml");
  const State given = model.problem->initial_state();
  EXPECT_THROW(slow_start_of(mechanics(model), given), UsageError);
  State kept = given;
  EXPECT_FALSE(take_slow_start(mechanics(model), false, kept));
  EXPECT_EQ(kept.y, given.y);
}

TEST(SlowManifoldStart, NeedsGaps) { EXPECT_FALSE(SlowManifoldStart(mechanics(make_model("rigid", {}))).applies()); }
}  // namespace
}  // namespace trill::testing_models
