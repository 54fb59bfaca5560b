// SPDX-License-Identifier: BSD-3-Clause
// Constraints and drivers whose formula switches: steps end at the switch, velocities change by an impulse, and jumps
// of positions are refused.
#include "support/mentions.hpp"
#include "support/text_models.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
using ::testing::HasSubstr;

// A carriage whose position is a given formula of t, with a bob that swings below it.
std::string swing_below(const std::string& driven) {
  return R"toml(
coordinates.c = 0
coordinates.x = "sin(0.8)"
coordinates.y = "-cos(0.8)"
[[potential]]
energy = "9.81*y"
[[constraint]]
equation = "c - )toml" +
         driven + R"toml("
[[constraint]]
equation = "(x - c)^2 + y^2 - 1"
)toml";
}

// The same swing as an equation for its angle in the frame of the carriage. An acceleration of the carriage becomes a
// force of inertia; a jump of its speed changes the angular velocity.
Vec swing_at(double to, const std::string& acceleration, const std::string& sudden_speed) {
  const TextModel angle = read_model("angle.toml", R"toml(
coordinates.theta = 0.8
parameters.pushed = 0
[[force]]
on = "theta"
value = "-9.81*sin(theta) - pushed*()toml" + acceleration +
                                                       R"toml()*cos(theta)"
[[event]]
when = "t - 1"
then = { pushed = 1, vtheta = "vtheta - ()toml" + sudden_speed +
                                                       R"toml()*cos(theta)" }
)toml");
  const Vec end = last_of(run_of(angle.problem->clone(), plan_with("dop853", to, 1e-12)));
  return Vec{{std::sin(end[0]), -std::cos(end[0]), std::cos(end[0]) * end[1], std::sin(end[0]) * end[1]}};
}

double error_of(const TextModel& model, const RunPlan& plan, double place, double speed, const Vec& relative) {
  const Solution run = run_of(model.problem->clone(), plan);
  EXPECT_EQ(run.outcome.status, RunStatus::reached_end) << plan.method << ": " << run.outcome.message;
  const Vec end = last_of(run).head(6);
  const Vec expected{{place, relative[0] + place, relative[1], speed, relative[2] + speed, relative[3]}};
  return (end - expected).cwiseAbs().maxCoeff();
}

TEST(SwitchedConstraints, ChangeVelocitiesByAnImpulse) {
  const TextModel model = read_model("m.toml", swing_below("max(0, t - 1)"));
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_THAT(model.warnings[0], mentions("line 8", "slope", "constraint"));
  const Vec relative = swing_at(1.7, "0", "1");
  for (const auto& [method, step, tolerance] :
       {std::tuple{"dop853", 1e-10, 1e-8}, std::tuple{"radau", 1e-8, 1e-6}, std::tuple{"generalized_alpha", 1e-7, 2e-4},
        std::tuple{"bdf", 1e-7, 1e-3}, std::tuple{"sdirk", 1e-7, 1e-4}, std::tuple{"rattle", 1e-3, 2e-5}})
    EXPECT_LT(error_of(model, plan_with(method, 1.7, step), 0.7, 1, relative), tolerance) << method;
}

bool has_notice(const Solution& run, std::string_view code) {
  const auto& all = run.outcome.notices;
  return std::any_of(all.begin(), all.end(), [&](const Notice& n) { return n.code == code; });
}

TEST(SwitchedConstraints, TellOfTheImpulse) {
  const TextModel model = read_model("m.toml", swing_below("max(0, t - 1)"));
  const Solution run = run_of(model.problem->clone(), plan_with("generalized_alpha", 1.7, 1e-6));
  const auto& all = run.outcome.notices;
  const auto told = std::find_if(all.begin(), all.end(), [](const Notice& n) { return n.code == "impulse"; });
  ASSERT_NE(told, all.end());
  EXPECT_NEAR(told->t, 1, 1e-9);
  EXPECT_THAT(told->text, mentions("'c - max(0, t - 1)' (m.toml:8)", "by -1"));
  EXPECT_THAT(told->text, mentions("1 (vc)"));
}

