// SPDX-License-Identifier: BSD-3-Clause
// Stiff gaps in a heat bath: closed gaps with the force of the free energy of the fast modes have the same averages as
// the stiff system.
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill {
namespace {
constexpr const char* two_rods = R"(
[parameters]
k = 1e6
[coordinates]
x1 = { start = 0.8 }
y1 = { start = -0.6 }
x2 = { start = 1.8 }
y2 = { start = -0.6 }
[[stiff]]
gap = "sqrt(x1^2 + y1^2) - 1"
stiffness = "k"
[[stiff]]
gap = "sqrt((x2 - x1)^2 + (y2 - y1)^2) - 1"
stiffness = "k"
[[measure]]
name = "square"
value = "(x1*(x2 - x1) + y1*(y2 - y1))^2"
[heat_bath]
friction = 1
temperature = 0.7
)";

struct Mean {
  double value, deviation;
};
Mean mean_of(const Solution& s, const char* name) {
  const Vec all = s.measured().row(s.quantity(name)).transpose();
  constexpr Index blocks = 20;
  const Index length = all.size() / blocks;
  Vec means(blocks);
  for (Index b = 0; b < blocks; ++b) means[b] = all.segment(b * length, length).mean();
  const double mean = means.mean();
  return {mean, std::sqrt((means.array() - mean).square().sum() / (blocks * (blocks - 1)))};
}

// The mean of cos^2 of the angle between two rigid rods with unit masses. The kinetic energy gives the angle the
// weight sqrt(2 - cos^2).
double rigid_mean() {
  double sum = 0, weights = 0;
  for (int i = 0; i < 4000; ++i) {
    const double c = std::cos(std::numbers::pi * (i + 0.5) / 4000), w = std::sqrt(2 - c * c);
    sum += w * c * c;
    weights += w;
  }
  return sum / weights;
}

class TwoRods : public testing::Test {
 protected:
  TwoRods() {
    RunPlan plan;
    plan.model = "rods";
    plan.want = Want::slow;
    plan.h = 0.04;
    plan.to = 8000;
    plan.output = EveryStep{4};
    PreparedRun run = prepare(plan, read_model("rods.toml", two_rods).problem);
    solution_ = run.run();
  }
  Solution solution_;
};

// With stiff springs and no other forces all angles are equally likely.
TEST_F(TwoRods, SampleTheMeasureOfStiffSprings) {
  ASSERT_EQ(solution_.outcome.status, RunStatus::reached_end) << solution_.outcome.message;
  const Mean square = mean_of(solution_, "square");
  EXPECT_NEAR(square.value, 0.5, 4 * square.deviation);
  EXPECT_GT(std::abs(square.value - rigid_mean()), 4 * square.deviation) << "that of rigid rods is " << rigid_mean();
}

TEST_F(TwoRods, HaveTheTemperatureOfTheBath) {
  const Mean temperature = mean_of(solution_, "slow_temperature");
  EXPECT_NEAR(temperature.value, 0.7, 4 * temperature.deviation + 0.005);
  EXPECT_LT(solution_.measured().row(solution_.quantity("constraint")).maxCoeff(), 1e-9);
}

// The potential x^2/2 + (1 + x^2) y^2/(2 epsilon^2). The oscillation in y is treated as if it had the temperature 1;
// then x moves in the potential x^2/2 + log(1 + x^2)/2.
constexpr const char* varying_oscillator = R"toml(
[coordinates]
x = { start = 0.8 }
y = { start = 0, velocity = "sqrt(2)" }
[[stiff]]
gap = "sqrt(1 + x^2)*y"
stiffness = 1e4
[[potential]]
energy = "x^2/2"
)toml";

Solution with_thermal_modes(const char* text, const OptionSet& options, double to) {
  RunPlan plan;
  plan.model = "thermal";
  plan.method = "slow";
  plan.options = options;
  plan.options["fast_energy"] = "fixman";
  plan.rtol = 1e-9;
  plan.to = to;
  return prepare(plan, read_model("thermal.toml", text).problem).run();
}

TEST(SlowWithoutABath, TakesTheForceOfAnEquilibriumIfAsked) {
  const Solution s = with_thermal_modes(varying_oscillator, {{"order", "0"}}, 10);
  double x = 0.8, v = 0;
  constexpr int steps = 20000;
  constexpr double h = 10.0 / steps;
  const auto a = [](double at) { return -at - at / (1 + at * at); };
  for (int k = 0; k < steps; ++k) {
    v += 0.5 * h * a(x);
    x += h * v;
    v += 0.5 * h * a(x);
  }
  EXPECT_NEAR(s.y()(0, s.rows() - 1), x, 1e-6);
  EXPECT_LT(s.drift("free_energy"), 1e-7);
  EXPECT_NEAR(s.measured()(s.quantity("fast_energy"), s.rows() - 1), 1, 1e-12);
}

// Nothing follows what drag and events do to an oscillation whose temperature is given.
TEST(SlowWithoutABath, DoubtsATemperatureThatDragOrAnEventChanges) {
  const auto doubts = [](const std::string& more, const char* code) {
    const Solution s = with_thermal_modes((varying_oscillator + more).c_str(), {{"order", "0"}}, 1);
    return std::any_of(s.outcome.notices.begin(), s.outcome.notices.end(),
                       [&](const Notice& n) { return n.code == code && n.severity == Severity::doubt; });
  };
  const char* const drag = "[[force]]\non = \"x\"\nvalue = \"-0.1*vx\"\n";
  const char* const event =
      "[parameters]\npush = 0\n[[force]]\non = \"x\"\nvalue = \"push\"\n[[event]]\nwhen = \"t - 0.5\"\nthen = { push = "
      "1 }\n";
  EXPECT_FALSE(doubts("", "thermal_modes_with_drag"));
  EXPECT_TRUE(doubts(drag, "thermal_modes_with_drag"));
  EXPECT_FALSE(doubts("", "event_in_oscillation"));
  EXPECT_TRUE(doubts(event, "event_in_oscillation"));
}

// With two coupled gaps the force has a single potential, kT times the sum of the logarithms of both frequencies.
TEST(SlowWithoutABath, SharesTheEnergyAmongTheModes) {
  std::string rods = two_rods;
  rods.erase(rods.find("[heat_bath]"));
  rods.replace(rods.find("{ start = 0.8 }"), 15, "{ start = 0.8, velocity = 1 }");
  const Solution s = with_thermal_modes(rods.c_str(), {{"order", "0"}}, 5);
  EXPECT_LT(s.drift("free_energy"), 1e-10);
  const auto last = s.measured().col(s.rows() - 1);
  const auto energy = [&](const char* k) {
    return last[s.quantity(std::string("action_") + k)] * last[s.quantity(std::string("frequency_") + k)];
  };
  EXPECT_NEAR(energy("1"), energy("2"), 1e-9);
  EXPECT_GT(energy("1"), 0.01);
}
}  // namespace
}  // namespace trill
