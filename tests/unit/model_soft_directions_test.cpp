// SPDX-License-Identifier: BSD-3-Clause
// Bushings that are stiff only in some directions, and points of the ground that move.
#include "support/text_models.hpp"

#include <fmt/format.h>

namespace {
using namespace trill;
using testing::HasSubstr;
using testing_models::complaint;
using testing_models::last_of;
using testing_models::mechanics;
using testing_models::plan_with;
using testing_models::run_of;

// A door on a bushing: its hinge is held, and only a soft spring acts against turning.
std::string door(const std::string& stiffness, const std::string& more = "") {
  return fmt::format(R"toml(
[parameters]
k = 1e7
[bodies]
leaf = {{ mass = 3, inertia = 0.4, start = {{ hinge = [0, 0] }}, angular_velocity = 1.5, velocity = [0, 0], points = {{ hinge = [-0.6, 0] }} }}
[gravity]
acceleration = [0, -2]
[[bushing]]
to = "leaf.hinge"
stiffness = {}
{}
[run]
to = 2
)toml",
                     stiffness, more);
}

Index gaps_of(const std::string& text) {
  const TextModel model = read_model("m.toml", text);
  const StrongPotential* strong = mechanics(model).strong_potential();
  return strong ? strong->map->count() : 0;
}

TEST(Bushings, HaveGapsInTheirStiffDirectionsOnly) {
  EXPECT_EQ(gaps_of(door("[\"k\", \"k\", 7]")), 2);
  EXPECT_EQ(gaps_of(door("[\"k\", 40, \"k\"]")), 2);
  EXPECT_EQ(gaps_of(door("[\"k\", 40, 7]")), 1);
  EXPECT_EQ(gaps_of(door("[\"k\", \"k\", \"k/10\"]")), 3);
  EXPECT_EQ(gaps_of(door("[5, 5, 7]")), 3);  // none is much stiffer than the others, so all of them count
}

TEST(Bushings, HaveGapsWhereTheFileSaysSo) {
  EXPECT_EQ(gaps_of(door("[\"k\", \"k\", 7]", "stiff = [true, true, true]")), 3);
  EXPECT_EQ(gaps_of(door("[\"k\", \"k\", \"k\"]", "stiff = [true, false, true]")), 2);
  EXPECT_THAT(complaint(door("[1, 1, 1]", "stiff = true")), HasSubstr("list of 3"));
  EXPECT_THAT(complaint(door("[1, 1, 1]", "stiff = [true, 1, true]")), HasSubstr("list of 3"));
}

// A soft direction has no multiplier, so the multipliers of constraints have lower numbers. Their names must follow.
TEST(Bushings, LeaveTheForcesOfConstraintsTheirNames) {
  const char* const beside =
      "[coordinates]\nw = 0\n[[constraint]]\nname = \"held\"\nequation = \"w\"\n"
      "[[force]]\non = \"w\"\nvalue = -3\n[[measure]]\nname = \"m\"\nvalue = \"10*held\"\n";
  for (const char* stiffness : {"[\"k\", \"k\", 7]", "[\"k\", 40, 7]", "[\"k\", \"k\", \"k\"]"}) {
    const TextModel model = read_model("m.toml", beside + door(stiffness));
    const MechanicalProblem& p = mechanics(model);
    Vec values(static_cast<Index>(p.quantities().size()));
    p.measure(p.initial_state(), values);
    Index m = 0;
    while (p.quantities()[static_cast<std::size_t>(m)].name != "m") ++m;
    EXPECT_NEAR(values[m], -30, 1e-12) << stiffness;
  }
}

// Which directions count as stiff can follow from the stiffnesses or be stated in the file. The forces are the same.
TEST(Bushings, HaveTheSameForcesWhateverIsStiff) {
  const TextModel by_number = read_model("m.toml", door("[\"k\", \"k\", 7]"));
  const TextModel all_stiff = read_model("m.toml", door("[\"k\", \"k\", 7]", "stiff = [true, true, true]"));
  const TextModel said =
      read_model("m.toml", door("[\"k\", \"k\", 7]", "stiff = [true, true, false]\ngroup = \"held\""));
  const State s = testing_models::shifted_start(*by_number.problem);
  const Vec f = testing_models::force_of(mechanics(by_number), s.t, s.q(), s.v());
  for (const TextModel* other : {&all_stiff, &said})
    EXPECT_LT((testing_models::force_of(mechanics(*other), s.t, s.q(), s.v()) - f).norm(), 1e-9 * f.norm());
  EXPECT_NE(mechanics(said).strong_potential()->groups, 0u);
  EXPECT_NE(mechanics(by_number).strong_potential()->groups, 0u);
}

