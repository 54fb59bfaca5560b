// SPDX-License-Identifier: BSD-3-Clause
#include "support/mentions.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
TEST(TextEventErrors, SayWhatIsWrong) {
  const std::string model = R"toml(
[parameters]
n = 2
k = { value = 1, min = 0.5, max = 8 }
s = 3
m = 1
q = 1
i = 0
kin = 1
[sets]
atom = { size = "n", w = "q" }
[coordinates]
x = { start = 1, mass = "m" }
z = 0
y = { over = "atom", start = 1 }
[derived]
stiff = "s + 1"
[[stiff]]
gap = "x"
stiffness = "stiff"
[[potential]]
energy = "k*x + y[i]"
[[kinetic]]
energy = "kin*vz^2"
)toml";
  const auto then = [&](const char* change) {
    return complaint(model + fmt::format("[[event]]\nwhen = \"x\"\nthen = {{ {} }}\n", change));
  };
  EXPECT_EQ(then("k = 2"), "no error");
  EXPECT_EQ(then("k = \"2*n\""), "no error");
  for (const char* fixed : {"n = 3", "q = 2", "m = 2", "s = 2", "i = 1", "kin = 2"})
    EXPECT_THAT(then(fixed), tells({"m.toml:27:10", "event", "depends on it"})) << fixed;
  EXPECT_THAT(then("k = \"x\""), tells({"m.toml:27:15", "parameter", "coordinates"}));
  EXPECT_THAT(then("k = \"2*k\""), tells({"m.toml:27:15", "parameter", "'k'", "events"}));
  EXPECT_THAT(then("k = 0"), tells({"m.toml:27:14", "'k'", "[0.5, 8]", "not 0"}));
  EXPECT_THAT(then("k = \"1/0\""), tells({"m.toml:27:15", "inf", "finite"}));
  EXPECT_THAT(then("\"y[2]\" = 1"), tells({"", "index", "'y' is 2"}));
  EXPECT_THAT(then("kk = 1"), tells({"m.toml:27:10", "event", "'kk'"}));
  EXPECT_THAT(complaint(model + "[[event]]\nwhen = \"k\"\nstop = true"),
              tells({"m.toml:26:9", "event", "coordinates", "t"}));
  const std::string bath =
      "parameters.c = 1\nparameters.T = 1\ncoordinates.x = 1\n[heat_bath]\nfriction = \"c\"\n"
      "temperature = \"T\"\n[[potential]]\nenergy = \"x^2\"\n[[event]]\nwhen = \"t - 1\"\n";
  EXPECT_THAT(complaint(bath + "then = { c = 2 }"), tells({"m.toml:11:10", "event", "'c'", "heat bath"}));
  EXPECT_THAT(complaint(bath + "then = { T = 2 }"), tells({"m.toml:11:10", "event", "'T'", "heat bath"}));
}

TEST(TextEventErrors, ManyGroupsAreRefusedInWords) {
  std::string text = "coordinates.x = 1\n";
  for (int k = 0; k < 32; ++k) text += fmt::format("[[potential]]\nenergy = \"{}*x\"\ngroup = \"g{}\"\n", k + 1, k);
  EXPECT_EQ(complaint(text), "no error");
  EXPECT_THAT(complaint(text + "[[force]]\non = \"x\"\nvalue = 1\n"), tells({"", "32 groups"}));
}
}  // namespace
}  // namespace trill::testing_models
