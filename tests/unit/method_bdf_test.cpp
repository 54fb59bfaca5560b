// SPDX-License-Identifier: BSD-3-Clause
// The backward differentiation formula, compared with the formula itself, in all formulations and with steps of any
// size.
#include "support/algebra.hpp"
#include "support/mentions.hpp"
#include "support/multiscale_runs.hpp"
#include "support/small_problems.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill::test {
namespace {
using multiscale_runs::code_of;
using testing_models::mechanics;

// The matrix A of y' = A y with y = (q, v) and q'' = -4 q - 0.3 v.
const Mat& rates() {
  static const Mat a = (Mat(2, 2) << 0, 1, -4, -0.3).finished();
  return a;
}
FormulaMechanics damped_oscillator() {
  return {Vec{{1.0}}, Vec{{0.5}}, [](double, In q, In v, Out f) { f[0] = -4 * q[0] - 0.3 * v[0]; }, true};
}

TEST(Bdf, StepsAreThoseOfTheFormula) {
  const FormulaMechanics p = damped_oscillator();
  const double h1 = 0.1, h2 = 0.17, h3 = 0.08;
  const Mat I = Mat::Identity(2, 2);
  const Vec y0{{1.0, 0.5}};
  const Vec y1 = test::solved(I - h1 * rates(), y0);
  const auto second = [&](double h, double before, const Vec& y, const Vec& past) -> Vec {
    const double w = h / before;
    return test::solved((1 + 2 * w) * I - (1 + w) * h * rates(), (1 + w) * (1 + w) * y - w * w * past);
  };
  const Vec y2 = second(h2, h1, y1, y0), y3 = second(h3, h2, y2, y1);
  Walk walk(p, "bdf");
  for (const auto& [h, y] : {std::pair{h1, y1}, {h2, y2}, {h3, y3}}) {
    ASSERT_EQ(walk.step(h).status, StepStatus::ok);
    EXPECT_LT((walk.s.y - y).cwiseAbs().maxCoeff(), 1e-13);
  }
  walk.jumped = true;  // after a jump the method must not use earlier values
  ASSERT_EQ(walk.step(h1).status, StepStatus::ok);
  EXPECT_LT((walk.s.y - test::solved(I - h1 * rates(), y3)).cwiseAbs().maxCoeff(), 1e-13);
  Walk euler(p, "bdf", {{"order", "1"}});
  euler.walk(h1, 2);
  EXPECT_LT((euler.s.y - test::solved(I - h1 * rates(), y1)).cwiseAbs().maxCoeff(), 1e-13);
}

// For q = t^3 the local error is (1 + w)^2/(6w (1 + 2w)) h^3 q'''. The estimate differs a little, because of earlier
// errors.
TEST(Bdf, TheEstimateIsTheLocalError) {
  const FormulaMechanics p(Vec{{1.0}}, Vec{{3.0}}, [](double t, In, In, Out f) { f[0] = 6 * (1 + t); });
  Walk walk(p, "bdf", {{"error_test", "positions"}});
  walk.scale = {.rtol = 1e-30, .atol = Vec::Ones(2), .controlled = true};
  const double last = 1e-3, w = 1.9, h = w * last;
  for (int k = 0; k < 30; ++k) ASSERT_EQ(walk.step(last).status, StepStatus::ok);
  const double expected = (1 + w) * (1 + w) / (6 * w * (1 + 2 * w)) * h * h * h * 6;
  EXPECT_NEAR(walk.step(h).error * std::sqrt(2), expected, 0.1 * expected);  // the norm is the rms of q and v
  Walk euler(p, "bdf", {{"error_test", "positions"}, {"order", "1"}});
  euler.scale = walk.scale;
  ASSERT_EQ(euler.step(last).status, StepStatus::ok);
  EXPECT_NEAR(euler.step(h).error * std::sqrt(2), h * h / 2 * 6, 0.25 * h * h / 2 * 6);
}

struct End {
  Vec q, v, lambda;
};
End end_of(const std::string& model, const OptionSet& options, double to, int steps, bool uneven = false,
           const std::string& method = "bdf") {
  const TextModel made = make_model(model, {});
  Walk walk(*made.problem, method, options);
  const double h = to / steps, pattern[] = {1.4, 0.4, 1.4, 0.8};
  for (int k = 0; k < steps; ++k)
    EXPECT_EQ(walk.step(uneven ? pattern[k % 4] * h : h).status, StepStatus::ok) << model << " step " << k;
  return {walk.s.q(), walk.s.v(), walk.s.lambda()};
}

class BdfFormulation : public testing::TestWithParam<std::string> {};

TEST_P(BdfFormulation, IsOfSecondOrderWithUnevenSteps) {
  const End exact = end_of("rigid", {}, 2, 4000, false, "dop853");
  const auto error = [&](int steps) {
    const End e = end_of("rigid", {{"formulation", GetParam()}}, 2, steps, true);
    return Vec{{(e.q - exact.q).norm(), (e.v - exact.v).norm(), (e.lambda - exact.lambda).norm()}};
  };
  const Vec coarse = error(160), fine = error(640);
  // Its multipliers react to every change of the step, so they are left out.
  const bool own_multipliers = GetParam() == "index3";
  for (int k = 0; k < (own_multipliers ? 2 : 3); ++k) EXPECT_NEAR(std::log(coarse[k] / fine[k]) / std::log(4), 2, 0.15);
}

TEST_P(BdfFormulation, KeepsConstraintsThatMoveToo) {
  const TextModel made = read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0.3 }
coordinates.y = { start = 0, velocity = 0.5, mass = 2 }
[[potential]]
energy = "y"
[[force]]
on = "x"
value = "-0.2*vx"
[[constraint]]
equation = "x^2 + y^2 - (1 + 0.3*sin(t))^2"
)toml");
  Walk walk(*made.problem, "bdf", {{"formulation", GetParam()}});
  const ConstraintMap& map = *mechanics(made).constraints();
  Vec g(1), gt(1), rate(1);
  MatrixSlot G = map.pattern();
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(walk.step(0.03).status, StepStatus::ok);
    map.value(walk.s.t, walk.s.q(), g);
    map.time_derivative(walk.s.t, walk.s.q(), gt);
    map.jacobian(walk.s.t, walk.s.q(), G);
    G.multiply(walk.s.v(), rate);
    EXPECT_NEAR(g[0], 0, 1e-12);
    if (GetParam() != "index3") {
      EXPECT_NEAR(rate[0] + gt[0], 0, 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BdfFormulation, testing::Values("index2", "cs", "cm", "ggl", "index3"),
                         [](const auto& info) { return info.param; });

TEST(Bdf, FormulationsAgree) {
  const End one = end_of("rigid", {}, 2, 100);
  for (const char* other : {"cs", "cm"}) {
    const End e = end_of("rigid", {{"formulation", other}}, 2, 100);
    EXPECT_LT((e.q - one.q).norm() + (e.v - one.v).norm() + (e.lambda - one.lambda).norm(), 1e-9) << other;
  }
  for (const char* other : {"ggl", "index3"}) {
    const End e = end_of("rigid", {{"formulation", other}}, 2, 100);
    EXPECT_LT((e.q - one.q).norm() + (e.v - one.v).norm(), 1e-2) << other;
  }
}

// Two bars with a stiff bushing (k = 1e8) whose oscillation has an amplitude of 1e-3. If only positions are tested,
// the steps do not follow it, and the energy that is lost is reported. YPR98 found the same with DASSL. The reference
// angle is that of radau with a tolerance of 1e-9.
TEST(Bdf, StepsOverSmallOscillationsAndSaysWhatItTook) {
  const auto plan = [](const char* test, const char* start, double rtol) {
    RunPlan p;
    p.model = "bushing_pendulum";
    p.parameters = {{"kx", "1e8"}, {"ky", "1e8"}, {"ktheta", "1e7"}};
    p.method = "bdf";
    p.options = {{"error_test", test}, {"start", start}};
    p.rtol = rtol;
    p.to = 1;
    p.output = Times{{1}};
    return p;
  };
  RunPlan exact = plan("positions", "given", 1e-9);
  exact.method = "radau";
  exact.options.clear();
  const double theta = prepare(exact).run().y()(2, 1);
  const Solution given = prepare(plan("positions", "given", 1e-4)).run();
  ASSERT_TRUE(given.ok()) << given.outcome.message;
  EXPECT_LT(given.outcome.counters.steps, 100);
  EXPECT_NEAR(given.y()(2, 1), theta, 4e-3);
  EXPECT_EQ(code_of(given, "off_slow_manifold"), 1);
  EXPECT_EQ(code_of(given, "damping"), 1);
  // The oscillation has the energy k/2 offset^2 = 50, almost all of which is damped.
  const auto damped = given.measured().row(given.quantity("damped energy"));
  EXPECT_NEAR(damped[given.rows() - 1], 50, 2);
  const Solution slow = prepare(plan("scaled_velocities", "slow", 1e-4)).run();
  EXPECT_NEAR(slow.y()(2, 1), theta, 4e-3);
  EXPECT_EQ(code_of(slow, "off_slow_manifold"), 0);
  EXPECT_EQ(code_of(slow, "damping"), 0);
}

TEST(Bdf, StartsOnTheSlowManifoldOnlyWhereThereIsOne) {
  const TextModel made = make_model("rigid", {});
  EXPECT_THAT(refusal([&] { Walk(*made.problem, "bdf", {{"start", "slow"}}); }), mentions("start=slow", "gaps"));
}

// Two bars of length 1 whose end is pulled away. A step to a time at which they cannot reach the end fails and leaves
// the state unchanged.
TEST(Bdf, AFailedStepLeavesTheState) {
  const TextModel made = read_model("m.toml", R"toml(
coordinates.x1 = { start = 0.6, velocity = 0.25 }
coordinates.y1 = { start = -0.8, velocity = 0.1875 }
coordinates.x2 = { start = 1.2, velocity = 0.5 }
[[constraint]]
equation = "x1^2 + y1^2 - 1"
[[constraint]]
equation = "(x2 - x1)^2 + y1^2 - 1"
[[constraint]]
equation = "x2 - 1.2 - 0.5*t"
)toml");
  for (const char* form : {"index2", "cs", "cm", "ggl", "index3"}) {
    Walk walk(*made.problem, "bdf", {{"formulation", form}});
    ASSERT_EQ(walk.step(0.1).status, StepStatus::ok) << form;
    const State before = walk.s;
    EXPECT_NE(walk.step(2).status, StepStatus::ok) << form;
    EXPECT_EQ(walk.s.y, before.y);
    EXPECT_EQ(walk.s.t, before.t);
    EXPECT_EQ(walk.step(0.1).status, StepStatus::ok) << form;
    const Solution run = prepare(testing_models::plan_with("bdf", 2, 1e-5), made.problem->clone()).run();
    EXPECT_THAT(run.outcome.message, mentions("singular position", "constraint")) << form;
    EXPECT_NEAR(run.t.back(), 1.6, 0.01);
  }
}
}  // namespace
}  // namespace trill::test