// The soft direction swings as on a hinge. If its spring were a gap, the slow motion could not be computed.
TEST(Bushings, TurnSlowlyWhereTheyAreSoft) {
  const std::string text = door("[\"k\", \"k\", 7]", "damping = [0, 0, 0.1]");
  const Vec resolved = last_of(run_of(read_model("m.toml", text).problem, plan_with("dop853", 2, 1e-10)));
  const Vec damped = last_of(run_of(read_model("m.toml", text).problem, plan_with("radau", 2, 1e-6)));
  EXPECT_NEAR(damped[2], resolved[2], 2e-6);
  RunPlan plan = plan_with("dop853", 2, 1e-7);
  plan.formulation = "slow";
  EXPECT_NEAR(last_of(run_of(read_model("m.toml", text).problem, plan))[2], resolved[2], 2e-6);
}

// A damper and a spring between a body and a shaking plate, compared with the force written by hand.
TEST(Places, OfTheGroundMayMove) {
  const char* const bodies = R"toml(
[bodies]
car = { mass = 2, inertia = 1, start = [0.3, 1], velocity = [0.1, 0.2] }
)toml";
  const std::string linked = std::string(bodies) + R"toml(
[[spring]]
from = ["0.2*t", "0.3*sin(5*t) + 0.1*t^2"]
to = "car"
stiffness = 30
length = 0.8
[[damper]]
from = ["0.2*t", "0.3*sin(5*t) + 0.1*t^2"]
to = "car"
damping = 4
)toml";
  const std::string by_hand = std::string(bodies) + R"toml(
[derived]
dx = "car.x - 0.2*t"
dy = "car.y - 0.3*sin(5*t) - 0.1*t^2"
pull = "-30*(hypot(dx, dy) - 0.8) - 4*(dx*(vcar.x - 0.2) + dy*(vcar.y - 1.5*cos(5*t) - 0.2*t))/hypot(dx, dy)"
[[force]]
at = "car"
value = ["pull*dx/hypot(dx, dy)", "pull*dy/hypot(dx, dy)"]
)toml";
  const TextModel a = read_model("m.toml", linked), b = read_model("m.toml", by_hand);
  const State s = testing_models::shifted_start(*a.problem);
  const Vec f = testing_models::force_of(mechanics(b), s.t, s.q(), s.v());
  EXPECT_LT((testing_models::force_of(mechanics(a), s.t, s.q(), s.v()) - f).norm(), 1e-12 * f.norm());
}
// The rate of a gap is its time derivative, also if one of its ends moves by a given function of time.
TEST(Places, OfBodiesMayMoveOnThem) {
  const TextModel model = read_model("m.toml", R"toml(
[bodies]
arm = { mass = 2, inertia = 1, start = [0.3, 1], angle = 0.4 }
[[damper]]
name = "strut"
from = ["0.2*t", "0.3*sin(5*t)"]
to = { body = "arm", point = ["0.5 + 0.2*sin(3*t)", "0.1*t^2"] }
damping = 4
[[measure]]
name = "x"
value = "strut.gap.x"
[[measure]]
name = "y"
value = "strut.gap.y"
[[measure]]
name = "x_rate"
value = "vstrut.gap.x"
[[measure]]
name = "y_rate"
value = "vstrut.gap.y"
)toml");
  const State s = testing_models::shifted_start(*model.problem);
  const auto gaps = [&](double dt) {
    State moved = s;
    moved.t += dt;
    moved.q() += dt * s.v();
    Vec values(5);
    model.problem->measure(moved, values);
    return values;
  };
  const double dt = 1e-5;
  const Vec before = gaps(-dt), here = gaps(0), after = gaps(dt);
  for (const Index k : {1, 2}) EXPECT_NEAR(here[k + 2], (after[k] - before[k]) / (2 * dt), 1e-7);
}
}  // namespace
