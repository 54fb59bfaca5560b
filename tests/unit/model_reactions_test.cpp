// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on the multipliers of constraints: friction in joints and on rails.
#include "problem/reactive.hpp"
#include "problem/validity.hpp"
#include "support/text_models.hpp"

#include <numbers>

namespace trill::testing_models {
namespace {
using testing::AllOf;
using testing::HasSubstr;

// A block slides to the right down a plane inclined by `slope`: s'' = g (sin - mu cos) along the plane.
const char* const block = R"toml(
parameters = { slope = 0.3, mu = 0.4, g = 9.81, m = 2 }
[coordinates]
x = { start = 0, velocity = "3*cos(slope)", mass = "m" }
y = { start = 0, velocity = "-3*sin(slope)", mass = "m" }
[derived]
normal = "-plane"
[[constraint]]
name = "plane"
equation = "x*sin(slope) + y*cos(slope)"
[[force]]
on = "y"
value = "-m*g"
[[force]]
on = "x"
value = "-mu*normal*cos(slope)"
[[force]]
on = "y"
value = "mu*normal*sin(slope)"
[[measure]]
name = "pressure"
value = "normal"
)toml";

// Two points on rods of length 1, the first from the origin and the second from the first point. The friction in both
// hinges is proportional to the forces of the rods.
const char* const two_rods = R"toml(
parameters = { mu = 0.2 }
[coordinates]
a = { point = 2, start = [1, 0], velocity = [0, 0.3] }
b = { point = 2, start = [1, -1], velocity = [0.2, 0.3] }
[[constraint]]
name = "upper"
equation = "(a.x^2 + a.y^2 - 1)/2"
[[constraint]]
name = "lower"
equation = "((a.x - b.x)^2 + (a.y - b.y)^2 - 1)/2"
[[force]]
on = "a"
value = ["-mu*sqrt(upper^2 + 0.01)*va.x/sqrt(va.x^2 + va.y^2 + 0.01)", "-1 - mu*sqrt(upper^2 + 0.01)*va.y/sqrt(va.x^2 + va.y^2 + 0.01)"]
[[force]]
on = "b"
value = ["-mu*sqrt(lower^2 + 0.01)*vb.x/sqrt(vb.x^2 + vb.y^2 + 0.01)", "-1 + 0.05*upper*va.x"]
)toml";

const MechanicalProblem& inside(const Problem& p) { return p.as<ReactiveProblem>("the test").mechanics(); }

TEST(TextReactions, ABlockOnAPlane) {
  const double t = 1.3, along = 3 * t + 0.5 * 9.81 * (std::sin(0.3) - 0.4 * std::cos(0.3)) * t * t;
  for (const char* method : {"radau", "gauss", "generalized_alpha", "hht", "bdf"}) {
    const bool high_order = std::string(method) == "radau" || std::string(method) == "gauss";
    const double accuracy = high_order ? 1e-9 : 1e-3;
    const Solution s =
        run_of(read_model("m.toml", block).problem, plan_with(method, t, std::string(method) == "gauss" ? 0.05 : 1e-6));
    EXPECT_NEAR(last_of(s)[0], along * std::cos(0.3), accuracy) << method;
    EXPECT_NEAR(last_of(s)[1], -along * std::sin(0.3), accuracy) << method;
    EXPECT_NEAR(last_of(s)[4], -2 * 9.81 * std::cos(0.3), accuracy) << method;
  }
}

TEST(TextReactions, MeasuresKnowTheForcesOfConstraints) {
  const auto problem = read_model("m.toml", block).problem;
  State s = problem->initial_state();
  s.lambda()[0] = -7;
  Vec measured(2);
  problem->measure(s, measured);
  EXPECT_EQ(measured[1], 7);
}

TEST(TextReactions, NamesBesideStiffGaps) {
  const auto problem = read_model("m.toml", R"toml(
[coordinates]
x = 0
y = 0
z = 0
[[stiff]]
gap = "z - x"
stiffness = 1e4
[[stiff]]
gap = "z"
stiffness = 1e5
[[constraint]]
equation = "x"
[[constraint]]
name = "second"
equation = "y"
[[force]]
on = "y"
value = -3
[[force]]
on = "z"
value = "second"
[[measure]]
name = "m"
value = "10*second"
)toml")
                           .problem;
  State s = problem->initial_state();
  s.lambda() = Vec{{5, 7}};
  Vec measured(2), r(3);
  problem->measure(s, measured);
  reaction_forces(inside(*problem))->reaction_force(0, s.q(), s.v(), s.lambda(), r);
  EXPECT_EQ(measured[1], 70);
  expect_equal(r, Vec{{0, 0, 7}}, "force");
}

