// SPDX-License-Identifier: BSD-3-Clause
// The heterogeneous multiscale method on other kinds of systems, and where it refuses.
#include "support/allocation_count.hpp"
#include "support/multiscale_runs.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace trill {
namespace {
using namespace multiscale_runs;
using testing::HasSubstr;

std::unique_ptr<Problem> model(const std::string& text, double omega) {
  return read_model("m.toml", text, {{"omega", fmt::format("{}", omega)}}).problem;
}

// A cart on a soft spring with a pendulum on a stiff one, in coordinates relative to the cart: a dense mass matrix, and
// a fast frequency that depends on the angle.
std::string cart(double kick, const std::string& more = "") {
  return fmt::format(R"~([parameters]
omega = 1000
[coordinates]
X = {{ start = 0.3, velocity = 0.1 }}
x = {{ start = "0.6", velocity = {0} }}
y = {{ start = -0.8, velocity = {1} }}
[[kinetic]]
energy = "vX^2 + 0.5*((vX + vx)^2 + vy^2)"
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = "omega^2"
[[potential]]
energy = "0.5*X^2 + y"
)~",
                     0.6 * kick, -0.8 * kick) +
         more;
}

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
    const auto form = make_reformulation("hmm", *p);
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

std::string complaint(const std::string& text, double omega, OptionSet options = {}, double rtol = 1e-6) {
  try {
    const auto p = model(text, omega);
    const Solution s = solve(*p, "hmm", {.to = 5, .rtol = rtol, .options = std::move(options)});
    return s.outcome.message;
  } catch (const UsageError& e) {
    return e.what();
  }
}

TEST(HmmRefuses, MotionWithoutAGap) {
  EXPECT_THAT(complaint(cart(0), 20), HasSubstr("no gap between fast and slow motion"));
  EXPECT_THAT(complaint(cart(0), 20), HasSubstr("30 times is needed"));
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

TEST(HmmRefuses, NonlinearDragOfAnOscillation) {
  const std::string drag = R"~([[force]]
on = "X"
value = "-0.2*vX*abs(vX)"
)~";
  EXPECT_THAT(complaint(cart(1, drag), 1000), HasSubstr("drag that is not linear"));
  EXPECT_EQ(complaint(cart(0, drag), 1000, {}, 1e-4), "") << "nothing oscillates there";
}

// Two springs that the slow motion makes equally stiff in turn.
TEST(HmmRefuses, FrequenciesThatCross) {
  const std::string crossing = R"~([parameters]
omega = 1000
[coordinates]
s = { start = 0, velocity = 1 }
a = { start = 0, velocity = 0.5 }
b = { start = 0, velocity = 0.4 }
[[stiff]]
gap = "a*(1 + 0.3*s) + 0.02*b"
stiffness = "omega^2"
[[stiff]]
gap = "b*(1.5 - 0.2*s)"
stiffness = "omega^2"
)~";
  EXPECT_THAT(complaint(crossing, 1000), HasSubstr("two fast frequencies come as near as"));
}

// The same within a short part of the way, after long steps.
TEST(HmmRefuses, FrequenciesThatCrossSuddenly) {
  const std::string crossing = R"~([parameters]
omega = 20000
[coordinates]
s = { start = -0.5, velocity = 1 }
a = { start = 0, velocity = 0.05 }
b = { start = 0, velocity = 0.04 }
[[stiff]]
gap = "a*(3 + 0.9*tanh(200*s))"
stiffness = "omega^2"
[[stiff]]
gap = "3*b"
stiffness = "omega^2"
)~";
  EXPECT_THAT(complaint(crossing, 20000, {}, 1e-3), HasSubstr("two fast frequencies come as near as"));
}

TEST(HmmRefuses, AMassThatDependsOnThePosition) {
  const auto p = make_model("cart").problem;
  EXPECT_THROW(solve(*p, "hmm", {.rtol = 1e-6}), UsageError);
}

TEST(HmmWarns, OfEnergyThatIsLeftOut) {
  const auto p = model(cart(1), 1000);
  const Solution s = solve(*p, "hmm", {.to = 5, .rtol = 1e-6, .options = {{"fast_energy", "drop"}}});
  EXPECT_EQ(code_of(s, "fast_energy_left_out"), 1);
}

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
TEST(HmmWarns, OfAFrequencyThatVaries) {
  const std::string text = R"~([parameters]
omega = 1000
[coordinates]
x = { start = 0, velocity = 1 }
y = { start = 0, velocity = 1 }
[[potential]]
energy = "0.5*omega^2*(1 + 0.2*(1 + tanh(5*(x - 3))))*y^2"
)~";
  const auto p = model(text, 1000);
  const Solution s = solve(*p, "hmm", {.to = 5, .rtol = 1e-6});
  EXPECT_EQ(code_of(s, "frequency_varies"), 1) << s.outcome.message;
}

