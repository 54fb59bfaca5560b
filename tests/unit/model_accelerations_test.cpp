// SPDX-License-Identifier: BSD-3-Clause
// Measures that contain accelerations and forces of joints by name, and start velocities that are determined by
// joints.
#include "support/text_models.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double g = 9.81;

// The measures of a model at its start, except for the energy.
Vec measures_of(const std::string& text) {
  const TextModel model = read_model("m.toml", text);
  const State s = model.problem->initial_state();
  Vec values(static_cast<Index>(model.problem->quantities().size()));
  model.problem->measure(s, values);
  return values.tail(values.size() - 1);
}

std::string measure(const std::string& value) {
  static int number = 0;
  return fmt::format("[[measure]]\nname = \"m{}\"\nvalue = \"{}\"\n", ++number, value);
}

// A bob on a rod of length 1 at the angle c from below that turns at the rate w. Its tangential acceleration is -g sin
// c, its centripetal one w^2.
TEST(Accelerations, OfAPendulumOnAConstraint) {
  const double c = 0.7, w = 1.3;
  const Vec found = measures_of(fmt::format("[coordinates]\nx = {{ start = {}, velocity = {} }}\ny = {{ start = {}, "
                                            "velocity = {} }}\n[[constraint]]\nequation = \"(x^2 + y^2 - 1)/2\"\n"
                                            "[[force]]\non = \"y\"\nvalue = -9.81\n",
                                            std::sin(c), w * std::cos(c), -std::cos(c), w * std::sin(c)) +
                                measure("ax") + measure("ay"));
  EXPECT_NEAR(found[0], -g * std::sin(c) * std::cos(c) - w * w * std::sin(c), 1e-12);
  EXPECT_NEAR(found[1], -g * std::sin(c) * std::sin(c) + w * w * std::cos(c), 1e-12);
}

// A bar that hangs from one end has the angular acceleration -m g d sin c/(I + m d^2). Its tip is twice as far from
// the pivot as its centre.
TEST(Accelerations, OfBodiesTheirPointsAndTheForcesOfJoints) {
  const double c = 0.4, w = 0.9, m = 2, d = 0.5, inertia = 0.3;
  const Vec found = measures_of(
      fmt::format(
          "[bodies]\nbar = {{ mass = 2, inertia = 0.3, start = {{ pin = [0, 0] }}, angle = {}, angular_velocity "
          "= {}, points = {{ pin = [-0.5, 0], tip = [0.5, 0] }} }}\n[gravity]\nacceleration = [0, -9.81]\n"
          "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nto = \"bar.pin\"\n",
          c - std::numbers::pi / 2, w) +
      measure("abar.angle") + measure("abar.x") + measure("abar.tip.y") + measure("hinge.force.x") +
      measure("hinge.force.y") + measure("ahinge.angle"));
  const double turning = -m * g * d * std::sin(c) / (inertia + m * d * d);
  const double x = d * (turning * std::cos(c) - w * w * std::sin(c)),
               y = d * (turning * std::sin(c) + w * w * std::cos(c));
  EXPECT_NEAR(found[0], turning, 1e-11);
  EXPECT_NEAR(found[1], x, 1e-11);
  EXPECT_NEAR(found[2], 2 * y, 1e-11);
  EXPECT_NEAR(found[3], m * x, 1e-10);
  EXPECT_NEAR(found[4], m * (y + g), 1e-10);
  EXPECT_NEAR(found[5], turning, 1e-11);
}

TEST(Accelerations, OfCoordinatesWithoutConstraintsAndWithAFullMass) {
  // In polar coordinates a free particle has r'' = r phi'^2 and phi'' = -2 r' phi'/r.
  const Vec found = measures_of(
      "[coordinates]\nr = { start = 2, velocity = 0.5 }\nphi = { start = 0, velocity = 3 }\n[[kinetic]]\nenergy = "
      "\"(vr^2 + r^2*vphi^2)/2\"\n" +
      measure("ar") + measure("aphi"));
  EXPECT_NEAR(found[0], 18, 1e-12);
  EXPECT_NEAR(found[1], -1.5, 1e-12);
}

TEST(Accelerations, AreKnownToMeasuresOnlyAndGiveWayToNamesOfTheModel) {
  EXPECT_THAT(complaint("[coordinates]\nx = 1\n[[force]]\non = \"x\"\nvalue = \"-ax\"\n"),
              AllOf(HasSubstr("m.toml:5:"), HasSubstr("'ax' is an acceleration"), HasSubstr("[[measure]]")));
  EXPECT_EQ(measures_of("parameters = { ax = 7 }\n[coordinates]\nx = 1\n[[potential]]\nenergy = \"x^2\"\n" +
                        measure("ax"))[0],
            7);
}

