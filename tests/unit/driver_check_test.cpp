// SPDX-License-Identifier: BSD-3-Clause
// The check of a run by another method than its own. It finds errors that a repetition with smaller steps would not
// see; these tests also look at what it says about them.
#include "driver/check_windows.hpp"
#include "driver/stored_run.hpp"
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
struct Checked {
  PreparedRun run;
  Solution solution;
  Trust trust;
};
Checked checked(const std::string& text, const RunPlan& plan) {
  PreparedRun run = prepare(plan, read_model("m.toml", text).problem);
  Solution s = run.run();
  EXPECT_TRUE(s.ok()) << s.outcome.message;
  Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
  return {std::move(run), std::move(s), std::move(trust)};
}

// Steps of h and of h/2 both sample the force cos^2(100 pi t) only where it is 1. Its mean is 1/2.
TEST(Check, SeesAForceThatTheStepsSampleAtOnePhase) {
  const char* const text = R"toml(
coordinates.x = 1
[[potential]]
energy = "0.5*x^2"
[[force]]
on = "x"
value = "cos(100*pi*t)^2"
)toml";
  for (const char* method : {"verlet", "rk4"}) {
    EXPECT_EQ(checked(text, plan_with(method, 4, 0.02)).trust.verdict, Verdict::red) << method;
    const Trust right = checked(text, plan_with(method, 4, 2e-4)).trust;
    EXPECT_EQ(right.verdict, Verdict::green) << method << right.headline;
  }
}

const char* const pair = R"toml(
[coordinates]
x1 = { start = 1, velocity = 0.3 }
x2 = { start = 1.001, velocity = 0.3 }
[[potential]]
energy = "0.5*x1^2 + 0.5*x2^2 + 40*(x1 - x2)^2"
[[measure]]
name = "apart"
value = "x2 - x1"
)toml";

// The measured distance is a difference of two large coordinates: its error is small relative to the coordinates but
// large relative to its own range.
TEST(Check, JudgesMeasuresByTheirOwnRange) {
  RunPlan plan = plan_with("dopri5", 20, 2e-5);
  const Trust all = checked(pair, plan).trust;
  EXPECT_NE(all.verdict, Verdict::green) << all.headline;
  EXPECT_EQ(all.of, "apart");
  plan.of = {"x1", "x2"};
  const Trust some = checked(pair, plan).trust;
  EXPECT_EQ(some.verdict, Verdict::green) << some.headline;
  EXPECT_EQ(some.rows.size(), 2u);
}

TEST(Check, ThresholdsFollowTheAccuracy) {
  RunPlan plan = plan_with("verlet", 10, 0.05);
  const char* const text = "coordinates.x = 1\npotential = [{ energy = \"0.5*x^2\" }]";
  const double error = checked(text, plan).trust.error;
  ASSERT_GT(error, 1e-4);
  for (const auto& [accuracy, verdict] : {std::pair{2 * error, Verdict::green},
                                          {error / 2, Verdict::amber},
                                          {error / 49, Verdict::amber},
                                          {error / 60, Verdict::red}}) {
    plan.accuracy = accuracy;
    EXPECT_EQ(checked(text, plan).trust.verdict, verdict) << accuracy;
  }
}

// The largest Lyapunov exponent of the Lorenz attractor is 0.906 (Sprott, Chaos and Time-Series Analysis, 2003), so an
// error of 1e-9 grows to 1e-3 after a time of about 15.
TEST(Check, AChaoticMotionIsRightUntilAStatedTime) {
  const char* const lorenz = R"toml(
[coordinates]
x = 1
y = 1
z = 20
[rate]
x = "10*(y - x)"
y = "x*(28 - z) - y"
z = "x*y - 8/3*z"
)toml";
  const Trust trust = checked(lorenz, plan_with("dop853", 40, 1e-9)).trust;
  EXPECT_EQ(trust.verdict, Verdict::green) << trust.headline;
  EXPECT_GT(trust.until, 10);
  EXPECT_LT(trust.until, 30);
  EXPECT_GT(trust.error, 0.1);
  EXPECT_THAT(trust.headline, testing::HasSubstr("errors grow 2.7-fold"));
  const Trust mostly_unknown = checked(lorenz, plan_with("dop853", 1500, 1e-5)).trust;
  EXPECT_EQ(mostly_unknown.verdict, Verdict::amber) << mostly_unknown.headline;
  EXPECT_THAT(mostly_unknown.headline, testing::HasSubstr("nothing is known about the rest"));
}

