// SPDX-License-Identifier: BSD-3-Clause
// Messages about model files whose sections have a wrong shape or do not fit each other.
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "trill/model/text_problem.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;

std::string complaint(const std::string& text) {
  try {
    read_model("m.toml", text);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

// The shape of a file is right if the only complaint is about a missing part of trill or about the files that it
// names.
const std::vector<std::string> fine;
bool is_fine(const std::string& said) { return said == "no error" || said.find("other files") != std::string::npos; }

using Table = std::vector<std::pair<std::string, std::vector<std::string>>>;
void expect_complaints(const Table& table, const std::string& before, const std::string& after) {
  for (const auto& [text, told] : table) {
    const std::string said = complaint(before + text + after);
    if (told.empty())
      EXPECT_TRUE(is_fine(said)) << said;
    else
      EXPECT_THAT(said, tells(told)) << before << text << after;
  }
}

const std::string energy = "\n[[potential]]\nenergy = \"x^2\"\n";

TEST(ModelShape, Top) {
  expect_complaints({{"equations = 1", {"m.toml:1:13", "'equations'", "text"}},
                     {"time_unit = 's,'", {"m.toml:1:13", "'time_unit'", "commas"}},
                     {"time_unit = ['s']", {"m.toml:1:13", "'time_unit'", "text"}},
                     {"timeunit = 's'", {"m.toml:1:1", "'timeunit'", "'time_unit'", "key"}},
                     {"zebra = 1\nant = 2", {"m.toml:1:1", "'zebra'", "key"}},
                     {"mass = 2", {"m.toml:1:1", "mass"}},
                     {"set.n = 3", {"m.toml:1:1", "'set'", "'sets'", "key"}},
                     {"sets = 3", {"m.toml:1:8", "'sets'", "[sets]", "section"}},
                     {"event = 3", {"m.toml:1:9", "[[event]]", "brackets"}},
                     {"kinetic = [3]", {"m.toml:1:12", "'kinetic'", "[[kinetic]]", "sections"}}},
                    "", "\n[coordinates]\nx = 1" + energy);
}

TEST(ModelShape, Parameters) {
  expect_complaints({{"k = { value = 1, mn = 0 }", {"m.toml:2:18", "'k'", "'mn'", "'min'", "key"}},
                     {"k = { value = 1, min = \"0\" }", {"m.toml:2:25", "'min'", "number"}},
                     {"k = { value = 1, max = inf }", {"m.toml:2:24", "'max'", "finite"}},
                     {"k = { value = -0.5, min = 0 }", {"m.toml:2:15", "'k'", ">= 0", "range"}},
                     {"k = { value = 2, min = 0, max = 1.5 }", {"m.toml:2:15", "'k'", "[0, 1.5]", "range"}},
                     {"k = { value = 0, above = 0 }", {"m.toml:2:15", "'k'", "> 0", "range"}},
                     {"k = { value = 1, above = 1, max = 1 }", {"m.toml:2:1", "'k'", "above = 1", "max = 1"}},
                     {"k = { value = 1.5, whole = true }", {"m.toml:2:15", "'k'", "whole"}},
                     {"k = { value = 1, min = 0, above = 0 }", {"m.toml:2:35", "'min'", "'above'"}},
                     {"k = { value = 1, min = 2, max = 1 }", {"m.toml:2:1", "'k'", "min = 2", "max = 1"}},
                     {"k = { value = 1, min = 1, max = 1 }", fine},
                     {"k = [1, 2]", {"m.toml:2:5", "'k'", "number"}}},
                    "[parameters]\n", "\n[coordinates]\nx = 1" + energy);
}

TEST(ModelShape, Sets) {
  expect_complaints({{"bond = 3", fine},
                     {"bond = \"2*n\"", fine},
                     {"bond = { size = \"n\", k = \"100 + bond\", len = 1.0 }", fine},
                     {"bond = { i = [0, 1], j = [1, 2], k = \"2*i\" }", fine},
                     {"bond = { i = [] }", fine},
                     {"bond = { file = \"bonds.csv\", k = 2 }", fine},
                     {"bond = { file = \"bonds.csv\", k = [1, 2] }", fine},
                     {"bond = 3.5", {"m.toml:2:8", "'bond'", "whole"}},
                     {"bond = -1", {"m.toml:2:8", "'bond'", "whole"}},
                     {"bond = true", {"m.toml:2:8", "'bond'", "number"}},
                     {"bond = [1, 2]", {"m.toml:2:8", "'bond'", "number"}},
                     {"bond = {}", {"m.toml:2:1", "'bond'", "size", "file", "list"}},
                     {"bond = { k = 2 }", {"m.toml:2:1", "'bond'", "size", "file", "list"}},
                     {"bond = { size = 2, i = [0, 1] }", {"m.toml:2:17", "number"}},
                     {"bond = { size = \"n\", file = \"b.csv\" }", {"m.toml:2:18", "number"}},
                     {"bond = { file = 1 }", {"m.toml:2:17", "'file'", "text"}},
                     {"bond = { i = [0, 1], k = 1, j = [1] }", {"m.toml:2:29", "'i'", "'j'", "2", "1", "set"}},
                     {"bond = { i = [0, \"1\"] }", {"m.toml:2:18", "'i'", "finite"}},
                     {"bond = { i = [0, nan] }", {"m.toml:2:18", "'i'", "finite"}},
                     {"bond = { i = [[0]] }", {"m.toml:2:15", "'i'", "finite"}},
                     {"bond = { i = true }", {"m.toml:2:14", "'i'", "number"}},
                     {"bond = { i = [0], \"2k\" = 1 }", {"m.toml:2:19", "'2k'", "name"}},
                     {"bond = { i = [0], t = 1 }", {"m.toml:2:19", "'t'", "name"}},
                     {"bond = { i = [0], bond = 1 }", {"m.toml:2:19", "'bond'", "name"}},
                     {"bond = { i = [0], x = 1 }", {"m.toml:2:19", "'x'", "name"}},
                     {"bond = { i = [0], vx = 1 }", {"m.toml:2:19", "'vx'", "name"}},
                     {"bond = { i = [0], i = [1] }", {"m.toml:2:23", "redefine"}},
                     {"x = 3", {"m.toml:4:1", "'x'", "name"}},
                     {"vx = 3", {"m.toml:4:1", "'x'", "'vx'", "velocity of"}},
                     {"sin = 3", {"m.toml:2:1", "'sin'", "name"}}},
                    "[sets]\n", "\n[coordinates]\nx = 1" + energy + "[parameters]\nn = 2\n");
}

TEST(ModelShape, Coordinates) {
  expect_complaints(
      {{"r = { over = \"atom\", point = 3, start = [0, 1, \"2\"], velocity = [0, 0, 1], mass = \"2 + atom\" }", fine},
       {"r = { over = \"atom\", start = \"atom\", exact = \"atom\" }", fine},
       {"r = { over = \"atm\", start = 0 }", {"m.toml:4:14", "'atm'", "'atom'", "set"}},
       {"r = { over = 3, start = 0 }", {"m.toml:4:14", "'over'", "text"}},
       {"r = { over = \"a b\", start = 0 }", {"m.toml:4:14", "'over'", "name"}},
       {"r = { point = 4, start = 0 }", {"m.toml:4:15", "'point'", "2", "3"}},
       {"r = { point = 2.0, start = [0, 0] }", {"m.toml:4:15", "'point'", "2", "3"}},
       {"r = { start = [0, 0] }", {"m.toml:4:15", "'start'", "2", "point"}},
       {"r = [0, 0]", {"m.toml:4:5", "'start'", "2", "point"}},
       {"r = { point = 2, start = 0 }", {"m.toml:4:26", "'start'", "2", "list"}},
       {"r = { point = 2, start = \"0\" }", {"m.toml:4:27", "'start'", "2", "list"}},
       {"r = { point = 2, start = [0, 0, 0] }", {"m.toml:4:26", "'start'", "2", "list"}},
       {"r = { point = 2, start = [0, 0, 0, 0] }", {"m.toml:4:26", "'start'", "4", "2", "3", "parts"}},
       {"r = { point = 2, start = [0, [0]] }", {"m.toml:4:30", "'start'", "number"}},
       {"r = { point = 2, start = [0, 0], velocity = 0 }", {"m.toml:4:45", "'velocity'", "2", "list"}},
       {"r = { point = 3, start = [0, 0, 0], exact = [0, 0] }", {"m.toml:4:45", "'exact'", "3", "list"}},
       {"r = { point = 2, start = [0, 0], mass = [1, 1] }", {"m.toml:4:41", "'mass'", "number"}}},
      "[sets]\natom = 3\n[coordinates]\n", "\n[[potential]]\nenergy = \"1\"\n");
}

TEST(ModelShape, Terms) {
  expect_complaints(
      {{"[[potential]]\nenergy = 1\nover = \"atm\"", {"m.toml:9:8", "'atm'", "'atom'", "set"}},
       {"[[stiff]]\ngap = \"x\"\nstiffness = 1\nover = \"atm\"", {"m.toml:10:8", "'atm'", "set"}},
       {"[[force]]\non = \"x\"\nvalue = 1\nover = \"atm\"", {"m.toml:10:8", "'atm'", "set"}},
       {"[[constraint]]\nequation = \"x\"\nover = \"atm\"", {"m.toml:9:8", "'atm'", "set"}},
       {"[[kinetic]]\nenergy = \"x\"\nover = \"atm\"", {"m.toml:9:8", "'atm'", "set"}},
       {"[[measure]]\nname = \"m\"\nvalue = 1\nover = \"atm\"", {"m.toml:10:8", "'atm'", "set"}},
       {"[derived]\nd = { over = \"atm\", value = 1 }", {"m.toml:8:14", "'atm'", "set"}},
       {"[derived]\nd = { over = \"atom\" }", {"m.toml:8:1", "'d'", "'value'", "needs"}},
       {"[derived]\nd = { over = \"atom\", value = 1, unit = \"m\" }", {"m.toml:8:33", "'d'", "'unit'", "key"}},
       {"[[kinetic]]\nenrgy = 1", {"m.toml:7:1", "'energy'", "[[kinetic]]", "needs"}},
       {"[[kinetic]]\nenergy = 1\ngroup = \"a\"", {"m.toml:9:1", "'group'", "[[kinetic]]", "key"}},
       {"[[potential]]\nenergy = [1, 2]", {"m.toml:8:10", "'energy'", "number"}},
       {"[[potential]]\nenergy = 1\ngroup = \"a b\"", {"m.toml:9:9", "'group'", "name"}},
       {"[[measure]]\nname = \"\"\nvalue = 1", {"m.toml:8:8", "commas"}},
       {"[[measure]]\nname = \"a\"\nvalue = 1\nunit = \"m,s\"", {"m.toml:10:8", "'unit'", "commas"}},
       {"[[measure]]\nname = \"a\"\nvalue = 1\n[[measure]]\nname = \"a\"\nvalue = 1",
        {"m.toml:11:8", "'a'", "measure"}}},
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
       {force("z", "1"), {"m.toml:9:6", "'z'", "coordinate"}},
       {force("q[0]", "1"), {"m.toml:9:6", "'q'", "coordinate"}},
       {force("", "1"), {"m.toml:9:6", "''", "coordinate"}},
       {force("x + 1", "1"), {"m.toml:9:6", "'x + 1'", "coordinate"}},
       {force("y[0", "1"), {"m.toml:9:6", "'y[0'", "coordinate"}},
       {force("y[0]*2", "1"), {"m.toml:9:6", "'y[0]*2'", "coordinate"}},
       {force("r[0].w", "1"), {"m.toml:9:6", "'r.w'", "'r'", "coordinate"}},
       {force("x[0]", "1"), {"m.toml:9:6", "'x'", "index"}},
       {force("y", "1"), {"m.toml:9:6", "'y'", "'atom'", "[...]", "set"}},
       {force("y[0].x", "1"), {"m.toml:9:6", "'y'", "parts"}},
       {force("r[0].z", "1"), {"m.toml:9:6", "'r'", "2", "parts", ".z"}},
       {force("r[0]", "1"), {"m.toml:10:9", "'value'", "2", "list"}},
       {force("r[0]", "[1, 2, 3]"), {"m.toml:10:9", "'value'", "2", "list"}},
       {force("r[0].x", "[1, 2]"), {"m.toml:10:9", "'value'", "point"}},
       {force("x", "[1, 2]"), {"m.toml:10:9", "'value'", "point"}}},
      "[sets]\natom = 3\n[coordinates]\nx = 1\ny = { over = \"atom\", start = 1 }\n"
      "r = { over = \"atom\", start = [1, 2], point = 2 }\np = { start = [1, 2, 3], point = 3 }\n[[force]]\n",
      "[parameters]\nn = 2\n");
}

TEST(ModelShape, Events) {
  expect_complaints({{"when = \"x\"\nstop = true", fine},
                     {"when = \"x\"\ndirection = -1\nthen = { vx = \"-0.8*vx\", tau = 0 }", fine},
                     {"when = \"x\"\nname = \"bounce\"\nthen = { x = 0 }\nstop = true", fine},
                     {"stop = true", {"m.toml:5:1", "'when'", "[[event]]", "needs"}},
                     {"when = \"x\"", {"m.toml:5:1", "'then'", "stop = true"}},
                     {"when = \"x\"\nstop = false", {"m.toml:5:1", "'then'", "stop = true"}},
                     {"when = \"x\"\nthen = {}", {"m.toml:5:1", "'then'", "stop = true"}},
                     {"when = \"x\"\nstop = 1", {"m.toml:7:8", "'stop'", "true", "false"}},
                     {"when = \"x\"\nstop = true\ndirection = 2", {"m.toml:8:13", "'direction'", "-1", "0", "1"}},
                     {"when = \"x\"\nstop = true\ndirection = \"up\"", {"m.toml:8:13", "'direction'", "-1", "0", "1"}},
                     {"when = \"x\"\nthen = \"stop\"", {"m.toml:7:8", "'then'", "table"}},
                     {"when = \"x\"\nthen = { x = [1, 2] }", {"m.toml:7:14", "'x'", "number"}},
                     {"when = \"x\"\nthen = { vxx = 1 }", {"m.toml:7:10", "'vxx'", "'vx'", "change"}},
                     {"when = \"x\"\nthen = { \"x + 1\" = 1 }", {"m.toml:7:10", "'x + 1'", "coordinate"}},
                     {"when = \"x\"\nthen = { \"x[0]\" = 1 }", {"m.toml:7:10", "'x'", "index"}},
                     {"when = \"x\"\nname = \"a,b\"\nstop = true", {"m.toml:7:8", "commas"}},
                     {"when = \"x\"\nstop = true\nname = \"a\"\n[[event]]\nwhen = \"x\"\nstop = true\nname = \"a\"",
                      {"m.toml:12:8", "'a'", "event"}},
                     {"when = \"x\"\nstop = true\nover = \"a\"", {"m.toml:8:1", "'over'", "[[event]]", "key"}}},
                    "[parameters]\ntau = 1\n[coordinates]\nx = 1\n[[event]]\n", energy);
  const std::string points = "[coordinates]\nr = { point = 2, start = [1, 2] }\n[[potential]]\nenergy = 1\n[[event]]\n";
  expect_complaints({{"then = { vr = 1 }", {"m.toml:7:10", "'vr'", "parts", "vr.x"}},
                     {"then = { \"r.z\" = 1 }", {"m.toml:7:10", "'r'", "2", "parts"}},
                     {"then = { \"vr.y\" = 1 }", fine}},
                    points + "when = \"t\"\n", "");
}

TEST(ModelShape, HeatBaths) {
  expect_complaints({{"friction = 1\ntemperature = \"2*3\"", fine},
                     {"friction = 1", {"m.toml:3:1", "'temperature'", "[heat_bath]", "needs"}},
                     {"friction = 1\ntemperature = 1\nseed = 1", {"m.toml:6:1", "'seed'", "[heat_bath]", "key"}}},
                    "[coordinates]\nx = 1\n[heat_bath]\n", energy);
  EXPECT_THAT(complaint("heat_bath = 1\n[coordinates]\nx = 1" + energy),
              tells({"m.toml:1:13", "'heat_bath'", "[heat_bath]", "section"}));
}

TEST(ModelShape, Rates) {
  const std::string rates = "[coordinates]\nx = 1\ny = 2\n[rate]\nx = \"y\"\ny = \"-x\"\n";
  expect_complaints({{"", fine},
                     {"z = 1", {"m.toml:7:1", "'z'", "'x'", "'y'", "coordinate"}},
                     {"[[potential]]\nenergy = 1", {"m.toml:8:10", "[[potential]]", "[rate]"}},
                     {"[[stiff]]\ngap = \"x\"\nstiffness = 1", {"m.toml:8:8", "[[stiff]]", "[rate]"}},
                     {"[[kinetic]]\nenergy = 1", {"m.toml:8:10", "[[kinetic]]", "[rate]"}},
                     {"[[force]]\non = \"x\"\nvalue = 1", {"m.toml:8:6", "[[force]]", "[rate]"}},
                     {"[[constraint]]\nequation = \"x\"", {"m.toml:8:13", "[[constraint]]", "[rate]"}},
                     {"[heat_bath]\nfriction = 1\ntemperature = 1", {"m.toml:8:12", "[heat_bath]", "[rate]"}},
                     {"[[event]]\nwhen = 1\nthen = { vx = 1 }", {"m.toml:9:10", "'vx'", "change"}},
                     {"[sets]\nvx = 1", fine}},
                    rates, "\n");
  expect_complaints({{"x = 1\ny = 2\n[rate]\nx = \"y\"", {"m.toml:3:1", "'y'", "rate"}},
                     {"x = { start = 1, velocity = 1 }\n[rate]\nx = 1", {"m.toml:2:29", "[rate]", "velocities"}},
                     {"x = { start = 1, mass = 1 }\n[rate]\nx = 1", {"m.toml:2:25", "[rate]", "masses"}},
                     {"x = 1\n[rate]\nx = [1, 2]", {"m.toml:4:5", "'x'", "rate", "point = 2"}},
                     {"x = { point = 2, start = [1, 2] }\n[rate]\nx = 1", {"m.toml:4:5", "'x'", "2", "rate"}},
                     {"x = 1\n[rate]\nx = { start = 1 }", {"m.toml:4:7", "'x'", "'start'"}}},
                    "[coordinates]\n", "\n");
}

TEST(ModelShape, Structures) {
  const std::string structure = "[structure]\nmass = \"M.mtx\"\nstiffness = \"K.mtx\"\n";
  expect_complaints(
      {{"", fine},
       {"damping = \"C.mtx\"\nload = { vector = \"f.mtx\", factor = \"sin(t)\" }\nstart = \"u\"\nvelocity = \"v\"",
        fine},
       {"load = { vector = \"f.mtx\" }\n[parameters]\na = 1\n[derived]\nb = \"2*a\"\n[run]\nto = 1", fine},
       {"load = \"f.mtx\"", {"m.toml:4:8", "'load'", "table"}},
       {"load = { factor = 1 }", {"m.toml:4:8", "'load'", "'vector'", "needs"}},
       {"load = { vector = \"f\", fctor = 1 }", {"m.toml:4:24", "'load'", "'fctor'", "'factor'", "key"}},
       {"damping = 0", {"m.toml:4:11", "'damping'", "text"}},
       {"dampin = \"\"", {"m.toml:4:1", "'dampin'", "'damping'", "[structure]", "key"}},
       {"[coordinates]\nx = 1", {"m.toml:5:1", "[coordinates]", "[structure]"}},
       {"[sets]\nn = 1", {"m.toml:5:1", "[sets]", "[structure]"}},
       {"[rate]\nx = 1", {"m.toml:5:1", "[rate]", "[structure]"}},
       {"[[event]]\nwhen = 1\nstop = true", {"m.toml:4:1", "[[event]]", "[structure]"}},
       {"[[measure]]\nname = \"a\"\nvalue = 1", {"m.toml:5:8", "[[measure]]", "[structure]"}},
       {"[[potential]]\nenergy = 1", {"m.toml:5:10", "[[potential]]", "[structure]"}}},
      structure, "\n");
  EXPECT_THAT(complaint("[structure]\nstiffness = \"K\"\n"), tells({"m.toml:1:1", "'mass'", "[structure]", "needs"}));
  EXPECT_THAT(complaint("[structure]\nmass = \"M\"\n"), tells({"m.toml:1:1", "'stiffness'", "[structure]", "needs"}));
}

// Deeply nested tables would be destroyed by recursion, which could overflow the stack.
TEST(ModelShape, KeysWithMillionsOfParts) {
  const std::string model = "\n[coordinates]\nx = 1" + energy;
  std::string parts, quoted;
  for (int k = 0; k < 1'000'000; ++k) {
    parts += "a.";
    if (k % 2) quoted += "'a'\t. \"b\" .";
  }
  EXPECT_THAT(complaint(parts + "a = 1" + model), tells({"m.toml:1:64", "key", "32 parts"}));
  EXPECT_THAT(complaint("title = \"\"\"\n\\\"\"\"\"\"\n[" + parts + "a]" + model),
              tells({"m.toml:3:65", "key", "32 parts"}));
  EXPECT_THAT(complaint("a = { " + quoted + "a = 1 }" + model), tells({"", "key", "32 parts"}));
  expect_complaints({{"title = \"" + parts + "\"", fine},
                     {"title = '''\n" + parts + "'''", fine},
                     {"title = \"\"\"\\\"" + parts + "\"\"\"\"", fine},
                     {"title = 'a\\' # \"" + parts, fine}},
                    "", model);
}

// A table in the folder of the model, and the names that its columns must not have.
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
              tells({"m.toml:2:30", "1 numbers", "atoms.csv", "2 rows"}));
  EXPECT_THAT(said("m\n1\n2\n", "{ file = \"atoms.csv\", m = 1 }"), tells({"m.toml:2:30", "'m'", "name"}));
  EXPECT_THAT(said("m,x\n1,2\n", "{ file = \"atoms.csv\" }"), tells({"atoms.csv", "'x'", "column", "m.toml"}));
  EXPECT_THAT(said("m\n1\nu\n", "{ file = \"atoms.csv\" }"), tells({"atoms.csv:3:1", "'u'", "'m'", "number"}));
  EXPECT_THAT(said("m\n1\n", "{ file = \"atom.csv\" }"), tells({"m.toml:2:17", "'atom.csv'", "file"}));
  std::filesystem::remove_all(folder);
}

// The time for checks is proportional to the size of the file, whatever it names.
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
