// SPDX-License-Identifier: BSD-3-Clause
// Cycles of known length of problems that are not circuits.
#include "multiscale/cycle_methods.hpp"
#include "multiscale/problem_cycle.hpp"
#include "problem/clocked.hpp"
#include "support/small_problems.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double cycle_turn = 2 * std::numbers::pi;
constexpr double hopf_growth = 0.002, hopf_detuning = 0.7;

FormulaRate hopf_rate() {
  Vec y(2);
  y << 0.3, 0;
  return {y, [](double, In z, Out dz) {
            const double r2 = z.squaredNorm(), w = cycle_turn + hopf_growth * hopf_detuning * r2;
            dz << -w * z[1] + hopf_growth * z[0] * (1 - r2), w * z[0] + hopf_growth * z[1] * (1 - r2);
          }};
}

// The same oscillator in closed form.
Vec hopf_after(In z, double t) {
  const double r2 = z.squaredNorm(), k = 1 / r2 - 1, decay = std::exp(-2 * hopf_growth * t);
  const double turn =
      cycle_turn * t + hopf_growth * hopf_detuning * (t + std::log((1 + k * decay) / (1 + k)) / (2 * hopf_growth));
  const std::complex<double> end = std::complex(z[0], z[1]) * std::polar(1 / std::sqrt((1 + k * decay) * r2), turn);
  Vec out(2);
  out << end.real(), end.imag();
  return out;
}

TEST(ProblemCycle, IsTheMotionOverOnePeriod) {
  const FormulaRate problem = hopf_rate();
  const ProblemCycle map(problem, problem.initial_state(), 1, 1e-11);
  Vec z(2), change(2), end(2);
  z << 0.5, -0.2;
  ASSERT_TRUE(map.change(7, z, change));
  EXPECT_LT((z + change - hopf_after(z, 1)).norm(), 1e-10);
  ASSERT_TRUE(map.part(7, z, 7.4, end));
  EXPECT_LT((end - hopf_after(z, 0.4)).norm(), 1e-10);
  EXPECT_TRUE(map.is_periodic());
  EXPECT_STREQ(map.method(), "dop853");
  EXPECT_GT(map.evaluations(), 0);
  EXPECT_EQ(map.time(7, z), 7);
  EXPECT_EQ(map.cycles_until(9.7, 7, z), 2);
  EXPECT_EQ(map.cycles_until(9, 7, z), 2);
}

TEST(ProblemCycle, IsComputedInTheSameWayWhateverCameBefore) {
  const FormulaRate problem = hopf_rate();
  const ProblemCycle map(problem, problem.initial_state(), 1, 1e-7);
  Vec z(2), other(2), first(2), again(2);
  z << 0.5, -0.2;
  other << 0.9, 0.9;
  ASSERT_TRUE(map.change(0, z, first));
  ASSERT_TRUE(map.change(3, other, again));
  ASSERT_TRUE(map.change(0, z, again));
  EXPECT_EQ(first, again);
}

// x' = a t + cos(2 pi t). The change in a cycle is a (n + 1/2), also for fractional n: every cycle starts at the same
// phase of the cosine.
TEST(ProblemCycle, StartsEveryCycleAtTheSamePhase) {
  const FormulaRate problem(Vec::Zero(2), [](double t, In y, Out dy) {
    dy[0] = 0.01 * t + cycle_turn * std::cos(cycle_turn * t);
    dy[1] = y[0];
  });
  const ProblemCycle map(problem, problem.initial_state(), 1, 1e-11);
  EXPECT_FALSE(map.is_periodic());
  Vec change(2);
  for (const double n : {0.0, 3.0, 3.4, 100.75}) {
    ASSERT_TRUE(map.change(n, Vec::Zero(2), change));
    EXPECT_NEAR(change[0], 0.01 * (n + 0.5), 1e-9) << n;
  }
}

