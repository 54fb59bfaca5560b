// SPDX-License-Identifier: BSD-3-Clause
// Constraints at the start of a run, and where they become singular on the way.
#include "formulation/constraint_check.hpp"
#include "support/mentions.hpp"
#include "support/multiscale_runs.hpp"
#include "support/text_models.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
using multiscale_runs::code_of;
using testing_models::last_of;
using testing_models::plan_with;

const std::string two_points = R"toml(
coordinates.x1 = { start = 1, mass = 2 }
coordinates.y1 = { start = 0, mass = 2 }
coordinates.x2 = { start = 2 }
coordinates.y2 = { start = 0 }
[[potential]]
energy = "2*y1 + y2"
)toml";

std::string with(const std::vector<std::string>& equations) {
  std::string text = two_points;
  for (const std::string& e : equations) text += "[[constraint]]\nequation = \"" + e + "\"\n";
  return text;
}
const std::string bar1 = "x1^2 + y1^2 - 1", bar2 = "(x2 - x1)^2 + (y2 - y1)^2 - 1";

std::string refusal(const std::string& text, const std::string& method = "dop853") {
  try {
    prepare(plan_with(method, 0.1, method == "rattle" ? 0.01 : 1e-6), read_model("m.toml", text).problem->clone())
        .run();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ConstrainedStart, RedundantConstraintsAreNamed) {
  for (const char* method : {"dop853", "rattle", "radau"}) {
    const std::string said = refusal(with({bar1, bar2, "2*x1^2 + 2*y1^2 - 2"}), method);
    EXPECT_THAT(said, mentions("redundant", "'2*x1^2 + 2*y1^2 - 2' (m.toml:13)", "'x1^2 + y1^2 - 1' (m.toml:9)"))
        << method;
  }
  EXPECT_EQ(refusal(with({bar1, bar2})), "no error");
}

// Three equal parallel bars: each one is redundant. The gradients are linearly dependent only where the constraints
// are satisfied.
TEST(ConstrainedStart, RedundantLoopsAreFoundWhereTheyAreClosed) {
  const std::string text = R"toml(
coordinates.x = { start = 0 }
coordinates.y = { start = 1 }
coordinates.a = { start = 1e-4 }
[[constraint]]
equation = "x^2 + y^2 - 1"
[[constraint]]
equation = "(x + cos(a) - 1)^2 + (y + sin(a))^2 - 1"
[[constraint]]
equation = "(x + 2*cos(a) - 2)^2 + (y + 2*sin(a))^2 - 1"
)toml";
  EXPECT_THAT(refusal(text), mentions("redundant", "'(x + 2*cos(a) - 2)^2"));
}

TEST(ConstrainedStart, ContradictionsAreNamed) {
  const std::string said = refusal(with({bar1, "x1^2 + y1^2 - 1.01"}));
  EXPECT_THAT(said, mentions("contradict", "'x1^2 + y1^2 - 1' (m.toml:9)", "'x1^2 + y1^2 - 1.01' (m.toml:11)",
                             "0.005 and -0.005"));
  EXPECT_THAT(refusal(with({"y1", "y2", "y1 - y2 - 0.01"})), mentions("contradict"));
}

// The compromise between both constraints is y1 = 0.01, where each of them is off by 10 * 0.01.
TEST(ConstrainedStart, ContradictionsAreToldInUnitsOfTheFile) {
  EXPECT_THAT(refusal(with({"10*y1", "10*y1 - 0.2"})), mentions("contradict", "0.1 and -0.1"));
}

TEST(ConstrainedStart, ASingularPositionIsNoRedundancy) {
  const std::string text = R"toml(
coordinates.x1 = { start = 0 }
coordinates.y1 = { start = 1 }
coordinates.x2 = { start = 0 }
[[constraint]]
equation = "x1^2 + y1^2 - 1"
[[constraint]]
equation = "(x2 - x1)^2 + y1^2 - 1"
)toml";
  const std::string said = refusal(text);
  EXPECT_THAT(said, mentions("singular position", "(m.toml:8)", "(m.toml:6)"));
}

// A start that violates the constraints slightly is moved to the nearest point in the metric of the mass: on a lever
// with arms of length 1, the side with mass 4 moves a quarter as far.
TEST(ConstrainedStart, SmallViolationsAreMovedByTheMetricOfTheMass) {
  const std::string text = R"toml(
coordinates.x = { start = 1, mass = 4, velocity = 0.001 }
coordinates.y = { start = 1.005 }
[[constraint]]
equation = "x - y"
)toml";
  for (const char* method : {"dop853", "rattle", "radau"}) {
    const auto model = read_model("m.toml", text);
    const Solution s =
        prepare(plan_with(method, 0.1, method == std::string("rattle") ? 0.01 : 1e-6), model.problem->clone()).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    const Vec y = s.y().col(0);
    EXPECT_NEAR(y[0], 1.001, 1e-14);
    EXPECT_NEAR(y[1], 1.001, 1e-14);
    EXPECT_NEAR(y[2], 0.0008, 1e-15);
    EXPECT_NEAR(y[3], 0.0008, 1e-15);
    ASSERT_EQ(code_of(s, "start_projected"), 1);
    EXPECT_THAT(s.outcome.notices[0].text, mentions("0.004 (y)", "0.0008 (vy)", "'x - y' (m.toml:5)"));
  }
}

