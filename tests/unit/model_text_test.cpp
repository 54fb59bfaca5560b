// SPDX-License-Identifier: BSD-3-Clause
// Text models, compared with the same models written in C++ (twins), and messages about wrong files.
#include "support/allocation_count.hpp"
#include "support/equal_mechanics.hpp"
#include "support/mentions.hpp"
#include "support/twins/twins.hpp"
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/mechanical.hpp"

#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;
using namespace trill::test;

const std::filesystem::path two_springs = std::filesystem::path(TRILL_SOURCE_DIR) / "examples/two_springs.toml";

const char* const rigid = R"toml(
[parameters]
theta0 = 0.0
omega0 = 0.0
[coordinates]
x = { start = "cos(theta0)", velocity = "-omega0*sin(theta0)" }
y = { start = "sin(theta0)", velocity = "omega0*cos(theta0)" }
[[potential]]
energy = "-y"
group = "gravity"
[[constraint]]
equation = "sqrt(x^2 + y^2) - 1"
)toml";

std::unique_ptr<Problem> twin_of(const char* name, const OptionSet& given = {}) {
  return twins().find(name).make(given);
}

TEST(TextModels, TwoSpringsEqualTheirTwin) {
  const TextModel model = load_model(two_springs);
  EXPECT_EQ(model.info.title, "Two masses on a soft and a stiff spring");
  EXPECT_EQ(model.info.reference, "SAT09 sec. 4");
  EXPECT_EQ(model.info.name, "two_springs");
  const auto twin = twin_of("two_springs");
  expect_equal(model.problem->initial_state().y, twin->initial_state().y, "start");
  expect_equal_mechanics(*model.problem, *twin);
  expect_equal_mechanics(*model.problem->clone(), *twin);
  expect_equal_mechanics(*load_model(two_springs, {{"omega2", "50"}}).problem,
                         *twin_of("two_springs", {{"omega2", "50"}}));
}

TEST(TextModels, AWholeRunEqualsThatOfTheTwin) {
  RunPlan plan;
  plan.method = "dopri5";
  plan.to = 1.0;
  plan.rtol = 1e-9;
  const Vec text = end_of(load_model(two_springs).problem, plan), twin = end_of(twin_of("two_springs"), plan);
  expect_equal(text, twin, "end", 1e-9);
}

TEST(TextModels, RigidPendulumEqualsItsTwinUnderRattle) {
  const OptionSet moving{{"theta0", "0.4"}, {"omega0", "-1.5"}};
  TextModel model = read_model("rigid.toml", rigid, moving);
  const auto twin = twin_of("rigid", moving);
  EXPECT_EQ(model.info.run.method, "");
  expect_equal(model.problem->initial_state().y, twin->initial_state().y, "start with its tension");
  expect_equal_mechanics(*model.problem, *twin);
  RunPlan plan;
  plan.method = "rattle";
  plan.to = 5.0;
  plan.h = 0.01;
  expect_equal(end_of(std::move(model.problem), plan), end_of(twin_of("rigid", moving), plan), "end", 1e-9);
}

TEST(TextModels, ForcesMassesAndMeasures) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.c = 0.5
[coordinates]
x = { start = 1, mass = 2, unit = "m" }
y = 3
[[potential]]
energy = "x*y"
[[force]]
on = "y"
value = "-c*vy + x^2*sin(t)"
group = "drag"
[[measure]]
name = "power"
value = "c*vy^2"
unit = "W"
)toml");
  const MechanicalProblem& p = mechanics(*model.problem);
  EXPECT_EQ(p.mass_kind(), MassKind::diagonal);
  ASSERT_EQ(p.groups().size(), 2u);
  EXPECT_TRUE(p.velocity_dependent(all_groups));
  EXPECT_FALSE(p.velocity_dependent(1));
  EXPECT_FALSE(p.potential(all_groups, 0, Vec::Zero(2)));
  const Vec q{{2, 3}}, v{{1, 4}};
  Vec f(2);
  p.force(all_groups, 0.5, q, v, f);
  EXPECT_DOUBLE_EQ(f[0], -3);
  EXPECT_DOUBLE_EQ(f[1], -2 - 2 + 4 * std::sin(0.5));
  MatrixSlot dq = p.stiffness_pattern(), dv = p.damping_pattern();
  p.force_jacobian(all_groups, 0.5, q, v, dq, dv);
  EXPECT_DOUBLE_EQ(dq.value(0, 1), -1);
  EXPECT_DOUBLE_EQ(dq.value(1, 0), -1 + 4 * std::sin(0.5));
  EXPECT_DOUBLE_EQ(dv.value(1, 1), -0.5);
  State s = p.initial_state();
  s.v() = v;
  Vec measured(2);
  p.measure(s, measured);
  EXPECT_DOUBLE_EQ(measured[0], 0.5 * (2 * 1 + 16) + 3);
  EXPECT_DOUBLE_EQ(measured[1], 8);
  EXPECT_EQ(p.quantities()[1].unit, "W");
}