// A run of a regular motion may be inaccurate, but there is no time after which it ceases to be right ("horizon").
TEST(Check, ARegularMotionHasNoHorizon) {
  const Trust trust =
      checked("coordinates.x = 1\npotential = [{ energy = \"0.5*x^2\" }]", plan_with("verlet", 50, 0.3)).trust;
  EXPECT_EQ(trust.verdict, Verdict::red);
  EXPECT_TRUE(std::isnan(trust.until));
}

std::string even_force(double c) {
  return fmt::format(R"toml(
[coordinates]
x = 1
y = {{ start = 0, velocity = 1 }}
[[stiff]]
gap = "y"
stiffness = 1e4
[[potential]]
energy = "0.5*x^2"
[[force]]
on = "x"
value = "{}*1e4*y^2"
)toml",
                     c);
}

// The square of the oscillating position pushes the slow motion, although the mean of the position is zero.
TEST(Check, ComparesASlowMotionWithTheMeanOfTheTrueOne) {
  RunPlan plan;
  plan.method = "slow";
  plan.to = 6;
  plan.rtol = 1e-6;
  const Trust wrong = checked(even_force(0.3), plan).trust;
  EXPECT_EQ(wrong.verdict, Verdict::red) << wrong.headline;
  const Trust right = checked(even_force(1e-6), plan).trust;
  EXPECT_EQ(right.verdict, Verdict::green) << right.headline;
  EXPECT_THAT(right.headline, testing::HasSubstr("The slow motion is right to"));
  EXPECT_THAT(right.headline, testing::HasSubstr("phase of the oscillation is not computed"));
}

// The pulse is so short that fixed steps do not see it.
TEST(Check, SeesAPulseBetweenSteps) {
  const char* const text = R"toml(
coordinates.x = 0.1
[[potential]]
energy = "0.5*x^2"
[[force]]
on = "x"
value = "100*exp(-((t - 4.337)/0.003)^2)"
)toml";
  EXPECT_EQ(checked(text, plan_with("rk4", 10, 0.1)).trust.verdict, Verdict::red);
}

// Two curves that jump at times 1e-8 of the run apart may differ between these times, but not for a hundredth of the
// run.
TEST(Comparisons, LeaveOutMomentsInWhichOneRunHasJumped) {
  JudgedCurve a{{0, 0.5, 0.5 + 1e-8, 0.5 + 2e-8, 0.61, 1}, Mat::Zero(1, 6)}, b = a;
  a.values << 0, 0, 0, 1, 1, 1;
  b.values << 0, 1, 1, 1, 1, 1;
  const Vec scale = Vec::Ones(1);
  const std::vector<JudgedValue> values{{"x", "", true}};
  const Comparison far = compare(a, b, scale, values);
  EXPECT_EQ(far.error, 1) << "the first of them stands for a quarter of the time";
  a.values(0, 1) = 1;
  const Comparison near = compare(a, b, scale, values);
  EXPECT_EQ(near.error, 0);
  EXPECT_EQ(near.error_in_moments, 1);
  b.t = a.t = {0, 0.5, 0.51, 0.52, 0.61, 1};
  EXPECT_EQ(compare(a, b, scale, values).error, 1);
}

TEST(CheckWindows, CarryTheErrorToTheEnd) {
  const char* const text = "coordinates.x = 1\npotential = [{ energy = \"0.5*x^2\" }]";
  const Checked whole = checked(text, plan_with("verlet", 100, 0.02));
  const SampledRows rows = sample_rows(whole.run, whole.solution.outcome, whole.solution);
  const Vec scales = judged_scales(whole.run, rows.extent, rows.curve, conserved_by_run);
  const auto values = judged_values_of(whole.run, false);
  const CheckClock clock(HUGE_VAL, nullptr);
  const Vec of_components = scales.head(2);
  JudgedCurve part = rows.curve;
  part.keep(part.columns() / 8);
  const auto begun = audit(whole.run, auditors_of(whole.run).front(),
                           {whole.run.start, part.t, part.t.back(), of_components, HUGE_VAL}, clock);
  ASSERT_TRUE(begun && begun->complete);
  const auto found = estimate_by_windows({whole.run, rows.curve, scales, values, nullptr, 100, true}, *begun, clock);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 4);
  EXPECT_NEAR(found->covered, 0.5, 0.02);
  EXPECT_NEAR(found->error / whole.trust.error, 1, 0.5);
}

const char* const bath = R"toml(
coordinates.x = { start = 0, velocity = 1 }
[[potential]]
energy = "x^2/2"
[heat_bath]
friction = 0.5
temperature = 1
)toml";

