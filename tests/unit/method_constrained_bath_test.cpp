// SPDX-License-Identifier: BSD-3-Clause
// Systems with constraints in a heat bath: the constraints are kept, without a bath the motion is that of rattle, and
// averages are those of the exact distributions.
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>
#include <numbers>

namespace trill::testing_models {
namespace {

const std::string pendulum_file = TRILL_SOURCE_DIR "/tests/support/pendulum_in_bath.toml";

// Two rods with masses at their ends, of which the lower one is heavier. The angle between them has the potential -k
// cos.
std::string two_rods(bool in_bath) {
  return std::string(R"toml(
[parameters]
k = 0.5
gravity = 0
gamma = 1
kT = 0.8
[sets]
body = { m = [0.2, 1.5], l = [1.0, 0.8] }
[coordinates]
r = { over = "body", point = 2, start = ["1 + 0.8*body", 0], velocity = [0, "0.3 + body"], mass = "m" }
[derived]
cosine = "(dot(r[0], r[1]) - dot(r[0], r[0]))/0.8"
[[potential]]
over = "body"
energy = "m*gravity*r[body].y"
[[potential]]
energy = "-k*cosine"
[[constraint]]
equation = "dot(r[0], r[0]) - 1"
[[constraint]]
equation = "distance(r[0], r[1]) - 0.8"
[[measure]]
name = "cosine"
value = "cosine"
[[measure]]
name = "cosine_squared"
value = "cosine^2"
)toml") + (in_bath ? "[heat_bath]\nfriction = \"gamma\"\ntemperature = \"kT\"\n" : "");
}

RunPlan interpreted(const std::string& method, double to, double h) {
  RunPlan plan = plan_with(method, to, h);
  plan.native = Native::never;
  return plan;
}

Solution run_two_rods(bool in_bath, const OptionSet& parameters, const RunPlan& plan) {
  return run_of(read_model("m.toml", two_rods(in_bath), parameters).problem, plan);
}

TEST(ConstrainedBath, TextModelsHaveTheLayoutOfTheirMechanics) {
  const TextModel model = load_model(pendulum_file, {});
  EXPECT_EQ(model.info.run.method, "");
  EXPECT_EQ(model.problem->layout(), (Layout{2, 2, 1, 0}));
  EXPECT_EQ(model.problem->components().back().name, "lambda");
}

// Without forces and friction each of the two halves of the drift is a step of rattle.
TEST(ConstrainedBath, FreeMotionIsThatOfRattleWithHalfTheStep) {
  const OptionSet free{{"k", "0"}, {"gamma", "0"}};
  RunPlan half = interpreted("rattle", 4, 0.01);
  half.output = EveryStep{2};
  const Solution bath = run_two_rods(true, free, interpreted("langevin_splitting", 4, 0.02));
  const Solution rattle = run_two_rods(false, {{"k", "0"}}, half);
  ASSERT_EQ(bath.rows(), rattle.rows());
  EXPECT_LT((bath.y() - rattle.y()).cwiseAbs().maxCoeff(), 1e-10);
}

class SteppedByHand {
 public:
  SteppedByHand(const Problem& problem, const std::string& method)
      : state(problem.initial_state()),
        stepper_(Catalogue::all().method(method).make(problem, {})),
        weights_(Vec::Constant(state.y.size(), 1e13)),
        scale_{.rtol = 1e-13, .atol = Vec::Constant(state.y.size(), 1e-15)} {
    stepper_->start(state, scale_);
  }
  StepResult step(double h) {
    return stepper_->step(state, {h, scale_, weights_, HUGE_VAL, true, false, notes_, work_, {}});
  }
  State state;