TEST(TextModels, AMovingConstraintHasItsTimeDerivatives) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = { start = 1, velocity = 2 }
y = 1
[[constraint]]
equation = "x*y - 1 - 2*t + t^2*x"
)toml");
  const ConstraintMap& map = *mechanics(*model.problem).constraints();
  const Vec q{{3, 4}}, v{{5, 6}};
  Vec out(1);
  map.time_derivative(0.5, q, out);
  EXPECT_DOUBLE_EQ(out[0], -2 + 2 * 0.5 * 3);
  map.curvature(0.5, q, v, out);
  EXPECT_DOUBLE_EQ(out[0], 2 * 5 * 6 + 2 * (2 * 0.5) * 5 + 2 * 3);
}

std::string complaint(const std::string& text, const OptionSet& given = {}) {
  try {
    read_model("m.toml", text, given);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

const std::string head = "[coordinates]\nx = 1\ny = 2\n";

TEST(TextModelErrors, ShowTheExactPlace) {
  EXPECT_EQ(complaint(head + "[[potential]]\nenergy = \"x^2 + z\"\n"),
            "m.toml:5:17: unknown name 'z'; did you mean 'x' or 'y' or 't'?\n"
            "  energy = \"x^2 + z\"\n"
            "                  ^");
  EXPECT_EQ(complaint(head + "[[potential]]\nenergy = \"\"\"\nx^2 +\n  * y\"\"\"\n"),
            "m.toml:7:3: a number, a name or '(' was expected here, not '*'\n"
            "    * y\"\"\"\n"
            "    ^");
  EXPECT_THAT(complaint(head + "[[potential]]\nenergy = \"x \\u002b+\"\n"), tells({"m.toml:5:10", "number"}));
  EXPECT_EQ(complaint(head + "[[potential]]\nenrgy = \"x^2\"\n"),
            "m.toml:4:1: [[potential]] needs 'energy'\n  [[potential]]\n  ^");
}

TEST(TextModelErrors, SayWhatIsWrong) {
  const std::string energy = "[[potential]]\nenergy = \"x^2\"\n";
  const std::pair<std::string, std::vector<std::string>> table[] = {
      {"", {"m.toml", "[coordinates]"}},
      {head, {"m.toml", "[[potential]]", "[[force]]"}},
      {"[coordinates\nx = 1", {"m.toml:1:13"}},
      {head + energy + "titel = 1", {"m.toml:6:1", "'titel'", "[[potential]]", "key"}},
      {"titel = \"x\"\n" + head + energy, {"m.toml:1:1", "'titel'", "'title'", "key"}},
      {"[unknowns]\nx = 1\n", {"m.toml:1:2", "[coordinates]", "[rate]"}},
      {"[planets]\nx = 1\n" + head + energy, {"m.toml:1:2", "'planets'", "known names", "potential", "rate"}},
      {"[coordinates]\nx = { strat = 1 }\n" + energy, {"m.toml:2:7", "'x'", "'strat'", "'start'", "key"}},
      {"[coordinates]\nx = { velocity = 1 }\n" + energy, {"m.toml:2:1", "'x'", "'start'", "needs"}},
      {"[coordinates]\nx = { start = 1, over = \"atom\" }\n" + energy, {"m.toml:2:25", "'atom'", "set"}},
      {"[coordinates]\nx = true\n" + energy, {"m.toml:2:5", "'x'", "expression in quotes"}},
      {"[coordinates]\nsin = 1\n" + energy, {"m.toml:2:1", "'sin'", "name"}},
      {"[coordinates]\nx = 1\nvx = 1\n" + energy, {"m.toml:2:1", "'x'", "'vx'", "velocity of"}},
      {"[parameters]\nx = 1\n" + head + energy, {"m.toml:4:1", "'x'", "name"}},
      {"[parameters]\nk = \"2*3\"\n" + head + energy, {"m.toml:2:6", "number", "[derived]"}},
      {"[parameters]\nk = inf\n" + head + energy, {"m.toml:2:5", "'k'", "finite"}},
      {"[coordinates]\nx = { start = 1, mass = -1 }\n" + energy, {"m.toml:2:25", "-1", "negative"}},
      {"[coordinates]\nx = \"1/0\"\n" + energy, {"m.toml:2:6", "start", "inf"}},
      {"[coordinates]\nx = 1\ny = \"2*x\"\n" + energy, {"m.toml:3:6", "start", "parameters"}},
      {head + "[potential]\nenergy = \"x^2\"", {"m.toml:4:1", "[[potential]]", "brackets"}},
      {head + "[[potential]]\nenergy = \"1/(x - 1)\"", {"m.toml:5:11", "energy is inf"}},
      {head + "[[potential]]\nenergy = \"sqrt(abs(x - 1))\"", {"m.toml:5:11", "derivative"}},
      {head + "[[potential]]\nenergy = \"vx^2\"", {"m.toml:5:11", "velocities"}},
      {head + "[[stiff]]\ngap = \"(x - 1)^2\"\nstiffness = 1", {"m.toml:5:8", "gap", "gradient"}},
      {head + "[[stiff]]\ngap = \"x\"\nstiffness = \"-4\"", {"m.toml:6:14", "-4", "positive"}},
      {head + "[[force]]\non = \"xx\"\nvalue = 1", {"m.toml:5:6", "'xx'", "'x'", "'y'", "coordinate"}},
      {head + "[[constraint]]\nequation = \"x - 2\"", {"m.toml:5:13", "-1", "constraint"}},
      {head + "[[constraint]]\nequation = \"x - 1 + t\"", {"m.toml:5:13", "velocities", "constraint"}},
      {"[derived]\na = \"b + 1\"\nb = \"c\"\nc = \"2*a\"\n" + head + energy, {"m.toml:4:8", "a -> b -> c -> a"}},
      {"[run]\nh = 1\nrtol = 1\n" + head + energy, {"m.toml:3:8", "[run]", "h", "rtol"}},
      {"[run]\nto = \"-pi\"\n" + head + energy, {"m.toml:2:7", "end of the run", "positive"}},
      {"[[event]]\nwhen = \"t\"\n" + head + energy, {"m.toml:1:1", "'then'", "stop"}},
      {"a.\n" + head + energy, {"", "m.toml"}},
      {head + std::string("\0", 1), {"m.toml:4:1", "byte"}},
      {std::string(most_model_bytes + 1, '\n'), {"m.toml", "10000001", "bytes"}}};
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text.substr(0, 300);
}

TEST(TextModelErrors, ParametersFromOutside) {
  const std::string text = "[parameters]\nomega = 1\n" + head + "[[potential]]\nenergy = \"omega*x\"\n";
  EXPECT_EQ(complaint(text, {{"omega", "3"}}), "no error");
  EXPECT_THAT(complaint(text, {{"omgea", "3"}}), mentions("m.toml", "parameter", "'omgea'", "'omega'"));
  EXPECT_THAT(complaint(text, {{"omega", "3x"}}), mentions("m.toml", "'omega'", "number", "'3x'"));
  const std::string whole =
      "[parameters]\nn = { value = 2, whole = true, above = 1 }\n" + head + "[[potential]]\nenergy = \"n*x\"\n";
  EXPECT_EQ(complaint(whole, {{"n", "3"}}), "no error");
  EXPECT_THAT(complaint(whole, {{"n", "2.5"}}), mentions("m.toml", "'n'", "whole number", "'2.5'"));
  EXPECT_THAT(complaint(whole, {{"n", "1"}}), mentions("m.toml", "'n' = 1", "> 1"));
  EXPECT_THROW(load_model("/no/such/file.toml"), IoError);
  EXPECT_THROW(load_model("/"), IoError);
}

TEST(TextModelErrors, LongChainsOfNamesAndHugeModelsEndQuickly) {
  std::string chain = "[derived]\n";
  for (int k = 0; k < 5000; ++k) chain += fmt::format("a{} = \"a{} + 1\"\n", k, k + 1);
  EXPECT_THAT(complaint(chain + "a5000 = 1\n" + head + "[[potential]]\nenergy = \"a0\"\n"),
              tells({"", "200 expressions"}));
  const auto cost = [](const char* piece, std::size_t length) {
    std::string energy;
    while (energy.size() < length) energy += piece;
    return heap_bytes([&] { complaint(head + "[[potential]]\nenergy = \"" + energy + "x\"\n"); });
  };
  for (const char* piece : {"x+", "x*y*", "sin(x)*y-", "x/y/"})
    EXPECT_LE(cost(piece, 1'000'000), 4 * 2 * cost(piece, 250'000)) << piece;
}

TEST(TextModelErrors, NumbersAndSwitchesCostInProportionToTheirCount) {
  const auto cost = [](int count) {
    std::string energy;
    for (int k = 1; k < count; ++k) energy += fmt::format("max({}*x, {} - x) + ", k, k + 0.5);
    return heap_bytes(
        [&] { EXPECT_EQ(complaint(head + "[[potential]]\nenergy = \"" + energy + "x\"\n"), "no error"); });
  };
  EXPECT_LE(cost(3000), 4 * 2 * cost(750));
}

TEST(TextModelErrors, SmallFilesThatAskForHugeTablesAreRefusedBeforeTheyAreMade) {
  const std::string sets = "[sets]\na = 20000000\n", one = "[coordinates]\nx = 1\n";
  const std::pair<std::string, std::vector<std::string>> table[] = {
      {sets + "[coordinates]\nx = { over = \"a\", start = 1 }\n[[potential]]\nenergy = \"x[0]\"\n",
       {"m.toml:4:1", "tables", "160000000"}},
      {"[sets]\na = { size = 20000000, b = \"a\", c = \"b\", d = \"c\", e = 1 }\n" + one +
           "[[potential]]\nenergy = \"x\"\n",
       {"m.toml:2:51", "80000000", "tables"}},
      {sets + one +
           "[[stiff]]\nover = \"a\"\ngap = \"x\"\nstiffness = \"1 + a\"\n[[stiff]]\nover = \"a\"\ngap = "
           "\"x\"\nstiffness = \"2 + a\"\n",
       {"m.toml:12:14", "80000", "tables"}},
      {sets + one + "[[potential]]\nover = \"a\"\nenergy = \"sin(x)^3*cos(x)/a + exp(x/(1 + a))\"\n",
       {"m.toml:2:1", "operations"}}};
  for (const auto& [text, told] : table) {
    EXPECT_LE(heap_bytes([&] { EXPECT_THAT(complaint(text), tells(told)) << text; }), 1e9) << text;
  }
}

TEST(TextModelErrors, WhatIsFoundByLookingTwice) {
  const std::string energy = "[[potential]]\nenergy = \"x^2\"\n";
  const std::pair<std::string, std::vector<std::string>> table[] = {
      {"coordinates.x = { start = 1, exact = \"sin(t)\" }\n" + energy, {"", "closed form", "value 0", "1"}},
      {"coordinates.x = { start = 1, velocity = 2, exact = \"cos(t)\" }\n" + energy,
       {"", "closed form", "velocity 0", "2"}},
      {"coordinates.x = 1\n" + energy + "[[measure]]\nname = \"t\"\nvalue = \"x\"\n", {"m.toml:5:8", "measure", "'t'"}},
      {"coordinates.x = 1\n" + energy + "[[measure]]\nname = \"vx\"\nvalue = \"x\"\n",
       {"m.toml:5:8", "measure", "'vx'"}},
      {"sets.a = 2\ncoordinates.x = { over = \"a\", start = \"a\" }\n[[stiff]]\nover = \"a\"\n"
       "gap = \"x[a] - x[if(a == 0, 0, 1)]\"\nstiffness = 1\n",
       {"m.toml:5:8", "gap", "gradient", "element 0 of 'a'"}}};
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text;
  const auto warned = [](const std::string& text) { return read_model("m.toml", text).warnings; };
  EXPECT_THAT(warned("coordinates.x = 1\n[[kinetic]]\nenergy = \"if(x < 0, 2, 1)*vx^2/2\"\n" + energy),
              testing::Contains(tells({"line 3", "kinetic energy"})));
}

// Files may come from strangers. Whatever a changed byte does, a file is read or refused with a place or a reason.
TEST(TextModelErrors, MutatedFilesLoadOrAreRefused) {
  std::stringstream stream;
  stream << std::ifstream(two_springs).rdbuf();
  const std::string whole = stream.str();
  ASSERT_FALSE(whole.empty());
  std::mt19937_64 random(11);
  int loaded = 0;
  for (int k = 0; k < 3000; ++k) {
    std::string text = k % 2 ? whole : rigid;
    const auto at = [&] { return static_cast<std::size_t>(random() % text.size()); };
    if (k % 5 == 0) text.resize(at());
    for (int flips = k % 4; flips > 0 && !text.empty(); --flips) text[at()] = static_cast<char>(random() % 256);
    if (k % 7 == 0 && !text.empty()) text.erase(at(), random() % 20);
    if (k % 11 == 0 && !text.empty()) text.insert(at(), whole.substr(random() % whole.size(), random() % 30));
    try {
      read_model("m.toml", text);
      ++loaded;
    } catch (const ModelError& e) {
      EXPECT_THAT(e.what(), testing::StartsWith("m.toml:"));
    }
  }
  EXPECT_GT(loaded, 50);
}
}  // namespace
