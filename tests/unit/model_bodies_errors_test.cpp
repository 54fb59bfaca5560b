// SPDX-License-Identifier: BSD-3-Clause
// What is said about mistakes in the words of mechanisms, and where.
#include "support/text_models.hpp"

#include <fmt/format.h>

namespace {
using namespace trill;
using testing::HasSubstr;
using testing_models::complaint;

const std::string bodies = R"toml([parameters]
l = 1.0
[sets]
link = 3
[bodies]
crank = { mass = 1, inertia = 1, points = { pin = [0.5, 0] } }
rod = { mass = 1, inertia = 1 }
bar = { mass = 1, inertia = 1, over = "link" }
)toml";

struct Mistake {
  std::string text, message;
};

TEST(MistakesWithBodies, AreShownAtTheirPlace) {
  const std::string joint = "[[joint]]\nkind = \"revolute\"\n";
  for (const Mistake& m : std::vector<Mistake>{
           {joint + "from = \"cranc\"\nto = \"rod\"\n", "m.toml:11:9: there is no body 'cranc'; did you mean 'crank'?"},
           {joint + "from = \"crank.pim\"\nto = \"rod\"\n",
            "m.toml:11:15: 'crank' has no point 'pim'; did you mean 'pin'?"},
           {joint + "to = { body = \"rod\", pont = [0, 0] }\n",
            "m.toml:11:22: 'to' has no key 'pont'; did you mean 'point'?"},
           {joint, "m.toml:9:1: [[joint]] needs 'to'"},
           {"[[joint]]\nto = \"rod\"\n", "m.toml:9:1: [[joint]] needs 'kind'"},
           {"[[joint]]\nkind = \"revolut\"\nto = \"rod\"\n",
            "m.toml:10:8: there is no kind 'revolut'; did you mean 'revolute'?"},
           {joint + "to = \"ground\"\n", "m.toml:11:6: joint 1 needs a body"},
           {joint + "from = \"rod\"\nto = { body = \"rod\", point = [1, 0] }\n",
            "m.toml:12:6: joint 1 is between 'rod' and itself"},
           {joint + "to = \"bar\"\n", "m.toml:11:7: 'bar' is over the set 'link'; say which element: bar[...]"},
           {joint + "to = \"rod[1]\"\n", "m.toml:11:7: 'rod' is not over a set and has no elements"},
           {joint + "to = \"bar[lnk]\"\n", "m.toml:11:11: unknown name 'lnk'"},
           {joint + "to = \"bar[7]\"\n", "the index of 'bar' is 7; 'link' has the elements 0 to 2"},
           {joint + "from = [\"q\", 0]\nto = \"rod\"\n", "m.toml:11:10: unknown name 'q'"},
           {joint + "from = 3\nto = \"rod\"\n", "m.toml:11:8: 'from' is a place: "},
           {joint + "from = [1, 2, 3]\nto = \"rod\"\n", "m.toml:11:8: 'from' must be a list of 2: [x, y]"},
           {joint + "length = 3\nto = \"rod\"\n", "m.toml:11:1: [[joint]] has no key 'length'"},
           {"[[joint]]\nkind = \"distance\"\nto = \"rod\"\n", "m.toml:9:1: [[joint]] needs 'length'"},
           {"[[joint]]\nkind = \"distance\"\nto = \"rod\"\nlength = 0\n", "m.toml:12:10: a distance must be positive"},
           {"[[joint]]\nkind = \"prismatic\"\nto = \"rod\"\naxis = [0, 0]\n", "an axis needs a direction"},
           {joint + "name = \"sin\"\nto = \"rod\"\n", "m.toml:11:8: 'sin' is already a name of trill"},
           {joint + "name = \"j\"\nto = \"rod\"\n" + joint + "name = \"j\"\nto = \"crank\"\n",
            "m.toml:15:8: the name 'j' is already taken"},
           {joint + "name = \"crank\"\nto = \"rod\"\n", "m.toml:11:8: the name 'crank' is already taken"},
           {"[[spring]]\nto = \"rod\"\nstiffness = \"k\"\n", "m.toml:11:14: unknown name 'k'"},
           {"[[spring]]\nto = \"rod\"\nstiffness = -1\nstiff = true\n",
            "m.toml:11:13: a stiffness must be positive, not -1"},
           {"[[spring]]\nto = \"rod\"\nstiffness = 1\nlength = 1\n", "m.toml:9:1: the derivative of this energy is"},
           {"[[bushing]]\nto = \"rod\"\nstiffness = [1, 2]\n", "m.toml:11:13: a bushing has a list of 3 numbers"},
           {"[[driver]]\nof = \"crank.angel\"\nvalue = \"t\"\n",
            "m.toml:10:12: 'crank' has no 'angel'; did you mean 'angle'"},
           {"[[driver]]\nof = \"crank.angle\"\nvalue = \"3 + t\"\n",
            "m.toml:9:1: the start does not lie on driver 1: it is -3 there, not 0"},
           {"[[joint]]\nname = \"pin\"\nkind = \"revolute\"\nto = \"crank\"\nfrom = [9, 0]\n",
            "m.toml:9:1: the start does not lie on joint 'pin' along x: it is "},
           {joint + "to = { body = \"rod\", point = [-1] }\n", "m.toml:11:30: 'point' must be a list of 2: [x, y]"},
           {"[[bushing]]\nto = \"rod\"\nstiffness = [1]\n", "m.toml:11:13: a bushing has a list of 3 numbers"},
           {"[[torque]]\non = \"rod\"\nvalue = \"vcrank.angle + x\"\n", "m.toml:11:25: unknown name 'x'"},
           {"[[force]]\nat = \"rod\"\nvalue = 3\n", "m.toml:11:9: 'value' must be a list of 2: [x, y]"},
           {"[gravity]\nacceleration = 9.81\n", "m.toml:10:16: 'acceleration' must be a list of 2: [x, y]"},
           {"[[force]]\non = \"crank.angel\"\nvalue = 3\n",
            "m.toml:10:6: there is no coordinate 'crank.angel'; did you mean 'crank.angle'"},
           {"[[force]]\non = \"bar.angle\"\nvalue = 3\n",
            "m.toml:10:6: 'bar.angle' is over the set 'link'; say which element: bar[...].angle"},
           {"[[measure]]\nname = \"m\"\nvalue = \"bar.angle\"\n[gravity]\nacceleration = [0, 1]\n",
            "m.toml:11:10: 'bar.angle' has one entry for each element of 'link'; write bar[link].angle"}})
    EXPECT_THAT(complaint(bodies + m.text), HasSubstr(m.message)) << m.text;
}