 private:
  std::unique_ptr<Stepper> stepper_;
  Vec weights_;
  ErrorScale scale_;
  Notes notes_;
  Counters work_;
};

// With forces and without friction a step is half a kick along the circle, two steps of rattle without forces, and
// half a kick.
TEST(ConstrainedBath, WithoutFrictionKicksStandAroundFreeMotion) {
  constexpr double gravity = 1.7, h = 0.1;
  const TextModel model = load_model(pendulum_file, {{"gamma", "0"}});
  const TextModel falling = load_model(pendulum_file, {{"gamma", "0"}, {"gravity", "0"}});
  SteppedByHand bath(*model.problem, "langevin_splitting");
  SteppedByHand rattle(falling.problem->as<LangevinProblem>("the test").mechanics(), "rattle");
  const auto kick = [&] {
    const Vec q = rattle.state.q();
    Vec a(2);
    a << 0, -gravity;
    rattle.state.v() += 0.5 * h * (a - q * (q.dot(a) / q.squaredNorm()));
  };
  for (int i = 0; i < 50; ++i) {
    kick();
    ASSERT_EQ(rattle.step(0.5 * h).status, StepStatus::ok);
    ASSERT_EQ(rattle.step(0.5 * h).status, StepStatus::ok);
    kick();
    ASSERT_EQ(bath.step(h).status, StepStatus::ok);
    ASSERT_LT((bath.state.y - rattle.state.y).head(4).cwiseAbs().maxCoeff(), 1e-11) << "step " << i;
  }
  EXPECT_GT(std::abs(bath.state.q()[0] - model.problem->initial_state().q()[0]), 0.1);
}

// The multiplier of r^2 - l^2 follows from M a + 2 lambda r = f and r a + v^2 = 0.
TEST(ConstrainedBath, MultipliersAreThoseOfTheForcesWithoutNoise) {
  const TextModel model = load_model(pendulum_file, {});
  SteppedByHand bath(*model.problem, "langevin_splitting");
  for (int i = 0; i < 20; ++i) {
    const State& s = bath.state;
    const double exact = 2 * (s.v().squaredNorm() - 1.7 * s.q()[1]) / (2 * 1.3 * 1.3);
    ASSERT_NEAR(s.lambda()[0], exact, 1e-12);
    ASSERT_EQ(bath.step(0.05).status, StepStatus::ok);
  }
}

TEST(ConstrainedBath, KeepsConstraintsForLongAlsoInsideSteps) {
  RunPlan plan = interpreted("langevin_splitting", 500, 0.02);
  plan.output = Grid{0.033};
  const Solution s = run_two_rods(true, {{"gravity", "1"}}, plan);
  ASSERT_GT(s.rows(), 15000);
  EXPECT_LT(s.measured().row(s.quantity("constraint")).maxCoeff(), 1e-10);
  EXPECT_LT(s.measured().row(s.quantity("constraint_velocity")).maxCoeff(), 1e-10);
}

struct Average {
  double mean, error;
};
// The standard error comes from the scatter of the means of blocks that are much longer than any correlation time.
Average average(const Solution& s, const std::string& name) {
  constexpr Index blocks = 40;
  const Vec values = s.measured().row(s.quantity(name));
  const Index skipped = values.size() / 50, length = (values.size() - skipped) / blocks;
  Vec means(blocks);
  for (Index b = 0; b < blocks; ++b) means[b] = values.segment(skipped + b * length, length).mean();
  const double variance = (means.array() - means.mean()).square().sum() / (blocks - 1);
  return {means.mean(), std::sqrt(variance / blocks)};
}
void expect_average(const Solution& s, const std::string& name, double exact, double largest_error) {
  const Average found = average(s, name);
  EXPECT_NEAR(found.mean, exact, 4 * found.error) << name;
  EXPECT_LT(found.error, largest_error) << name << ": the run says too little";
}

// The angle of a pendulum has a density proportional to exp(m g l cos / kT), so the mean of its cosine is I1/I0.
TEST(ConstrainedBath, PendulumHasItsDistribution) {
  for (const double kT : {1.5, 6.0}) {
    RunPlan plan = interpreted("langevin_splitting", 8000, 0.05);
    plan.output = EveryStep{10};
    const OptionSet given{{"gamma", "1"}, {"kT", std::to_string(kT)}};
    const Solution s = run_of(load_model(pendulum_file, given).problem, plan);
    const double x = 2 * 1.7 * 1.3 / kT;
    expect_average(s, "cosine", std::cyl_bessel_i(1, x) / std::cyl_bessel_i(0, x), 0.02);
    expect_average(s, "kinetic_temperature", kT, 0.03 * kT);
  }
}

// After integration over the velocities the angle between the two rods has the density sqrt(det) exp(k cos / kT),
// where det = m1 l1^2 l2^2 (m0 + m1 sin^2) is the determinant of the mass matrix of both angles.
double exact_between_rods(double k_over_kT, int power, bool with_mass = true) {
  constexpr int points = 2000;
  double sum = 0, weights = 0;
  for (int i = 0; i < points; ++i) {
    const double phi = 2 * std::numbers::pi * i / points, c = std::cos(phi), sine = std::sin(phi);
    const double root = with_mass ? std::sqrt(0.2 + 1.5 * sine * sine) : 1;
    const double weight = root * std::exp(k_over_kT * c);
    sum += weight * std::pow(c, power);
    weights += weight;
  }
  return sum / weights;
}

TEST(ConstrainedBath, TwoRodsHaveTheMeasureOfTheirMass) {
  RunPlan plan = interpreted("langevin_splitting", 6000, 0.04);
  plan.output = EveryStep{5};
  const Solution s = run_two_rods(true, {}, plan);
  expect_average(s, "cosine", exact_between_rods(0.5 / 0.8, 1), 0.02);
  const double squared = exact_between_rods(0.5 / 0.8, 2), without_mass = exact_between_rods(0.5 / 0.8, 2, false);
  expect_average(s, "cosine_squared", squared, 0.1 * std::abs(squared - without_mass));
  expect_average(s, "kinetic_temperature", 0.8, 0.02);
}

TEST(ConstrainedBath, FailedProjectionLeavesTheStateAlone) {
  const TextModel model = load_model(pendulum_file, {});
  SteppedByHand bath(*model.problem, "langevin_splitting");
  const Vec before = bath.state.y;
  EXPECT_EQ(bath.step(20).status, StepStatus::newton_diverged);
  EXPECT_EQ(bath.state.y, before);
  EXPECT_EQ(bath.state.t, 0);
  EXPECT_EQ(bath.step(0.01).status, StepStatus::ok);
}

// The unit of the multipliers contains that of the mass. So with heavy bodies Newton's iteration must not seem to
// fail, and with light ones it must not seem to have converged.
TEST(ConstrainedBath, MassesAndUnitsDoNotDisturbTheProjection) {
  for (const auto& [mass, kT] : {std::pair("1e12", "1e18"), std::pair("1e-12", "1e-6")}) {
    const OptionSet given{{"mass", mass}, {"length", "1e3"}, {"kT", kT}, {"tilt", "0"}};
    const Solution s = run_of(load_model(pendulum_file, given).problem, interpreted("langevin_splitting", 100, 0.1));
    EXPECT_LT(s.measured().row(s.quantity("constraint")).maxCoeff(), 1e-10 * 1e6) << mass;
    EXPECT_EQ(s.outcome.counters.newton_failures, 0) << mass;
  }
}

class MovingBath final : public LangevinProblem {
 public:
  explicit MovingBath(const MechanicalProblem& mechanics) : mechanics_(mechanics) {}
  std::string name() const override { return "moving"; }
  Layout layout() const override { return mechanics_.layout(); }
  std::vector<Quantity> components() const override { return mechanics_.components(); }
  State initial_state() const override { return mechanics_.initial_state(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<MovingBath>(mechanics_); }
  const MechanicalProblem& mechanics() const override { return mechanics_; }
  double gamma() const override { return 1; }
  double kT() const override { return 1; }

 private:
  const MechanicalProblem& mechanics_;
};

TEST(ConstrainedBathErrors, MovingConstraintsAreRefused) {
  // The constraint depends on time although its time derivative vanishes at the start.
  const std::string moving = "coordinates.x = 1\ncoordinates.y = 1\n[[constraint]]\nequation = \"x - cos(t)\"\n";
  EXPECT_THAT(complaint(moving + "[heat_bath]\nfriction = 1\ntemperature = 1\n"),
              mentions("m.toml:4:13", "[heat_bath]", "depend on t"));
  const TextModel model = read_model("m.toml", moving);
  const MovingBath bath(mechanics(model));
  try {
    Catalogue::all().method("langevin_splitting").make(bath, {});
    FAIL() << "accepted";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("langevin_splitting", "constraints", "time", "'m'"));
  }
}

TEST(ConstrainedBathErrors, StartsOffTheConstraintsAreRefused) {
  const auto said_of = [](Index component) -> std::string {
    PreparedRun run = prepare(interpreted("langevin_splitting", 1, 0.1), load_model(pendulum_file, {}).problem, {});
    run.start.y[component] += 0.1;
    try {
      run.run();
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(said_of(0), mentions("violates"));
  EXPECT_THAT(said_of(2), mentions("velocities"));
}

TEST(ConstrainedBathErrors, EventsMustStayOnTheConstraints) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0 }
coordinates.y = { start = 0, velocity = 0.2 }
heat_bath = { friction = 1, temperature = 0.1 }
[[constraint]]
equation = "x^2 + y^2 - 1"
[[event]]
name = "push"
when = "t - 0.55"
then = { vx = "vx + 1", vy = "vy + 1" }
)toml");
  const Solution s = prepare(interpreted("langevin_splitting", 1, 0.1), model.problem->clone(), {}).run();
  EXPECT_EQ(s.outcome.status, RunStatus::refused);
  EXPECT_THAT(s.outcome.message, mentions("velocities", "constraints"));
}
}  // namespace
}  // namespace trill::testing_models
