// SPDX-License-Identifier: BSD-3-Clause
// The promises of radau and gauss: steps that depend on the slow motion only, a cost independent of the stiffness,
// stiff first-order systems, warnings with numbers, and a clear message where a method cannot work.
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/control/advance.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
// The pendulum with the smooth start of JP95 sec. 5, with the corrected series 1 - 3 e^4 - 54 e^8. Gravity is along
// +y.
TextModel pendulum(double epsilon, double delta = 0) {
  const double e4 = std::pow(epsilon, 4);
  return make_model("stiff_spring", {{"epsilon", fmt::format("{:.17g}", epsilon)},
                                     {"x0", fmt::format("{:.17g}", 1 - 3 * e4 - 54 * e4 * e4 + delta)},
                                     {"y0", "0"}});
}

struct Ending {
  State end;
  Counters work;
  std::vector<Notice> notices;
  AdvanceStatus status = AdvanceStatus::ok;
  double damped = 0;
  bool said(std::string_view code) const {
    return std::any_of(notices.begin(), notices.end(), [&](const Notice& n) { return n.code == code; });
  }
};

Ending run(const Problem& problem, const std::string& method, const OptionSet& options, const StepControl& control,
           double to) {
  const auto stepper = Catalogue::all().method(method).make(problem, options);
  Advancer advancer(*stepper, control);
  Ending r;
  r.end = problem.initial_state();
  advancer.start(r.end, to);
  while (r.end.t < to && r.status == AdvanceStatus::ok) r.status = advancer.one(r.end, to).status;
  r.work = advancer.counters();
  r.notices = advancer.notes().notices();
  if (const Index count = static_cast<Index>(stepper->diagnostics().size()); count > 0) {
    Vec values(count);
    stepper->diagnose(values);
    r.damped = values[1];
  }
  return r;
}

AdaptiveStep tolerance(double rtol, double atol) {
  AdaptiveStep control;
  control.rtol = rtol;
  control.atol = Vec::Constant(1, atol);
  return control;
}
AdaptiveStep tolerance(double both) { return tolerance(both, both); }

// The error at t = 20, compared with JP95 sec. 5 computed by Taylor series with 30 digits. Only directions are
// compared, so that the length of the spring does not count.
double slow_error(const State& s) {
  const double r = std::hypot(s.y[0], s.y[1]);
  return std::hypot(s.y[0] / r + 0.51771970743929452273, s.y[1] / r - 0.85555029369540950658);
}

TEST(RadauOnThePendulum, TakesStepsOfTheSlowMotion) {
  const TextModel model = pendulum(1e-5);
  const Ending r = run(*model.problem, "radau", {}, tolerance(1e-7), 20);
  ASSERT_EQ(r.status, AdvanceStatus::ok);
  EXPECT_LE(r.work.steps, 160);
  EXPECT_LE(r.work.newton_iterations, 1300);
  EXPECT_LE(r.work.factorisations, r.work.steps + r.work.rejected);
  EXPECT_LT(slow_error(r.end), 1e-7);
}

// The problem of Prothero and Robinson: after a transient y = cos t. Because the rate is fast, steps become far longer
// than their polynomials could interpolate.
TEST(RadauBetweenItsSteps, RowsAreAsAccurateAsSteps) {
  const TextModel model =
      read_model("m.toml", "parameters.rate = 1e4\ncoordinates.y = 0\nrate.y = \"-rate*(y - cos(t)) - sin(t)\"\n");
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    DriverOptions options;
    options.control = tolerance(rtol);
    std::vector<double> times;
    for (int k = 1; k <= 200; ++k) times.push_back(0.05 * k);
    options.output = Times{times};
    const auto stepper = Catalogue::all().method("radau").make(*model.problem, {});
    const Solution s = integrate(*model.problem, *stepper, model.problem->initial_state(), 10, options);
    ASSERT_TRUE(s.ok());
    double error = 0;
    for (Index k = 1; k < s.rows(); ++k) error = std::max(error, std::abs(s.y()(0, k) - std::cos(s.t[k])));
    EXPECT_LT(error, 10 * rtol);
    EXPECT_LT(s.outcome.counters.steps, 120) << rtol;
  }
}

