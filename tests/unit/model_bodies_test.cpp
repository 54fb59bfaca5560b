// SPDX-License-Identifier: BSD-3-Clause
// Bodies, joints, springs, dampers and loads, compared with the same coordinates, equations and forces written by
// hand.
#include "model/file/model_export.hpp"
#include "support/equal_mechanics.hpp"
#include "support/text_models.hpp"

namespace {
using namespace trill;
using namespace trill::test;
using testing::HasSubstr;
using testing_models::force_of;
using testing_models::jacobians_of;

const std::string two_bodies = R"toml(
[parameters]
k = 50.0
half = 0.5
[bodies]
a = { mass = 2, inertia = 0.3, velocity = [0.1, -0.3], points = { p = ["half", 0.2] } }
b = { mass = "k/50", inertia = 0.2, start = [1, 0], velocity = [0.1, 0.4], angular_velocity = 0.7 }
)toml";

const std::string by_hand = R"toml(
[parameters]
k = 50.0
half = 0.5
[coordinates]
ra = { point = 2, start = [0, 0], velocity = [0.1, -0.3], mass = 2 }
pa = { start = 0, mass = 0.3 }
rb = { point = 2, start = [1, 0], velocity = [0.1, 0.4], mass = 1 }
pb = { start = 0, velocity = 0.7, mass = 0.2 }
[derived]
ax = "ra.x + cos(pa)*half - sin(pa)*0.2"
ay = "ra.y + sin(pa)*half + cos(pa)*0.2"
vax = "vra.x - vpa*(sin(pa)*half + cos(pa)*0.2)"
vay = "vra.y + vpa*(cos(pa)*half - sin(pa)*0.2)"
)toml";

// The point (x, y) of body b and its velocity, as derived names bx, by, vbx, vby of the model that is written by hand.
std::string point_of_b(const std::string& x, const std::string& y) {
  const std::string arm_x = fmt::format("(cos(pb)*({}) - sin(pb)*({}))", x, y);
  const std::string arm_y = fmt::format("(sin(pb)*({}) + cos(pb)*({}))", x, y);
  return fmt::format("bx = \"rb.x + {0}\"\nby = \"rb.y + {1}\"\nvbx = \"vrb.x - vpb*{1}\"\nvby = \"vrb.y + vpb*{0}\"\n",
                     arm_x, arm_y);
}

struct JointCase {
  std::string kind, to, more, x, y;
  std::vector<std::string> equations, labels;
};

TEST(Bodies, JointsAreTheirEquations) {
  const std::string axis_y = "(bx - ax)*(-cos(pa)) - (by - ay)*sin(pa)";  // the axis (0, 2) turns with body a
  const std::vector<JointCase> cases = {
      {"revolute", "-0.5, 0.2", "", "-0.5", "0.2", {"bx - ax", "by - ay"}, {" along x", " along y"}},
      {"rigid",
       "-0.5, 0.2",
       "angle = \"k/50 - 1\"",
       "-0.5",
       "0.2",
       {"bx - ax", "by - ay", "pb - pa"},
       {" along x", " along y", " in angle"}},
      {"distance", "-0.5, -0.8", "length = \"2*half\"", "-0.5", "-0.8", {"((bx - ax)^2 + (by - ay)^2 - 1)/2"}, {""}},
      {"point_on_line", "0.1, 0.2", "", "0.1", "0.2", {"(by - ay)*cos(pa) - (bx - ax)*sin(pa)"}, {" across its axis"}},
      {"prismatic",
       "-0.5, 0.9",
       "axis = [0, \"4*half\"]",
       "-0.5",
       "0.9",
       {axis_y, "pb - pa"},
       {" across its axis", " in angle"}}};
  for (const JointCase& c : cases) {
    SCOPED_TRACE(c.kind);
    const std::string joint = fmt::format(
        "[[joint]]\nname = \"j\"\nkind = \"{}\"\nfrom = \"a.p\"\nto = {{ body = \"b\", point = [{}] }}\n{}\n", c.kind,
        c.to, c.more);
    std::string hand = by_hand + point_of_b(c.x, c.y);
    for (const std::string& equation : c.equations) hand += "[[constraint]]\nequation = \"" + equation + "\"\n";
    // The equations do not depend on the start. Velocities are removed, since they may not be compatible with the
    // joint.
    const auto at_rest = [](std::string text) {
      for (const char* velocity :
           {", velocity = [0.1, -0.3]", ", velocity = [0.1, 0.4]", ", angular_velocity = 0.7", ", velocity = 0.7"})
        if (const auto at = text.find(velocity); at != text.npos) text.erase(at, std::string(velocity).size());
      return text;
    };
    const TextModel model = read_model("m.toml", at_rest(two_bodies) + joint),
                    twin = read_model("h.toml", at_rest(hand));
    expect_equal_mechanics(*model.problem, *twin.problem);
    const ConstraintMap& map = *testing_models::mechanics(model).constraints();
    ASSERT_EQ(map.count(), static_cast<Index>(c.labels.size()));
    for (Index k = 0; k < map.count(); ++k)
      EXPECT_EQ(map.name(k), fmt::format("joint 'j'{} (m.toml:8)", c.labels[static_cast<std::size_t>(k)]));
  }
}

