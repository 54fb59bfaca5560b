// SPDX-License-Identifier: BSD-3-Clause
// Tables in expressions: values, derivatives, corners at which steps end, and messages about files that are not
// tables.
#include "model/expression/lookup_table.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

double value_at(const LookupTable& table, double x, int derivative = 0) {
  return lookup_piece(table, x, std::floor(lookup_place(table, x)), derivative);
}

constexpr std::array uneven{-1.0, 0.0, 0.5, 2.0, 2.25, 4.0, 7.0};
double cubic(double x) { return 2 - x + 0.5 * x * x - 0.125 * x * x * x; }

TEST(LookupTable, LinearValuesLieOnTheLinesAndEndsAreHeld) {
  const std::array x{0.0, 1.0, 3.0}, y{1.0, 2.0, -2.0};
  const LookupTable table("f", x, y, Interpolation::linear);
  EXPECT_EQ(value_at(table, 0), 1);
  EXPECT_EQ(value_at(table, 0.25), 1.25);
  EXPECT_EQ(value_at(table, 1), 2);
  EXPECT_EQ(value_at(table, 2), 0);
  EXPECT_EQ(value_at(table, 3), -2);
  EXPECT_EQ(value_at(table, -100), 1);
  EXPECT_EQ(value_at(table, 100), -2);
  EXPECT_EQ(value_at(table, 2, 1), -2);
  EXPECT_EQ(value_at(table, 100, 1), 0);
  EXPECT_TRUE(std::isnan(value_at(table, NAN)));
}

TEST(LookupTable, TheCellOfAnEarlierPlaceGoesOnAsItWas) {
  const std::array x{0.0, 1.0, 3.0}, y{1.0, 2.0, -2.0};
  const LookupTable table("f", x, y, Interpolation::linear);
  EXPECT_EQ(lookup_piece(table, 1.5, 0, 0), 2.5);
  EXPECT_EQ(lookup_piece(table, 0.5, 1, 0), 3);
  EXPECT_EQ(lookup_piece(table, 0.5, -1, 0), 1);
}

// Not-a-knot splines reproduce cubics exactly, also on uneven points.
TEST(LookupTable, CubicInterpolationIsExactForCubics) {
  std::array<double, uneven.size()> y{};
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = cubic(uneven[i]);
  for (const std::size_t points : {4u, 5u, 7u}) {
    const LookupTable table("f", std::span(uneven).first(points), std::span(y).first(points), Interpolation::cubic);
    for (double x = -1; x < uneven[points - 1]; x += 0.0625) {
      EXPECT_NEAR(value_at(table, x), cubic(x), 1e-12) << x;
      EXPECT_NEAR(value_at(table, x, 1), -1 + x - 0.375 * x * x, 1e-12) << x;
      EXPECT_NEAR(value_at(table, x, 2), 1 - 0.75 * x, 1e-12) << x;
      EXPECT_NEAR(value_at(table, x, 3), -0.75, 1e-11) << x;
    }
  }
}

TEST(LookupTable, FewPointsGiveTheLineOrTheParabola) {
  const std::array x{0.0, 1.0, 3.0}, y{0.0, 1.0, 9.0};
  const LookupTable two("f", std::span(x).first(2), std::span(y).first(2), Interpolation::cubic);
  EXPECT_DOUBLE_EQ(value_at(two, 0.3), 0.3);
  const LookupTable three("f", x, y, Interpolation::cubic);
  for (const double at : {0.1, 0.9, 1.5, 2.9}) EXPECT_NEAR(value_at(three, at), at * at, 1e-14);
}

TEST(LookupTable, CubicInterpolationHasTwoContinuousDerivatives) {
  const std::array y{0.0, 1.0, -1.0, 0.5, 3.0, 0.0, 0.2};
  const LookupTable table("f", uneven, y, Interpolation::cubic);
  for (std::size_t i = 1; i + 1 < uneven.size(); ++i) {
    const auto cell = static_cast<double>(i);
    EXPECT_EQ(value_at(table, uneven[i]), y[i]);
    for (const int derivative : {0, 1, 2})
      EXPECT_NEAR(lookup_piece(table, uneven[i], cell - 1, derivative),
                  lookup_piece(table, uneven[i], cell, derivative), 1e-10)
          << "at " << uneven[i] << ", derivative " << derivative;
  }
}