TEST(ProblemCycle, TellsWhatComponentsDidInTheLastCycle) {
  const FormulaRate problem(Vec::Zero(1),
                            [](double t, In, Out dy) { dy[0] = 3 * cycle_turn * std::cos(cycle_turn * t); });
  ProblemCycle map(problem, problem.initial_state(), 1, 1e-10);
  map.follow_cycles(true);
  Vec change(1);
  ASSERT_TRUE(map.change(4, Vec::Constant(1, 2), change));
  EXPECT_NEAR(map.trace().duration(), 1, 1e-12);
  EXPECT_NEAR(map.trace().mean()[0], 2, 1e-8);
  EXPECT_NEAR(map.trace().rms()[0], std::sqrt(4 + 4.5), 1e-8);
  EXPECT_NEAR(map.trace().max()[0], 5, 0.05);
  EXPECT_NEAR(map.trace().min()[0], -1, 0.05);
}

class PulsedRate final : public FirstOrderProblem {
 public:
  std::string name() const override { return "stepped"; }
  Layout layout() const override { return {.nq = 1}; }
  std::vector<Quantity> components() const override { return {{"y", ""}}; }
  State initial_state() const override { return State(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<PulsedRate>(*this); }
  std::vector<double> breakpoints(double t0, double t1) const override {
    std::vector<double> all;
    for (double t = std::floor(t0) + 0.25; t < t1; t += 1)
      if (t > t0) all.push_back(t);
    return all;
  }
  void rhs(double t, In, Out dy) const override { dy[0] = t - std::floor(t) < 0.25 ? 1 : 0; }
  std::vector<EventInfo> events() const override {
    return jumps ? std::vector<EventInfo>{{.name = "jump"}} : std::vector<EventInfo>();
  }
  bool jumps = false;
};

TEST(ProblemCycle, EndsStepsAtBreakpoints) {
  const PulsedRate problem;
  const ProblemCycle map(problem, problem.initial_state(), 1, 1e-9);
  Vec change(1);
  ASSERT_TRUE(map.change(5, Vec::Zero(1), change));
  EXPECT_NEAR(change[0], 0.25, 1e-10);
}

TEST(ProblemCycle, TakesAnImplicitMethodWhereCyclesAreStiff) {
  const FormulaRate problem(Vec::Zero(1),
                            [](double t, In y, Out dy) { dy[0] = -1e5 * (y[0] - std::cos(cycle_turn * t)); });
  const ProblemCycle map(problem, problem.initial_state(), 1, 1e-7);
  EXPECT_STREQ(map.method(), "radau");
  Vec change(1);
  ASSERT_TRUE(map.change(2, Vec::Constant(1, 0.5), change));
  EXPECT_NEAR(0.5 + change[0], 1, 1e-6);
}

TEST(ProblemCycle, TakesThePeriodThatAModelStates) {
  const auto forced = make_model("forced", {{"nu", "4"}}).problem;
  ASSERT_TRUE(drive_period_of(*forced));
  EXPECT_NEAR(*drive_period_of(*forced), 2 * std::numbers::pi / 4, 1e-14);
  const auto rate = read_model("m.toml", "[coordinates]\nx = 0\n[rate]\nx = \"sin(3*t) + cos(t/7) - x\"\n").problem;
  ASSERT_TRUE(drive_period_of(*rate));
  EXPECT_NEAR(*drive_period_of(*rate), 2 * std::numbers::pi / 3, 1e-14);
  EXPECT_FALSE(drive_period_of(*make_model("harmonic").problem));
}

TEST(ProblemCycle, RefusesWhatItCannotFollow) {
  PulsedRate problem;
  problem.jumps = true;
  EXPECT_NE(refusal([&] { ProblemCycle(problem, problem.initial_state(), 1, 1e-7); }).find("event 'jump'"),
            std::string::npos);
  const FormulaRate smooth = hopf_rate();
  EXPECT_NE(refusal([&] { ProblemCycle(smooth, smooth.initial_state(), 0, 1e-7); }).find("must be positive"),
            std::string::npos);
  const FormulaRate ends(Vec::Ones(1), [](double t, In, Out dy) { dy[0] = std::sqrt(1 - t); });
  EXPECT_NE(refusal([&] { ProblemCycle(ends, ends.initial_state(), 2, 1e-7); }).find("no cycle of"), std::string::npos);
}
}  // namespace
}  // namespace trill::test