TEST(RadauOnThePendulum, CostsTheSameForEveryStiffness) {
  const Ending reference = run(*pendulum(1e-5).problem, "radau", {}, tolerance(1e-7), 20);
  for (const double epsilon : {1e-3, 1e-4, 1e-6, 1e-7, 1e-8}) {
    const TextModel model = pendulum(epsilon);
    const Ending r = run(*model.problem, "radau", {}, tolerance(1e-7), 20);
    EXPECT_NEAR(static_cast<double>(r.work.newton_iterations), static_cast<double>(reference.work.newton_iterations),
                0.2 * static_cast<double>(reference.work.newton_iterations))
        << epsilon;
  }
}

// The error is at most three times the tolerance (the published goal), whichever number of stages is chosen
// automatically.
TEST(RadauOnThePendulum, KeepsItsTolerance) {
  const TextModel model = pendulum(1e-5);
  for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-10}) {
    const Ending r = run(*model.problem, "radau", {}, tolerance(rtol), 20);
    ASSERT_EQ(r.status, AdvanceStatus::ok);
    EXPECT_LT(slow_error(r.end), 3 * rtol);
  }
}

TEST(RadauOnThePendulum, DampsALargeOscillation) {
  const TextModel model = pendulum(1e-5, 1e-3);  // the energy of the spring is 5000, that of the swing is 1
  const Ending r = run(*model.problem, "radau", {}, tolerance(1e-7), 20);
  ASSERT_EQ(r.status, AdvanceStatus::ok);
  EXPECT_LE(r.work.steps, 165);
  EXPECT_LT(slow_error(r.end), 3e-7);
  EXPECT_NEAR(r.damped, 0.5 * 1e-6 / 1e-10, 0.01 * r.damped);
  EXPECT_TRUE(r.said("damped"));
}

// All of the energy is still there or reported as damped, for any stiffness and tolerance.
TEST(RadauOnThePendulum, AccountsForTheEnergyItDamps) {
  for (const double epsilon : {1e-3, 1e-5})
    for (const double rtol : {1e-3, 1e-5, 1e-7}) {
      const TextModel model = pendulum(epsilon, epsilon);
      const Ending r = run(*model.problem, "radau", {}, tolerance(rtol, 1e-3 * rtol), 5);
      EXPECT_NEAR(r.damped, 0.5, 1e-3) << epsilon << " " << rtol;
      EXPECT_LE(r.work.steps, 100) << epsilon << " " << rtol;
    }
}

// The direction of this gap turns only because the mass matrix changes. Its oscillation is damped as well.
TEST(Radau, DampsWhereTheMassTurns) {
  const Ending r = run(*make_model("cart", {}).problem, "radau", {}, tolerance(1e-6), 2);
  EXPECT_LE(r.work.steps, 200);
  EXPECT_GT(r.damped, 0.1);
}

