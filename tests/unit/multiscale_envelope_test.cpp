// SPDX-License-Identifier: BSD-3-Clause
// Envelopes of circuits and driven problems, with plans as a user would write them.
#include "multiscale/envelope_gain.hpp"
#include "support/solution_files.hpp"
#include "trill/driver/plan.hpp"
#include "trill/driver/trust.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
std::string example(const std::string& name) { return TRILL_SOURCE_DIR "/examples/circuits/" + name; }

RunPlan envelope_of(const std::string& model, double to) {
  RunPlan plan;
  plan.model = model;
  plan.method = "envelope";
  plan.to = to;
  return plan;
}

double value_at_end(const Solution& s, const std::string& name) { return s.y()(s.component(name), s.rows() - 1); }

double quantity_at_end(const Solution& s, const std::string& name) {
  return s.measured()(s.quantity(name), s.rows() - 1);
}

TEST(Envelope, EndsWhereTheTransientEnds) {
  struct Case {
    std::string file;
    double to;
    std::vector<std::string> signals;
    std::int64_t most_cycles;
  };
  for (const Case& c :
       {Case{"buck.cir", 5e-3, {"v(o2)", "i(l1)"}, 80}, Case{"rectifier.cir", 2, {"v(b)", "v(c)"}, 50}}) {
    const Solution envelope = prepare(envelope_of(example(c.file), c.to)).run();
    ASSERT_EQ(envelope.outcome.status, RunStatus::reached_end) << envelope.outcome.message;
    EXPECT_LT(envelope.outcome.counters.micro_steps, c.most_cycles) << c.file;
    RunPlan plain;
    plain.model = example(c.file);
    plain.to = c.to;
    const Solution transient = prepare(plain).run();
    for (const std::string& name : c.signals) {
      const double expected = value_at_end(transient, name);
      EXPECT_NEAR(value_at_end(envelope, name), expected, 2e-3 * std::max(1.0, std::abs(expected))) << c.file << name;
    }
  }
}

// On the way the current of the inductor falls to zero. A cycle that began with a current which the diode does not let
// pass would have thousands of volts at the switch. In truth this voltage lies between one diode drop below ground and
// the supply.
TEST(Envelope, CyclesBeginWhereTheyBelong) {
  const Solution s = prepare(envelope_of(example("buck.cir"), 5e-3)).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  const auto middle = s.measured().row(s.quantity("middle_v(sw)")),
             amplitude = s.measured().row(s.quantity("amplitude_v(sw)"));
  EXPECT_LT((middle + amplitude).maxCoeff(), 12.1);
  EXPECT_GT((middle - amplitude).minCoeff(), -1.5);
}

// x' = (sin(2 pi t) - x)/tau tends to a known oscillation.
class Envelopes : public testing::Test {
 protected:
  Envelopes() {
    std::ofstream(file()) << "title = \"A lag that is driven\"\n[parameters]\ntau = 40.0\n"
                             "[coordinates]\nx = 1.0\n[rate]\nx = \"(sin(2*pi*t) - x)/tau\"\n";
  }
  std::filesystem::path file() const { return directory_ / "lag.toml"; }
  testing_files::TemporaryDirectory directory_;
};

TEST_F(Envelopes, OfADrivenModelHaveTheBandOfItsOscillation) {
  const Solution s = prepare(envelope_of(file().string(), 300)).run();  // the period is found from the sine
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  const double tau = 40, w = 2 * std::numbers::pi, gain = 1 / (1 + w * w * tau * tau);
  const double settled = -w * tau * gain, amplitude = std::sqrt(gain);
  EXPECT_NEAR(value_at_end(s, "x"), settled + (1 - settled) * std::exp(-300 / tau), 1e-4);
  EXPECT_NEAR(quantity_at_end(s, "amplitude_x"), amplitude, 2e-2 * amplitude);
  EXPECT_LT(s.outcome.counters.micro_steps, 100);
}

TEST_F(Envelopes, AreRefusedWithoutAPeriodOrWithTooFewCycles) {
  EXPECT_THROW(prepare(envelope_of("harmonic", 300)).run(), UsageError);
  RunPlan plan = envelope_of(file().string(), 300);
  plan.options = {{"period", "200"}};
  EXPECT_THROW(prepare(plan).run(), UsageError);
  plan.options = {{"period", "1"}};
  plan.to = -5;
  EXPECT_THROW(prepare(plan).run(), UsageError);
}

TEST_F(Envelopes, ARunMayEndWithinACycle) {
  RunPlan plan = envelope_of(file().string(), 100.25);
  plan.options = {{"period", "1"}};
  const Solution s = prepare(plan).run();
  EXPECT_EQ(s.t.back(), 100.25);
  const double tau = 40, w = 2 * std::numbers::pi, gain = 1 / (1 + w * w * tau * tau);
  const auto particular = [&](double t) { return gain * (std::sin(w * t) - w * tau * std::cos(w * t)); };
  EXPECT_NEAR(value_at_end(s, "x"), particular(100.25) + (1 - particular(0)) * std::exp(-100.25 / tau), 1e-4);
}

