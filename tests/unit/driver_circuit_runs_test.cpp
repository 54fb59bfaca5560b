// SPDX-License-Identifier: BSD-3-Clause
// Runs of circuits that once ended too early, or were judged by quantities that do not matter.
#include "driver/recorded_run.hpp"
#include "driver/steady_figures.hpp"
#include "support/mentions.hpp"
#include "support/netlists.hpp"
#include "trill/driver/trust.hpp"

#include <gmock/gmock.h>

namespace trill::testing_netlists {
namespace {
// A boost converter behind a bridge rectifier. Around the zeros of the mains voltage all diodes of the bridge block.
// Then only the leakage currents determine the voltages at both ends of the source.
const std::string boost_behind_a_bridge =
    "vac a b sin(0 325 2k)\nrs a a1 0.1\nd1 a1 p db\nd2 b p db\nd3 0 a1 db\nd4 0 b db\ncin p 0 0.47u\nl1 p sw 1m ic=0\n"
    "s1 sw 0 g 0 sm\n.model sm sw(ron=0.05 roff=1meg vt=2.5)\ndb sw o df\nco o 0 2.2u ic=380\nrl o 0 800\n"
    "vg g 0 pulse(0 5 0 50n 50n 2.5u 10u)\n.model db d(is=1e-9 n=1.5 rs=0.02)\n.model df d(is=1e-10 n=1.3 rs=0.02)\n"
    ".tran 1u 0.6m uic\n";

// The result is compared with the same circuit in which small capacitors determine the voltages at the ends of the
// source.
TEST(CircuitRuns, GoOnWhereOnlyLeakageDeterminesVoltages) {
  const double alone = end_value(run_netlist(boost_behind_a_bridge, 1e-4, "circuit_sdirk"), "v(o)");
  const double held =
      end_value(run_netlist("ca a 0 10p\ncb b 0 10p\n" + boost_behind_a_bridge, 1e-4, "circuit_sdirk"), "v(o)");
  EXPECT_NEAR(alone, held, 1e-3 * held);
}

// Small capacitors make voltages certain.
TEST(CircuitRuns, SayWhereOnlyLeakageDeterminesVoltages) {
  const auto is_said = [](const std::string& more) {
    const Solution solution = run_netlist(more + boost_behind_a_bridge, 1e-4, "circuit_sdirk");
    const auto& notices = solution.outcome.notices;
    return std::any_of(notices.begin(), notices.end(), [](const Notice& n) { return n.code == "rounding"; });
  };
  EXPECT_TRUE(is_said(""));
  EXPECT_FALSE(is_said("ca a 0 10p\ncb b 0 10p\n"));
}

// With frequencies of 2 kHz and 100 kHz the common period contains 50 periods of the clock.
TEST(CircuitRuns, ACommonPeriodMayHaveManyPeriodsOfTheClock) {
  RunPlan plan;
  plan.want = Want::steady;
  plan.rtol = 1e-4;
  TextModel model = netlist(boost_behind_a_bridge);
  PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
  const Solution solution = run.run();
  ASSERT_TRUE(solution.ok()) << solution.outcome.message;
  EXPECT_NEAR(run.steady_state->period, 5e-4, 1e-12);
  EXPECT_TRUE(run.steady_state->is_stable);
  // All that the source delivers goes into the load, apart from less than 3 % lost in diodes, switch and series
  // resistances.
  ASSERT_TRUE(run.steady_state->efficiency);
  EXPECT_GT(*run.steady_state->efficiency, 0.97);
  EXPECT_LT(*run.steady_state->efficiency, 1);
}

// A source holds one node at zero volts. Its computed voltage is about 1e-30 and changes with every tolerance.
TEST(CircuitRuns, RoundingDoesNotJudgeASteadyState) {
  RunPlan plan;
  plan.want = Want::steady;
  TextModel model = netlist(
      "v1 in 0 10\nr1 in a 100\nc1 a a2 100p\nvs a2 0 0\ns1 a 0 g 0 sm\nvg g 0 pulse(0 5 0 10n 10n 1u 10u)\n"
      ".model sm sw(ron=0.01 roff=1meg vt=2.5)\n.tran 10n 100u\n");
  RecordedRun run(prepare(plan, std::move(model.problem), model.info.run), {});
  run.open();
  run.solve();
  run.judge(When::always, nullptr);
  EXPECT_EQ(run.trust().verdict, Verdict::green) << run.trust().headline;
}

// A line from 0 to 1 with one peak, which lasts for 1e-9 of the period or for a tenth of it.
struct Peaked {
  Peaked(double height, double lasts, double mean = 0.5) {
    trace.keep_points(true);
    trace.begin(1);
    for (const auto& [t, x] :
         {std::pair{0.0, 0.0}, {0.5 - lasts, 0.5}, {0.5, height}, {0.5 + lasts, 0.5}, {1.0, 1.0}}) {
      trace.point(t, Vec::Constant(1, x));
      trace.integrate(0.2, Vec::Constant(1, mean));
    }
    signals = signals_of(trace, {{"i(v)", "A"}}, 1);
  }
  CycleTrace trace;
  std::vector<SteadySignal> signals;
};

const Vec least = Vec::Constant(1, 1e-9);

TEST(CircuitRuns, PeaksTooShortToMatterAreNamedAndDoNotJudge) {
  const auto judged = [](double lasts, std::vector<TrustRow>& rows) {
    const Peaked run(100, lasts), again(400, lasts);
    rows = compare_steady(run.signals, {again.trace, again.signals}, least);
    EXPECT_NEAR(rows[0].relative(), 0.75, 1e-12);
    return judge_without_short_peaks({run.trace, run.signals}, {again.trace, again.signals}, least, rows);
  };
  std::vector<TrustRow> rows;
  EXPECT_THAT(judged(1e-9, rows), mentions("i(v)", "0.75"));
  EXPECT_EQ(rows[0].relative(), 0);
  for (const double lasts : {2e-5, 0.1}) {
    EXPECT_EQ(judged(lasts, rows), "") << lasts;
    EXPECT_NEAR(rows[0].relative(), 0.75, 1e-12);
    EXPECT_EQ(verdict_of(rows[0].relative()), Verdict::red);
  }
}

// What is left of the signal is judged by its own size, and a peak is named only where it is all that differs.
TEST(CircuitRuns, PeaksDoNotHideOtherErrors) {
  const auto judged = [](const Peaked& run, const Peaked& again, std::vector<TrustRow>& rows) {
    rows = compare_steady(run.signals, {again.trace, again.signals}, least);
    return judge_without_short_peaks({run.trace, run.signals}, {again.trace, again.signals}, least, rows);
  };
  std::vector<TrustRow> rows;
  EXPECT_EQ(judged(Peaked(100, 1e-9, 0.5), Peaked(400, 1e-9, 0.6), rows), "");
  EXPECT_EQ(verdict_of(rows[0].relative()), Verdict::red);
  EXPECT_EQ(judged(Peaked(400, 1e-9, 0.5), Peaked(401, 1e-9, 0.6), rows), "");
  EXPECT_EQ(verdict_of(rows[0].relative()), Verdict::red);
}

TEST(CircuitRuns, AMotionWithoutAClockHasAMultiplierOne) {
  SteadyState state;
  state.has_clock = false;
  state.multiplier_error = 1e-3;
  state.multipliers = {0.999, 0.4};
  EXPECT_EQ(doubt_of_oscillation(state), "");
  state.multipliers = {0.136, 0.01};
  EXPECT_THAT(doubt_of_oscillation(state), mentions("0.86", "--set period=TIME"));
  state.has_clock = true;
  EXPECT_EQ(doubt_of_oscillation(state), "");
}

TEST(CircuitRuns, SinesHaveNoPeaks) {
  RunPlan plan;
  plan.want = Want::steady;
  plan.rtol = 1e-2;
  TextModel model = netlist("v1 a 0 sin(0 1 1k)\nl1 a b 10m\nr1 b c 0.6283185\nc1 c 0 2.533029591u\n.tran 1u 1\n");
  RecordedRun run(prepare(plan, std::move(model.problem), model.info.run), {});
  run.open();
  run.solve();
  run.judge(When::always, nullptr);
  EXPECT_THAT(run.trust().headline, testing::Not(testing::HasSubstr("Peaks")));
}

TEST(CircuitRuns, HaveASecondMethodUnlessOneIsNamed) {
  const auto rungs = [](const std::string& text, const std::string& method) {
    RunPlan plan;
    plan.method = method;
    TextModel model = netlist(text);
    return prepare(plan, std::move(model.problem), model.info.run).rungs;
  };
  const auto second = rungs(boost_behind_a_bridge, "");
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].way.method->info.name, "radau");
  EXPECT_LE(*second[0].rtol, 1e-6);
  EXPECT_TRUE(rungs(boost_behind_a_bridge, "circuit_sdirk").empty());
  const auto smooth = rungs("v1 a 0 sin(0 1 1k)\nr1 a b 1k\nc1 b 0 1u\n.tran 1u 1m\n", "");
  ASSERT_EQ(smooth.size(), 1u);
  EXPECT_EQ(smooth[0].way.method->info.name, "circuit_sdirk");
}
}  // namespace
}  // namespace trill::testing_netlists
