// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method on other kinds of systems.
#include "support/allocation_count.hpp"
#include "support/hmm_models.hpp"
#include "support/multiscale_runs.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
using namespace hmm_models;
using namespace multiscale_runs;

double largest_distance(const Solution& a, const Solution& b) { return position_error(a, b, a.info.layout.nq); }

TEST(HmmSystems, ADenseMassMatrix) {
  const auto p = model(cart(0), 1000);
  const State s = smooth_start(*p);
  const Solution exact = solve(*p, "dop853", {.to = 5, .rtol = 1e-12}, &s);
  EXPECT_LT(largest_distance(solve(*p, "hmm", {.to = 5, .rtol = 1e-6}, &s), exact), 5e-6);
}

// Energy of the oscillation that drag takes away on the way: without its force the slow motion is wrong at any omega.
TEST(HmmSystems, DampedActionsOnADenseMassMatrix) {
  const std::string drag = R"~([[force]]
on = "X"
value = "-0.6*vX"
[[force]]
on = "x"
value = "-0.2*vx"
[[force]]
on = "y"
value = "-0.2*vy"
)~";
  std::vector<double> errors;
  for (const double omega : {1000.0, 4000.0}) {
    const auto p = model(cart(1, drag), omega);
    const Solution exact = solve(*p, "dop853", {.to = 5, .rtol = 1e-12});
    const Solution kept = solve(*p, "hmm", {.to = 5, .rtol = 1e-6});
    errors.push_back(largest_distance(kept, exact));
    EXPECT_GT(largest_distance(solve(*p, "hmm", {.to = 5, .rtol = 1e-6, .options = {{"fast_energy", "drop"}}}), exact),
              0.02);
    const Vec J = kept.measured().row(kept.quantity("action_1")).transpose();
    EXPECT_LT(J[J.size() - 1], 0.7 * J[0]) << "drag damps the action";
  }
  EXPECT_LT(errors[0], 2e-3);
  EXPECT_LT(errors[1], 0.4 * errors[0]);
}

const std::string three_masses = R"~([parameters]
omega = 800
[coordinates]
x1 = { start = 1, velocity = 0.2 }
y1 = { start = 0, velocity = -0.5 }
x2 = { start = 2 }
y2 = { start = 0, velocity = 0.5 }
x3 = { start = 2, velocity = 0.3 }
y3 = { start = 1 }
[[stiff]]
gap = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
stiffness = "omega^2"
[[stiff]]
gap = "sqrt((x3 - x2)^2 + (y3 - y2)^2) - 1"
stiffness = "(1.625*omega)^2"
[[potential]]
energy = "0.5*(sqrt(x1^2 + y1^2) - 1)^2 + 0.1*(x3^2 + y3^2)"
)~";

TEST(HmmSystems, TwoFastFrequencies) {
  const auto p = model(three_masses, 800);
  const State s = smooth_start(*p);
  const Solution exact = solve(*p, "dop853", {.to = 5, .rtol = 1e-12}, &s);
  EXPECT_LT(largest_distance(solve(*p, "hmm", {.to = 5, .rtol = 1e-7}, &s), exact), 2e-6);
}

// Slow forces of time and velocity; what remains is the amplitude of the oscillation, about 1/omega.
TEST(HmmSystems, DrivenAndDampedInSpace) {
  const std::string text = R"~([parameters]
omega = 1000
[coordinates]
x = { start = "1 + 1/omega", velocity = 0 }
y = { start = 0, velocity = 0.7 }
z = { start = 0, velocity = 0.2 }
[[stiff]]
gap = "sqrt(x^2 + y^2 + z^2) - 1"
stiffness = "omega^2"
[[force]]
on = "z"
value = "0.5*sin(2*t) - 0.3*vz"
[[force]]
on = "y"
value = "-0.3*vy"
)~";
  std::vector<double> errors;
  for (const double omega : {500.0, 2000.0}) {
    const auto p = model(text, omega);
    const Solution hmm = solve(*p, "hmm", {.to = 5, .rtol = 1e-7});
    errors.push_back(largest_distance(hmm, solve(*p, "dop853", {.to = 5, .rtol = 1e-11})));
    EXPECT_LT(errors.back(), 2 / omega);
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 1.5);
}