// The carriage starts with a jump of its acceleration. Methods keep their order only if steps end there.
TEST(SwitchedConstraints, KeepTheOrderWhereAccelerationsJump) {
  const TextModel model = read_model("m.toml", swing_below("max(0, t - 1)^2"));
  EXPECT_TRUE(model.warnings.empty());
  const Vec relative = swing_at(1.7, "2", "0");
  const auto error = [&](const RunPlan& plan) { return error_of(model, plan, 0.49, 1.4, relative); };
  const auto with_step = [&](const char* method, double h) {
    RunPlan plan;
    plan.method = method;
    plan.to = 1.7;
    plan.h = h;
    return error(plan);
  };
  EXPECT_LT(error(plan_with("radau", 1.7, 1e-9)), 1e-7);
  EXPECT_LT(error(plan_with("dop853", 1.7, 1e-11)), 1e-8);
  for (const char* method : {"generalized_alpha", "rattle"})
    EXPECT_NEAR(std::log2(with_step(method, 0.0153) / with_step(method, 0.0153 / 4)), 4, 0.4) << method;
}

// The equation of motion of the carriage, which does not contain the mass of the bob, gives lambda1 = -c'' - (the
// force of the rod along x).
TEST(SwitchedConstraints, HaveTheirMultipliersBehindTheSwitch) {
  const TextModel model = read_model("m.toml", swing_below("max(0, t - 1)^2"));
  for (const char* method : {"radau", "generalized_alpha", "bdf", "sdirk"}) {
    RunPlan plan = plan_with(method, 1.01, 1e-8);
    plan.output = Times{{0.999, 1.0001, 1.001, 1.01}};
    const Solution run = run_of(model.problem->clone(), plan);
    for (Index row = 0; row < run.rows(); ++row) {
      const Vec y = run.y().col(row);
      const double t = run.t[static_cast<std::size_t>(row)];
      const bool behind = t > 1 || (t == 1 && run.t[static_cast<std::size_t>(row) - 1] == 1);
      const double acceleration = behind ? 2 : 0;
      const double pull = 2 * (y[1] - y[0]) * y[7];
      EXPECT_NEAR(y[6], pull - acceleration, 2e-3) << method << " at " << t;
    }
  }
}

// The run starts exactly at the switch, and the driver moves immediately.
TEST(SwitchedConstraints, MayBeTheStart) {
  const TextModel model = read_model("m.toml", swing_below("max(0, t)"));
  const TextModel angle = read_model("angle.toml", R"toml(
coordinates.theta = { start = 0.8, velocity = "-cos(0.8)" }
[[force]]
on = "theta"
value = "-9.81*sin(theta)"
)toml");
  const Vec end = last_of(run_of(angle.problem->clone(), plan_with("dop853", 0.7, 1e-12)));
  const Vec relative{{std::sin(end[0]), -std::cos(end[0]), std::cos(end[0]) * end[1], std::sin(end[0]) * end[1]}};
  for (const auto& [method, step, tolerance] :
       {std::tuple{"dop853", 1e-10, 1e-8}, std::tuple{"radau", 1e-8, 1e-6}, std::tuple{"generalized_alpha", 1e-7, 2e-4},
        std::tuple{"rattle", 1e-3, 2e-5}}) {
    const RunPlan plan = plan_with(method, 0.7, step);
    EXPECT_LT(error_of(model, plan, 0.7, 1, relative), tolerance) << method;
    EXPECT_TRUE(has_notice(run_of(model.problem->clone(), plan), "impulse")) << method;
  }
}

