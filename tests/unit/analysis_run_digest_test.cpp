// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/run_digest.hpp"
#include "solution/file_formats.hpp"
#include "solution/wanted_rows.hpp"
#include "support/text_models.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
Solution solved_rows(const char* text, const RunPlan& plan) {
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
  // What a run that failed had computed is kept.
  EXPECT_EQ(times_of({1, 2.5}, RunStatus::newton_failed), (std::vector<double>{1, 2.5, 5}));
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