// Gaps that are not stiff are followed, so the motion is that of an explicit method.
TEST(Radau, FollowsGapsThatAreNotStiff) {
  for (const OptionSet& options : {OptionSet{}, OptionSet{{"fast", "resolve"}}}) {
    const TextModel model = make_model("stiff_spring", {{"epsilon", "0.3"}});
    const Ending radau = run(*model.problem, "radau", options, tolerance(1e-8), 10);
    const Ending exact = run(*model.problem, "dop853", {}, tolerance(1e-12), 10);
    EXPECT_LT((radau.end.y - exact.end.y).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Radau, ResolvesAnOscillationWhenAsked) {
  const TextModel model = pendulum(1e-3, 1e-3);
  const Ending radau = run(*model.problem, "radau", {{"fast", "resolve"}}, tolerance(1e-8), 0.5);
  const Ending exact = run(*model.problem, "dop853", {}, tolerance(1e-12), 0.5);
  EXPECT_LT((radau.end.q() - exact.end.q()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GE(radau.work.steps, 0.5 / (0.5 * 1e-3));
}

TEST(Radau, PreservesAnAmplitudeWhenAsked) {
  const TextModel model = pendulum(1e-5, 1e-5);
  const Ending r = run(*model.problem, "radau", {{"fast", "preserve"}}, tolerance(1e-6), 20);
  ASSERT_EQ(r.status, AdvanceStatus::ok);
  const double radius = std::hypot(r.end.y[0], r.end.y[1]);
  const double energy = 0.5 * r.end.v().squaredNorm() - r.end.y[1] + 0.5 * std::pow((radius - 1) / 1e-5, 2);
  EXPECT_NEAR(energy, 0.5, 0.1);  // JP95 fig. 2 has 0.476 to 0.525 at h = 0.01; these steps are longer
  EXPECT_FALSE(r.said("aliased_resonance"));
  EXPECT_LE(r.work.steps, 2500);
}

// Two stiff problems with the published solutions of the test set for initial value problem solvers (Mazzia,
// Magherini).
TEST(RadauOnFirstOrderSystems, VanDerPol) {
  const TextModel model = read_model("m.toml", R"toml(
[parameters]
mu = 1e-6
[coordinates]
y = 2.0
z = 0.0
[rate]
y = "z"
z = "((1 - y^2)*z - y)/mu"
)toml",
                                     {});
  const Ending r = run(*model.problem, "radau", {}, tolerance(1e-7), 2);
  ASSERT_EQ(r.status, AdvanceStatus::ok);
  EXPECT_NEAR(r.end.y[0], 1.706167732170483, 1e-5);
  EXPECT_NEAR(r.end.y[1], -0.892809701024798, 1e-5);
  EXPECT_LE(r.work.steps, 500);
}

TEST(RadauOnFirstOrderSystems, Robertson) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
a = 1.0
b = 0.0
c = 0.0
[rate]
a = "-0.04*a + 1e4*b*c"
b = "0.04*a - 1e4*b*c - 3e7*b^2"
c = "3e7*b^2"
)toml",
                                     {});
  const Ending r = run(*model.problem, "radau", {}, tolerance(1e-7, 1e-16), 1e11);
  ASSERT_EQ(r.status, AdvanceStatus::ok);
  EXPECT_NEAR(r.end.y[0], 0.2083340149701255e-7, 1e-12);
  EXPECT_NEAR(r.end.y[1], 0.8333360770334713e-13, 1e-18);
  EXPECT_NEAR(r.end.y[2], 0.9999999791665050, 1e-12);
  EXPECT_LE(r.work.steps, 300);
}