// A buck converter whose load takes 1 A more after 5 ms.
constexpr const char* stepped_buck = R"(Buck converter with a step of its load
Vin in 0 DC 12
Vgate gate 0 PULSE(0 5 0 10n 10n 4.99u 10u)
S1 in sw gate 0 switch
D1 0 sw diode
L1 sw out 470u IC=1
C1 out 0 100u IC=6
Rload out 0 5
Istep out 0 PWL(0 0 5m 0 5.003m 1 20m 1)
.model switch SW(RON=20m ROFF=1meg VT=2.5 VH=0)
.model diode D(IS=1e-9 N=1 RS=10m)
.envelope T=10u tstop=7m tol=1e-4
.end
)";

TEST_F(Envelopes, StopAtAStepOfTheLoad) {
  const std::string netlist = (directory_ / "stepped.cir").string();
  std::ofstream(netlist) << stepped_buck;
  RunPlan plan;
  plan.model = netlist;
  plan.want = Want::envelope;
  PreparedRun envelope = prepare(plan);
  EXPECT_EQ(envelope.plan.rtol, 1e-4);  // stated in the netlist
  EXPECT_EQ(envelope.plan.to, 7e-3);
  const Solution s = envelope.run();
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_LT(s.outcome.counters.micro_steps, 250);  // of 700 cycles
  // Steps end at both ends of the cycle in which the load changes.
  for (const double t : {5e-3, 5.01e-3})
    EXPECT_TRUE(std::any_of(s.t.begin(), s.t.end(), [&](double row) { return std::abs(row - t) < 1e-12; })) << t;
  plan.want = Want::full;
  plan.to = 7e-3;
  const Solution transient = prepare(plan).run();
  for (const char* name : {"v(out)", "i(l1)"})
    EXPECT_NEAR(value_at_end(s, name), value_at_end(transient, name), 5e-3) << name;
}

// A resonant circuit that rings with a period of twenty cycles, so that the envelope oscillates as well.
TEST_F(Envelopes, AreNotFollowedWhereThatDoesNotPay) {
  const std::string netlist = (directory_ / "ringing.cir").string();
  std::ofstream(netlist) << "A ringing tank\nV1 a 0 PULSE(0 1 0 10n 10n 0.49u 1u)\nR1 a b 0.01\nL1 b c 10u IC=0\n"
                            "C1 c 0 1.013u IC=0\n.tran 0.1u 1m uic\n.end\n";
  RunPlan plan;
  plan.model = netlist;
  plan.want = Want::envelope;
  const PreparedRun run = prepare(plan);
  EXPECT_EQ(run.plan.formulation, "");
  EXPECT_EQ(run.plan.method, "radau");
  EXPECT_NE(run.choice.find("1000 cycles"), std::string::npos) << run.choice;
}

// The forecast has to be made with the tolerance of the envelope. With the looser one of transients it was too low.
TEST_F(Envelopes, AreLeftWhereTheyDoNotPayAtTheirOwnTolerance) {
  const std::string netlist = (directory_ / "sepic.cir").string();
  std::ofstream(netlist) << "SEPIC, hardly damped\nV1 in 0 9\nL1 in a 33u ic=0\nS1 a 0 g 0 swm\nC1 a b 4.7u ic=9\n"
                            "L2 b 0 33u ic=0\nD1 b out dm\nC2 out 0 47u ic=0\nR1 out 0 20\n"
                            "Vg g 0 pulse(0 5 0 10n 10n 2.4u 5u)\n.model swm sw ron=0.05 roff=1e6 vt=2.5 vh=0.1\n"
                            ".model dm d is=1e-8 rs=0.05 n=1.1\n.tran 0.05u 2m 0 0.1u uic\n";
  RunPlan plan;
  plan.model = netlist;
  plan.want = Want::envelope;
  EXPECT_EQ(prepare(plan).plan.formulation, "");
}

TEST(EnvelopeOfAnOrbit, EndsAfterItsRevolutionsAndIsChecked) {
  RunPlan plan = envelope_of("satellite", 1e9);
  plan.options = {{"revolutions", "200"}};
  PreparedRun run = prepare(plan);
  const Solution s = run.run();
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_LT(s.outcome.counters.micro_steps, 60);
  EXPECT_NEAR(s.t.back() / 200, 5900, 500);  // a revolution takes about an hour and a half
  EXPECT_EQ(check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL}).verdict, Verdict::green);
}

// With so few revolutions every one is computed. A repetition would take no more steps, so a direct run is the
// reference.
TEST(EnvelopeOfAnOrbit, OfFewRevolutionsIsMeasuredAgainstADirectRun) {
  RunPlan plan = envelope_of("satellite", 1e9);
  plan.options = {{"revolutions", "3"}};
  PreparedRun run = prepare(plan);
  const Solution s = run.run();
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
  EXPECT_EQ(trust.verdict, Verdict::green) << trust.headline;
  EXPECT_NE(trust.headline.find("dop853"), std::string::npos) << trust.headline;
}

