// SPDX-License-Identifier: BSD-3-Clause
// The cycles that an envelope jumps over: computed in full in a window, and sampled for the report.
#include "driver/cycle_window.hpp"
#include "support/solution_files.hpp"
#include "trill/report/report.hpp"

#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::test {
namespace {
// C u' = (sin(w t) - u)/R from u = 1, with R C of many periods.
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
  EXPECT_GT(s.rows(), 80);  // every cycle has its steps
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
  plan_.to = 299.5;  // ends inside a cycle
  PreparedRun run = prepare(plan_);
  CycleStarts starts(*run.stepper);
  ASSERT_TRUE(starts.counts_cycles());
  run.options.observers.push_back(&starts);
  ASSERT_TRUE(run.run().ok());
  ASSERT_GT(starts.all().size(), 10u);
  EXPECT_EQ(starts.all().back().number, 299);
  const RunDefaults defaults = make_model(plan_.model).info.run;
  const CycleShapes shapes = find_cycle_shapes(run, defaults, starts, 1e6);
  ASSERT_EQ(shapes.cycles.size(), starts.all().size());
  ASSERT_EQ(shapes.values.size(), shapes.cycles.size() * shapes.size_of_cycle());
  const std::size_t phases = shapes.phases.size();
  for (std::size_t k = 0; k < shapes.cycles.size(); ++k) {
    const CycleShapes::Cycle& cycle = shapes.cycles[k];
    EXPECT_NEAR(cycle.period, 1, 1e-9);
    EXPECT_NEAR(cycle.t, cycle.number, 1e-9);
    for (std::size_t p = 0; p < phases; ++p)  // the components are v(in), v(out), i(v1)
      EXPECT_NEAR(shapes.cycle(k)[phases + p], lag(cycle.t + shapes.phases[p]), 5e-4) << cycle.number;
  }

  // A small page holds fewer of them, among them the first and the last.
  const double few_bytes = 4.5 * 16 / 3 * static_cast<double>(shapes.size_of_cycle());
  const CycleShapes few = find_cycle_shapes(run, defaults, starts, few_bytes);
  ASSERT_EQ(few.cycles.size(), 4u);
  EXPECT_EQ(few.cycles.front().number, 0);
  EXPECT_EQ(few.cycles.back().number, 299);
}

TEST_F(CyclesInAWindow, ReachTheDataOfThePage) {
  plan_.to = 20;
  plan_.want = Want::full;  // it would not pay
  plan_.method = "envelope";
  PreparedRun run = prepare(plan_);
  CycleStarts starts(*run.stepper);
  run.options.observers.push_back(&starts);
  const Solution s = run.run();
  auto shapes = std::make_shared<CycleShapes>(find_cycle_shapes(run, make_model(plan_.model).info.run, starts, 1e6));
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

TEST(CycleStartsOf, OrdinaryMethodsAreNone) {
  RunPlan plan;
  plan.model = "stiff_spring";
  plan.method = "verlet";
  PreparedRun run = prepare(plan);
  CycleStarts starts(*run.stepper);
  EXPECT_FALSE(starts.counts_cycles());
  run.options.observers.push_back(&starts);
  EXPECT_TRUE(run.run().ok());
  EXPECT_TRUE(find_cycle_shapes(run, {}, starts, 1e6).cycles.empty());
}
}  // namespace
}  // namespace trill::test