// A stiff gap together with a hard constraint: a rod of fixed length with a stiff spring at its end.
TEST(Radau, TakesGapsAndConstraintsTogether) {
  const auto text = [](double stiffness) {
    return fmt::format(R"toml(
[coordinates]
x = 1.0
y = 0.0
u = 2.0
w = 0.0
[[stiff]]
gap = "sqrt((u - x)^2 + (w - y)^2) - 1"
stiffness = {:g}
group = "spring"
[[potential]]
energy = "y + w"
[[constraint]]
equation = "x^2 + y^2 - 1"
)toml",
                       stiffness);
  };
  const TextModel stiff = read_model("m.toml", text(1e12), {}), soft = read_model("m.toml", text(100), {});
  for (const char* method : {"radau", "gauss"}) {
    const StepControl control = std::string(method) == "radau" ? StepControl(tolerance(1e-9)) : FixedStep{0.002};
    for (const TextModel* model : {&stiff, &soft}) {
      const Ending r = run(*model->problem, method, {}, control, 1.5);
      ASSERT_EQ(r.status, AdvanceStatus::ok) << method;
      EXPECT_NEAR(r.end.y.head(2).squaredNorm(), 1, 1e-12) << method;
      EXPECT_NEAR(r.end.y[0] * r.end.y[4] + r.end.y[1] * r.end.y[5], 0, 1e-11) << method;
    }
  }
  const Ending slow = run(*stiff.problem, "radau", {}, tolerance(1e-9), 1.5);
  // The same with a second rod instead of the spring.
  const TextModel rods = read_model("m.toml", R"toml(
[coordinates]
x = 1.0
y = 0.0
u = 2.0
w = 0.0
[[potential]]
energy = "y + w"
[[constraint]]
equation = "x^2 + y^2 - 1"
[[constraint]]
equation = "(u - x)^2 + (w - y)^2 - 1"
)toml",
                                    {});
  const Ending rigid = run(*rods.problem, "dop853", {}, tolerance(1e-12), 1.5);
  EXPECT_LT((slow.end.q() - rigid.end.q()).cwiseAbs().maxCoeff(), 1e-8);
  const Ending whole = run(*soft.problem, "dop853", {}, tolerance(1e-12), 1.5);
  const Ending followed = run(*soft.problem, "radau", {{"fast", "resolve"}}, tolerance(1e-9), 1.5);
  EXPECT_LT((followed.end.q() - whole.end.q()).cwiseAbs().maxCoeff(), 1e-7);
}

// If the gaps continue to oscillate, the multipliers of the constraints are those of the oscillating motion.
TEST(Gauss, GivesTheForcesOfConstraintsBesideGaps) {
  const TextModel model = make_model("bushing_pendulum", {});
  const Ending gauss = run(*model.problem, "gauss", {}, FixedStep{0.001}, 2);
  const Ending exact = run(*model.problem, "dop853", {}, tolerance(1e-10), 2);
  EXPECT_LT((gauss.end.lambda() - exact.end.lambda()).cwiseAbs().maxCoeff(), 1e-3);
}

// A coordinate that is prescribed by a constraint that depends on time, also inside steps.
TEST(Radau, FollowsAMovingConstraintInsideItsSteps) {
  RunPlan plan = plan_with("radau", 6, 1e-6);
  plan.output = Grid{0.05};
  const Solution solution = run_of(read_model("m.toml", R"toml(
[coordinates]
x = { start = 0.0, velocity = 1.0 }
[[constraint]]
equation = "x - sin(t)"
)toml",
                                              {})
                                       .problem,
                                   plan);
  for (Index i = 0; i < solution.rows(); ++i)
    EXPECT_NEAR(solution.y()(0, i), std::sin(solution.t[static_cast<std::size_t>(i)]), 1e-4);
}

TEST(Warnings, AliasedResonance) {
  const TextModel model = pendulum(1e-5);
  // The factor is 30 for s = 5, and at the bottom the swing turns at the rate sqrt(2). This limits h to 0.0146.
  EXPECT_FALSE(run(*model.problem, "gauss", {}, FixedStep{0.0125}, 4).said("aliased_resonance"));
  const Ending beyond = run(*model.problem, "gauss", {}, FixedStep{0.025}, 4);
  ASSERT_TRUE(beyond.said("aliased_resonance"));
  for (const Notice& n : beyond.notices)
    if (n.code == "aliased_resonance") {
      EXPECT_DOUBLE_EQ(n.value, 0.025);
      EXPECT_NEAR(n.threshold, std::sqrt(30e-5 / 1.0), 0.004);
    }
}

// The oscillation of the stiffer spring is aliased to the slowest rotation: h^2 <= 30 * 1e-7 / w_slow.
TEST(Warnings, AliasedResonanceOfTheStiffestGap) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = 1.0
y = 0.0
u = 2.0
w = 0.0
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 1e6
group = "springs"
[[stiff]]
gap = "sqrt((u - x)^2 + (w - y)^2) - 1"
stiffness = 1e14
group = "springs"
[[potential]]
energy = "y + w"
)toml",
                                     {});
  EXPECT_TRUE(run(*model.problem, "gauss", {}, FixedStep{0.02}, 0.2).said("aliased_resonance"));
  EXPECT_FALSE(run(*model.problem, "gauss", {}, FixedStep{0.0005}, 0.02).said("aliased_resonance"));
}