TEST(Bodies, SpringsBushingsAndWeightAreTheirEnergies) {
  const TextModel model = read_model("m.toml", two_bodies + R"toml(
[gravity]
acceleration = [0.3, "-k/5"]
group = "weight"
[[spring]]
from = [0, 1]
to = "a.p"
stiffness = "k"
length = "half/2"
[[spring]]
from = "a"
to = "b"
stiffness = 3
[[spring]]
kind = "rotational"
from = "a"
to = "b"
stiffness = 7
angle = 0.1
group = "turning"
[[spring]]
from = "a.p"
to = "b"
stiffness = "2*k"
length = 0.4
stiff = true
[[bushing]]
name = "rubber"
from = "a.p"
to = { body = "b", point = [-0.4, 0.3] }
stiffness = [1e3, "2*k", 30]
angle = 0.2
)toml");
  const TextModel twin = read_model("h.toml", by_hand + point_of_b("-0.4", "0.3") + R"toml(
[[stiff]]
gap = "sqrt((rb.x - ax)^2 + (rb.y - ay)^2) - 0.4"
stiffness = 100
[[stiff]]
gap = "cos(pa)*(bx - ax) + sin(pa)*(by - ay)"
stiffness = 1e3
[[stiff]]
gap = "cos(pa)*(by - ay) - sin(pa)*(bx - ax)"
stiffness = 100
[[stiff]]
gap = "pb - pa - 0.2"
stiffness = 30
[[potential]]
energy = "-2*(0.3*ra.x - 10*ra.y) - (0.3*rb.x - 10*rb.y)"
group = "weight"
[[potential]]
energy = "25*(sqrt(ax^2 + (ay - 1)^2) - 0.25)^2 + 1.5*((rb.x - ra.x)^2 + (rb.y - ra.y)^2)"
[[potential]]
energy = "3.5*(pb - pa - 0.1)^2"
group = "turning"
)toml");
  expect_equal_mechanics(*model.problem, *twin.problem);
  const ConstraintMap& gaps = *testing_models::mechanics(model).strong_potential()->map;
  EXPECT_THAT(gaps.name(0), HasSubstr("spring 4 (m.toml:"));
  EXPECT_THAT(gaps.name(1), HasSubstr("bushing 'rubber' along (m.toml:"));
  EXPECT_THAT(gaps.name(3), HasSubstr("bushing 'rubber' turning (m.toml:"));
}

// A force (fx, fy) at a point of a body, written as a force on its centre and a torque.
std::string forces(const std::string& body, const std::string& point, const std::string& fx, const std::string& fy) {
  return fmt::format(
      "[[force]]\non = \"r{0}\"\nvalue = [\"{2}\", \"{3}\"]\n"
      "[[force]]\non = \"p{0}\"\nvalue = \"({1}x - r{0}.x)*({3}) - ({1}y - r{0}.y)*({2})\"\n",
      body, point, fx, fy);
}

