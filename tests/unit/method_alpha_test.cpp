// SPDX-License-Identifier: BSD-3-Clause
// The alpha family on constrained systems: published errors, orders with changing steps, agreement of the
// formulations, constraints that are kept, starts and failures.
#include "method/alpha_coefficients.hpp"
#include "support/algebra.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/control/advance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// YPR98 sec. 3: unit mass, gravity along +y, g = (x^2 + y^2 - 1)/2.
const std::string pendulum_text = R"(
[coordinates]
x = { start = "x0", velocity = 0 }
y = { start = 0, velocity = "vy0" }
[parameters]
x0 = 1
vy0 = 0
[[potential]]
energy = "-y"
[[constraint]]
equation = "(x^2 + y^2 - 1)/2"
)";

struct Errors {
  double q, v, lambda;
};

RunPlan plan_of(const std::string& method, const OptionSet& options, double to) {
  RunPlan plan;
  plan.method = method;
  plan.options = options;
  plan.to = to;
  return plan;
}
RunPlan fixed_plan(const std::string& method, const OptionSet& options, double to, double h) {
  RunPlan plan = plan_of(method, options, to);
  plan.h = h;
  return plan;
}
RunPlan bushing_plan(const char* k, const char* offset, double to) {
  RunPlan plan = plan_of("generalized_alpha", {}, to);
  plan.model = "bushing_pendulum";
  plan.parameters = {{"kx", k}, {"ky", k}, {"ktheta", k}, {"offset", offset}};
  plan.rtol = 1e-4;
  return plan;
}
Vec end_of(const std::string& text, RunPlan plan) {
  plan.output = Times{{*plan.to}};
  return last_of(run_of(read_model("m.toml", text).problem, plan));
}
double last_measured(const Solution& run, std::string_view quantity) {
  return run.measured()(run.quantity(quantity), run.rows() - 1);
}
bool said(const Solution& run, std::string_view code) {
  const auto& all = run.outcome.notices;
  return std::any_of(all.begin(), all.end(), [&](const Notice& n) { return n.code == code; });
}

Errors pendulum_errors(const std::string& method, const OptionSet& options, int steps) {
  // The exact values at t = 2 come from an independent integration of the angle with 16 digits.
  const Vec exact =
      Vec{{-0.204193214788267, 0.978930605831926, -1.369754885003488, -0.285714484535028, 2.936791817495875}};
  const Vec end = end_of(pendulum_text, fixed_plan(method, options, 2, 2.0 / steps));
  const Vec error = end - exact;
  return {error.head(2).norm(), error.segment(2, 2).norm(), std::abs(error[4])};
}

struct Published {
  const char* method;
  OptionSet options;
  Errors at_320;
};
// Errors at t = 2 with 320 steps. They were found by a separate program for every method of the family.
const std::vector<Published> published{{"newmark", {}, {2.709e-5, 3.908e-5, 2.1e-5}},
                                       {"hht", {{"alpha", "-0.1"}}, {3.553e-5, 5.232e-5, 3.836e-5}},
                                       {"hht", {{"alpha", "-0.33333333333333331"}}, {4.175e-5, 6.1e-5, 4.057e-5}},
                                       {"wbz", {{"rho", "0.5"}}, {6.43e-5, 9.732e-5, 9.072e-5}},
                                       {"generalized_alpha", {{"rho", "0.9"}}, {2.746e-5, 3.962e-5, 2.148e-5}},
                                       {"generalized_alpha", {{"rho", "0.5"}}, {4.175e-5, 6.1e-5, 4.057e-5}},
                                       {"generalized_alpha", {{"rho", "0"}}, {1.584e-4, 2.371e-4, 2.032e-4}},
                                       {"generalized_alpha", {{"rho", "1"}}, {2.709e-5, 3.908e-5, 2.1e-5}}};

TEST(AlphaFamily, HasThePublishedErrorsAndOrders) {
  for (const Published& p : published) {
    const Errors fine = pendulum_errors(p.method, p.options, 320), coarse = pendulum_errors(p.method, p.options, 160);
    EXPECT_NEAR(fine.q, p.at_320.q, 5e-3 * p.at_320.q) << p.method;
    EXPECT_NEAR(fine.v, p.at_320.v, 5e-3 * p.at_320.v) << p.method;
    EXPECT_NEAR(fine.lambda, p.at_320.lambda, 5e-3 * p.at_320.lambda) << p.method;
    EXPECT_GT(std::log2(coarse.q / fine.q), 1.95) << p.method;
    EXPECT_GT(std::log2(coarse.v / fine.v), 1.95) << p.method;
    EXPECT_GT(std::log2(coarse.lambda / fine.lambda), 1.95) << p.method;
  }
}