const std::string double_pendulum = R"~([coordinates]
x1 = { start = 1, velocity = 0 }
y1 = { start = 0, velocity = -0.3 }
x2 = { start = 1, velocity = 0.5 }
y2 = { start = -1, velocity = -0.3 }
[[potential]]
energy = "y1 + y2"
[[constraint]]
equation = "sqrt(x1^2 + y1^2) - 1"
[[constraint]]
equation = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
)~";

// Constraints as springs: the error falls with the square of their frequency.
TEST(HmmSystems, ConstraintsByRelaxation) {
  const auto p = read_model("m.toml", double_pendulum).problem;
  const Solution exact = solve(*p, "dop853", {.to = 2, .rtol = 1e-12});
  std::vector<double> errors;
  for (const char* omega : {"1000", "2000", "0"}) {
    const Solution s = solve(*p, "hmm", {.to = 2, .rtol = 1e-8, .options = {{"dae", "relax"}, {"omega", omega}}});
    errors.push_back(largest_distance(s, exact));
    const Index lambda = 8;
    EXPECT_NEAR(s.y()(lambda, s.rows() - 1), exact.y()(lambda, exact.rows() - 1),
                0.02 * std::abs(exact.y()(lambda, exact.rows() - 1)));
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 1);
  EXPECT_LT(errors[2], 1e-6);
  EXPECT_THROW(solve(*p, "hmm", {.to = 2, .rtol = 1e-6}), UsageError);
}

// Whatever the masses and however the constraint is written, its spring has the frequency that was asked for.
TEST(HmmSystems, SpringsOfConstraintsHaveOneFrequency) {
  const auto p = read_model("m.toml", R"~([coordinates]
x = { start = 1, mass = 4 }
y = { start = 0, mass = 4, velocity = 0.5 }
[[potential]]
energy = "4*y"
[[constraint]]
equation = "x^2 + y^2 - 1"
)~")
                     .problem;
  const Solution s = solve(*p, "hmm", {.to = 2, .rtol = 1e-6, .options = {{"dae", "relax"}, {"omega", "700"}}});
  const Vec fastest = s.measured().row(s.quantity("fastest_frequency")).transpose();
  EXPECT_NEAR(fastest[0], 700, 1);
}

// More coordinates than the dense solver takes: frequencies by Lanczos iterations, no modes.
TEST(HmmSystems, ManyStiffPairs) {
  const std::string text = R"~([parameters]
omega = 1000
[sets]
mass = 80
bond = 40
joint = 39
[coordinates.r]
over = "mass"
point = 2
start = ["mass", "0.1*sin(mass)"]
velocity = ["0.1*cos(3*mass)", "0.1*sin(2*mass)"]
[[stiff]]
over = "bond"
gap = "distance(r[2*bond], r[2*bond + 1]) - 1"
stiffness = "omega^2"
[[potential]]
over = "joint"
energy = "0.5*distance(r[2*joint + 1], r[2*joint + 2])^2"
)~";
  const auto p = model(text, 1000);
  const State s = smooth_start(*p);
  const Solution hmm = solve(*p, "hmm", {.to = 2, .dt = 0.5, .rtol = 1e-6}, &s);
  EXPECT_LT(largest_distance(hmm, solve(*p, "dop853", {.to = 2, .dt = 0.5, .rtol = 1e-10}, &s)), 1e-4);
  const Vec fastest = hmm.measured().row(hmm.quantity("fastest_frequency")).transpose();
  EXPECT_NEAR(fastest[0], std::sqrt(2.0) * 1000, 1);
}