// Two curves that meet at an angle. After the switch, rounding may leave the point slightly on the old side; this must
// not count as a second crossing.
TEST(SwitchedConstraints, OfCurvesActOnce) {
  for (const double bend : {0.8, 0.83, 0.86, 0.9, 0.96}) {
    const TextModel model = read_model("m.toml", R"toml(
parameters.bend = 0.9
coordinates.p = { point = 2, start = [1, 0], velocity = [0, 1] }
[[constraint]]
equation = "sqrt(p.x^2 + p.y^2) - 0.5 - 0.5*bend - 0.5*max(0, p.x - bend)"
)toml",
                                       {{"bend", fmt::format("{}", bend)}});
    const double radius = 0.5 + 0.5 * bend, x = bend / radius, y = std::sqrt(1 - x * x);
    const Vec before{{x - 0.5, y}}, behind{{x, y}};
    const double energy = 0.5 * std::pow(before.dot(behind) / before.norm(), 2);
    for (const char* method : {"dop853", "dopri5", "radau", "rattle", "generalized_alpha", "bdf", "sdirk"}) {
      const Solution run = run_of(model.problem->clone(), plan_with(method, 1, *method == 'r' ? 1e-3 : 1e-7));
      const double found = run.measured()(run.quantity("energy"), run.rows() - 1);
      EXPECT_NEAR(found, energy, 1e-4) << method << " " << bend;
    }
  }
}

// A wire with a bend at x = 0. The cosine of the angle between its two directions is 0.6.
const char* const bent_wire = R"toml(
coordinates.x = -1
coordinates.y = 0.5
[[potential]]
energy = "y"
[[constraint]]
equation = "y - 0.5*abs(x)"
)toml";

TEST(SwitchedConstraints, MayDependOnPositions) {
  const TextModel model = read_model("m.toml", bent_wire);
  const double slope = 0.5 / std::hypot(1, 0.5), down = 1 / slope, up = 0.6 / slope;
  for (const char* method : {"generalized_alpha", "radau", "dop853"}) {
    const Vec end = last_of(run_of(model.problem->clone(), plan_with(method, down + up, 1e-8)));
    EXPECT_NEAR(end[0], 0.36, 1e-6) << method;
    EXPECT_NEAR(end[1], 0.18, 1e-6) << method;
    EXPECT_NEAR(end[3], 0, 1e-6) << method;
  }
}

// The step that went beyond the bend and was then cut short had moved downhill for too long. Its energy must not be
// used.
TEST(SwitchedConstraints, EnergyOfAStepThatWasCutShortDoesNotCount) {
  const TextModel model = read_model("m.toml", bent_wire);
  for (const char* method : {"generalized_alpha", "bdf"}) {
    const Solution run = run_of(model.problem->clone(), plan_with(method, 3, 1e-4));
    EXPECT_LT(std::abs(run.measured()(run.quantity("damped energy"), run.rows() - 1)), 1e-3) << method;
    EXPECT_LT(run.measured().row(run.quantity("energy")).maxCoeff(), 0.5 + 1e-3) << method;
    const std::string said = run.outcome.notices.back().text, kinetic = "kinetic energy was ";
    ASSERT_THAT(said, HasSubstr(kinetic));
    EXPECT_LT(std::stod(said.substr(said.find(kinetic) + kinetic.size())), 0.5 + 1e-3) << method;
  }
}

TEST(SwitchedConstraints, ThatJumpEndTheRun) {
  const TextModel model = read_model("m.toml", swing_below("if(t < 1, 0, 0.01)"));
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_THAT(model.warnings[0], mentions("constraint", "0.01"));
  for (const char* method : {"generalized_alpha", "bdf", "radau", "dop853"}) {
    const Solution run = prepare(plan_with(method, 1.7, 1e-7), model.problem->clone(), {}).run();
    EXPECT_EQ(run.outcome.status, RunStatus::refused) << method;
    EXPECT_THAT(run.outcome.message, mentions("at t = 1", "constraint 'c - if(t < 1, 0, 0.01)' (m.toml:8)"));
    EXPECT_NEAR(run.t.back(), 1, 1e-9) << method;
    EXPECT_TRUE(last_of(run).allFinite()) << method;
    for (const Notice& notice : run.outcome.notices) EXPECT_NE(notice.code, "off_constraints") << method;
  }
}
}  // namespace
}  // namespace trill::testing_models