// With h omega = 1 the mean of q^2 is 4/3 for obabo instead of 1. langevin_splitting has the right distribution of
// positions there, but its mean of v^2 is 3/4 (Leimkuhler and Matthews 2013). Samplers are judged by positions.
TEST(CheckRandom, ALargeStepBiasesAverages) {
  RunPlan plan = plan_with("obabo", 20000, 1.0);
  plan.accuracy = 0.05;
  const Trust biased = checked(bath, plan).trust;
  EXPECT_EQ(biased.verdict, Verdict::red) << biased.headline;
  EXPECT_NEAR(biased.error, 1.0 / 3, 0.1);
  plan.method = "langevin_splitting";
  for (const double h : {1.0, 0.1}) {
    plan.h = h;
    const Trust right = checked(bath, plan).trust;
    EXPECT_EQ(right.verdict, Verdict::green) << right.headline;
    EXPECT_THAT(right.headline, testing::HasSubstr("Positions have the temperature kT = "));
  }
  plan.h = 1;
  plan.of = {"kinetic_temperature"};
  EXPECT_EQ(checked(bath, plan).trust.verdict, Verdict::red) << "asked for, it counts";
}

// A particle between two steep walls. With long steps it jumps into the walls, and the averages of such a run mean
// nothing, even if two runs agree.
const char* const walls = R"toml(
coordinates.x = { start = 2 }
[[potential]]
energy = "x^-12 + (4 - x)^-12"
[heat_bath]
friction = 0.5
temperature = 1
)toml";

// A path that has stepped through a wall feels no force any more, and its measures do not change.
TEST(CheckRandom, PositionsWithoutATemperatureAreNotGreen) {
  RunPlan plan = plan_with("langevin_splitting", 2000, 0.1);
  for (const std::uint64_t seed : {2u, 4u}) {
    plan.seed = seed;
    const Trust trust = checked(walls, plan).trust;
    EXPECT_EQ(trust.verdict, Verdict::amber) << trust.headline;
    EXPECT_THAT(trust.headline, testing::HasSubstr("Positions do not tell their temperature"));
  }
}

TEST(CheckRandom, AMotionThatIsMuchHotterThanItsBathIsRed) {
  const Trust hot = checked(walls, plan_with("langevin_splitting", 300, 0.1)).trust;
  EXPECT_EQ(hot.verdict, Verdict::red) << hot.headline;
  EXPECT_THAT(hot.headline, testing::HasSubstr("times the temperature of the heat bath"));
  const Trust right = checked(walls, plan_with("langevin_splitting", 300, 0.01)).trust;
  EXPECT_THAT(right.headline, testing::Not(testing::HasSubstr("times the temperature")));
}

// At its start nothing shows how fast the motion between the walls will become, but the model states a step.
TEST(CheckRandom, ChosenStepsAreNoLongerThanThoseOfTheModel) {
  RunPlan plan;
  plan.model = "m";
  plan.want = Want::statistics;
  plan.to = 300;
  RunDefaults defaults;
  defaults.method = "langevin_splitting";
  defaults.h = 0.01;
  const PreparedRun run = prepare(plan, read_model("m.toml", walls).problem, defaults);
  EXPECT_EQ(run.plan.method, "langevin_splitting");
  EXPECT_EQ(*run.plan.h, 0.01);
}

// The mean of v^2 should be kT = 0.5. With h = 0.45 it is an eighth too small. The check compares with a run of step
// h/1.618, in which only a part of this error shows as a difference, and that part is below four standard errors.
TEST(CheckRandom, ABiasThatIsNotSignificantIsNotRuledOut) {
  const char* const wells = R"toml(
coordinates.x = { start = 1, velocity = 0 }
[[potential]]
energy = "x^4/4 - x^2/2 + 0.1*x"
[[measure]]
name = "vv"
value = "vx^2"
[heat_bath]
friction = 0.7
temperature = 0.5
)toml";
  RunPlan plan = plan_with("bbk", 30000, 0.45);
  plan.accuracy = 0.02;
  plan.of = {"vv"};
  for (const std::uint64_t seed : {1u, 2u}) {
    plan.seed = seed;
    const Checked found = checked(wells, plan);
    const double mean = found.solution.measured().row(found.solution.quantity("vv")).mean();
    ASSERT_GT(std::abs(mean / 0.5 - 1), 0.1) << mean;
    EXPECT_EQ(found.trust.verdict, Verdict::amber) << found.trust.headline;
  }
}