TEST(MistakesWithBodies, OfBodiesThemselves) {
  const auto body = [](const std::string& line) {
    return "[bodies]\n" + line + "\n[gravity]\nacceleration = [0, 1]\n";
  };
  EXPECT_THAT(complaint(body("a = 3")), HasSubstr("m.toml:2:5: a body is a table: a = { mass"));
  EXPECT_THAT(complaint(body("a = { mass = 1 }")), HasSubstr("m.toml:2:1: body 'a' needs 'inertia'"));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = -1 }")),
              HasSubstr("m.toml:2:27: a mass cannot be negative, as -1 is"));
  EXPECT_THAT(complaint(body("a = { mass = nan, inertia = 1 }")), HasSubstr("m.toml:2:14: "));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, points = { x = [0, 0] } }")),
              HasSubstr("m.toml:2:41: every body has a 'x'; choose another name"));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, points = { p = [-1] } }")),
              HasSubstr("m.toml:2:45: the point 'p' must be a list of 2: [x, y]"));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, start = { p = [1] }, points = { p = [-1, 0] } }")),
              HasSubstr("m.toml:2:44: the start of 'p' must be a list of 2: [x, y]"));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, start = { p = [0, 0] } }")),
              HasSubstr("m.toml:2:40: 'a' has no point 'p'"));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1 }\nva = { mass = 1, inertia = 1 }")),
              HasSubstr("the velocity of 'a' is called 'va', a name that is taken"));
  EXPECT_EQ(complaint(body("a = { mass = 1, inertia = 1 }")), "no error");
}

TEST(MistakesWithBodies, OfBeams) {
  const auto beam = [](const std::string& more) {
    return "[beams]\na = { length = 1, mass = 1, stiffness = 1, elements = 2" + more +
           "[gravity]\nacceleration = [0, 1]\n";
  };
  const std::string joint = "[[joint]]\nkind = \"revolute\"\nto = ";
  EXPECT_EQ(complaint(beam(" }\n")), "no error");
  EXPECT_THAT(complaint(beam(" }\n" + joint + "\"a\"\n")),
              HasSubstr("m.toml:5:6: a beam is held at its ends: \"a.base\" or \"a.tip\""));
  EXPECT_THAT(complaint(beam(" }\n" + joint + "\"a.mid\"\n")), HasSubstr("m.toml:5:9: a beam is held at its ends"));
  EXPECT_THAT(complaint("[beams]\na = { length = 1, mass = 1, stiffness = -2, elements = 2 }\n"),
              HasSubstr("m.toml:2:41: a stiffness must be positive, not -1"));
  EXPECT_THAT(complaint("[beams]\na = { length = 1, mass = 1, stiffness = 1, elements = 1.5 }\n"),
              HasSubstr("m.toml:2:55: set 'a.element' needs a whole number of elements"));
}
}  // namespace
