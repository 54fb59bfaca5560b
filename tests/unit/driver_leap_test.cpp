// SPDX-License-Identifier: BSD-3-Clause
// Circuits that tip over: at some time their present state has no continuation, and there are no capacitances that
// would determine how they get to the next state.
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
Solution run_netlist(const std::string& text, const std::string& method, Output output = EveryStep{}) {
  TextModel model = read_model("t.cir", text);
  RunPlan plan;
  plan.model = "t";
  plan.method = method;
  plan.output = std::move(output);
  const RunDefaults defaults = model.info.run;
  return prepare(plan, std::move(model.problem), defaults).run();
}

std::int64_t leaps(const Solution& s) {
  for (const Notice& notice : s.outcome.notices)
    if (notice.code == "tipped_over") return notice.count;
  return 0;
}

// The times at which a component rises through a level.
std::vector<double> rises(const Solution& s, const std::string& name, double level) {
  const Index k = s.component(name);
  std::vector<double> times;
  for (Index row = 1; row < s.rows(); ++row)
    if (s.y()(k, row) > level && s.y()(k, row - 1) <= level) times.push_back(s.t[static_cast<std::size_t>(row)]);
  return times;
}

// out = 5 tanh(1000 (out/2 - v)) has no solution with out > 0 beyond v = 5 T/2 - atanh(T)/1000, where T^2 = 1 - 1/2500.
constexpr double tip = 2.494895, time_constant = 1e-4, supply = 5;
const char* const relaxation = R"(Relaxation oscillator with an ideal comparator
B1 out 0 V=5*tanh(1000*(v(p)-v(n)))
R1 out p 10k
R2 p 0 10k
R3 out n 10k
C1 n 0 10n IC=0.1
.tran 1u 2m uic
.end
)";

TEST(Leaps, ARelaxationOscillatorTipsOverWhereItsStateEnds) {
  const Solution s = run_netlist(relaxation, "radau");
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  const Index n = s.component("v(n)");
  EXPECT_NEAR(s.y().row(n).maxCoeff(), tip, 1e-4);
  EXPECT_NEAR(s.y().row(n).minCoeff(), -tip, 1e-4);
  const double period = 2 * time_constant * std::log((supply + tip) / (supply - tip));
  const std::vector<double> up = rises(s, "v(out)", 0);
  ASSERT_GE(up.size(), 8u);
  for (std::size_t k = 1; k < up.size(); ++k) EXPECT_NEAR(up[k] - up[k - 1], period, 3e-4 * period);
  EXPECT_GE(leaps(s), 17);
}

TEST(Leaps, LeaveRowsAtTheirTimes) {
  const Solution s = run_netlist(relaxation, "radau", Grid{1e-5});
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  ASSERT_EQ(s.rows(), 201);
  for (Index k = 0; k < s.rows(); ++k)
    EXPECT_NEAR(s.t[static_cast<std::size_t>(k)], 1e-5 * static_cast<double>(k), 1e-15);
}

std::string schmitt_trigger(const std::string& capacitances) {
  return "Schmitt trigger of two transistors\nVCC vcc 0 12\nVIN in 0 SIN(3 3 1k)\nRB in b1 10k\nRC1 vcc c1 4.7k\n"
         "RC2 vcc out 1k\nRE e 0 470\nR1 c1 b2 10k\nR2 b2 0 10k\nQ1 c1 b1 e qn\nQ2 out b2 e qn\nCL out 0 10p\n"
         ".model qn npn(is=1e-15 bf=100" +
         capacitances + ")\n.tran 1u 5m\n.end\n";
}

// With small capacitances the circuit takes some nanoseconds to tip over.
TEST(Leaps, ASchmittTriggerTurnsAtTheVoltagesThatItHasWithCapacitances) {
  const Solution without = run_netlist(schmitt_trigger(""), "radau");
  ASSERT_TRUE(without.ok()) << without.outcome.message;
  EXPECT_GE(leaps(without), 8);
  const Solution with = run_netlist(schmitt_trigger(" cje=1p cjc=1p"), "radau");
  ASSERT_TRUE(with.ok()) << with.outcome.message;
  EXPECT_EQ(leaps(with), 0);
  const Index out = without.component("v(out)");
  EXPECT_NEAR(without.y().row(out).maxCoeff(), with.y().row(out).maxCoeff(), 1e-3);
  EXPECT_NEAR(without.y().row(out).minCoeff(), with.y().row(out).minCoeff(), 1e-2);
  const std::vector<double> up = rises(without, "v(out)", 9.5), up_with = rises(with, "v(out)", 9.5);
  ASSERT_EQ(up.size(), 5u);
  ASSERT_EQ(up_with.size(), 5u);
  for (std::size_t k = 0; k < up.size(); ++k) EXPECT_NEAR(up[k], up_with[k], 2e-6);
}

TEST(Leaps, AMultivibratorOfTransistorsWithoutCapacitancesOscillates) {
  const char* const text = R"(Astable multivibrator
VCC vcc 0 5
RC1 vcc c1 1k
RC2 vcc c2 1k
RB1 vcc b1 47k
RB2 vcc b2 46k
C1 c1 b2 10n
C2 c2 b1 10n
Q1 c1 b1 0 qn
Q2 c2 b2 0 qn
.model qn npn(is=1e-15 bf=100)
.tran 1u 5m uic
.end
)";
  const Solution s = run_netlist(text, "radau");
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  const Index c = s.component("v(c1)");
  double low = 10, high = 0;
  for (Index k = 0; k < s.rows(); ++k) {
    if (s.t[static_cast<std::size_t>(k)] < 2e-3) continue;
    low = std::min(low, s.y()(c, k));
    high = std::max(high, s.y()(c, k));
  }
  EXPECT_LT(low, 0.1);
  EXPECT_NEAR(high, 5, 0.01);
  // The expected period is that of ngspice 39 at reltol 1e-5 with cje=5p cjc=3p tf=0.3n. Without these ngspice stops.
  const std::vector<double> up = rises(s, "v(c1)", 2.5);
  ASSERT_GE(up.size(), 3u);
  EXPECT_NEAR(up.back() - up[up.size() - 2], 6.7726e-4, 1e-6);
}

TEST(Leaps, AFailureNamesTheUnknownThatChangesFastest) {
  // v(a) = v(b) - exp(3 v(b)) cannot exceed -0.7, and there is no other state into which the circuit could tip over.
  const char* const text = R"(No solution after some time
V1 a 0 PWL(0 -3 1 1)
R1 a b 1
B1 b 0 I=-exp(3*v(b))
.tran 1m 1
.end
)";
  const Solution s = run_netlist(text, "radau");
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.outcome.message.find("' changes fastest there, by "), std::string::npos) << s.outcome.message;
  EXPECT_GT(s.rows(), 5);
}
}  // namespace
}  // namespace trill::test