TEST(Warnings, LobattoWithOscillations) {
  EXPECT_FALSE(run(*pendulum(1e-5).problem, "lobatto_iiia", {}, FixedStep{0.01}, 1).said("lobatto_oscillation"));
  EXPECT_TRUE(run(*pendulum(1e-5, 1e-6).problem, "lobatto_iiia", {}, FixedStep{0.01}, 1).said("lobatto_oscillation"));
}

TEST(Warnings, FastEnergyWithVaryingFrequencies) {
  EXPECT_TRUE(run(*make_model("wire", {}).problem, "radau", {}, tolerance(1e-6), 2)
                  .said("fast_energy_with_varying_frequencies"));
  EXPECT_FALSE(
      run(*pendulum(1e-5, 1e-5).problem, "radau", {}, tolerance(1e-6), 2).said("fast_energy_with_varying_frequencies"));
}

// Gaps that open lead away from the hard constraints. Steps that end on the smooth motion satisfy the constraints
// again.
TEST(Radau, KeepsHardConstraintsBesideSoftGaps) {
  for (const double rtol : {1e-2, 1e-3}) {
    RunPlan plan = plan_with("radau", 1, rtol);
    plan.model = "slider_crank";
    const Solution s = prepare(plan).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    for (const char* level : {"constraint", "constraint_velocity"})
      EXPECT_LT(s.measured().row(s.quantity(level)).maxCoeff(), 1e-11) << level << " " << rtol;
  }
}

TEST(Failures, DependentGapsAreTreatedLikeForces) {
  const Ending r = run(*make_model("bushing_constrained", {}).problem, "radau", {}, tolerance(1e-6), 1e-5);
  EXPECT_EQ(r.status, AdvanceStatus::ok);
  EXPECT_TRUE(r.said("gaps_not_lifted"));
}

TEST(Failures, OscillationTooLargeForGauss) {
  // JP95: Gauss 5 fails from delta = 3.55e-3 on (ratio 1.3), Radau does not.
  const TextModel large = pendulum(1e-5, 0.01);
  const auto stepper = Catalogue::all().method("gauss").make(*large.problem, {});
  Advancer advancer(*stepper, FixedStep{0.01}, 0);
  State s = large.problem->initial_state();
  advancer.start(s, 1);
  AdvanceResult result;
  for (int k = 0; k < 100 && result.status == AdvanceStatus::ok; ++k) result = advancer.one(s, 1);
  EXPECT_EQ(result.status, AdvanceStatus::newton_failed);
  bool said = false;
  for (const Notice& n : advancer.notes().notices())
    said = said || (n.code == "oscillation_too_large" && n.value > 100);
  EXPECT_TRUE(said);
  EXPECT_EQ(run(*large.problem, "radau", {}, tolerance(1e-6), 1).status, AdvanceStatus::ok);
}

TEST(Failures, StartsThatCannotBeTaken) {
  const auto why = [](const std::string& text) -> std::string {
    const TextModel model = read_model("m.toml", text, {});
    const auto stepper = Catalogue::all().method("radau").make(*model.problem, {});
    State s = model.problem->initial_state();
    try {
      stepper->start(s, {.rtol = 1e-6, .atol = Vec::Constant(s.y.size(), 1e-9)});
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(why("[coordinates]\nx = 0.3\ny = 0.0\n[[stiff]]\ngap = \"x^2 + 1\"\nstiffness = 1e6\n"),
              mentions("radau", "closed gaps", "'m'"));
}
}  // namespace
}  // namespace trill::testing_models