// With such forces the slow manifold is not known. The methods must run anyway, because they were not asked to start
// on it.
TEST(TextReactions, AlphaMethodsRunBesideStiffGaps) {
  const char* towed = R"toml(
[coordinates]
x = { start = 0, velocity = 2 }
y = 0
u = { start = 1, velocity = 2, mass = 0.5 }
[[constraint]]
name = "table"
equation = "y"
[[stiff]]
gap = "u - x - 1"
stiffness = 4e4
group = "rope"
[[force]]
on = "y"
value = -9.81
[[force]]
on = "x"
value = "-0.3*abs(table)*tanh(vx/0.01)"
)toml";
  const Solution exact = run_of(read_model("m.toml", towed).problem, plan_with("radau", 0.5, 1e-9));
  for (const char* method : {"generalized_alpha", "bdf"}) {
    const Solution s = run_of(read_model("m.toml", towed).problem, plan_with(method, 0.5, 1e-7));
    ASSERT_TRUE(s.ok() && exact.ok()) << method;
    EXPECT_NEAR(last_of(s)[0], last_of(exact)[0], 1e-4) << method;
  }
  // Until it stops, both move together: (1 + 0.5) a = -0.3 9.81.
  EXPECT_NEAR(last_of(exact)[0], 2 * 0.5 - 0.3 * 9.81 / 1.5 * 0.5 * 0.5 / 2, 1e-3);
}

TEST(TextReactions, DerivativesAgreeWithDifferences) {
  const auto problem = read_model("m.toml", two_rods).problem;
  const ReactionForces& forces = *reaction_forces(inside(*problem));
  const State s = shifted_start(*problem);
  ReactionForces::Patterns exact = forces.reaction_patterns();
  forces.reaction_jacobians(s.t, s.q(), s.v(), s.lambda(), exact);
  const Index n = s.layout.nq;
  const double d = 1e-6;
  for (Index k = 0; k < s.y.size(); ++k) {
    State up = s, down = s;
    up.y[k] += d;
    down.y[k] -= d;
    Vec a(n), b(n);
    forces.reaction_force(s.t, up.q(), up.v(), up.lambda(), a);
    forces.reaction_force(s.t, down.q(), down.v(), down.lambda(), b);
    const Vec column = k < n       ? dense(exact.by_position).col(k)
                       : k < 2 * n ? dense(exact.by_velocity).col(k - n)
                                   : dense(exact.by_multiplier).col(k - 2 * n);
    EXPECT_LT(((a - b) / (2 * d) - column).cwiseAbs().maxCoeff(), 1e-8) << k;
  }
}

// q'' by differences in time must equal M^-1 (f + r(lambda) - G^T lambda) with the recorded multipliers.
TEST(TextReactions, RecordedMultipliersBelongToTheMotion) {
  RunPlan plan = plan_with("radau", 2, 1e-11);
  const double dt = 1e-3;
  plan.output = Grid{dt};
  const auto problem = read_model("m.toml", two_rods).problem;
  const MechanicalProblem& p = inside(*problem);
  const Solution run = run_of(problem->clone(), plan);
  for (Index k = 100; k + 1 < run.rows(); k += 300) {
    State s = problem->initial_state();
    s.y = run.y().col(k);
    s.t = run.t[static_cast<std::size_t>(k)];
    Vec f = force_of(p, s.t, s.q(), s.v()), r(4), pull(4);
    reaction_forces(p)->reaction_force(s.t, s.q(), s.v(), s.lambda(), r);
    MatrixSlot G = p.constraints()->pattern();
    p.constraints()->jacobian(s.t, s.q(), G);
    G.multiply_transposed(s.lambda(), pull);
    const Vec a = (run.y().col(k + 1).segment(4, 4) - run.y().col(k - 1).segment(4, 4)) / (2 * dt);
    EXPECT_LT((a - (f + r - pull)).cwiseAbs().maxCoeff(), 1e-4) << s.t;
  }
}

