// SPDX-License-Identifier: BSD-3-Clause
// Messages about mistakes in the sections of mechanisms (bodies, joints, ...), and the places that they name.
#include "support/mentions.hpp"
#include "support/text_models.hpp"

#include <fmt/format.h>

namespace {
using namespace trill;
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
  std::string text;
  std::vector<std::string> told;
};

TEST(MistakesWithBodies, AreShownAtTheirPlace) {
  const std::string joint = "[[joint]]\nkind = \"revolute\"\n";
  for (const Mistake& m : std::vector<Mistake>{
           {joint + "from = \"cranc\"\nto = \"rod\"\n", {"m.toml:11:9", "'cranc'", "'crank'", "body"}},
           {joint + "from = \"crank.pim\"\nto = \"rod\"\n", {"m.toml:11:15", "'crank'", "'pim'", "'pin'", "point"}},
           {joint + "to = { body = \"rod\", pont = [0, 0] }\n", {"m.toml:11:22", "'to'", "'pont'", "'point'", "key"}},
           {joint, {"m.toml:9:1", "'to'", "[[joint]]", "needs"}},
           {"[[joint]]\nto = \"rod\"\n", {"m.toml:9:1", "'kind'", "[[joint]]", "needs"}},
           {"[[joint]]\nkind = \"revolut\"\nto = \"rod\"\n", {"m.toml:10:8", "'revolut'", "'revolute'", "kind"}},
           {joint + "to = \"ground\"\n", {"m.toml:11:6", "joint 1", "needs", "body"}},
           {joint + "from = \"rod\"\nto = { body = \"rod\", point = [1, 0] }\n", {"m.toml:12:6", "joint 1", "'rod'"}},
           {joint + "to = \"bar\"\n", {"m.toml:11:7", "'bar'", "'link'", "bar[...]"}},
           {joint + "to = \"rod[1]\"\n", {"m.toml:11:7", "'rod'", "index"}},
           {joint + "to = \"bar[lnk]\"\n", {"m.toml:11:11", "'lnk'", "name"}},
           {joint + "to = \"bar[7]\"\n", {"", "index", "'bar' is 7", "'link'", "0 to 2"}},
           {joint + "from = [\"q\", 0]\nto = \"rod\"\n", {"m.toml:11:10", "'q'", "name"}},
           {joint + "from = 3\nto = \"rod\"\n", {"m.toml:11:8", "'from'", "place"}},
           {joint + "from = [1, 2, 3]\nto = \"rod\"\n", {"m.toml:11:8", "'from'", "[x, y]"}},
           {joint + "length = 3\nto = \"rod\"\n", {"m.toml:11:1", "'length'", "[[joint]]", "key"}},
           {"[[joint]]\nkind = \"distance\"\nto = \"rod\"\n", {"m.toml:9:1", "'length'", "[[joint]]", "needs"}},
           {"[[joint]]\nkind = \"distance\"\nto = \"rod\"\nlength = 0\n", {"m.toml:12:10", "distance", "positive"}},
           {"[[joint]]\nkind = \"prismatic\"\nto = \"rod\"\naxis = [0, 0]\n", {"m.toml:12:8", "[0, 0]", "direction"}},
           {joint + "name = \"sin\"\nto = \"rod\"\n", {"m.toml:11:8", "'sin'", "name"}},
           {joint + "name = \"j\"\nto = \"rod\"\n" + joint + "name = \"j\"\nto = \"crank\"\n",
            {"m.toml:15:8", "'j'", "name"}},
           {joint + "name = \"crank\"\nto = \"rod\"\n", {"m.toml:11:8", "'crank'", "name"}},
           {"[[spring]]\nto = \"rod\"\nstiffness = \"k\"\n", {"m.toml:11:14", "'k'", "name"}},
           {"[[spring]]\nto = \"rod\"\nstiffness = -1\nstiff = true\n",
            {"m.toml:11:13", "stiffness", "positive", "-1"}},
           {"[[spring]]\nto = \"rod\"\nstiffness = 1\nlength = 1\n", {"m.toml:9:1", "derivative", "energy"}},
           {"[[bushing]]\nto = \"rod\"\nstiffness = [1, 2]\n", {"m.toml:11:13", "bushing", "list"}},
           {"[[driver]]\nof = \"crank.angel\"\nvalue = \"t\"\n", {"m.toml:10:12", "'crank'", "'angel'", "'angle'"}},
           {"[[driver]]\nof = \"crank.angle\"\nvalue = \"3 + t\"\n", {"m.toml:9:1", "start", "driver 1", "-3"}},
           {"[[joint]]\nname = \"pin\"\nkind = \"revolute\"\nto = \"crank\"\nfrom = [9, 0]\n",
            {"m.toml:9:1", "start", "joint 'pin' along x"}},
           {joint + "to = { body = \"rod\", point = [-1] }\n", {"m.toml:11:30", "'point'", "[x, y]"}},
           {"[[bushing]]\nto = \"rod\"\nstiffness = [1]\n", {"m.toml:11:13", "bushing", "list"}},
           {"[[torque]]\non = \"rod\"\nvalue = \"vcrank.angle + x\"\n", {"m.toml:11:25", "'x'", "name"}},
           {"[[force]]\nat = \"rod\"\nvalue = 3\n", {"m.toml:11:9", "'value'", "[x, y]"}},
           {"[gravity]\nacceleration = 9.81\n", {"m.toml:10:16", "'acceleration'", "[x, y]"}},
           {"[[force]]\non = \"crank.angel\"\nvalue = 3\n",
            {"m.toml:10:6", "'crank.angel'", "'crank.angle'", "coordinate"}},
           {"[[force]]\non = \"bar.angle\"\nvalue = 3\n", {"m.toml:10:6", "'bar.angle'", "'link'", "bar[...].angle"}},
           {"[[measure]]\nname = \"m\"\nvalue = \"bar.angle\"\n[gravity]\nacceleration = [0, 1]\n",
            {"m.toml:11:10", "'bar.angle'", "'link'", "bar[link].angle"}}})
    EXPECT_THAT(complaint(bodies + m.text), tells(m.told)) << m.text;
}