class TableModel : public testing::Test {
 protected:
  TableModel()
      : folder_(fs::path(testing::TempDir()) /
                (std::string("tables_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("road.csv", "x [m],height [m]\n0,0\n1,0.1\n2,0.05\n3,0.3\n5,0.2\n8,0\n");
  }
  ~TableModel() override { fs::remove_all(folder_); }
  void write(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  TextModel load(const std::string& text) const {
    write("m.toml", text);
    return load_model(folder_ / "m.toml");
  }
  std::string said_about(const std::string& expression) const {
    try {
      load("[coordinates]\nx = 0.5\n[[potential]]\nenergy = '" + expression + "'\n");
    } catch (const UsageError& e) {
      const std::string whole = e.what(), folder = folder_.string() + "/";
      const std::string line = whole.substr(0, whole.find('\n'));
      return line.starts_with(folder) ? line.substr(folder.size()) : line;
    }
    return "no error";
  }
  Solution run(const std::string& text, double to, const char* method = "dop853", double rtol = 1e-10) const {
    write("m.toml", text);
    RunPlan plan;
    plan.model = (folder_ / "m.toml").string();
    plan.method = method;
    plan.rtol = rtol;
    plan.to = to;
    return prepare(plan).run();
  }

  fs::path folder_;
};

// Between (2, 0.05) and (3, 0.3) the road is 0.05 + 0.25 (x - 2).
TEST_F(TableModel, ForcesOfEnergiesAreTheirGradients) {
  const TextModel model =
      load("[coordinates]\nx = 2.5\ny = 1\n[[potential]]\nenergy = '50*(y - table(\"road.csv\", x))^2'\n");
  const Vec q = model.problem->initial_state().q(), v = Vec::Zero(2);
  const double gap = 1 - (0.05 + 0.25 * 0.5);
  const Vec f = testing_models::force_of(testing_models::mechanics(model), 0, q, v);
  EXPECT_NEAR(f[0], 100 * gap * 0.25, 1e-12);
  EXPECT_NEAR(f[1], -100 * gap, 1e-12);
  const Mat slopes =
      testing_models::dense(testing_models::jacobians_of(testing_models::mechanics(model), 0, q, v).by_position);
  EXPECT_NEAR(slopes(0, 0), -100 * 0.25 * 0.25, 1e-12);
  EXPECT_NEAR(slopes(0, 1), 100 * 0.25, 1e-12);
}

// x'' = f(t), where f is piecewise linear. The exact end follows by integrating each piece twice.
TEST_F(TableModel, StepsEndAtTheCornersOfAFunctionOfTime) {
  const std::array<double, 6> t{0, 1, 2, 3, 5, 8}, f{0, 0.1, 0.05, 0.3, 0.2, 0};
  double x = 0, v = 0;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    const double h = t[i + 1] - t[i];
    x += h * v + h * h * (2 * f[i] + f[i + 1]) / 6;
    v += h * (f[i] + f[i + 1]) / 2;
  }
  const double end = x + 2 * v;  // beyond the table its last value, zero, is used
  const Solution s = run("[coordinates]\nx = 0\n[[force]]\non = \"x\"\nvalue = 'table(\"road.csv\", t)'\n", 10);
  ASSERT_TRUE(s.ok());
  EXPECT_NEAR(s.y()(0, s.rows() - 1), end, 1e-12);
  for (const double corner : t) {
    const auto near = [&](double at) { return std::abs(at - corner) < 1e-14 * (1 + corner); };
    EXPECT_TRUE(std::any_of(s.t.begin(), s.t.end(), near)) << "no step ends at " << corner;
  }
}

// The energy is conserved although the force jumps at every corner of the road.
TEST_F(TableModel, EnergyIsKeptAcrossCorners) {
  for (const char* kind : {"linear", "cubic"}) {
    const Solution s =
        run(std::string("[coordinates]\nx = { start = -1, velocity = 2 }\ny = 0\n[[potential]]\nenergy = "
                        "'50*(y - table(\"road.csv\", x, \"") +
                kind + "\"))^2'\n",
            6);
    ASSERT_TRUE(s.ok());
    EXPECT_LT(s.drift("energy"), 2e-8) << kind;
    EXPECT_GT(s.y()(0, s.rows() - 1), 8) << "it has passed the road";
  }
}

TEST_F(TableModel, ManyPointsInOneStepAreNotPassedOver) {
  std::string fine = "x,y\n";
  for (int i = 0; i <= 1000; ++i) fine += std::to_string(0.01 * i) + "," + std::to_string(i % 2) + "\n";
  write("fine.csv", fine);
  // A sawtooth with 500 teeth. A body with the speed 2 passes over it in 5 s; the mean force is 1/2.
  const Solution s =
      run("[coordinates]\nx = { start = 0, velocity = 2 }\ny = 0\n[[force]]\non = \"y\"\nvalue = 'table(\"fine.csv\", "
          "x)'\n",
          5, "dop853", 1e-8);
  ASSERT_TRUE(s.ok());
  EXPECT_NEAR(s.y()(1, s.rows() - 1), 0.5 * 5 * 5 / 2, 1e-4);
}

TEST_F(TableModel, TheColumnIsChosenByItsName) {
  write("two.csv", "# a comment\nt,\"left wheel\",right\n0,1,2\n1,3,4\n");
  const TextModel model = load(
      "[coordinates]\nx = 0.5\n[[force]]\non = \"x\"\nvalue = \"table('two.csv', x, 'right') + 10*table('two.csv', x, "
      "'cubic', 'left wheel')\"\n");
  EXPECT_NEAR(testing_models::force_of(testing_models::mechanics(model), 0, model.problem->initial_state().q(),
                                       Vec::Zero(1))[0],
              3 + 20, 1e-14);
  EXPECT_THAT(said_about("table(\"two.csv\", x)"),
              AllOf(HasSubstr("m.toml:4:"), HasSubstr("'two.csv' has 3 columns; say which one has the values")));
  EXPECT_THAT(said_about("table(\"two.csv\", x, \"rigth\")"),
              HasSubstr("no column 'rigth' of values; did you mean 'right'"));
}

TEST_F(TableModel, MistakesAreShownWithFileAndLine) {
  write("hole.csv", "x,y\n0,1\n1,\n2,3\n");
  write("back.csv", "x,y\n0,1\n2,1\n1,3\n");
  write("one.csv", "x\n0\n1\n");
  write("short.csv", "x,y\n0,1\n");
  write("bare.csv", "0,1\n1,2\n");
  write("binary.csv", std::string("\x89PNG\r\n\x1a\n\0\0", 10));
  write("huge.csv", "x,y\n0,-1e308\n1e-300,1e308\n");
  EXPECT_THAT(said_about("table(\"none.csv\", x)"), AllOf(HasSubstr("m.toml:4:"), HasSubstr("no file 'none.csv'")));
  EXPECT_THAT(said_about("table(\"../m.csv\", x)"), HasSubstr("leaves the folder"));
  EXPECT_THAT(said_about("table(\"/etc/passwd\", x)"), HasSubstr("absolute path"));
  EXPECT_EQ(said_about("table(\"hole.csv\", x)"),
            "hole.csv:3:3: this cell of column 'y' is empty; a number was expected");
  EXPECT_EQ(said_about("table(\"back.csv\", x)"),
            "back.csv:4: column 'x': 1 comes after 2; the places in the first column must ascend");
  EXPECT_THAT(said_about("table(\"one.csv\", x)"), HasSubstr("has one column; a table needs two"));
  EXPECT_THAT(said_about("table(\"short.csv\", x)"), HasSubstr("has 1 row of numbers; a table needs at least two"));
  EXPECT_THAT(said_about("table(\"bare.csv\", x)"), HasSubstr("bare.csv:1:1: the first line must have the names"));
  EXPECT_THAT(said_about("table(\"binary.csv\", x)"), HasSubstr("binary.csv:"));
  EXPECT_THAT(said_about("table(\"huge.csv\", x)"), HasSubstr("too large or too close"));
  EXPECT_THAT(said_about("table(x, \"road.csv\")"),
              HasSubstr("the name of a file in quotes was expected here, not 'x'"));
  EXPECT_THAT(said_about("table(\"road.csv\")"), HasSubstr("the place in the table were expected"));
  EXPECT_THAT(said_about("table(\"road.csv, x)"), HasSubstr("has no closing quote"));
  EXPECT_THAT(said_about("table(\"road.csv\", x, cubic)"), HasSubstr("\"linear\", \"cubic\" or the name of a column"));
}

TEST_F(TableModel, AModelWithoutAFolderHasNoTables) {
  EXPECT_THAT(testing_models::complaint("[coordinates]\nx = 0\n[[potential]]\nenergy = 'table(\"road.csv\", x)'\n"),
              HasSubstr("only a model that is read from a file can name other files"));
}

TEST_F(TableModel, WhatWasReadIsPartOfTheModel) {
  const TextModel model = load("[coordinates]\nx = 0\n[[potential]]\nenergy = 'table(\"road.csv\", x)'\n");
  EXPECT_EQ(model.inputs.count("road.csv"), 1u);
}

TEST_F(TableModel, CompiledAndInterpretedRunsGiveTheSameBits) {
  write("m.toml",
        "[sets]\nmass = 20\n[coordinates]\nx = { over = \"mass\", start = \"0.4*mass\", velocity = 1 }\ny = 0\n"
        "[[potential]]\nover = \"mass\"\nenergy = '(y - table(\"road.csv\", x[mass], \"cubic\"))^2'\n"
        "[[force]]\non = \"y\"\nvalue = 'table(\"road.csv\", t)'\n");
  std::array<Vec, 2> ends;
  for (const bool native : {false, true}) {
    RunPlan plan;
    plan.model = (folder_ / "m.toml").string();
    plan.method = "verlet";
    plan.h = 0.01;
    plan.to = 3;
    plan.native = native ? Native::always : Native::never;
    const Solution s = prepare(plan).run();
    ASSERT_TRUE(s.ok());
    ends[native] = s.y().col(s.rows() - 1);
  }
  EXPECT_EQ(ends[0], ends[1]);
}
}  // namespace