// A mass matrix that is neither diagonal nor dense, and too many coordinates for the dense solver: rods whose two
// coordinates are joined by the mass, along a line.
TEST(HmmSystems, ASparseMassMatrix) {
  const std::string text = R"~([parameters]
omega = 1000
[sets]
rod = 70
joint = 69
[coordinates]
x = { over = "rod", start = "0.05*sin(rod)", velocity = "0.1*cos(2*rod)" }
y = { over = "rod", start = "0.05*sin(rod)", velocity = "0.1*cos(2*rod)" }
[[kinetic]]
over = "rod"
energy = "vx[rod]^2 + vx[rod]*vy[rod] + vy[rod]^2"
[[stiff]]
over = "rod"
gap = "x[rod] - y[rod]"
stiffness = "omega^2"
[[potential]]
over = "joint"
energy = "0.5*(y[joint + 1] - x[joint])^2"
)~";
  const auto p = model(text, 1000);
  const State s = smooth_start(*p);
  const Solution hmm = solve(*p, "hmm", {.to = 3, .dt = 0.5, .rtol = 1e-7}, &s);
  EXPECT_LT(largest_distance(hmm, solve(*p, "dop853", {.to = 3, .dt = 0.5, .rtol = 1e-10}, &s)), 1e-5);
  // Relative motion: T = vx^2 + vx vy + vy^2 with vy = -vx is vx^2, V = omega^2 (2 x)^2/2, so Omega^2 = 2 omega^2.
  const Vec fastest = hmm.measured().row(hmm.quantity("fastest_frequency")).transpose();
  EXPECT_NEAR(fastest[0], std::sqrt(2.0) * 1000, 1);
}

// Any method can drive it.
TEST(HmmSystems, DrivenByOtherMethods) {
  const auto p = make_model("two_springs", {{"omega2", "2000"}}).problem;
  const Solution exact = solve(*p, "hmm", {.rtol = 1e-9});
  for (const char* macro : {"dop853", "cvode_adams", "cvode_bdf", "multirate"}) {
    const Solution s = solve(*p, "hmm", {.rtol = 1e-5, .options = {{"macro", macro}}});
    EXPECT_LT(largest_distance(s, exact), 3e-3) << macro;
  }
  EXPECT_LT(largest_distance(solve(*p, "hmm", {.h = 1.0 / 32, .options = {{"macro", "rk4"}}}), exact), 1e-5);
}

// A soft force whose formula changes on the way: steps end there, and windows go on with the formula of one side.
TEST(HmmSystems, ASwitchOnTheWay) {
  const std::string text = R"~([parameters]
omega = 2000
[coordinates]
x = { start = 1, velocity = 0 }
y = { start = 0, velocity = 0.8 }
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = "omega^2"
[[force]]
on = "x"
value = "if(y > 0.5, 2, 0)"
)~";
  const auto p = model(text, 2000);
  const State s = smooth_start(*p);
  const Solution exact = solve(*p, "dop853", {.to = 3, .rtol = 1e-11}, &s);
  EXPECT_LT(largest_distance(solve(*p, "hmm", {.to = 3, .rtol = 1e-7}, &s), exact), 5e-6);
}

TEST(HmmSystems, NoAllocationInAStep) {
  if (!counts_allocations()) GTEST_SKIP();
  for (const char* omega1 : {"1", "500"}) {
    const auto p = make_model("two_springs", {{"omega1", omega1}}).problem;
    const auto form = Catalogue::all().formulation("hmm").make(*p, {});
    form->expect({1e-6, 0, 10});
    State in;
    Notes notes;
    form->enter(p->initial_state(), in, notes);
    Vec dy(in.y.size());
    const auto& inner = form->inner().as<FirstOrderProblem>("the test");
    inner.rhs(in.t, in.y, dy);
    in.y[0] += 1e-3;  // the last point is kept
    const AllocationGuard guard;
    inner.rhs(in.t, in.y, dy);
    const bool lifted = std::string(omega1) == "500";
    EXPECT_LE(guard.count(), lifted ? 1u : 0u) << omega1;  // one by Eigen's eigenvalue solver
  }
}

// Nothing but a constant force from rest: no rate of its own.
TEST(HmmSystems, FromRestAtTheOrigin) {
  const std::string text = R"~([parameters]
omega = 1000
[coordinates]
x = 0
y = 0
[[potential]]
energy = "0.5*omega^2*y^2 - x"
)~";
  const auto p = model(text, 1000);
  const Solution s = solve(*p, "hmm", {.to = 2, .rtol = 1e-6});
  EXPECT_NEAR(s.y()(0, s.rows() - 1), 2, 1e-6);
}