TEST(TextReactions, MethodsAgreeAtTheirOrders) {
  const Vec reference = last_of(run_of(read_model("m.toml", two_rods).problem, plan_with("radau", 1.5, 1e-12)));
  const Vec loose = last_of(run_of(read_model("m.toml", two_rods).problem, plan_with("radau", 1.5, 1e-6)));
  EXPECT_LT((loose - reference).cwiseAbs().maxCoeff(), 1e-5);
  for (const char* method : {"generalized_alpha", "bdf"}) {
    double errors[2];
    for (const int k : {0, 1}) {
      RunPlan plan;
      plan.method = method;
      plan.to = 1.5;
      plan.h = 0.005 / (1 + k);
      errors[k] =
          (last_of(run_of(read_model("m.toml", two_rods).problem, plan)) - reference).head(8).cwiseAbs().maxCoeff();
    }
    EXPECT_LT(errors[0], 0.02) << method;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.3) << method;
  }
}

// The expected angle, angular velocity and force on the pin come from the equation for the angle alone, in which this
// force is a function of the angular acceleration. It was solved by SciPy with DOP853 and rtol = 1e-12.
TEST(TextReactions, AJointWithFrictionAgreesWithItsEquationInOneAngle) {
  const auto end_at = [](double t, const OptionSet& given) {
    return run_of(ModelRegistry::all().find("friction_pendulum").make(given), plan_with("radau", t, 1e-9));
  };
  const Solution one = end_at(1, {}), two = end_at(2, {}), rough = end_at(1, {{"mu", "1"}});
  const auto expect = [](const Solution& s, double angle, double speed, double force) {
    const Vec y = last_of(s);
    EXPECT_NEAR(y[2], angle, 1e-7);
    EXPECT_NEAR(y[5], speed, 1e-7);
    EXPECT_NEAR(std::hypot(y[6], y[7]), force, 1e-6);
  };
  expect(one, -2.9826637891379915, 0.6910060561261442, 3.0678779108169634);
  expect(two, -0.3712296276184469, -1.6836646929307297, 5.528874004559798);
  expect(rough, -2.6910776268154435, 0.90049003471304, 5.35571749555082);
}

// Without gravity and at rest the force of the joint is zero, where |force| has no derivative. A torque of 1 on the
// wheel must turn it like a free wheel with inertia 2.
TEST(TextReactions, AJointMayBeWithoutLoadAtTheStart) {
  for (const char* method : {"radau", "generalized_alpha"}) {
    const Solution s = run_of(read_model("m.toml", R"toml(
[bodies]
wheel = { mass = 1, inertia = 2 }
[[joint]]
name = "hub"
kind = "revolute"
to = "wheel"
[[torque]]
on = "wheel"
value = 1
[[torque]]
on = "wheel"
value = "-0.1*norm(hub.force)*tanh(vwheel.angle)"
)toml")
                                  .problem,
                              plan_with(method, 2, 1e-6));
    EXPECT_NEAR(last_of(s)[2], 1, 1e-4) << method;
  }
}

TEST(TextReactions, ConstraintsOverASet) {
  const Solution s = run_of(read_model("m.toml", R"toml(
[sets]
block = 3
[coordinates]
x = { over = "block", start = 0, velocity = "2 + block" }
y = { over = "block", start = 0 }
[[constraint]]
over = "block"
name = "table"
equation = "y[block]"
[[force]]
over = "block"
on = "y[block]"
value = "-(1 + block)"
[[force]]
over = "block"
on = "x[block]"
value = "0.1*table"
)toml")
                                .problem,
                            plan_with("radau", 2, 1e-8));
  for (Index k = 0; k < 3; ++k) {
    const double weight = 1.0 + static_cast<double>(k);
    EXPECT_NEAR(last_of(s)[k], (1 + weight) * 2 - 0.1 * weight * 2, 1e-8);
  }
}

