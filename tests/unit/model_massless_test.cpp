// SPDX-License-Identifier: BSD-3-Clause
// Bodies without mass, some held by joints and some not.
#include "support/mentions.hpp"
#include "support/multiscale_runs.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
using testing::HasSubstr;

constexpr double gravity = 9.81, amplitude = 1.2;

// A bob at the end of a rod whose mass is given.
std::string pendulum(const std::string& rod_mass, const std::string& more = "") {
  return R"toml([parameters]
spin = 0
[bodies]
rod = { )toml" +
         rod_mass +
         R"toml(, start = { pin = [0, 0] }, angle = "1.2 - pi/2", angular_velocity = "spin", points = { pin = [-0.5, 0], end = [0.5, 0] } }
bob = { mass = 2, inertia = 0.1, start = ["sin(1.2)", "-cos(1.2)"], velocity = ["spin*cos(1.2)", "spin*sin(1.2)"] }
[gravity]
acceleration = [0, -9.81]
[[joint]]
kind = "revolute"
to = "rod.pin"
[[joint]]
kind = "revolute"
from = "rod.end"
to = "bob"
)toml" + more;
}
const std::string massless = "mass = 0, inertia = 0";

std::string refused_with(const std::string& text, const std::string& method) {
  try {
    prepare(plan_with(method, 0.1, 1e-3), read_model("m.toml", text).problem, {}).run();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

// The period of the mathematical pendulum is 4 K(sin(amplitude/2)) sqrt(l/g). After a quarter of it the rod hangs
// down.
TEST(MasslessBodies, SwingAsTheMathematicalPendulum) {
  const double quarter = std::comp_ellint_1(std::sin(amplitude / 2)) / std::sqrt(gravity);
  const double speed = std::sqrt(2 * gravity * (1 - std::cos(amplitude)));
  for (const char* method : {"generalized_alpha", "hht", "bdf", "sdirk", "dop853", "cvode_bdf"})
    for (const char* extra : {"", "[[kinetic]]\nenergy = \"vbob.angle^2\"\n"}) {
      const Vec y =
          last_of(run_of(read_model("m.toml", pendulum(massless, extra)).problem, plan_with(method, quarter, 1e-7)));
      EXPECT_NEAR(y[2], -M_PI / 2, 3e-4) << method;
      EXPECT_NEAR(y[3], 0, 3e-4) << method;
      EXPECT_NEAR(std::abs(y[9]), speed, 1e-3) << method;
    }
}

TEST(MasslessBodies, HaveTheMultipliersOfTheirJointsAtTheStart) {
  const State s = read_model("m.toml", pendulum(massless), {{"spin", "3"}}).problem->initial_state();
  // Both ends of the rod carry m g cos(amplitude) and m l spin^2, along the rod.
  const double force = 2 * (gravity * std::cos(amplitude) + 9);
  EXPECT_NEAR(s.lambda().head(2).norm(), force, 1e-12);
  EXPECT_NEAR(s.lambda().tail(2).norm(), force, 1e-12);
}

// No method may crash or return values that are not finite.
TEST(MasslessBodies, AreRunOrRefusedByEveryMethod) {
  for (const MethodEntry& entry : Catalogue::all().methods()) {
    const std::string& method = entry.info.name;
    const auto model = read_model("m.toml", pendulum(massless));
    RunPlan plan = plan_with(method, 0.2, 1e-3);
    try {
      const Solution s = prepare(plan, model.problem->clone(), {}).run();
      EXPECT_TRUE(s.ok()) << method << ": " << s.outcome.message;
      EXPECT_TRUE(s.y().allFinite()) << method;
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), HasSubstr("'m'")) << method;
    }
  }
  for (const char* method : {"radau", "gauss", "rattle"})
    EXPECT_THAT(refused_with(pendulum(massless), method), mentions("'m'", "mass")) << method;
}

TEST(MasslessBodies, AreNamedWithTheMotionThatNothingHolds) {
  EXPECT_EQ(complaint(pendulum(massless)), "no error");
  EXPECT_EQ(complaint("[bodies]\na = { mass = 1, inertia = 0 }\n[[spring]]\nto = \"a\"\nstiffness = 1\n"),
            "m.toml:2:27: body 'a' can turn without inertia; give it an inertia, or joints that determine its motion");
  EXPECT_THAT(complaint("[bodies]\na = { mass = 0, inertia = 1 }\n[[spring]]\nto = \"a\"\nstiffness = 1\n"),
              mentions("m.toml:2:14", "'a'", "without mass", "joints"));
  const std::string rod =
      "[bodies]\na = { mass = 0, inertia = 0, angle = 0.3, start = { p = [0, 0] }, points = { p = "
      "[-5, 1] } }\n[[joint]]\nkind = \"revolute\"\nto = \"a.p\"\n";
  EXPECT_THAT(complaint(rod), tells({"m.toml:2:27", "body 'a'", "inertia"}));
  EXPECT_EQ(complaint(rod + "[[driver]]\nof = \"a.angle\"\nvalue = 0.3\n"), "no error");
}

TEST(MasslessBodies, OfASetAreToldByTheirElement) {
  const std::string text = R"toml([sets]
link = { size = 3, light = "if(link == 1, 0, 1)" }
[bodies]
bar = { mass = "light", inertia = "light", start = ["link", 0], over = "link" }
[[joint]]
kind = "revolute"
to = "bar[link]"
from = ["link", 0]
over = "link"
)toml";
  EXPECT_THAT(complaint(text), mentions("m.toml:4:36", "'bar' (element 1 of 'link')", "without inertia"));
}

TEST(MasslessBodies, CoordinatesWithoutMassAreJudgedInTheSameWay) {
  const std::string text =
      "coordinates.x = { start = 1, mass = 0 }\ncoordinates.y = 1\n[[potential]]\nenergy = \"x^2 + y^2\"\n";
  EXPECT_THAT(complaint(text), mentions("m.toml:1:37", "'x'", "without mass", "constraints"));
  EXPECT_EQ(complaint(text + "[[constraint]]\nequation = \"x - y\"\n"), "no error");
  EXPECT_THAT(complaint(text + "[[constraint]]\nequation = \"x - y\"\n[heat_bath]\nfriction = 1\ntemperature = 1\n"),
              tells({"m.toml:8:12", "heat bath", "masses"}));
}
}  // namespace
}  // namespace trill::testing_models