TEST(Bodies, DampersTorquesAndForcesActAsTheyShould) {
  const TextModel model = read_model("m.toml", two_bodies + R"toml(
[[damper]]
from = "a.p"
to = { body = "b", point = [-0.4, 0.3] }
damping = "k/10"
[[damper]]
kind = "rotational"
from = "a"
to = "b"
damping = 0.6
[[bushing]]
from = "a.p"
to = { body = "b", point = [-0.4, 0.3] }
stiffness = [0, 0, 30]
damping = [2, 3, "k/100"]
[[torque]]
on = "b"
from = "a"
value = "sin(t)"
[[force]]
at = { body = "b", point = [-0.4, 0.3] }
value = ["t", "k - t*vb.x"]
)toml");
  const std::string along =
      "(2*(cos(pa)*(vbx - vax) + sin(pa)*(vby - vay) + vpa*(cos(pa)*(by - ay) - sin(pa)*(bx - ax))))";
  const std::string across =
      "(3*(cos(pa)*(vby - vay) - sin(pa)*(vbx - vax) - vpa*(cos(pa)*(bx - ax) + sin(pa)*(by - ay))))";
  const std::string push = "(5*((bx - ax)*(vbx - vax) + (by - ay)*(vby - vay))/((bx - ax)^2 + (by - ay)^2))";
  const std::string fx = fmt::format("({}*(bx - ax) + {}*cos(pa) - {}*sin(pa))", push, along, across);
  const std::string fy = fmt::format("({}*(by - ay) + {}*sin(pa) + {}*cos(pa))", push, along, across);
  // The frame of the bushing turns with body a. Therefore the force on a acts at the point where b is.
  const TextModel twin = read_model("h.toml", by_hand + point_of_b("-0.4", "0.3") + forces("a", "b", fx, fy) +
                                                  forces("b", "b", "t - " + fx, "k - t*vrb.x - " + fy) +
                                                  "[[force]]\non = \"pa\"\nvalue = \"1.1*(vpb - vpa) - sin(t)\"\n"
                                                  "[[force]]\non = \"pb\"\nvalue = \"-1.1*(vpb - vpa) + "
                                                  "sin(t)\"\n[[stiff]]\ngap = \"pb - pa\"\nstiffness = 30\n");
  const MechanicalProblem &a = testing_models::mechanics(model), &b = testing_models::mechanics(twin);
  std::mt19937_64 random(7);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(*model.problem, random);
    expect_equal(force_of(a, s.t, s.q(), s.v()), force_of(b, s.t, s.q(), s.v()), "force", 1e-12);
    const auto x = jacobians_of(a, s.t, s.q(), s.v()), y = jacobians_of(b, s.t, s.q(), s.v());
    expect_equal(dense(x.by_position), dense(y.by_position), "by position", 1e-12);
    expect_equal(dense(x.by_velocity), dense(y.by_velocity), "by velocity", 1e-12);
  }
}

TEST(Bodies, OverSetsAreTermsOverSets) {
  const ModelEntry& chain = ModelRegistry::all().find("link_chain");
  const TextModel twin = read_model("h.toml", R"toml(
[parameters]
n = 7
[sets]
link = "n"
pin = "n - 1"
[derived]
l = "1/n"
[coordinates]
r = { over = "link", point = 2, start = ["l*(link + 1/2)*cos(0.3)", "-l*(link + 1/2)*sin(0.3)"], mass = "1/n" }
phi = { over = "link", start = -0.3, mass = "l^2/n/12" }
[[potential]]
over = "link"
energy = "9.81*r[link].y/n"
[[constraint]]
equation = "r[0].x - l/2*cos(phi[0])"
[[constraint]]
equation = "r[0].y - l/2*sin(phi[0])"
[[constraint]]
over = "pin"
equation = "r[pin + 1].x - r[pin].x - l/2*(cos(phi[pin]) + cos(phi[pin + 1]))"
[[constraint]]
over = "pin"
equation = "r[pin + 1].y - r[pin].y - l/2*(sin(phi[pin]) + sin(phi[pin + 1]))"
)toml");
  const TextModel model = read_shipped_model(chain, {{"n", "7"}}), longer = read_shipped_model(chain, {{"n", "700"}});
  const TextModel long_one = read_shipped_model(chain, {{"n", "70"}});
  expect_equal_mechanics(*model.problem, *twin.problem);
  const auto code = [](const TextModel& m) { return dynamic_cast<const ModelExport&>(*m.problem).as_c().size(); };
  EXPECT_NEAR(static_cast<double>(code(longer)), static_cast<double>(code(long_one)), 50);
  EXPECT_THAT(testing_models::mechanics(longer).constraints()->name(2),
              testing::AllOf(HasSubstr("joint 'hinge' along x"), HasSubstr("for element 0 of 'pin'")));
  const std::vector<Quantity> names = model.problem->components();
  EXPECT_EQ(names[2].name, "bar[1].x");
  EXPECT_EQ(names[15].name, "bar[1].angle");
  EXPECT_EQ(names[21 + 20].name, "vbar[6].angle");
}

