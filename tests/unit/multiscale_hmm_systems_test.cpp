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

// Drag takes energy from the oscillation on the way. The oscillation exerts a mean force, without which the slow
// motion would be wrong for every omega.
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

// Slow forces that depend on time and velocity. The remaining error is the amplitude of the oscillation, about
// 1/omega.
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

// The constraints are replaced by springs. The error falls with the square of their frequency.
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

// For any masses and any way of writing the constraint, its spring has the frequency that was asked for.
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

// There are more coordinates than a dense solver would take, so frequencies come from Lanczos iterations, without
// modes.
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

// Rods along a line, each with two coordinates that are coupled by the mass matrix. This matrix is neither diagonal
// nor dense, and there are too many coordinates for a dense solver.
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
  // In the relative motion vy = -vx, so T = vx^2 + vx vy + vy^2 = vx^2 and V = omega^2 (2 x)^2/2.
  // Therefore Omega^2 = 2 omega^2.
  const Vec fastest = hmm.measured().row(hmm.quantity("fastest_frequency")).transpose();
  EXPECT_NEAR(fastest[0], std::sqrt(2.0) * 1000, 1);
}

// The slow motion can be integrated by any method.
TEST(HmmSystems, DrivenByOtherMethods) {
  const auto p = make_model("two_springs", {{"omega2", "2000"}}).problem;
  const Solution exact = solve(*p, "hmm", {.rtol = 1e-9});
  for (const char* macro : {"dop853", "cvode_adams", "cvode_bdf", "multirate"}) {
    const Solution s = solve(*p, "hmm", {.rtol = 1e-5, .options = {{"macro", macro}}});
    EXPECT_LT(largest_distance(s, exact), 3e-3) << macro;
  }
  EXPECT_LT(largest_distance(solve(*p, "hmm", {.h = 1.0 / 32, .options = {{"macro", "rk4"}}}), exact), 1e-5);
}

// A soft force whose formula switches on the way. Steps end at the switch, and averaging windows keep the formula of
// one side.
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
    in.y[0] += 1e-3;  // another point, since results at the last one are kept
    const AllocationGuard guard;
    inner.rhs(in.t, in.y, dy);
    const bool lifted = std::string(omega1) == "500";
    EXPECT_LE(guard.count(), lifted ? 1u : 0u) << omega1;  // one allocation by Eigen's eigenvalue solver
  }
}

// The motion starts from rest under a constant force, so it has no time scale of its own.
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

// A single frequency, equal masses and no named gaps. That the frequency varies is found from points near the start.
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

// If gaps share a group with other forces, they cannot be separated from these. Then a window averages all forces
// together.
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
  // Here hmm chooses to drop the energy of the oscillation, which changes positions by less than this.
  EXPECT_LT((chosen.y().rightCols(1) - joined.y().rightCols(1)).topRows(4).cwiseAbs().maxCoeff(), 2e-2);
}

// The gap that the model names is slow. What oscillates is a potential whose frequency varies, so its energy must be
// kept.
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

// Besides a named gap there are two potentials with faster oscillations. Both are found, and the gap counts as slow.
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
