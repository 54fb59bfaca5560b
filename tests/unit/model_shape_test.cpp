// SPDX-License-Identifier: BSD-3-Clause
// What is said about model files whose sections have a wrong shape or do not fit each other.
#include "support/allocation_count.hpp"
#include "trill/model/text_problem.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;
using testing::HasSubstr;
using testing::StartsWith;

std::string complaint(const std::string& text) {
  try {
    read_model("m.toml", text);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

// The shape is right: what is missing is a part of trill, or a folder for the files that the model names.
const char* const fine = "";
bool is_fine(const std::string& said) {
  return said == "no error" || said.find("not supported yet") != std::string::npos ||
         said.find("cannot name other files") != std::string::npos;
}

using Table = std::vector<std::pair<std::string, const char*>>;
void expect_complaints(const Table& table, const std::string& before, const std::string& after) {
  for (const auto& [text, begin] : table) {
    const std::string said = complaint(before + text + after);
    if (begin == fine)
      EXPECT_TRUE(is_fine(said)) << said;
    else
      EXPECT_THAT(said, StartsWith(begin)) << before << text << after;
  }
}

const std::string energy = "\n[[potential]]\nenergy = \"x^2\"\n";

TEST(ModelShape, Top) {
  expect_complaints({{"equations = 1", "m.toml:1:13: 'equations' must be a text in quotes"},
                     {"time_unit = 's,'", "m.toml:1:13: 'time_unit' must have no commas"},
                     {"time_unit = ['s']", "m.toml:1:13: 'time_unit' must be a text in quotes"},
                     {"timeunit = 's'", "m.toml:1:1: a model has no key 'timeunit'; did you mean 'time_unit'?"},
                     {"zebra = 1\nant = 2", "m.toml:1:1: a model has no key 'zebra'"},
                     {"mass = 2", "m.toml:1:1: a mass belongs to a coordinate"},
                     {"set.n = 3", "m.toml:1:1: a model has no key 'set'; did you mean 'sets'?"},
                     {"sets = 3", "m.toml:1:8: 'sets' must be a section [sets]"},
                     {"event = 3", "m.toml:1:9: write [[event]] with two brackets"},
                     {"kinetic = [3]", "m.toml:1:12: 'kinetic' must be sections [[kinetic]]"}},
                    "", "\n[coordinates]\nx = 1" + energy);
}

TEST(ModelShape, Parameters) {
  expect_complaints(
      {{"k = { value = 1, mn = 0 }", "m.toml:2:18: parameter 'k' has no key 'mn'; did you mean 'min'"},
       {"k = { value = 1, min = \"0\" }", "m.toml:2:25: 'min' must be a number"},
       {"k = { value = 1, max = inf }", "m.toml:2:24: 'max' must be finite"},
       {"k = { value = -0.5, min = 0 }", "m.toml:2:15: parameter 'k' is out of range; allowed: >= 0"},
       {"k = { value = 2, min = 0, max = 1.5 }", "m.toml:2:15: parameter 'k' is out of range; allowed: [0, 1.5]"},
       {"k = { value = 0, above = 0 }", "m.toml:2:15: parameter 'k' is out of range; allowed: > 0"},
       {"k = { value = 1, above = 1, max = 1 }", "m.toml:2:1: parameter 'k' has above = 1 above max = 1"},
       {"k = { value = 1.5, whole = true }", "m.toml:2:15: parameter 'k' must be a whole number"},
       {"k = { value = 1, min = 0, above = 0 }", "m.toml:2:35: give either 'min'"},
       {"k = { value = 1, min = 2, max = 1 }", "m.toml:2:1: parameter 'k' has min = 2 above max = 1"},
       {"k = { value = 1, min = 1, max = 1 }", fine},
       {"k = [1, 2]", "m.toml:2:5: 'k' must be a number"}},
      "[parameters]\n", "\n[coordinates]\nx = 1" + energy);
}

TEST(ModelShape, Sets) {
  expect_complaints(
      {{"bond = 3", fine},
       {"bond = \"2*n\"", fine},
       {"bond = { size = \"n\", k = \"100 + bond\", len = 1.0 }", fine},
       {"bond = { i = [0, 1], j = [1, 2], k = \"2*i\" }", fine},
       {"bond = { i = [] }", fine},
       {"bond = { file = \"bonds.csv\", k = 2 }", fine},
       {"bond = { file = \"bonds.csv\", k = [1, 2] }", fine},
       {"bond = 3.5", "m.toml:2:8: set 'bond' needs a whole number of elements"},
       {"bond = -1", "m.toml:2:8: set 'bond' needs a whole number of elements"},
       {"bond = true", "m.toml:2:8: 'bond' must be a number or an expression"},
       {"bond = [1, 2]", "m.toml:2:8: 'bond' must be a number or an expression"},
       {"bond = {}", "m.toml:2:1: set 'bond' needs a number of elements: size, file or a list"},
       {"bond = { k = 2 }", "m.toml:2:1: set 'bond' needs a number of elements: size, file or a list"},
       {"bond = { size = 2, i = [0, 1] }", "m.toml:2:17: the list gives the number of elements"},
       {"bond = { size = \"n\", file = \"b.csv\" }", "m.toml:2:18: the file gives the number of elements"},
       {"bond = { file = 1 }", "m.toml:2:17: 'file' must be a text in quotes"},
       {"bond = { i = [0, 1], k = 1, j = [1] }",
        "m.toml:2:29: the lists of a set have one length: 'i' has 2 and 'j' has 1"},
       {"bond = { i = [0, \"1\"] }", "m.toml:2:18: the list 'i' must have finite numbers only"},
       {"bond = { i = [0, nan] }", "m.toml:2:18: the list 'i' must have finite numbers only"},
       {"bond = { i = [[0]] }", "m.toml:2:15: the list 'i' must have finite numbers only"},
       {"bond = { i = true }", "m.toml:2:14: 'i' must be a number or an expression"},
       {"bond = { i = [0], \"2k\" = 1 }", "m.toml:2:19: '2k' is no name"},
       {"bond = { i = [0], t = 1 }", "m.toml:2:19: 't' is already a name of trill"},
       {"bond = { i = [0], bond = 1 }", "m.toml:2:19: the name 'bond' is already taken"},
       {"bond = { i = [0], x = 1 }", "m.toml:2:19: the name 'x' is already taken"},
       {"bond = { i = [0], vx = 1 }", "m.toml:2:19: the name 'vx' is already taken"},
       {"bond = { i = [0], i = [1] }", "m.toml:2:23: Error while parsing key-value pair: cannot redefine"},
       {"x = 3", "m.toml:4:1: the name 'x' is already taken"},
       {"vx = 3", "m.toml:4:1: the velocity of 'x' is called 'vx', a name that is taken"},
       {"sin = 3", "m.toml:2:1: 'sin' is already a name of trill"}},
      "[sets]\n", "\n[coordinates]\nx = 1" + energy + "[parameters]\nn = 2\n");
}

TEST(ModelShape, Coordinates) {
  expect_complaints(
      {{"r = { over = \"atom\", point = 3, start = [0, 1, \"2\"], velocity = [0, 0, 1], mass = \"2 + atom\" }", fine},
       {"r = { over = \"atom\", start = \"atom\", exact = \"atom\" }", fine},
       {"r = { over = \"atm\", start = 0 }", "m.toml:4:14: there is no set 'atm'; did you mean 'atom'?"},
       {"r = { over = 3, start = 0 }", "m.toml:4:14: 'over' must be a text in quotes"},
       {"r = { over = \"a b\", start = 0 }", "m.toml:4:14: 'over' must be a name of letters, digits and _"},
       {"r = { point = 4, start = 0 }", "m.toml:4:15: 'point' must be 2 or 3"},
       {"r = { point = 2.0, start = [0, 0] }", "m.toml:4:15: 'point' must be 2 or 3"},
       {"r = { start = [0, 0] }", "m.toml:4:15: 'start' is a list, which only a point has; write point = 2"},
       {"r = [0, 0]", "m.toml:4:5: 'start' is a list, which only a point has; write point = 2"},
       {"r = { point = 2, start = 0 }", "m.toml:4:26: 'start' must be a list of 2"},
       {"r = { point = 2, start = \"0\" }", "m.toml:4:27: 'start' must be a list of 2"},
       {"r = { point = 2, start = [0, 0, 0] }", "m.toml:4:26: 'start' must be a list of 2"},
       {"r = { point = 2, start = [0, 0, 0, 0] }", "m.toml:4:26: 'start' is a list of 4; a point has 2 or 3 parts"},
       {"r = { point = 2, start = [0, [0]] }", "m.toml:4:30: 'start' must be a number or an expression"},
       {"r = { point = 2, start = [0, 0], velocity = 0 }", "m.toml:4:45: 'velocity' must be a list of 2"},
       {"r = { point = 3, start = [0, 0, 0], exact = [0, 0] }", "m.toml:4:45: 'exact' must be a list of 3"},
       {"r = { point = 2, start = [0, 0], mass = [1, 1] }", "m.toml:4:41: 'mass' must be a number or an expression"}},
      "[sets]\natom = 3\n[coordinates]\n", "\n[[potential]]\nenergy = \"1\"\n");
}

TEST(ModelShape, Terms) {
  expect_complaints(
      {{"[[potential]]\nenergy = 1\nover = \"atm\"", "m.toml:9:8: there is no set 'atm'; did you mean 'atom'?"},
       {"[[stiff]]\ngap = \"x\"\nstiffness = 1\nover = \"atm\"", "m.toml:10:8: there is no set 'atm'"},
       {"[[force]]\non = \"x\"\nvalue = 1\nover = \"atm\"", "m.toml:10:8: there is no set 'atm'"},
       {"[[constraint]]\nequation = \"x\"\nover = \"atm\"", "m.toml:9:8: there is no set 'atm'"},
       {"[[kinetic]]\nenergy = \"x\"\nover = \"atm\"", "m.toml:9:8: there is no set 'atm'"},
       {"[[measure]]\nname = \"m\"\nvalue = 1\nover = \"atm\"", "m.toml:10:8: there is no set 'atm'"},
       {"[derived]\nd = { over = \"atm\", value = 1 }", "m.toml:8:14: there is no set 'atm'"},
       {"[derived]\nd = { over = \"atom\" }", "m.toml:8:1: derived name 'd' needs 'value'"},
       {"[derived]\nd = { over = \"atom\", value = 1, unit = \"m\" }",
        "m.toml:8:33: derived name 'd' has no key 'unit'"},
       {"[[kinetic]]\nenrgy = 1", "m.toml:7:1: [[kinetic]] needs 'energy'"},
       {"[[kinetic]]\nenergy = 1\ngroup = \"a\"", "m.toml:9:1: [[kinetic]] has no key 'group'"},
       {"[[potential]]\nenergy = [1, 2]", "m.toml:8:10: 'energy' must be a number or an expression"},
       {"[[potential]]\nenergy = 1\ngroup = \"a b\"", "m.toml:9:9: 'group' must be a name"},
       {"[[measure]]\nname = \"\"\nvalue = 1", "m.toml:8:8: a measure needs a name without commas"},
       {"[[measure]]\nname = \"a\"\nvalue = 1\nunit = \"m,s\"", "m.toml:10:8: 'unit' must have no commas"},
       {"[[measure]]\nname = \"a\"\nvalue = 1\n[[measure]]\nname = \"a\"\nvalue = 1",
        "m.toml:11:8: there is already a measure 'a'"}},
      "[sets]\natom = 3\n[coordinates]\nx = 1\n[[potential]]\nenergy = 1\n", "\n");
}

TEST(ModelShape, ForcesAct) {
  const auto force = [](const char* on, const char* value) {
    return fmt::format("on = \"{}\"\nvalue = {}\n", on, value);
  };
  expect_complaints(
      {{force("x", "1"), fine},
       {force("y[2*n - 4]", "\"n\""), fine},
       {force("r[0]", "[0, \"n\"]"), fine},
       {force("r[n].y", "1"), fine},
       {force("p", "[0, 1, 2]"), fine},
       {force("p.z", "1"), fine},
       {force("z", "1"), "m.toml:9:6: there is no coordinate 'z'; did you mean"},
       {force("q[0]", "1"), "m.toml:9:6: there is no coordinate 'q'; did you mean"},
       {force("", "1"), "m.toml:9:6: '' is no coordinate; write x, y[i] or r[i].x"},
       {force("x + 1", "1"), "m.toml:9:6: 'x + 1' is no coordinate"},
       {force("y[0", "1"), "m.toml:9:6: 'y[0' is no coordinate"},
       {force("y[0]*2", "1"), "m.toml:9:6: 'y[0]*2' is no coordinate"},
       {force("r[0].w", "1"), "m.toml:9:6: there is no coordinate 'r.w'; did you mean 'r'?"},
       {force("x[0]", "1"), "m.toml:9:6: 'x' is not over a set and has no elements"},
       {force("y", "1"), "m.toml:9:6: 'y' is over the set 'atom'; say which element: y[...]"},
       {force("y[0].x", "1"), "m.toml:9:6: 'y' is no point and has no parts"},
       {force("r[0].z", "1"), "m.toml:9:6: 'r' has 2 parts and no .z"},
       {force("r[0]", "1"), "m.toml:10:9: 'value' must be a list of 2"},
       {force("r[0]", "[1, 2, 3]"), "m.toml:10:9: 'value' must be a list of 2"},
       {force("r[0].x", "[1, 2]"), "m.toml:10:9: 'value' is a list, which only a point has"},
       {force("x", "[1, 2]"), "m.toml:10:9: 'value' is a list, which only a point has"}},
      "[sets]\natom = 3\n[coordinates]\nx = 1\ny = { over = \"atom\", start = 1 }\n"
      "r = { over = \"atom\", start = [1, 2], point = 2 }\np = { start = [1, 2, 3], point = 3 }\n[[force]]\n",
      "[parameters]\nn = 2\n");
}

TEST(ModelShape, Events) {
  expect_complaints(
      {{"when = \"x\"\nstop = true", fine},
       {"when = \"x\"\ndirection = -1\nthen = { vx = \"-0.8*vx\", tau = 0 }", fine},
       {"when = \"x\"\nname = \"bounce\"\nthen = { x = 0 }\nstop = true", fine},
       {"stop = true", "m.toml:5:1: [[event]] needs 'when'"},
       {"when = \"x\"", "m.toml:5:1: an event needs 'then' with what changes, or stop = true"},
       {"when = \"x\"\nstop = false", "m.toml:5:1: an event needs 'then'"},
       {"when = \"x\"\nthen = {}", "m.toml:5:1: an event needs 'then'"},
       {"when = \"x\"\nstop = 1", "m.toml:7:8: 'stop' must be true or false"},
       {"when = \"x\"\nstop = true\ndirection = 2", "m.toml:8:13: 'direction' must be -1 or 0 or 1"},
       {"when = \"x\"\nstop = true\ndirection = \"up\"", "m.toml:8:13: 'direction' must be -1 or 0 or 1"},
       {"when = \"x\"\nthen = \"stop\"", "m.toml:7:8: 'then' must be a table"},
       {"when = \"x\"\nthen = { x = [1, 2] }", "m.toml:7:14: 'x' must be a number or an expression"},
       {"when = \"x\"\nthen = { vxx = 1 }", "m.toml:7:10: an event cannot change 'vxx'; did you mean 'vx'"},
       {"when = \"x\"\nthen = { \"x + 1\" = 1 }", "m.toml:7:10: 'x + 1' is no coordinate"},
       {"when = \"x\"\nthen = { \"x[0]\" = 1 }", "m.toml:7:10: 'x' is not over a set"},
       {"when = \"x\"\nname = \"a,b\"\nstop = true", "m.toml:7:8: an event needs a name without commas"},
       {"when = \"x\"\nstop = true\nname = \"a\"\n[[event]]\nwhen = \"x\"\nstop = true\nname = \"a\"",
        "m.toml:12:8: there is already an event 'a'"},
       {"when = \"x\"\nstop = true\nover = \"a\"", "m.toml:8:1: [[event]] has no key 'over'"}},
      "[parameters]\ntau = 1\n[coordinates]\nx = 1\n[[event]]\n", energy);
  const std::string points = "[coordinates]\nr = { point = 2, start = [1, 2] }\n[[potential]]\nenergy = 1\n[[event]]\n";
  expect_complaints({{"then = { vr = 1 }", "m.toml:7:10: 'vr' is a point; change its parts one by one"},
                     {"then = { \"r.z\" = 1 }", "m.toml:7:10: 'r' has 2 parts and no .z"},
                     {"then = { \"vr.y\" = 1 }", fine}},
                    points + "when = \"t\"\n", "");
}

TEST(ModelShape, HeatBaths) {
  expect_complaints({{"friction = 1\ntemperature = \"2*3\"", fine},
                     {"friction = 1", "m.toml:3:1: [heat_bath] needs 'temperature'"},
                     {"friction = 1\ntemperature = 1\nseed = 1", "m.toml:6:1: [heat_bath] has no key 'seed'"}},
                    "[coordinates]\nx = 1\n[heat_bath]\n", energy);
  EXPECT_THAT(complaint("heat_bath = 1\n[coordinates]\nx = 1" + energy),
              StartsWith("m.toml:1:13: 'heat_bath' must be a section [heat_bath]"));
}

TEST(ModelShape, Rates) {
  const std::string rates = "[coordinates]\nx = 1\ny = 2\n[rate]\nx = \"y\"\ny = \"-x\"\n";
  expect_complaints(
      {{"", fine},
       {"z = 1", "m.toml:7:1: there is no coordinate 'z'; did you mean 'x' or 'y'?"},
       {"[[potential]]\nenergy = 1", "m.toml:8:10: [[potential]] cannot stand beside [rate]"},
       {"[[stiff]]\ngap = \"x\"\nstiffness = 1", "m.toml:8:8: [[stiff]] cannot stand beside [rate]"},
       {"[[kinetic]]\nenergy = 1", "m.toml:8:10: [[kinetic]] cannot stand beside [rate]"},
       {"[[force]]\non = \"x\"\nvalue = 1", "m.toml:8:6: [[force]] cannot stand beside [rate]"},
       {"[[constraint]]\nequation = \"x\"", "m.toml:8:13: [[constraint]] cannot stand beside [rate]"},
       {"[heat_bath]\nfriction = 1\ntemperature = 1", "m.toml:8:12: [heat_bath] cannot stand beside [rate]"},
       {"[[event]]\nwhen = 1\nthen = { vx = 1 }", "m.toml:9:10: an event cannot change 'vx'"},
       {"[sets]\nvx = 1", fine}},
      rates, "\n");
  expect_complaints(
      {{"x = 1\ny = 2\n[rate]\nx = \"y\"", "m.toml:3:1: coordinate 'y' has no rate"},
       {"x = { start = 1, velocity = 1 }\n[rate]\nx = 1", "m.toml:2:29: a coordinate of a first-order"},
       {"x = { start = 1, mass = 1 }\n[rate]\nx = 1", "m.toml:2:25: a coordinate of a first-order"},
       {"x = 1\n[rate]\nx = [1, 2]", "m.toml:4:5: the rate of 'x' is a list"},
       {"x = { point = 2, start = [1, 2] }\n[rate]\nx = 1", "m.toml:4:5: the rate of 'x' must be a list of 2"},
       {"x = 1\n[rate]\nx = { value = 1 }", "m.toml:4:5: 'x' must be a number or an expression"}},
      "[coordinates]\n", "\n");
}

TEST(ModelShape, Structures) {
  const std::string structure = "[structure]\nmass = \"M.mtx\"\nstiffness = \"K.mtx\"\n";
  expect_complaints(
      {{"", fine},
       {"damping = \"C.mtx\"\nload = { vector = \"f.mtx\", factor = \"sin(t)\" }\nstart = \"u\"\nvelocity = \"v\"",
        fine},
       {"load = { vector = \"f.mtx\" }\n[parameters]\na = 1\n[derived]\nb = \"2*a\"\n[run]\nto = 1", fine},
       {"load = \"f.mtx\"", "m.toml:4:8: 'load' must be a table"},
       {"load = { factor = 1 }", "m.toml:4:8: 'load' needs 'vector'"},
       {"load = { vector = \"f\", fctor = 1 }", "m.toml:4:24: 'load' has no key 'fctor'; did you mean 'factor'"},
       {"damping = 0", "m.toml:4:11: 'damping' must be a text in quotes"},
       {"dampin = \"\"", "m.toml:4:1: [structure] has no key 'dampin'; did you mean 'damping'?"},
       {"[coordinates]\nx = 1", "m.toml:5:1: [coordinates] cannot stand beside [structure]"},
       {"[sets]\nn = 1", "m.toml:5:1: [sets] cannot stand beside [structure]"},
       {"[rate]\nx = 1", "m.toml:5:1: [rate] cannot stand beside [structure]"},
       {"[[event]]\nwhen = 1\nstop = true", "m.toml:4:1: [[event]] cannot stand beside [structure]"},
       {"[[measure]]\nname = \"a\"\nvalue = 1", "m.toml:5:8: [[measure]] cannot stand beside [structure]"},
       {"[[potential]]\nenergy = 1", "m.toml:5:10: [[potential]] cannot stand beside [structure]"}},
      structure, "\n");
  EXPECT_THAT(complaint("[structure]\nstiffness = \"K\"\n"), StartsWith("m.toml:1:1: [structure] needs 'mass'"));
  EXPECT_THAT(complaint("[structure]\nmass = \"M\"\n"), StartsWith("m.toml:1:1: [structure] needs 'stiffness'"));
}

// Tables inside tables would be taken down by recursion.
TEST(ModelShape, KeysWithMillionsOfParts) {
  const std::string model = "\n[coordinates]\nx = 1" + energy;
  std::string parts, quoted;
  for (int k = 0; k < 1'000'000; ++k) {
    parts += "a.";
    if (k % 2) quoted += "'a'\t. \"b\" .";
  }
  const char* const message = "a key with more than 32 parts";
  EXPECT_THAT(complaint(parts + "a = 1" + model), StartsWith(fmt::format("m.toml:1:64: {}", message)));
  EXPECT_THAT(complaint("title = \"\"\"\n\\\"\"\"\"\"\n[" + parts + "a]" + model),
              StartsWith(fmt::format("m.toml:3:65: {}", message)));
  EXPECT_THAT(complaint("a = { " + quoted + "a = 1 }" + model), HasSubstr(message));
  expect_complaints({{"title = \"" + parts + "\"", fine},
                     {"title = '''\n" + parts + "'''", fine},
                     {"title = \"\"\"\\\"" + parts + "\"\"\"\"", fine},
                     {"title = 'a\\' # \"" + parts, fine}},
                    "", model);
}

// A table beside the model, and what its columns may not be.
TEST(ModelShape, TablesOfSets) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "model_shape_tables";
  std::filesystem::create_directories(folder);
  const auto said = [&](const std::string& csv, const std::string& set) -> std::string {
    std::ofstream(folder / "atoms.csv") << csv;
    std::ofstream(folder / "m.toml") << "[sets]\natom = " << set
                                     << "\n[coordinates]\nx = { over = \"atom\", start = \"2*m\" }\n[[potential]]\n"
                                        "over = \"atom\"\nenergy = \"x[atom]^2\"\n";
    try {
      const State start = load_model(folder / "m.toml").problem->initial_state();
      return fmt::format("{}", fmt::join(start.q(), " "));
    } catch (const ModelError& e) {
      const std::string text = e.what(), before = folder.string() + "/";
      return text.starts_with(before) ? text.substr(before.size()) : text;
    }
  };
  EXPECT_EQ(said("m,c\n1,0\n2.5,0\n", "{ file = \"atoms.csv\", k = \"m\", i = [0, 1] }"), "2 5");
  EXPECT_THAT(said("m\n1\n2\n", "{ file = \"atoms.csv\", i = [0] }"),
              StartsWith("m.toml:2:30: this list has 1 numbers and atoms.csv has 2 rows"));
  EXPECT_THAT(said("m\n1\n2\n", "{ file = \"atoms.csv\", m = 1 }"),
              StartsWith("m.toml:2:30: the name 'm' is already taken"));
  EXPECT_THAT(said("m,x\n1,2\n", "{ file = \"atoms.csv\" }"),
              StartsWith("atoms.csv: the name of the column 'x' is already taken in "));
  EXPECT_THAT(said("m\n1\nu\n", "{ file = \"atoms.csv\" }"),
              StartsWith("atoms.csv:3:1: 'u' in column 'm' is no number"));
  EXPECT_THAT(said("m\n1\n", "{ file = \"atom.csv\" }"), StartsWith("m.toml:2:17: there is no file 'atom.csv'"));
  std::filesystem::remove_all(folder);
}

// Checks take time in proportion to the file, whatever it names.
TEST(ModelShape, HugeFilesAreCheckedInProportionToTheirSize) {
  const auto many_forces = [](int count) {
    std::string forces = "[coordinates]\n";
    for (int k = 0; k < count; ++k) forces += fmt::format("x{} = 1\n", k);
    for (int k = 0; k < count; ++k) forces += fmt::format("[[force]]\non = \"x{}\"\nvalue = 1\n", k);
    return forces + "[[force]]\non = \"y\"\nvalue = 1\n";
  };
  const auto long_names = [](std::size_t length) {
    const std::string name(length, 'a');
    return "[sets]\n" + name + "b = 1\n[coordinates]\nx = { start = 1, over = \"" + name + "\" }\n" + energy;
  };
  const auto cost = [](const std::string& text) { return heap_bytes([&] { EXPECT_NE(complaint(text), "no error"); }); };
  EXPECT_LE(cost(many_forces(5000)), 4 * 2 * cost(many_forces(1250)));
  EXPECT_LE(cost(long_names(2'000'000)), 4 * 2 * cost(long_names(500'000)));
}
}  // namespace