// Two springs that the slow motion makes equally stiff in turn.
// The same within a short part of the way, after long steps.
// A single frequency, masses equal, no gaps named: points beside the start show that it varies.
TEST(HmmSystems, AFrequencyThatVariesWithoutNamedGaps) {
  const std::string text = R"~([parameters]
omega = 1000
[coordinates]
x = { start = 1, velocity = 0 }
y = { start = 0, velocity = 1 }
[[potential]]
energy = "0.5*omega^2*(1 + x^2)*y^2"
)~";
  const auto p = model(text, 1000);
  const Solution s = solve(*p, "hmm", {.to = 3, .rtol = 1e-6});
  EXPECT_LT(largest_distance(s, solve(*p, "dop853", {.to = 3, .rtol = 1e-11})), 3e-3);
}

// It is flat around the start, and the oscillation pushes the slow motion away from there later on.

// Gaps that share a group with other forces cannot be told from them, and a window averages all forces together.
TEST(HmmGroups, GapsMayShareTheirGroupWithAPotential) {
  const auto in_groups = [](const char* of_gap, const char* of_weight) {
    return model(fmt::format(R"~([parameters]
omega = 700
[coordinates]
x1 = {{ start = 0.6, velocity = 0.2 }}
y1 = {{ start = -0.8 }}
x2 = {{ start = 1.2, velocity = -0.1 }}
y2 = {{ start = -1.6, velocity = 0.3 }}
[[stiff]]
gap = "sqrt(x1^2 + y1^2) - 1"
stiffness = "omega^2"
group = "{0}"
[[stiff]]
gap = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
stiffness = "omega^2/4"
group = "{0}"
[[potential]]
energy = "y1 + y2"
group = "{1}"
)~",
                             of_gap, of_weight),
                 700);
  };
  const Ask ask{.to = 2, .rtol = 1e-5, .options = {{"fast_energy", "drop"}}};
  const Solution joined = solve(*in_groups("all_of_them", "all_of_them"), "hmm", ask);
  const Solution apart = solve(*in_groups("rods", "weight"), "hmm", ask);
  EXPECT_LT(position_error(joined, apart, 4), 1e-3);
  RunPlan plan;
  plan.model = "test";
  plan.want = Want::slow;
  plan.to = 2;
  const Solution chosen = prepare(plan, in_groups("all_of_them", "all_of_them")).run();
  ASSERT_TRUE(chosen.ok()) << chosen.outcome.message;
  // hmm drops the oscillation here, which moves positions by less than this.
  EXPECT_LT((chosen.y().rightCols(1) - joined.y().rightCols(1)).topRows(4).cwiseAbs().maxCoeff(), 2e-2);
}

// The gap that the model names is slow, and what oscillates is a potential whose frequency varies: its energy is kept.
TEST(HmmGroups, TheNamedGapNeedNotBeTheFastestThing) {
  const auto p = model(R"~([parameters]
omega = 900
[coordinates]
x = { start = 1.05, velocity = 0.2 }
y = { start = 0, velocity = 0.5 }
z = { start = 0, velocity = 0.7 }
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 4
group = "rod"
[[potential]]
energy = "0.7*y + 0.2*x^2"
[[potential]]
energy = "omega^2/2*z^2*(1 + 0.3*x)"
)~",
                       900);
  const Solution s = solve(*p, "hmm", {.to = 4, .rtol = 1e-5});
  const Solution direct = solve(*p, "dop853", {.to = 4, .rtol = 1e-10});
  EXPECT_LT(position_error(s, direct, 2), 1e-4);
  EXPECT_EQ(code_of(s, "frequency_varies"), 0);
}

// Beside named gaps there are two faster potentials; both are found, and the gaps belong to the slow motion.
TEST(HmmGroups, MoreThingsMayBeFasterThanTheNamedGap) {
  const auto p = model(R"~([parameters]
omega = 1000
[coordinates]
x = { start = 1.05, velocity = 0.2 }
z = { start = 0, velocity = 0.4 }
w = { start = 0, velocity = 0.3 }
[[stiff]]
gap = "x - 1"
stiffness = 2
group = "rod"
[[potential]]
energy = "omega^2/2*(z^2 + 2*w^2)*(1 + 0.2*x^2)"
)~",
                       1000);
  const Solution s = solve(*p, "hmm", {.to = 4, .rtol = 1e-5});
  EXPECT_LT(position_error(s, solve(*p, "dop853", {.to = 4, .rtol = 1e-10}), 1), 2e-4);
}
}  // namespace
}  // namespace trill