TEST(MistakesWithBodies, OfBodiesThemselves) {
  const auto body = [](const std::string& line) {
    return "[bodies]\n" + line + "\n[gravity]\nacceleration = [0, 1]\n";
  };
  EXPECT_THAT(complaint(body("a = 3")), tells({"m.toml:2:5", "body", "a = { mass"}));
  EXPECT_THAT(complaint(body("a = { mass = 1 }")), tells({"m.toml:2:1", "'a'", "'inertia'", "needs"}));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = -1 }")), tells({"m.toml:2:27", "mass", "negative", "-1"}));
  EXPECT_THAT(complaint(body("a = { mass = nan, inertia = 1 }")), tells({"m.toml:2:14"}));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, points = { x = [0, 0] } }")),
              tells({"m.toml:2:41", "'x'", "body"}));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, points = { p = [-1] } }")),
              tells({"m.toml:2:45", "point 'p'", "[x, y]"}));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, start = { p = [1] }, points = { p = [-1, 0] } }")),
              tells({"m.toml:2:44", "start of 'p'", "[x, y]"}));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1, start = { p = [0, 0] } }")),
              tells({"m.toml:2:40", "'a'", "'p'", "point"}));
  EXPECT_THAT(complaint(body("a = { mass = 1, inertia = 1 }\nva = { mass = 1, inertia = 1 }")),
              tells({"", "'a'", "'va'", "velocity of"}));
  EXPECT_EQ(complaint(body("a = { mass = 1, inertia = 1 }")), "no error");
}

TEST(MistakesWithBodies, OfBeams) {
  const auto beam = [](const std::string& more) {
    return "[beams]\na = { length = 1, mass = 1, stiffness = 1, elements = 2" + more +
           "[gravity]\nacceleration = [0, 1]\n";
  };
  const std::string joint = "[[joint]]\nkind = \"revolute\"\nto = ";
  EXPECT_EQ(complaint(beam(" }\n")), "no error");
  EXPECT_THAT(complaint(beam(" }\n" + joint + "\"a\"\n")), tells({"m.toml:5:6", "beam", "\"a.base\"", "\"a.tip\""}));
  EXPECT_THAT(complaint(beam(" }\n" + joint + "\"a.mid\"\n")),
              tells({"m.toml:5:9", "beam", "\"a.base\"", "\"a.tip\""}));
  EXPECT_THAT(complaint("[beams]\na = { length = 1, mass = 1, stiffness = -2, elements = 2 }\n"),
              tells({"m.toml:2:41", "stiffness", "positive", "-1"}));
  EXPECT_THAT(complaint("[beams]\na = { length = 1, mass = 1, stiffness = 1, elements = 1.5 }\n"),
              tells({"m.toml:2:55", "'a.element'", "whole"}));
}
}  // namespace