// Implicit Euler steps v -> (v + sqrt(2 gamma kT h) R)/(1 + gamma h) give v^2 the mean kT/(1 + gamma h/2), here 1/1.2:
// an error of 0.2 of itself. It falls with h, not with its square. So does that of bbk, which is the same for a free
// particle, although its paths have order 2.
TEST(CheckRandom, ABiasOfFirstOrderIsStatedAtItsFullSize) {
  const char* const free = R"toml(
coordinates.x = 0
coordinates.y = 0
coordinates.z = 0
[[potential]]
energy = "0.005*(x^2 + y^2 + z^2)"
[[measure]]
name = "vv"
value = "(vx^2 + vy^2 + vz^2)/3"
[heat_bath]
friction = 1
temperature = 1
)toml";
  for (const char* method : {"langevin_euler", "bbk"}) {
    RunPlan plan = plan_with(method, 20000, 0.4);
    plan.accuracy = 0.02;
    plan.of = {"vv"};
    const Trust trust = checked(free, plan).trust;
    EXPECT_NEAR(trust.error, 0.2, 0.05) << method << ": " << trust.headline;
  }
}

TEST(CheckRandom, AShortRunIsNotGreen) {
  const Trust trust = checked(bath, plan_with("langevin_splitting", 12, 0.1)).trust;
  EXPECT_NE(trust.verdict, Verdict::green) << trust.headline;
  EXPECT_THAT(trust.headline, testing::HasSubstr("run longer"));
}

// Averages can also be asked of a method that the user names, and without a heat bath. The example has four nonlinear
// springs.
TEST(CheckAverages, OfAChaoticMotionAtItsEnergy) {
  const char* const springs = R"toml(
coordinates.x = { start = 1.1, velocity = 0.4 }
coordinates.y = { start = -0.3, velocity = 0.9 }
[[potential]]
energy = "x^2/2 + y^2/2 + 3*x^2*y^2 + (x^4 + y^4)/20"
[[measure]]
name = "square"
value = "x^2"
)toml";
  RunPlan plan = plan_with("verlet", 20000, 0.05);
  plan.want = Want::statistics;
  plan.accuracy = 0.05;
  const Trust right = checked(springs, plan).trust;
  EXPECT_EQ(right.verdict, Verdict::green) << right.headline;
  EXPECT_THAT(right.headline, testing::HasSubstr("The energy moved by"));
  plan.method = "rk4";  // loses energy
  plan.h = 0.2;
  plan.accuracy = 0.01;
  const Trust lost = checked(springs, plan).trust;
  EXPECT_EQ(lost.verdict, Verdict::red) << lost.headline;
}

// A value interpolated between two steps of a random path is a mean of both, so its variance would be too small.
TEST(CheckRandom, RowsAreRecordedAtSteps) {
  RunPlan plan = plan_with("langevin_splitting", 2000, 0.4);
  plan.output = Grid{0.57};
  const Solution sparse = prepare(plan, read_model("m.toml", bath).problem).run();
  plan.output = EveryStep{};
  const Solution all = prepare(plan, read_model("m.toml", bath).problem).run();
  ASSERT_GT(sparse.rows(), 3000);
  EXPECT_EQ(sparse.t.back(), 2000);
  std::size_t at = 0;
  for (std::size_t k = 0; k < sparse.t.size(); ++k) {
    while (at < all.t.size() && all.t[at] < sparse.t[k]) ++at;
    ASSERT_EQ(all.t[at], sparse.t[k]);
    ASSERT_EQ(all.y()(0, static_cast<Index>(at)), sparse.y()(0, static_cast<Index>(k)));
  }
}

TEST(StoredRun, IsPreparedAsItWas) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.parameters = {{"omega2", "300"}};
  plan.to = 2;
  for (const char* method : {"slow", "dopri5", "verlet"}) {
    plan.method = method;
    PreparedRun run = prepare(plan);
    const Solution s = run.run();
    PreparedRun again = prepare_stored(s.info);
    const Solution t = again.run();
    ASSERT_EQ(s.t, t.t) << method;
    EXPECT_EQ(s.y(), t.y()) << method;
  }
}

TEST(StoredRun, OfAModelInOtherFilesIsRefused) {
  RunInfo info = prepare(plan_with("verlet", 1, 0.1), read_model("m.toml", pair).problem).options.info;
  // The name is not that of a registered model, and the text is not stored.
  EXPECT_THROW(prepare_stored(info), UsageError);
}
}  // namespace
}  // namespace trill::testing_models