TEST(HmmRefuses, ForcesAsFastAsTheWindows) {
  const std::string driven = R"~([parameters]
omega = 500
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "y"
stiffness = "omega^2"
[[potential]]
energy = "x^2/2 - x*cos(100*t)"
)~";
  EXPECT_THAT(complaint(driven, 500), HasSubstr("the forces change in time by"));
}

TEST(HmmRefuses, ASlowMotionThatBecomesFast) {
  const std::string text = R"~([parameters]
omega = 500
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "y"
stiffness = "omega^2"
[[potential]]
energy = "0.5*(1 + t^4)*x^2"
)~";
  EXPECT_THAT(complaint(text, 500), HasSubstr("no gap between fast and slow motion"));
}

TEST(HmmRefuses, FrequenciesTooFarApart) {
  const std::string apart = R"~([parameters]
omega = 400
[coordinates]
x = { start = 1, velocity = 0.1 }
y = { start = 0, velocity = 1 }
z = { start = 0, velocity = 1 }
[[stiff]]
gap = "y - 0.1*x^2"
stiffness = "omega^2"
[[stiff]]
gap = "z - 0.1*x"
stiffness = "(2000*omega)^2"
[[potential]]
energy = "x^2/2"
)~";
  EXPECT_THAT(complaint(apart, 400), HasSubstr("lie too far apart"));
}

TEST(HmmRefuses, ALargeOscillation) {
  const auto p = make_model("two_springs", {{"stretch2", "200"}}).problem;
  EXPECT_THROW(solve(*p, "hmm", {.rtol = 1e-6}), UsageError);
  const auto q = make_model("two_springs", {{"stretch2", "50"}}).problem;
  const Solution s = solve(*q, "hmm", {.rtol = 1e-6});
  const Vec estimate = s.measured().row(s.quantity("model_error")).transpose();
  EXPECT_GT(estimate[estimate.size() - 1], 7e-3);  // the error of the centre of mass
}

TEST(HmmWarns, OfPublishedWindowsThatDoNotFit) {
  const auto p = make_model("two_springs", {{"omega2", "50"}}).problem;
  const Solution s = solve(*p, "hmm", {.rtol = 1e-6, .options = {{"mode", "paper"}}});
  EXPECT_EQ(code_of(s, "long_window"), 1);
  const Solution t = solve(*p, "hmm", {.rtol = 1e-6, .options = {{"mode", "paper"}, {"omega", "1e5"}}});
  EXPECT_EQ(code_of(t, "leak"), 1);
}

// A stiff spring pushed by a force that is switched on at a known time.
class SwitchedOn final : public MechanicalProblem {
 public:
  std::string name() const override { return "switched on"; }
  Layout layout() const override { return {2, 2, 0, 0}; }
  std::vector<Quantity> components() const override { return std::vector<Quantity>(4); }
  State initial_state() const override {
    State s(layout());
    s.q() << 1, 0;
    s.v() << 0, 0.5;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<SwitchedOn>(*this); }
  std::vector<double> breakpoints(double, double) const override { return {1.0}; }
  void force(Groups, double t, In q, In, Out f) const override {
    const double r = q.norm();
    f = -1e6 * (r - 1) / r * q;
    if (t >= 1) f[1] += 1;
  }
};

TEST(HmmWarns, OfForcesThatJump) {
  const Solution s = solve(SwitchedOn(), "hmm", {.to = 2, .rtol = 1e-5});
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_EQ(code_of(s, "jumps"), 1);
}

TEST(HmmWarns, AndPutsAMotionBackThatLeftTheSlowManifold) {
  const auto p = make_model("two_springs", {{"omega1", "500"}, {"omega2", "500"}, {"stretch2", "0"}}).problem;
  const Solution s = solve(*p, "hmm", {.rtol = 1e-3, .options = {{"stages", "plain"}, {"fast_energy", "drop"}}});
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_EQ(code_of(s, "reprojected"), 1);
}
}  // namespace
}  // namespace trill