TEST(AlphaFamily, GivesTheSameInEveryFormulationOfOneSystem) {
  const auto end = [&](OptionSet options) {
    options["rho"] = "0.5";
    return end_of(pendulum_text, fixed_plan("generalized_alpha", options, 2, 0.0125));
  };
  const Vec index2 = end({{"formulation", "index2"}});
  for (const OptionSet& other : {OptionSet{{"formulation", "cs"}}, OptionSet{{"formulation", "cs"}, {"split", "qr"}},
                                 OptionSet{{"formulation", "cm"}}, OptionSet{{"formulation", "ggl"}}})
    EXPECT_LT((end(other) - index2).cwiseAbs().maxCoeff(), 1e-9) << other.at("formulation");
}

TEST(AlphaFamily, IndexThreeIsOfOrderTwoInPositionsAndVelocities) {
  const OptionSet options{{"rho", "0.5"}, {"formulation", "index3"}};
  const Errors fine = pendulum_errors("generalized_alpha", options, 320),
               coarse = pendulum_errors("generalized_alpha", options, 160);
  EXPECT_GT(std::log2(coarse.q / fine.q), 1.95);
  EXPECT_GT(std::log2(coarse.v / fine.v), 1.95);
}

TEST(AlphaFamily, MultipliersOfTheStageAreOfOrderTwo) {
  const OptionSet options{{"rho", "0.5"}, {"lambda", "stage"}};
  const Errors fine = pendulum_errors("generalized_alpha", options, 320),
               coarse = pendulum_errors("generalized_alpha", options, 160);
  EXPECT_GT(std::log2(coarse.q / fine.q), 1.95);
  EXPECT_GT(std::log2(coarse.v / fine.v), 1.95);
  EXPECT_GT(std::log2(coarse.lambda / fine.lambda), 1.9);
}

// Steps of 1.4 h, 0.4 h, 1.4 h and 0.8 h, repeated.
Errors changing_steps(int steps) {
  const auto model = read_model("pendulum.toml", pendulum_text, {{"vy0", "1.3"}});
  const auto stepper = Catalogue::all().method("generalized_alpha").make(*model.problem, {{"rho", "0.5"}});
  State s = model.problem->initial_state();
  ErrorScale scale{.rtol = 1e-10, .atol = Vec::Constant(s.y.size(), 1e-12)};
  Vec weights(s.y.size());
  Notes notes;
  Counters work;
  stepper->start(s, scale);
  const double pattern[] = {1.4, 0.4, 1.4, 0.8};
  for (int k = 0; k < steps; ++k) {
    scale.weights(s.y, weights);
    const StepRequest request{pattern[k % 4] * 2 / steps, scale, weights, INFINITY, k == 0, false, notes, work, {}};
    EXPECT_EQ(stepper->step(s, request).status, StepStatus::ok);
  }
  const Vec exact = Vec{{-0.98510498893062, -0.17195394960285, 0.1995030517721, -1.14293072105352, 1.17413815119143}};
  const Vec error = s.y - exact;
  return {error.head(2).norm(), error.segment(2, 2).norm(), std::abs(error[4])};
}

TEST(AlphaFamily, KeepsItsOrderWithChangingSteps) {
  const Errors fine = changing_steps(320), coarse = changing_steps(160);
  EXPECT_GT(std::log2(coarse.q / fine.q), 1.95);
  EXPECT_GT(std::log2(coarse.v / fine.v), 1.95);
  EXPECT_GT(std::log2(coarse.lambda / fine.lambda), 1.95);
  EXPECT_NEAR(fine.q, 1.082e-4, 5e-3 * 1.082e-4);
  EXPECT_NEAR(fine.v, 1.545e-4, 5e-3 * 1.545e-4);
  EXPECT_NEAR(fine.lambda, 3.154e-4, 5e-3 * 3.154e-4);
}

