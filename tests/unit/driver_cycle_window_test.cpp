// SPDX-License-Identifier: BSD-3-Clause
// An envelope run jumps over most cycles. Those in a window can be computed in full, and some are sampled for the
// report.
#include "driver/cycle_window.hpp"
#include "driver/stored_run.hpp"
#include "support/solution_files.hpp"
#include "trill/report/report.hpp"

#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::test {
namespace {
// The model is C u' = (sin(w t) - u)/R from u = 1, where R C is many periods long.
constexpr double tau = 40, omega = 2 * std::numbers::pi;

double lag(double t) {
  const double gain = 1 / (1 + omega * omega * tau * tau);
  const double settled = gain * (std::sin(omega * t) - omega * tau * std::cos(omega * t));
  return settled + (1 + gain * omega * tau) * std::exp(-t / tau);
}

class CyclesInAWindow : public testing::Test {
 protected:
  CyclesInAWindow() {
    std::ofstream(directory_ / "lag.cir") << "A slow filter\nV1 in 0 SIN(0 1 1)\nR1 in out 40\nC1 out 0 1 IC=1\n"
                                             ".tran 0.01 300 0 0.02 uic\n.end\n";
    plan_.model = (directory_ / "lag.cir").string();
    plan_.want = Want::envelope;
  }
  testing_files::TemporaryDirectory directory_;
  RunPlan plan_;
};

TEST_F(CyclesInAWindow, AreComputedInFullFromTheEnvelope) {
  WindowRun window = prepare_window(plan_, {200.25, 202});
  ASSERT_TRUE(window.run) << window.before.message;
  const Solution s = window.run->run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  EXPECT_EQ(s.t.front(), 200.25);
  EXPECT_EQ(s.t.back(), 202);
  EXPECT_GT(s.rows(), 80);  // every cycle is resolved by steps
  EXPECT_LT(window.before.counters.micro_steps, 100);
  const Index out = s.component("v(out)");
  for (Index k = 0; k < s.rows(); ++k) EXPECT_NEAR(s.y()(out, k), lag(s.t[static_cast<std::size_t>(k)]), 5e-4);
}

TEST_F(CyclesInAWindow, MayBeginInTheFirstCycle) {
  WindowRun window = prepare_window(plan_, {0.5, 1.5});
  ASSERT_TRUE(window.run);
  const Solution s = window.run->run();
  EXPECT_NEAR(s.y()(s.component("v(out)"), s.rows() - 1), lag(1.5), 1e-4);
}

TEST_F(CyclesInAWindow, AreRefusedBeforeTheStartOrWithoutAnEnd) {
  EXPECT_THROW(prepare_window(plan_, {0, 1}), UsageError);
  EXPECT_THROW(prepare_window(plan_, {5, 5}), UsageError);
  EXPECT_THROW(prepare_window(plan_, {5, HUGE_VAL}), UsageError);
}

TEST_F(CyclesInAWindow, AreSampledWhereTheEnvelopeFoundItself) {
  plan_.to = 299.5;  // the run ends in the middle of a cycle
  PreparedRun run = prepare(plan_);
  const Solution s = run.run();
  ASSERT_TRUE(s.ok());
  const std::vector<CycleStart> starts = cycle_starts(s.info, s);
  ASSERT_GT(starts.size(), 10u);
  EXPECT_EQ(starts.back().number, 299);
  const RunDefaults defaults = make_model(plan_.model).info.run;
  const CycleShapes shapes = find_cycle_shapes(run, defaults, starts, 1e6);
  ASSERT_EQ(shapes.cycles.size(), starts.size());
  ASSERT_EQ(shapes.values.size(), shapes.cycles.size() * shapes.size_of_cycle());
  const std::size_t phases = shapes.phases.size();
  for (std::size_t k = 0; k < shapes.cycles.size(); ++k) {
    const CycleShapes::Cycle& cycle = shapes.cycles[k];
    EXPECT_NEAR(cycle.period, 1, 1e-9);
    EXPECT_NEAR(cycle.t, cycle.number, 1e-9);
    for (std::size_t p = 0; p < phases; ++p)  // the components are v(in), v(out), i(v1)
      EXPECT_NEAR(shapes.cycle(k)[phases + p], lag(cycle.t + shapes.phases[p]), 5e-4) << cycle.number;
  }

  // With a small limit on the size of the page fewer cycles are kept, among them the first and the last.
  const double few_bytes = 4.5 * 16 / 3 * static_cast<double>(shapes.size_of_cycle());
  const CycleShapes few = find_cycle_shapes(run, defaults, starts, few_bytes);
  ASSERT_EQ(few.cycles.size(), 4u);
  EXPECT_EQ(few.cycles.front().number, 0);
  EXPECT_EQ(few.cycles.back().number, 299);
}

TEST_F(CyclesInAWindow, ReachTheDataOfThePage) {
  plan_.to = 20;
  plan_.want = Want::full;  // an envelope would not pay here
  plan_.method = "envelope";
  PreparedRun run = prepare(plan_);
  const Solution s = run.run();
  auto shapes = std::make_shared<CycleShapes>(
      find_cycle_shapes(run, make_model(plan_.model).info.run, cycle_starts(s.info, s), 1e6));
  shapes->command = "again WINDOW";
  Report report;
  report.runs.push_back(report_run(s));
  report.runs[0].cycles = shapes;
  const auto page = nlohmann::json::parse(report_json(report));
  const auto& cycles = page["runs"][0]["cycles"];
  EXPECT_EQ(cycles["command"], "again WINDOW");
  ASSERT_EQ(cycles["series"].size(), 3u);
  EXPECT_EQ(cycles["series"][1]["name"], "v(out)");
  const auto base64_length = [](std::size_t bytes) { return (bytes + 2) / 3 * 4; };
  EXPECT_EQ(cycles["series"][1]["data"].get<std::string>().size(),
            base64_length(4 * shapes->cycles.size() * shapes->phases.size()));
  EXPECT_EQ(cycles["numbers"].get<std::string>().size(), base64_length(8 * shapes->cycles.size()));
  report.runs[0].cycles = nullptr;
  EXPECT_FALSE(nlohmann::json::parse(report_json(report))["runs"][0].contains("cycles"));
}

// The stored file is enough to compute the cycles: the model is made again from its text, and no other part of the run
// remains in memory.
TEST_F(CyclesInAWindow, AreFoundFromTheRowsOfAStoredRun) {
  plan_.to = 299.5;
  const Solution s = prepare(plan_).run();
  const PreparedRun stored = prepare_stored(s.info);
  const std::vector<CycleStart> starts = cycle_starts(s.info, s);
  const CycleShapes shapes = find_cycle_shapes(stored, stored_defaults(s.info), starts, 1e6);
  ASSERT_EQ(shapes.cycles.size(), starts.size());
  const std::size_t phases = shapes.phases.size(), middle = phases / 2, k = shapes.cycles.size() / 2;
  EXPECT_NEAR(shapes.cycle(k)[phases + middle], lag(shapes.cycles[k].t + shapes.phases[middle]), 5e-4);

  WindowRun window = prepare_window(stored, stored_defaults(s.info), starts, {200.25, 202});
  ASSERT_TRUE(window.run) << window.before.message;
  const Solution inside = window.run->run();
  ASSERT_TRUE(inside.ok()) << inside.outcome.message;
  EXPECT_EQ(inside.t.front(), 200.25);
  EXPECT_EQ(inside.t.back(), 202);
  EXPECT_EQ(inside.info.problem, s.info.problem);
  const Index out = inside.component("v(out)");
  for (Index row = 0; row < inside.rows(); ++row)
    EXPECT_NEAR(inside.y()(out, row), lag(inside.t[static_cast<std::size_t>(row)]), 5e-4);
  EXPECT_THROW(prepare_window(stored, stored_defaults(s.info), starts, {299, 301}), UsageError);
  EXPECT_THROW(prepare_window(stored, stored_defaults(s.info), starts, {-1, 1}), UsageError);
  EXPECT_THROW(prepare_window(stored, stored_defaults(s.info), starts, {2, 1}), UsageError);
  EXPECT_THROW(prepare_window(stored, {}, {}, {1, 2}), UsageError);
}

// Where cycles begin, the control voltage lies between the two thresholds of the switch, so the past decides whether
// it conducts. It is open at the start and stays closed once it was closed in the first cycle.
TEST_F(CyclesInAWindow, KnowWhereHysteresisLeftASwitch) {
  std::ofstream(directory_ / "held.cir") << "A switch that is closed once and stays so\n"
                                            "V1 in 0 SIN(0 1 1)\nR1 in out 40\nC1 out 0 1 IC=1\n"
                                            "V2 c 0 PULSE(0 0.5 0.25 0.05 0.05 0.2 1)\nS1 in mid c 0 sw\n"
                                            "R2 mid 0 1\n.model sw sw(ron=1m roff=1meg vt=0.2 vh=0.25)\n"
                                            ".tran 0.01 300 0 0.02 uic\n.end\n";
  plan_.model = (directory_ / "held.cir").string();
  const Solution s = prepare(plan_).run();
  const CycleShapes shapes =
      find_cycle_shapes(prepare_stored(s.info), stored_defaults(s.info), cycle_starts(s.info, s), 1e6);
  const Index mid = s.component("v(mid)");
  const std::size_t phases = shapes.phases.size();
  ASSERT_GT(shapes.cycles.size(), 3u);
  EXPECT_NEAR(shapes.cycle(0)[static_cast<std::size_t>(mid) * phases + 10], 0, 1e-5);  // still open
  for (std::size_t k = 1; k < shapes.cycles.size(); ++k)
    EXPECT_NEAR(shapes.cycle(k)[static_cast<std::size_t>(mid) * phases + 10], std::sin(omega * shapes.phases[10]),
                5e-3);
}

TEST(CycleStartsOf, OrdinaryMethodsAreNone) {
  RunPlan plan;
  plan.model = "stiff_spring";
  plan.method = "verlet";
  PreparedRun run = prepare(plan);
  const Solution s = run.run();
  EXPECT_TRUE(s.ok());
  EXPECT_TRUE(cycle_starts(s.info, s).empty());
  EXPECT_TRUE(find_cycle_shapes(run, {}, {}, 1e6).cycles.empty());
}

TEST_F(CyclesInAWindow, AreNotCountedWhereNotEveryStepIsRecorded) {
  plan_.output = Grid{1.5};
  const Solution s = prepare(plan_).run();
  EXPECT_TRUE(cycle_starts(s.info, s).empty());
}
}  // namespace
}  // namespace trill::test