// A slider crank, driven with 3 rad/s: the crank has length 1 and the angle c, the rod has length 2.
std::string slider_crank(const std::string& more_of_crank, const std::string& driver =
                                                               "[[driver]]\nof = "
                                                               "\"crank.angle\"\nvalue = "
                                                               "\"c + 3*t\"\n") {
  return "parameters = { c = 1.1 }\n[bodies]\ncrank = { mass = 1, inertia = 0.1, start = { pin = [0, 0] }, angle = "
         "\"c\"" +
         more_of_crank +
         ", points = { pin = [-0.5, 0], end = [0.5, 0] } }\n"
         "rod = { mass = 1, inertia = 0.1, start = { left = [\"cos(c)\", \"sin(c)\"] }, angle = \"-asin(sin(c)/2)\", "
         "points = { left = [-1, 0], right = [1, 0] } }\n"
         "slider = { mass = 1, inertia = 0.1, start = [\"cos(c) + 2*cos(asin(sin(c)/2))\", 0] }\n"
         "[[joint]]\nkind = \"revolute\"\nto = \"crank.pin\"\n"
         "[[joint]]\nkind = \"revolute\"\nfrom = \"crank.end\"\nto = \"rod.left\"\n"
         "[[joint]]\nkind = \"revolute\"\nfrom = \"rod.right\"\nto = \"slider\"\n"
         "[[joint]]\nkind = \"prismatic\"\nto = \"slider\"\n" +
         driver;
}

TEST(OpenVelocities, FollowFromTheDriver) {
  const TextModel model = read_model("m.toml", slider_crank(""));
  const Vec v = model.problem->initial_state().v();
  const double c = 1.1, w = 3, rod = -std::asin(std::sin(c) / 2), rod_rate = -w * std::cos(c) / (2 * std::cos(rod));
  EXPECT_NEAR(v[2], w, 1e-10);                                                // crank.angle
  EXPECT_NEAR(v[0], -0.5 * w * std::sin(c), 1e-10);                           // crank.x
  EXPECT_NEAR(v[5], rod_rate, 1e-10);                                         // rod.angle
  EXPECT_NEAR(v[6], -w * std::sin(c) - 2 * std::sin(rod) * rod_rate, 1e-10);  // slider.x
  EXPECT_NEAR(v[7], 0, 1e-10);
  EXPECT_THAT(model.remarks, ElementsAre(AllOf(HasSubstr("follow from its constraints"), HasSubstr("vcrank.angle = 3"),
                                               HasSubstr("vslider.x = "))));
}

TEST(OpenVelocities, ThoseThatAreGivenStay) {
  EXPECT_THAT(complaint(slider_crank(", angular_velocity = 1")),
              HasSubstr("the velocities at the start do not satisfy"));
  const TextModel still = read_model("m.toml", slider_crank("", ""));
  EXPECT_THAT(still.remarks, IsEmpty());
  EXPECT_EQ(still.problem->initial_state().v(), Vec::Zero(9));
}

// A pendulum on a driven cart: the constraints do not determine the velocity of its swing.
TEST(OpenVelocities, ThoseThatNothingDeterminesAreAskedFor) {
  const auto cart = [](const char* swing) {
    return fmt::format(
        "[bodies]\ncart = {{ mass = 1, inertia = 1 }}\nbob = {{ mass = 1, inertia = 0.1, start = {{ top = [0, 0] }}, "
        "angle "
        "= 0{}, points = {{ top = [0, 1] }} }}\n[[joint]]\nkind = \"prismatic\"\nto = \"cart\"\n[[joint]]\nkind = "
        "\"revolute\"\nfrom = \"cart\"\nto = \"bob.top\"\n[[driver]]\nof = \"cart.x\"\nvalue = \"2*t\"\n",
        swing);
  };
  EXPECT_THAT(complaint(cart("")), HasSubstr("the velocities at the start do not satisfy"));
  const Vec v = read_model("m.toml", cart(", angular_velocity = 0")).problem->initial_state().v();
  EXPECT_NEAR(v[0], 2, 1e-12);
  EXPECT_NEAR(v[3], 2, 1e-12);
  EXPECT_EQ(v[5], 0);
}
}  // namespace
}  // namespace trill::testing_models