// By hand: with M = diag(1 + q, 1) at the solution and G = (1, -1), the condition M x + G^T mu = 0 moves y by -(1 + q)
// times as far as x.
TEST(ConstrainedStart, AMassThatDependsOnPositionsIsTakenWhereTheMotionBegins) {
  const std::string text = R"toml(
coordinates.x = { start = 1 }
coordinates.y = { start = 1.005 }
[[kinetic]]
energy = "0.5*(1 + x)*vx^2 + 0.5*vy^2"
[[constraint]]
equation = "x - y"
)toml";
  const auto model = read_model("m.toml", text);
  ConstraintCheck check(model.problem->as<MechanicalProblem>("test"));
  State s = model.problem->initial_state();
  ASSERT_TRUE(check.project(s));
  EXPECT_NEAR(s.q()[0], s.q()[1], 1e-15);
  EXPECT_NEAR(s.q()[1] - 1.005, -(1 + s.q()[0]) * (s.q()[0] - 1), 1e-14);
}

TEST(ConstrainedStart, RoundedStartsAreMovedWithoutANote) {
  const std::string text = two_points + "[[constraint]]\nequation = \"x1^2 + y1^2 - 1.000000004\"\n";
  const auto model = read_model("m.toml", text);
  const Solution s = prepare(plan_with("dop853", 0.1, 1e-6), model.problem->clone()).run();
  EXPECT_EQ(code_of(s, "start_projected"), 0);
  EXPECT_NEAR(s.y()(0, 0), std::sqrt(1.000000004), 1e-15);
}

TEST(ConstrainedStart, LargeViolationsAreRefusedByName) {
  auto run = prepare(plan_with("dop853", 0.1, 1e-6), read_model("m.toml", with({bar1, bar2})).problem->clone());
  run.start.y[2] = 2.2;
  try {
    run.run();
    FAIL() << "accepted";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("violates", "'" + bar2 + "' (m.toml:11)", "0.44"));
  }
  run.start.y[2] = 2;
  run.start.y[4] = 0.3;
  try {
    run.run();
    FAIL() << "accepted";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("velocities", "'x1^2 + y1^2 - 1' (m.toml:9)"));
  }
}

// A problem with two masses, the second of which can be zero.
class Weightless final : public MechanicalProblem {
 public:
  Weightless(const MechanicalProblem& base, Vec mass) : base_(base), mass_(std::move(mass)) {}
  std::string name() const override { return "light"; }
  Layout layout() const override { return base_.layout(); }
  std::vector<Quantity> components() const override { return base_.components(); }
  State initial_state() const override { return base_.initial_state(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Weightless>(base_, mass_); }
  MassKind mass_kind() const override { return MassKind::diagonal; }
  void mass(In, MatrixSlot& m) const override {
    for (Index i = 0; i < mass_.size(); ++i) *m.entry(i, i) = mass_[i];
  }
  void force(Groups groups, double t, In q, In v, Out f) const override { base_.force(groups, t, q, v, f); }
  const ConstraintMap* constraints() const override { return base_.constraints(); }

 private:
  const MechanicalProblem& base_;
  Vec mass_;
};

TEST(ConstrainedStart, MotionsWithoutInertiaAreNamed) {
  const auto said = [](const std::vector<std::string>& equations) {
    const auto model = read_model("m.toml", with(equations));
    const Weightless light(model.problem->as<MechanicalProblem>("test"), Vec{{1, 1, 1, 0}});
    return ConstraintCheck(light).missing_inertia(0, light.initial_state().q());
  };
  EXPECT_THAT(said({bar1}), mentions("y2 of 'light'", "no mass"));
  EXPECT_EQ(said({bar1, "y2 - 0.1*x2 + 0.2"}), "");
  const auto model = read_model("m.toml", with({"y1 + y2"}));
  const Weightless light(model.problem->as<MechanicalProblem>("test"), Vec{{1, 0, 1, 0}});
  EXPECT_THAT(ConstraintCheck(light).missing_inertia(0, light.initial_state().q()),
              mentions("'light'", "no mass", "along y"));
}

// Two bars of length 1, joined at a knee; the far end is pulled away. At t = 1.6 the bars lie on one line, and after
// that no position satisfies all three constraints.
TEST(ConstrainedStart, ASingularPositionOnTheWayIsNamedAndTheLastStateKept) {
  const std::string text = R"toml(
coordinates.x1 = { start = 0.6, velocity = 0.25 }
coordinates.y1 = { start = -0.8, velocity = 0.1875 }
coordinates.x2 = { start = 1.2, velocity = 0.5 }
[[potential]]
energy = "y1"
[[constraint]]
equation = "x1^2 + y1^2 - 1"
[[constraint]]
equation = "(x2 - x1)^2 + y1^2 - 1"
[[constraint]]
equation = "x2 - 1.2 - 0.5*t"
)toml";
  for (const char* method : {"dop853", "radau", "rattle"}) {
    const auto model = read_model("m.toml", text);
    const double step = method == std::string("rattle") ? 0.01 : 1e-8;
    const Solution s = prepare(plan_with(method, 2, step), model.problem->clone()).run();
    EXPECT_FALSE(s.ok()) << method;
    EXPECT_THAT(s.outcome.message, mentions("singular position", "'x1^2 + y1^2 - 1' (m.toml:8)")) << method;
    EXPECT_TRUE(s.y().allFinite());
    EXPECT_NEAR(s.t.back(), 1.6, 0.01) << method;
    EXPECT_NEAR(last_of(s).head(2).norm(), 1, 1e-4) << method;
  }
}

TEST(ConstrainedStart, LongChainsAreNotCalledSingular) {
  const TextModel chain = make_model("link_chain", {{"n", "400"}});
  ConstraintCheck check(testing_models::mechanics(chain));
  const State s = chain.problem->initial_state();
  EXPECT_EQ(check.near_dependence(s, s), "");
  EXPECT_EQ(check.dependence(s.t, s.q()), "");
  EXPECT_EQ(check.missing_inertia(s.t, s.q()), "");
}
}  // namespace
}  // namespace trill
