// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/run_digest.hpp"
#include "solution/file_formats.hpp"
#include "solution/wanted_rows.hpp"
#include "support/text_models.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace trill::testing_models {
namespace {
Solution solved_rows(const std::string& text, const RunPlan& plan) {
  return prepare(plan, read_model("m.toml", text).problem).run();
}

const char* const measured_oscillator = R"toml(
[coordinates]
x = { start = 1, unit = "m" }
[[potential]]
energy = "x^2/2"
[[measure]]
name = "twice"
value = "2*x"
)toml";

TEST(RunDigest, HasEndValuesDriftAndSteps) {
  const Solution s = solved_rows(measured_oscillator, plan_with("verlet", 10, 0.125));
  const RunDigest d = *digest(s.info, s);
  EXPECT_EQ(d.t_end, 10);
  ASSERT_EQ(d.components.size(), 2u);
  EXPECT_EQ(d.components[0].name, "x");
  EXPECT_EQ(d.components[0].value, s.y()(0, s.rows() - 1));
  ASSERT_EQ(d.measures.size(), 2u);
  EXPECT_EQ(d.measures[0].name, "energy");
  EXPECT_EQ(d.measures[1].name, "twice");
  EXPECT_DOUBLE_EQ(d.measures[1].value, 2 * d.components[0].value);
  ASSERT_EQ(d.drifts.size(), 1u);
  EXPECT_DOUBLE_EQ(*d.drifts[0].start, 0.5);
  EXPECT_DOUBLE_EQ(d.drifts[0].largest, s.drift("energy"));
  EXPECT_DOUBLE_EQ(d.h_min, 0.125);
  EXPECT_DOUBLE_EQ(d.h_max, 0.125);
}

TEST(RunDigest, OfNoRowsIsEmpty) { EXPECT_FALSE(digest(RunInfo{}, Solution{})); }

TEST(RunDigest, TellsWhetherTheEnergyIsConserved) {
  const auto conserves = [](const std::string& text) {
    const auto problem = read_model("m.toml", text).problem;
    return conserves_energy(*problem, problem->initial_state(), 10);
  };
  EXPECT_TRUE(conserves(measured_oscillator));
  EXPECT_TRUE(
      conserves("coordinates = { x = 1, y = 0 }\nconstraint = [{ equation = \"x^2 + y^2 - 1\" }]\n"
                "potential = [{ energy = \"9.81*y\" }]"));
  EXPECT_FALSE(conserves("coordinates.x = 1\nforce = [{ on = \"x\", value = \"-vx\" }]"));
  EXPECT_FALSE(conserves("coordinates.x = 1\npotential = [{ energy = \"x*sin(3*t)\" }]"));
  EXPECT_FALSE(conserves("coordinates.x = 0\npotential = [{ energy = \"x^2 - x*sin(3*t)\" }]")) << "zero at the start";
  EXPECT_FALSE(
      conserves("coordinates = { x = { start = 0, velocity = 2 }, y = 0 }\nconstraint = [{ equation = \"x - 2*t\" }]\n"
                "potential = [{ energy = \"y^2\" }]"));
}

TEST(WantedRows, DropStartAndEndUnlessNamed) {
  RunPlan plan = plan_with("verlet", 5, 0.125);
  plan.output = Times{{1, 2.5}};
  const Solution s = solved_rows(measured_oscillator, plan);
  ASSERT_EQ(s.t, (std::vector<double>{0, 1, 2.5, 5}));
  const auto times_of = [&](const std::vector<double>& named, RunStatus status) {
    const WantedRows wanted(s, named, status);
    std::vector<double> t;
    wanted.visit([&](double at, const double*, const double*) { t.push_back(at); });
    EXPECT_EQ(wanted.rows(), static_cast<Index>(t.size()));
    return t;
  };
  EXPECT_EQ(times_of({1, 2.5}, RunStatus::reached_end), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(times_of({0, 1, 2.5, 5}, RunStatus::reached_end), (std::vector<double>{0, 1, 2.5, 5}));
  // A run that failed keeps the rows that it had computed.
  EXPECT_EQ(times_of({1, 2.5}, RunStatus::newton_failed), (std::vector<double>{1, 2.5, 5}));
}

std::vector<double> wanted_times(const Solution& s, const std::vector<double>& named) {
  std::vector<double> t;
  WantedRows(s, named, s.outcome.status).visit([&](double at, const double*, const double*) { t.push_back(at); });
  return t;
}

// A ball that falls from a height of 1 is at the floor after sqrt(2/9.81) = 0.45.
TEST(WantedRows, LeaveOutEventsUnlessTheyEndTheRun) {
  const std::string ball =
      "coordinates.y = 1\npotential = [{ energy = \"9.81*y\" }]\n"
      "[[event]]\nname = \"bounce\"\nwhen = \"y\"\ndirection = -1\n";
  RunPlan plan;
  plan.method = "dopri5";
  plan.to = 1;
  plan.output = Times{{0.2, 1}};
  const Solution bounces = solved_rows(ball + "then = { vy = \"-0.9*vy\" }\n", plan);
  ASSERT_EQ(bounces.rows(), 5) << "start, 0.2, before and after the bounce, 1";
  EXPECT_EQ(wanted_times(bounces, {0.2, 1}), (std::vector<double>{0.2, 1}));
  const Solution lands = solved_rows(ball + "stop = true\n", plan);
  ASSERT_EQ(lands.outcome.status, RunStatus::event);
  EXPECT_THAT(wanted_times(lands, {0.2, 1}), testing::ElementsAre(0.2, testing::DoubleNear(std::sqrt(2 / 9.81), 1e-6)));
}

TEST(WantedRows, OfBackwardAndOfRandomMotion) {
  RunPlan plan = plan_with("verlet", -5, 0.125);
  plan.output = Times{{-1, -2.5}};
  EXPECT_EQ(wanted_times(solved_rows(measured_oscillator, plan), {-1, -2.5}), (std::vector<double>{-1, -2.5}));
  plan = plan_with("langevin_splitting", 2, 0.5);
  plan.output = Times{{0.6, 0.7, 1.2}};
  const Solution random = solved_rows(
      "coordinates.x = 1\npotential = [{ energy = \"x^2\" }]\nheat_bath = { friction = 1, temperature = 1 }", plan);
  EXPECT_EQ(wanted_times(random, {0.6, 0.7, 1.2}), (std::vector<double>{1, 1.5})) << "ends of steps";
}

TEST(WantedRows, AreATableForAPipe) {
  RunPlan plan = plan_with("verlet", 1, 0.5);
  const Solution s = solved_rows(measured_oscillator, plan);
  std::string text;
  write_table(s, s.info, [&](const std::string& piece) { text += piece; });
  EXPECT_TRUE(text.starts_with("t,x [m],vx,energy,twice,h\n0,1,0,0.5,2,")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}
}  // namespace
}  // namespace trill::testing_models