// The matrix of one step for q'' = -omega^2 q in the variables (q, h v, h^2 a), set up directly from the formulas.
Mat step_matrix(const AlphaCoefficients& c, double mu) {
  const double x = mu * mu;
  Mat left = Mat::Identity(3, 3), right = Mat::Zero(3, 3);
  left << 1, 0, -c.beta, 0, 1, -c.gamma, (1 - c.alpha_f) * x, 0, 1 - c.alpha_m;
  right << 1, 1, 0.5 - c.beta, 0, 1, 1 - c.gamma, -c.alpha_f * x, 0, -c.alpha_m;
  return test::inverse(left) * right;
}

std::vector<double> limit_roots(const AlphaCoefficients& c) {
  const Eigen::VectorXcd roots = test::eigenvalues(step_matrix(c, 1e7));
  std::vector<double> sorted;
  for (Index i = 0; i < 3; ++i) {
    EXPECT_LT(std::abs(roots[i].imag()), 1e-4);
    sorted.push_back(roots[i].real());
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

TEST(AlphaCoefficients, HaveTheRootsOfInfiniteFrequency) {
  const auto near = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], wanted[i], 2e-4);
  };
  for (const double rho : {0.3, 0.7, 0.9}) near(limit_roots(generalized_alpha_coefficients(rho)), {-rho, -rho, -rho});
  near(limit_roots(wbz_coefficients(0.6)), {-0.6, -0.6, 0});
  near(limit_roots(hht_coefficients(-0.2)), {-0.8 / 1.2, -0.8 / 1.2, -0.2 / 0.8});
  near(limit_roots({}), {-1, -1, 0});
}

TEST(AlphaCoefficients, HaveTheErrorConstantsOfPositions) {
  EXPECT_NEAR(generalized_alpha_coefficients(0).error_constant(), -1.0 / 3, 1e-15);
  EXPECT_NEAR(generalized_alpha_coefficients(0.5).error_constant(), -1.0 / 9, 1e-15);
  EXPECT_NEAR(generalized_alpha_coefficients(0.9).error_constant(), -0.084026, 1e-6);
  EXPECT_NEAR(AlphaCoefficients{}.error_constant(), -1.0 / 12, 1e-15);
}

// A bead on a turning arm of prescribed length. Both constraints depend on time.
const std::string arm_text = R"(
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = 2 }
z = { start = 0.3, velocity = 0.1, mass = 2 }
[[potential]]
energy = "y + 20*z^2 + x*z"
[[force]]
on = "z"
value = "-0.3*vz + 0.2*vx"
[[constraint]]
equation = "x^2 + y^2 - (1 + 0.2*sin(t)^2)^2"
)";

TEST(AlphaFamily, KeepsMovingConstraintsToRounding) {
  for (const char* formulation : {"index2", "cs", "cm", "ggl"})
    for (const bool fixed : {true, false}) {
      RunPlan plan = plan_of("generalized_alpha", {{"formulation", formulation}}, 4);
      if (fixed)
        plan.h = 0.05;
      else
        plan.rtol = 1e-4;
      const auto model = read_model("arm.toml", arm_text);
      const Solution run = prepare(plan, model.problem->clone(), {}).run();
      ASSERT_TRUE(run.ok()) << run.outcome.message;
      const ConstraintMap& map = *mechanics(model).constraints();
      Vec g(1), gt(1), rate(1);
      MatrixSlot G = map.pattern();
      for (Index k = 0; k < run.rows(); ++k) {
        const Vec y = run.y().col(k);
        const double t = run.t[static_cast<std::size_t>(k)];
        map.value(t, y.head(3), g);
        map.time_derivative(t, y.head(3), gt);
        map.jacobian(t, y.head(3), G);
        G.multiply(y.segment(3, 3), rate);
        EXPECT_LT(std::abs(g[0]), 1e-11) << formulation << " at " << t;
        EXPECT_LT(std::abs(rate[0] + gt[0]), 1e-11) << formulation << " at " << t;
      }
    }
}

TEST(AlphaFamily, AgreesWithTheUnderlyingOdeWhereForcesAndConstraintsMove) {
  RunPlan tight = plan_of("dop853", {}, 4);
  tight.rtol = 1e-12;
  const Vec exact = end_of(arm_text, tight);
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    const double error = (end_of(arm_text, fixed_plan("generalized_alpha", {}, 4, h)) - exact).norm();
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / error), 2, 0.1);
    }
    last = error;
  }
}