TEST(TextReactions, OtherMethodsSayWhatToUse) {
  for (const char* method : {"verlet", "rattle", "dopri5", "cvode_bdf", "implicit_midpoint", "sdirk", "hmm"}) {
    std::string said;
    try {
      RunPlan plan;
      plan.method = method;
      prepare(plan, read_model("m.toml", block).problem, {});
    } catch (const UsageError& e) {
      said = e.what();
    }
    EXPECT_THAT(said, AllOf(HasSubstr(method), HasSubstr("radau"), HasSubstr("generalized_alpha"))) << method;
  }
}

TEST(TextReactions, FormulationsWithoutMultipliersAreRefused) {
  RunPlan plan = plan_with("generalized_alpha", 1, 1e-4);
  for (const char* form : {"cs", "cm"}) {
    plan.options["formulation"] = form;
    EXPECT_THROW(prepare(plan, read_model("m.toml", block).problem, {}), UsageError) << form;
  }
}

// x'' = p exp(-((t - 30)/w)^2) - c x'. The pulse gives the speed p w sqrt(pi), which the drag c then takes away.
TEST(TextReactions, APulseIsNotSteppedOver) {
  const char* const pushed = R"toml(
[coordinates]
x = 0
y = 0
[[constraint]]
name = "table"
equation = "y"
[[force]]
on = "y"
value = -3
[[force]]
on = "x"
value = "40*exp(-((t - 30)/0.02)^2) - 0.01*abs(table)*vx"
)toml";
  const double w = 0.02, c = 0.03, speed = 40 * w * std::sqrt(std::numbers::pi);
  const double expected = speed / c * (1 - std::exp(-c * 40 + c * c * w * w / 4));
  for (const char* method : {"radau", "generalized_alpha", "bdf"}) {
    const Solution s = run_of(read_model("m.toml", pushed).problem, plan_with(method, 70, 1e-6));
    EXPECT_NEAR(last_of(s)[0] / expected, 1, std::string(method) == "radau" ? 1e-6 : 1e-3) << method;
  }
}

TEST(TextReactions, SlopesOfBeamsAreWatched) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
w = 0
[[constraint]]
name = "held"
equation = "w"
[[force]]
on = "w"
value = "2 + 0.1*held"
[beams]
rod = { length = 1, mass = 1, stiffness = 1, elements = 2 }
)toml");
  ASSERT_NE(dynamic_cast<const ReactiveProblem*>(model.problem.get()), nullptr);
  const auto* limited = dynamic_cast<const LimitedValidity*>(model.problem.get());
  ASSERT_TRUE(limited && limited->has_limits());
  State s = model.problem->initial_state();
  Notes notes;
  EXPECT_EQ(limited->check_validity(s, notes), "");
  s.q().array() = 1.5;
  EXPECT_THAT(limited->check_validity(s, notes), HasSubstr("1.5"));
}

TEST(TextReactions, Mistakes) {
  const auto said = [](const std::string& more) {
    return complaint("sets.two = 2\n[coordinates]\nx = 0\ny = 0\n[[constraint]]\nname = \"floor\"\nequation = \"y\"\n" +
                     more);
  };
  EXPECT_THAT(said("[[potential]]\nenergy = \"x*floor\"\n"), AllOf(HasSubstr("m.toml:9:"), HasSubstr("constraints")));
  EXPECT_THAT(said("[[constraint]]\nequation = \"x - floor\"\n"), HasSubstr("m.toml:9:"));
  EXPECT_THAT(said("[[force]]\nover = \"two\"\non = \"x\"\nvalue = \"floor\"\n"),
              AllOf(HasSubstr("m.toml:11:"), HasSubstr("'floor'")));
  EXPECT_THAT(said("[derived]\nfloor = \"x\"\n"), AllOf(HasSubstr("m.toml:"), HasSubstr("'floor'"), HasSubstr("used")));
  EXPECT_THAT(said("[[force]]\non = \"x\"\nvalue = \"flor\"\n"), HasSubstr("did you mean 'floor'"));
  EXPECT_THAT(said("[[force]]\non = \"x\"\nvalue = \"floor[1]\"\n"), HasSubstr("takes no index"));
  EXPECT_THAT(said("[[force]]\non = \"x\"\nvalue = \"1/floor\"\n"),
              AllOf(HasSubstr("m.toml:10:"), HasSubstr("finite")));
}
}  // namespace
}  // namespace trill::testing_models