TEST(Bodies, StartWhereTheirPointsAre) {
  const TextModel model = read_model("m.toml", R"toml(
[bodies]
a = { mass = 1, inertia = 1, angle = 0.4, angular_velocity = 2, start = { p = [1, 2] }, velocity = [3, 4], points = { p = [0.5, -0.25] } }
[[measure]]
name = "x"
value = "a.p.x"
[[measure]]
name = "y"
value = "a.p.y"
[[measure]]
name = "vx"
value = "va.p.x"
[[measure]]
name = "vy"
value = "va.p.y"
[[force]]
on = "a.angle"
value = 1
)toml");
  Vec values(5);
  model.problem->measure(model.problem->initial_state(), values);
  expect_equal(values.tail(4), Vec(Eigen::Vector4d(1, 2, 3, 4)), "the point");
  EXPECT_NEAR(model.problem->initial_state().q()[0], 1 - 0.5 * std::cos(0.4) - 0.25 * std::sin(0.4), 1e-15);
}

TEST(Bodies, AreDrivenByMovingConstraints) {
  const TextModel model = read_model("m.toml", R"toml(
[bodies]
crank = { mass = 1, inertia = 1, start = [0.5, 0], velocity = [0, 1], angular_velocity = 2 }
[[joint]]
name = "bearing"
kind = "revolute"
to = { body = "crank", point = [-0.5, 0] }
[[driver]]
name = "motor"
of = "bearing.angle"
value = "2*t + t^3"
[[event]]
name = "quarter"
when = "crank.angle - pi/2"
then = {}
stop = true
)toml");
  const ConstraintMap& map = *testing_models::mechanics(model).constraints();
  EXPECT_TRUE(map.moving());
  EXPECT_EQ(map.name(2), "driver 'motor' (m.toml:8)");
  const Solution run = testing_models::run_of(read_model("m.toml", R"toml(
[bodies]
crank = { mass = 1, inertia = 1, start = [0.5, 0], velocity = [0, 1], angular_velocity = 2 }
[[joint]]
name = "bearing"
kind = "revolute"
to = { body = "crank", point = [-0.5, 0] }
[[driver]]
of = "bearing.angle"
value = "2*t + t^3"
)toml")
                                                  .problem,
                                              testing_models::plan_with("dop853", 1, 1e-10));
  EXPECT_NEAR(testing_models::last_of(run)[0], 0.5 * std::cos(3), 1e-8);
  EXPECT_NEAR(testing_models::last_of(run)[2], 3, 1e-8);
}

// -lambda is the force and torque on the bar at its pin: it carries the weight, whose arm is l/2, and gives the
// angular acceleration about the pin.
TEST(Bodies, HaveTheirReactionsInTheMultipliers) {
  const std::string bar = R"toml(
[bodies]
bar = { mass = 2, inertia = "2/12", start = { pin = [0, 0] }, points = { pin = [-0.5, 0] } }
[gravity]
acceleration = [0, -9.81]
[[joint]]
kind = "revolute"
to = "bar.pin"
[[driver]]
of = "bar.angle"
value = "3*t^2"
)toml";
  const TextModel model = read_model("m.toml", bar);
  const Solution run =
      testing_models::run_of(model.problem->clone(), testing_models::plan_with("generalized_alpha", 1, 1e-6));
  const Vec start = run.y().col(0);
  const double mass = 2, arm = 0.5, acceleration = 6, inertia_of_pin = 2.0 / 12 + mass * arm * arm;
  EXPECT_NEAR(-start[6], 0, 1e-9);
  EXPECT_NEAR(-start[7], mass * (9.81 + arm * acceleration), 1e-9);
  EXPECT_NEAR(-start[8], inertia_of_pin * acceleration + mass * 9.81 * arm, 1e-9);
}
}  // namespace