TEST(AlphaFamily, TakesNoSmallerStepsForStifferBushings) {
  std::int64_t steps = 0;
  for (const char* k : {"1e7", "1e8", "1e10", "1e12"}) {
    const Solution run = prepare(bushing_plan(k, "0", 5)).run();
    ASSERT_TRUE(run.ok()) << run.outcome.message;
    EXPECT_LT(run.outcome.counters.steps, 100) << k;
    EXPECT_LT(run.outcome.counters.rejected, 20) << k;
    steps = std::max(steps, run.outcome.counters.steps);
    // The value of the rigid double pendulum, computed from the underlying ODE with a tolerance of 1e-12.
    EXPECT_NEAR(last_of(run)[2], -2.94865598, 1e-2) << k;
  }
  EXPECT_GT(steps, 20);
}

TEST(AlphaFamily, LogsTheEnergyThatDampingTook) {
  RunPlan plan = fixed_plan("generalized_alpha", {{"rho", "0.5"}}, 5, 0.02);
  plan.model = "stiff_spring";
  plan.parameters = {{"epsilon", "0.031622776601683791"}, {"x0", "0.9"}, {"y0", "0"}};
  const Solution run = prepare(plan).run();
  ASSERT_TRUE(run.ok());
  // E(0) = 5 falls to E(5) = 1.57812: the converged value of YPR98 sec. 4.1 with this step.
  EXPECT_NEAR(last_measured(run, "energy"), 1.57812, 1e-4);
  EXPECT_NEAR(last_measured(run, "damped energy"), 5 - 1.57812, 1e-4);
  EXPECT_TRUE(said(run, "damping"));
}

// There is drag, a force that depends on time and a moving constraint. As h goes to zero, the energy reported as
// damped by the method must go to zero as well.
TEST(AlphaFamily, CountsNoWorkOfForcesAsDamping) {
  for (const double h : {0.004, 0.002}) {
    const RunPlan plan = fixed_plan("generalized_alpha", {{"rho", "1"}}, 4, h);
    const Solution run = prepare(plan, read_model("arm.toml", arm_text).problem, {}).run();
    EXPECT_LT(std::abs(last_measured(run, "damped energy")), 20 * h * h);
  }
}

TEST(AlphaFamily, StartsOnTheSlowManifoldWhereAsked) {
  RunPlan plan = bushing_plan("1e8", "1e-4", 1);
  const Solution given = prepare(plan).run();
  plan.options["start"] = "slow";
  const Solution slow = prepare(plan).run();
  ASSERT_TRUE(given.ok() && slow.ok());
  EXPECT_TRUE(said(given, "off_slow_manifold"));
  EXPECT_FALSE(said(slow, "off_slow_manifold"));
  EXPECT_LT(slow.outcome.counters.steps, given.outcome.counters.steps);
}

TEST(AlphaFamily, RefusesAStartOnAManifoldThatIsNotThere) {
  RunPlan plan = plan_of("hht", {{"start", "slow"}}, 1);
  plan.model = "rigid";
  try {
    prepare(plan).run();
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("start=slow", "gaps"));
  }
}

TEST(AlphaFamily, RefusesIndexThreeWithoutDamping) {
  for (const char* method : {"newmark", "generalized_alpha"}) {
    RunPlan plan = fixed_plan(method, {{"formulation", "index3"}}, 1, 0.01);
    if (plan.method == "generalized_alpha") plan.options["rho"] = "1";
    plan.model = "rigid";
    try {
      prepare(plan);
      FAIL() << method;
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), mentions("index3", "index2"));
    }
  }
}

// A crank that is turned by a driver. The constraints prescribe the whole motion, so the step has to follow from them.
const std::string driven_text = R"toml(
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = "rate" }
z = { start = 0, velocity = "rate" }
[parameters]
rate = 2
[[potential]]
energy = "y + z^2/2"
[[constraint]]
equation = "x - cos(rate*t)"
[[constraint]]
equation = "y - sin(rate*t)"
[[constraint]]
equation = "z - x*y"
)toml";

TEST(AlphaFamily, FollowsWhatADriverPrescribes) {
  RunPlan plan = plan_of("generalized_alpha", {}, 6);
  plan.rtol = 1e-4;
  const Solution run = prepare(plan, read_model("driven.toml", driven_text).problem, {}).run();
  ASSERT_TRUE(run.ok()) << run.outcome.message;
  EXPECT_GT(run.outcome.counters.steps, 60);
  EXPECT_FALSE(said(run, "damping"));
  EXPECT_FALSE(said(run, "energy_added"));
  // From M a + G^T lambda = f with the prescribed accelerations: lambda3 = -z - z''.
  const double t = 6, z = std::cos(2 * t) * std::sin(2 * t);
  EXPECT_NEAR(last_of(run)[8], -z + 16 * z, 1e-9);
}