TEST(EnvelopeOfAnOrbit, NeedsTwelveTimesFewerForcesThanDirectIntegration) {
  RunPlan plan = envelope_of("satellite", 1e9);
  plan.options = {{"revolutions", "1000"}};
  plan.native = Native::never;
  const Solution envelope = prepare(plan).run();
  ASSERT_TRUE(envelope.ok()) << envelope.outcome.message;
  const double end = envelope.t.back();
  const auto directly = [&](double rtol) {
    RunPlan direct;
    direct.model = plan.model;
    direct.method = "dop853";
    direct.rtol = rtol;
    direct.to = end;
    direct.output = Times{{end}};
    direct.native = Native::never;
    return prepare(direct).run();
  };
  const Solution reference = directly(1e-13), direct = directly(1e-12);
  const auto error = [&](const Solution& s) {
    return (s.y().col(s.rows() - 1) - reference.y().col(reference.rows() - 1)).head(3).norm();
  };
  EXPECT_LT(error(envelope), error(direct));
  EXPECT_GT(direct.outcome.counters.most_forces(), 12 * envelope.outcome.counters.most_forces());
}

TEST(EnvelopeGain, CountsOscillationsAndDecays) {
  const auto cycles_of = [](double size, double angle, double cycles) {
    Mat d(2, 2);
    d << size * std::cos(angle) - 1, -size * std::sin(angle), size * std::sin(angle), size * std::cos(angle) - 1;
    Vec z = Vec::Zero(2);
    return rehearse(Vec{{0.01, 0}}, d, Vec::Zero(2), z, cycles, 1e-4);
  };
  const double turn = 2 * std::numbers::pi;
  // Twenty oscillations without decay take about twice as many cycles as ten.
  EXPECT_NEAR(cycles_of(1, turn / 250, 5000) / cycles_of(1, turn / 500, 5000), 2, 0.5);
  // After the decay hardly any more cycles are needed, however long the run is.
  const double decay = cycles_of(0.9, 0, 5000);
  EXPECT_LT(cycles_of(0.9, 0, 50000), decay + 10);
  EXPECT_LT(decay, 100);
  EXPECT_GT(cycles_of(1, turn / 12, 1000), 600);  // an envelope does not pay here
}

// Compares the number of cycles that a run computes, including those for the forecast, with the forecast.
void expect_forecast(const std::string& netlist, const std::string& name) {
  const testing_files::TemporaryDirectory directory;
  const std::string file = (directory / "circuit.cir").string();
  std::ofstream(file) << netlist;
  RunPlan plan = envelope_of(file, 0);
  plan.to.reset();
  const Solution s = prepare(plan).run();
  ASSERT_TRUE(s.ok()) << name << s.outcome.message;
  double predicted = 0, cycles = 0;
  for (const Notice& notice : s.outcome.notices)
    if (notice.code == "envelope_forecast") predicted = notice.value;  // the predicted gain in time
  for (const Notice& notice : s.outcome.notices)
    if (notice.code == "summary" && notice.text.find("cycles were computed") != std::string::npos)
      cycles = std::stod(notice.text.substr(notice.text.find(" of ") + 4));
  const double computed = static_cast<double>(s.outcome.counters.micro_steps);
  EXPECT_GT(cycles / predicted, computed / forecast_factor) << name;
  EXPECT_LT(cycles / predicted, computed * forecast_factor) << name;
}

TEST_F(Envelopes, AreForecast) {
  expect_forecast(stepped_buck, "a step of the load");
  expect_forecast(
      "A clock that begins late\nVin in 0 12\nVgate gate 0 PULSE(0 5 2m 10n 10n 4.99u 10u)\nS1 in sw gate 0 switch\n"
      "D1 0 sw diode\nL1 sw out 470u IC=0\nC1 out 0 100u IC=0\nRload out 0 5\n"
      ".model switch SW(RON=20m ROFF=1meg VT=2.5 VH=0)\n.model diode D(IS=1e-9 N=1 RS=10m)\n.tran 1u 12m 0 1u "
      "uic\n.end\n",
      "a clock that begins late");
  expect_forecast(
      "Two slow lags\nV1 a 0 PULSE(0 1 0 1u 1u 0.5m 1m)\nR1 a b 1k\nC1 b 0 20u IC=0\nR2 b c 1k\nC2 c 0 100u IC=0\n"
      ".tran 10u 1 0 50u uic\n.end\n",
      "two lags");
  // The current of the coil would oscillate twenty times if it did not stop at zero, after which it decays.
  expect_forecast(
      "A buck with hardly any load\nVin in 0 12\nVg g 0 PULSE(0 5 0 10n 10n 4.99u 10u)\nS1 in sw g 0 switch\n"
      "D1 0 sw diode\nL1 sw out 100u IC=0\nC1 out 0 220u IC=0\nRl out 0 100\n"
      ".model switch SW(RON=20m ROFF=1meg VT=2.5 VH=0)\n.model diode D(IS=1e-9 N=1 RS=10m)\n.tran 1u 15m 0 1u uic\n"
      ".end\n",
      "hardly any load");
}
}  // namespace
}  // namespace trill::test
