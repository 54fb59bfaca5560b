// SPDX-License-Identifier: BSD-3-Clause
// Envelopes of circuits that oscillate by themselves.
#include "multiscale/free_circuit_cycle.hpp"
#include "multiscale/oscillation_finder.hpp"
#include "support/netlists.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
using testing_netlists::netlist;

// An LC circuit whose conductance is negative for small voltages: v'' + v = mu (1 - v^2) v' in suitable units.
std::string tank(const std::string& supply) {
  return "L1 a 0 1m IC=0\nC1 a 0 1u IC=0.1\n"
         "B1 a 0 I=-0.0005*V(a)*V(s)+0.0005*V(a)^3/3\n" +
         supply + ".tran 1u 60m 0 5u uic\n.end\n";
}

Solution run_wanting(const std::string& text, Want want, double rtol, double to) {
  TextModel model = netlist(text);
  RunPlan plan;
  plan.want = want;
  plan.rtol = rtol;
  plan.to = to;
  return prepare(plan, std::move(model.problem), model.info.run).run();
}

double at_end(const Solution& s, const std::string& name) { return s.y()(s.component(name), s.rows() - 1); }

TEST(FreeCircuits, ATankIsFollowedWithFewCycles) {
  const std::string text = tank("V1 s 0 1\n");
  const Solution envelope = run_wanting(text, Want::envelope, 1e-5, 0.06);
  ASSERT_TRUE(envelope.ok()) << envelope.outcome.message;
  EXPECT_EQ(envelope.info.formulation, "envelope");
  const Solution transient = run_wanting(text, Want::full, 1e-9, 0.06);
  // There are 300 periods of about 0.2 ms. An error of 1e-3 rad in the phase changes the voltage by 2 mV.
  EXPECT_NEAR(at_end(envelope, "v(a)"), at_end(transient, "v(a)"), 2e-2);
  EXPECT_NEAR(at_end(envelope, "i(l1)"), at_end(transient, "i(l1)"), 1e-3);
  EXPECT_LT(envelope.outcome.counters.micro_steps, 100);
}

// The supply rises between 10 ms and 40 ms, and with it the amplitude of the oscillation, which is 2 sqrt(supply).
TEST(FreeCircuits, ASlowSupplyCarriesTheOscillationAlong) {
  const std::string text = tank("V1 s 0 PWL(0 1 10m 1 40m 2 100m 2)\n");
  const Solution envelope = run_wanting(text, Want::envelope, 1e-5, 0.06);
  ASSERT_TRUE(envelope.ok()) << envelope.outcome.message;
  const Solution transient = run_wanting(text, Want::full, 1e-9, 0.06);
  EXPECT_NEAR(at_end(envelope, "v(a)"), at_end(transient, "v(a)"), 3e-2);
  EXPECT_NEAR(at_end(envelope, "i(l1)"), at_end(transient, "i(l1)"), 1e-3);
  EXPECT_LT(envelope.outcome.counters.micro_steps, 200);
  const Index amplitude = envelope.quantity("amplitude_v(a)");
  EXPECT_NEAR(envelope.measured()(amplitude, envelope.rows() - 2), 2 * std::sqrt(2.0), 0.03);
}

TEST(FreeCircuits, StartsOfOscillatorsAreThoseOfTheTransient) {
  const std::string colpitts = (std::filesystem::path(TRILL_SOURCE_DIR) / "examples/circuits/colpitts.cir").string();
  RunPlan plan;
  plan.model = colpitts;
  plan.want = Want::envelope;
  plan.to = 1.5e-4;
  const Solution envelope = prepare(plan).run();
  ASSERT_TRUE(envelope.ok()) << envelope.outcome.message;
  EXPECT_LT(envelope.outcome.counters.micro_steps, 120);  // of 239 cycles
  plan.want = Want::full;
  plan.rtol = 1e-7;
  const Solution transient = prepare(plan).run();
  // v(c) oscillates by 8 V at 1.6 MHz, so an error of 1e-3 in the phase is 8 mV.
  EXPECT_NEAR(at_end(envelope, "v(c)"), at_end(transient, "v(c)"), 0.05);
}

TEST(FreeCircuits, DerivativesOfCyclesAreTheirDifferences) {
  const TextModel model = netlist(tank("V1 s 0 1\n"));
  const auto& circuit = model.problem->as<CircuitProblem>("a test");
  const FreeCircuitCycle map(circuit, model.problem->initial_state(), {0, 0.1}, 2e-4, 1e-8);
  Vec z = map.initial_state().y, change(z.size()), there(z.size());
  for (int n = 0; n < 30; ++n, z += change) ASSERT_TRUE(map.change(n, z, change)) << map.trouble();
  EXPECT_NEAR(map.period(), 2 * std::numbers::pi * std::sqrt(1e-9), 1e-5);
  Mat derivative;
  ASSERT_TRUE(map.change_and_derivative(0, z, change, derivative));
  ASSERT_TRUE(map.record(0, z, there));
  EXPECT_EQ(change, there);
  for (Index j = 0; j + 1 < z.size(); ++j) {
    Vec ahead = z, behind = z, forwards(z.size()), backwards(z.size()), image(z.size());
    const double step = 1e-4 * z.head(z.size() - 1).cwiseAbs()[j];
    ahead[j] += step;
    behind[j] -= step;
    ASSERT_TRUE(map.change(0, ahead, forwards) && map.change(0, behind, backwards));
    const Vec difference = (forwards - backwards) / (2 * step);
    EXPECT_LT((derivative.col(j) - difference).norm(), 1e-4 * (1 + difference.norm())) << j;
    ASSERT_TRUE(map.record(0, z, there) && map.tangent(Vec::Unit(z.size(), j), image));
    EXPECT_LT((image - Vec::Unit(z.size(), j) - derivative.col(j)).norm(), 1e-9 * (1 + difference.norm())) << j;
  }
}

// The amplitude grows by 2 % in each period and the mean drifts. Both move the times at which the mean is crossed.
TEST(OscillationFinders, SeeThroughDriftAndGrowth) {
  const double period = 0.37, w = 2 * std::numbers::pi / period;
  OscillationFinder finder(-1, 0.1);
  State s(Layout{.nq = 2});
  const auto at = [&](double t) {
    s.t = t;
    s.y << 0.4 * t + std::sin(w * t) + 0.2 * std::sin(2 * w * t + 1), 3 + std::cos(w * t);
  };
  at(0);
  finder.begin(s);
  for (double t = 0.007; !finder.found() && t < 20; t += 0.007) {
    at(t);
    finder.take(s);
  }
  ASSERT_TRUE(finder.found());
  EXPECT_NEAR(finder.period(), period, 2e-5 * period);
  EXPECT_EQ(finder.swings().size(), 2);
}

// The first component has three equal cycles within one period of the others.
TEST(OscillationFinders, TakeThePeriodOfAllComponents) {
  OscillationFinder finder(-1, 0.1);
  State s(Layout{.nq = 3});
  const auto at = [&](double t) {
    s.t = t;
    s.y << std::sin(3 * t), 2 + std::sin(t), 2 + std::cos(t);
  };
  at(0);
  finder.begin(s);
  for (double t = 0.05; !finder.found() && t < 100; t += 0.05) {
    at(t);
    finder.take(s);
  }
  ASSERT_TRUE(finder.found());
  EXPECT_NEAR(finder.period(), 2 * std::numbers::pi, 1e-4);
  EXPECT_NE(finder.component(), 0);
}
}  // namespace
}  // namespace trill::test
