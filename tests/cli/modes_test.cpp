// SPDX-License-Identifier: BSD-3-Clause
#include "tool.hpp"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;
using testing::HasSubstr;

// A cantilever with EI = rho A = L = 1 has omega_k = beta_k^2 with cos(beta) cosh(beta) = -1.
constexpr double cantilever[] = {3.516015268500, 22.03449156, 61.69721441};
}  // namespace

TEST(ModesCommand, CantileverByBothChecks) {
  for (const std::string check : {"deflation", "inertia"}) {
    const Ended ended = trill_in("", words_of("modes beam --param elements=60 --count 3 --json --check " + check));
    ASSERT_EQ(ended.code, 0) << ended.err;
    const json answer = json::parse(ended.out);
    EXPECT_EQ(answer["checked_by"], check);
    EXPECT_GT(answer["solves"], 0);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(answer["modes"][i]["omega"].get<double>() / cantilever[i], 1, 1e-6);
      EXPECT_LT(answer["modes"][i]["uncertainty"], 1e-6);
    }
  }
}

TEST(ModesCommand, ShapesAreScaledByTheMass) {
  const Directory directory;
  const Ended ended = trill_in(directory.path(), words_of("modes from_sets.toml --out shapes.csv"));
  EXPECT_EQ(ended.code, 3);  // the file of the model is missing, and nothing is written
  EXPECT_TRUE(directory.names().empty());

  write_text(directory / "pair.toml",
             "[coordinates]\na = { start = 0, mass = 2 }\nb = { start = 0, mass = 2 }\n"
             "[[potential]]\nenergy = \"a^2 + b^2 + (a - b)^2\"\n");
  const Ended pair = trill_in(directory.path(), words_of("modes pair.toml --out shapes.csv"));
  ASSERT_EQ(pair.code, 0) << pair.err;
  // K = [4 -2; -2 4] and M = 2 give omega^2 = 1 for (1, 1) and 3 for (1, -1). Each component is 1/2.
  EXPECT_THAT(pair.out, HasSubstr("1.73205081"));
  std::istringstream table(read_text(directory / "shapes.csv"));
  std::string header, first;
  std::getline(table, header);
  std::getline(table, first);
  EXPECT_EQ(header, "coordinate,omega=1,omega=1.73205081");
  double low = 0, high = 0;
  ASSERT_EQ(std::sscanf(first.c_str(), "a,%lf,%lf", &low, &high), 2) << first;
  EXPECT_NEAR(std::abs(low), 0.5, 1e-14);
  EXPECT_NEAR(std::abs(high), 0.5, 1e-14);
}

TEST(ModesCommand, TheReportDrawsTheShapes) {
  const Directory directory;
  const Ended ended =
      trill_in(directory.path(), words_of("modes membrane --param points=3 --count 4 --report shapes.html"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const json page = json::parse(page_data(directory / "shapes.html"));
  ASSERT_EQ(page["shapes"].size(), 4u);
  // With three points on a side of length 1, omega = 4 sqrt(8) sin(pi/8).
  EXPECT_EQ(page["shapes"][0]["title"], "Mode 1: omega = 4.32957");
  for (const json& shape : page["shapes"]) {
    EXPECT_EQ(shape["picture"]["frames"], 2);
    EXPECT_GT(shape["picture"]["numbers"], 0);
  }
  ASSERT_EQ(page["tables"].size(), 1u);
  EXPECT_EQ(page["tables"][0]["rows"].size(), 4u);

  write_text(directory / "files.toml", "[structure]\nmass = \"m.mtx\"\nstiffness = \"k.mtx\"\n");
  for (const char* name : {"m.mtx", "k.mtx"})
    write_text(directory / name, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n");
  const Ended none = trill_in(directory.path(), words_of("modes files.toml --report none.html"));
  ASSERT_EQ(none.code, 0) << none.err;
  const json without = json::parse(page_data(directory / "none.html"));
  EXPECT_TRUE(without["shapes"].empty());
  EXPECT_THAT(without["summary"].dump(), HasSubstr("does not say where its points are"));
  EXPECT_EQ(trill_in(directory.path(), words_of("modes files.toml --report k.mtx")).code, 2);
}

TEST(ModesCommand, RefusesWhatHasNoModes) {
  const Directory directory;
  write_text(directory / "hill.toml", "[coordinates]\na = 0\n[[potential]]\nenergy = \"-a^2\"\n");
  write_text(directory / "turning.toml",
             "[coordinates]\na = 0\nb = 0\n[[force]]\non = \"a\"\nvalue = \"-a + b\"\n[[force]]\non = \"b\"\nvalue = "
             "\"-b - a\"\n");
  const auto code = [&](const std::string& line) {
    const Ended ended = trill_in(directory.path(), words_of(line));
    EXPECT_FALSE(ended.err.empty()) << line;
    EXPECT_TRUE(ended.out.empty()) << line;
    return ended.code;
  };
  EXPECT_EQ(code("modes hill.toml"), 1);  // the equilibrium is not stable
  EXPECT_EQ(code("modes turning.toml"), 2);
  EXPECT_EQ(code("modes robertson"), 2);     // not a mechanical model
  EXPECT_EQ(code("modes slider_crank"), 2);  // has constraints
  EXPECT_EQ(code("modes beam --count 41"), 2);
  EXPECT_EQ(code("modes beam --count 0"), 2);
  EXPECT_EQ(code("modes beam --check guess"), 2);
  EXPECT_EQ(code("modes beam --out nowhere/shapes.csv"), 3);
}
}  // namespace trill::testing_cli
