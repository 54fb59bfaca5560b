// SPDX-License-Identifier: BSD-3-Clause
// Runs with too many steps, steps too small to change t, and models without unknowns.
#include "driver/step_count.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "support/text_models.hpp"

namespace trill {
namespace {
using testing_models::complaint;
using testing_models::plan_with;

std::string refusal_of(const RunPlan& plan, std::unique_ptr<Problem> problem) {
  try {
    prepare(plan, std::move(problem), {});
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}
std::unique_ptr<Problem> swinging(double omega = 1.3) {
  return std::make_unique<test::FormulaMechanics>(test::oscillator(omega));
}

TEST(StepCount, TooManyFixedStepsAreRefusedWithTheirNumber) {
  EXPECT_THAT(refusal_of(plan_with("verlet", 3, 1e-14), swinging()), mentions("3e+14 steps"));
  EXPECT_EQ(refusal_of(plan_with("verlet", 3, 3.1e-12), swinging()), "no error");
  RunPlan late = plan_with("rk4", 1e9 + 1e-5, 1e-9);
  late.from = 1e9;
  EXPECT_THAT(refusal_of(late, swinging()), mentions("rounding of t"));
}

TEST(StepCount, TooSmallABoundAndTooManyRowsAreRefused) {
  RunPlan bounded = plan_with("dop853", 2, 1e-6);
  bounded.h_max = 1e-200;
  EXPECT_THAT(refusal_of(bounded, swinging()), mentions("2e+200 steps"));
  RunPlan rows = plan_with("dop853", 5, 1e-6);
  rows.output = Grid{1e-13};
  EXPECT_THAT(refusal_of(rows, swinging()), mentions("5e+13 rows"));
}

TEST(StepCount, TheLibraryRefusesThemToo) {
  const auto problem = swinging();
  const auto stepper = Catalogue::all().method("verlet").make(*problem, {});
  DriverOptions options;
  options.control = FixedStep{1e-15};
  EXPECT_THROW(integrate(*problem, *stepper, problem->initial_state(), 7, options), UsageError);
}

// The number of steps cannot be predicted from the first ones: on stiff systems steps grow by many orders of
// magnitude. But after some steps that no longer grow it can.
TEST(StepCount, ARunThatWouldNeverEndSaysHowManyStepsItNeeds) {
  for (const std::string method : {"dopri5", "cvode_adams"}) {
    const Solution s = prepare(plan_with(method, 3e19, 1e-5), swinging(), {}).run();
    EXPECT_EQ(s.outcome.status, RunStatus::step_limit) << s.outcome.message;
    EXPECT_LT(s.outcome.counters.steps, 100'000);
    EXPECT_THAT(s.outcome.message, mentions("e+")) << "the number of steps";
  }
}

TEST(StepCount, LongRunsOfGrowingStepsGoOn) {
  auto settling =
      std::make_unique<test::FormulaRate>(Vec::Constant(1, 1.0), [](double, In y, Out dy) { dy[0] = 2 - y[0]; });
  const Solution s = prepare(plan_with("radau", 1e18, 1e-7), std::move(settling), {}).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  EXPECT_NEAR(s.y()(0, s.rows() - 1), 2, 1e-6);
}

TEST(StepForecast, WaitsUntilStepsNoLongerGrow) {
  StepForecast forecast;
  double t = 0, h = 1e-6;
  for (std::int64_t steps = 1; steps < 200'000; ++steps) {
    t += h;
    h *= 1.0002;
    EXPECT_FALSE(forecast.look(steps, t, t + 1e13 * h)) << steps;
  }
  std::optional<double> needed;
  for (std::int64_t steps = 200'000; steps < 300'000 && !needed; ++steps) {
    t += h;
    needed = forecast.look(steps, t, t + 1e13 * h);
  }
  ASSERT_TRUE(needed);
  EXPECT_NEAR(*needed / 1e13, 1, 0.01);
}

// The narrow ellipse of a planet. At this loose tolerance a step jumps past the sun, and then the planet falls into
// it. There steps become shorter although all of them are accepted. The run must end where t no longer changes, and
// not at steps of 1e-150.
TEST(StepCount, StepsEndAtTheRoundingOfTime) {
  for (const std::string method : {"dopri5", "multirate"}) {
    RunPlan plan = plan_with(method, 2e5, 1e-3);
    plan.model = "kepler";
    plan.parameters = {{"e", "0.98"}};
    const Solution s = prepare(plan).run();
    ASSERT_EQ(s.outcome.status, RunStatus::step_too_small) << method << ": " << s.outcome.message;
    const double t = s.t.back();
    EXPECT_GT(s.t[s.t.size() - 1] - s.t[s.t.size() - 2], 1e-16 * t) << method;
  }
}

TEST(NoUnknowns, AreRefusedWithThePlace) {
  for (const std::string kind : {"[[potential]]\nover = \"a\"\nenergy = \"x[a]^2\"\n",
                                 "[[stiff]]\nover = \"a\"\ngap = \"x[a]\"\nstiffness = 9\n", "[rate]\nx = \"-x\"\n"}) {
    const std::string text = "[sets]\na = 0\n[coordinates]\nx = { over = \"a\", start = 1 }\n" + kind;
    EXPECT_THAT(complaint(text), mentions("m.toml:4", "no unknowns")) << kind;
  }
  EXPECT_EQ(
      complaint("[sets]\na = 0\nb = 1\n[coordinates]\nx = { over = \"a\", start = 1 }\ny = { over = \"b\", start = 1 "
                "}\n[[potential]]\nover = \"b\"\nenergy = \"y[b]^2\"\n"),
      "no error");
  const auto nothing = std::make_unique<test::FormulaRate>(Vec(0), [](double, In, Out) {});
  const auto stepper = Catalogue::all().method("dopri5").make(*nothing, {});
  EXPECT_THROW(integrate(*nothing, *stepper, nothing->initial_state(), 1, {}), UsageError);
}
}  // namespace
}  // namespace trill