// The choice of independent coordinates changes several times in a turn, before and after the checkpoint.
TEST(AlphaFamily, ResumesBitByBitAcrossSplits) {
  const auto model = read_model("pendulum.toml", pendulum_text, {{"vy0", "3"}});
  const OptionSet options{{"formulation", "cs"}};
  const auto make = [&] { return Catalogue::all().method("generalized_alpha").make(*model.problem, options); };
  State s = model.problem->initial_state();
  const ErrorScale scale{.rtol = 1e-10, .atol = Vec::Constant(s.y.size(), 1e-12)};
  Vec weights(s.y.size());
  Notes notes;
  Counters work;
  const auto advance = [&](Stepper& stepper, State& state, bool jumped) {
    scale.weights(state.y, weights);
    const StepRequest request{0.02, scale, weights, INFINITY, jumped, false, notes, work, {}};
    ASSERT_EQ(stepper.step(state, request).status, StepStatus::ok);
  };
  auto whole = make();
  whole->start(s, scale);
  for (int k = 0; k < 100; ++k) {
    advance(*whole, s, k == 0);
    Archive archive;
    whole->memory(archive);
    Archive stored(archive.bytes()), back(archive.bytes());
    auto resumed = make();
    State again = s;
    resumed->start(again, scale);
    again = s;
    resumed->memory(stored);
    advance(*resumed, again, false);
    auto clone = s;
    advance(*whole, clone, false);
    ASSERT_EQ(clone.y, again.y) << "step " << k;
    whole->memory(back);
  }
}

// A parallelogram linkage that folds flat. From this position it could also continue as an antiparallelogram.
const std::string parallelogram_text = R"toml(
title = "parallelogram"
[bodies]
c = { mass = 1, inertia = 0.1, start = { p = [0, 0] }, angle = 1, angular_velocity = 3, points = { p = [-0.5, 0], q = [0.5, 0] } }
b = { mass = 1, inertia = 0.3, start = { p = ["cos(1)", "sin(1)"] }, velocity = ["-3*sin(1)", "3*cos(1)"], points = { p = [-1, 0], q = [1, 0] } }
r = { mass = 1, inertia = 0.1, start = { p = [2, 0] }, angle = 1, angular_velocity = 3, points = { p = [-0.5, 0], q = [0.5, 0] } }
[[joint]]
name = "A"
kind = "revolute"
to = "c.p"
[[joint]]
name = "B"
kind = "revolute"
from = "c.q"
to = "b.p"
[[joint]]
name = "C"
kind = "revolute"
from = "b.q"
to = "r.q"
[[joint]]
name = "D"
kind = "revolute"
from = [2, 0]
to = "r.p"
[run]
to = 5
method = "generalized_alpha"
rtol = 1e-5
)toml";

TEST(AlphaFamily, TellsOfASingularPositionThatItPasses) {
  for (const char* method : {"generalized_alpha", "bdf", "sdirk"}) {
    RunPlan plan = plan_of(method, {}, 1.5);
    plan.rtol = 1e-5;
    const Solution run = prepare(plan, read_model("parallelogram.toml", parallelogram_text).problem, {}).run();
    EXPECT_TRUE(said(run, "singular_position")) << method;
    // In this position all bars lie along x, and turning them moves no joint in that direction.
    const auto notice = std::find_if(run.outcome.notices.begin(), run.outcome.notices.end(),
                                     [](const Notice& n) { return n.code == "singular_position"; });
    for (const char* joint : {"'A'", "'B'", "'C'", "'D'"})
      EXPECT_THAT(notice->text, HasSubstr(fmt::format("joint {} along x (parallelogram.toml:", joint))) << method;
    EXPECT_THAT(notice->text, AllOf(Not(HasSubstr("along y")), Not(HasSubstr("more depend")))) << method;
  }
  RunPlan plan = plan_of("generalized_alpha", {}, 1);
  plan.model = "four_bar";
  EXPECT_FALSE(said(prepare(plan).run(), "singular_position"));
}
}  // namespace
}  // namespace trill::testing_models
