// SPDX-License-Identifier: BSD-3-Clause
// What a method on cycle maps tries when a step over many cycles fails. Each test forces one of these ways ("rungs").
#include "multiscale/circuit_cycle.hpp"
#include "multiscale/cycle_methods.hpp"
#include "support/netlists.hpp"
#include "trill/driver/driver.hpp"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
enum class Rung { step, refreshed, damped, shorter, quarter, single, transient };

// z(n+1) = z(n) + rate (1 - z(n)), with trouble in the cycles from `from` to `to`.
class TroubledMap : public CycleMap {
 public:
  std::string name() const override { return "trouble"; }
  Layout layout() const override { return {.nq = 1}; }
  std::vector<Quantity> components() const override { return {{"z", ""}}; }
  State initial_state() const override { return State(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<TroubledMap>(*this); }
  bool change(double n, In z, Out change) const override {
    ++computed;
    if (fails && in_trouble(n)) return false;
    if (fails_once && in_trouble(n) && bad < 0) bad = n;
    if (n == bad) return false;
    change[0] = slope(n) * (1 - z[0]);
    return true;
  }
  bool change_and_derivative(double n, In z, Out change_here, Mat& derivative) const override {
    derivative(0, 0) = -slope(n);
    return change(n, z, change_here);
  }
  bool change_plainly(double n, In z, Out change) const override {
    if (!has_plain) return false;
    ++plain;
    change[0] = slope(n) * (1 - z[0]);
    return true;
  }
  std::string trouble() const override { return "it was told to fail"; }
  // With this breakpoint the cycles in trouble are computed and not jumped over.
  std::vector<double> breakpoints(double, double) const override {
    return fails ? std::vector<double>{from} : std::vector<double>();
  }
  bool in_trouble(double n) const { return n >= from && n < to; }
  double slope(double n) const { return n >= stiffer_from ? 40 * rate : rate; }

  double rate = 0.002, from = 100, to = 105, stiffer_from = HUGE_VAL;
  bool fails = false, fails_once = false, has_plain = false;
  mutable int computed = 0, plain = 0;
  mutable double bad = -1;  // the number of the cycle that fails
};

struct LadderRun {
  Solution solution;
  std::string summary;
  bool has(Rung rung) const {
    const Index row = solution.quantity("rung");
    for (Index k = 0; k < solution.rows(); ++k)
      if (solution.measured()(row, k) == static_cast<int>(rung)) return true;
    return false;
  }
  bool tells(const std::string& code) const {
    for (const Notice& notice : solution.outcome.notices)
      if (notice.code == code) return true;
    return false;
  }
};

LadderRun run_ladder(const CycleMap& map, const OptionSet& options = {}, double cycles = 400) {
  const auto stepper = cycle_methods().method("cycle_bdf").make(map, options);
  DriverOptions driver;
  driver.control = AdaptiveStep{.rtol = 1e-5, .atol = Vec::Constant(1, 1e-8)};
  Solution s = integrate(map, *stepper, map.initial_state(), cycles, driver);
  return {std::move(s), stepper->summary()};
}

double end_of(const LadderRun& run) { return run.solution.y()(0, run.solution.rows() - 1); }

TEST(FallBacks, AreNotNeededWithoutTrouble) {
  const LadderRun run = run_ladder(TroubledMap());
  ASSERT_TRUE(run.solution.ok());
  EXPECT_NEAR(end_of(run), 1 - std::pow(1 - 0.002, 400), 1e-4);
  for (const Rung rung : {Rung::refreshed, Rung::damped, Rung::quarter, Rung::transient})
    EXPECT_FALSE(run.has(rung)) << run.summary;
}

// The derivative is used again from step to step. When the motion changes, it has to be computed anew.
TEST(FallBacks, ADerivativeThatNoLongerServesIsComputedAgain) {
  TroubledMap map;
  map.stiffer_from = 200;
  const LadderRun run = run_ladder(map);
  ASSERT_TRUE(run.solution.ok()) << run.solution.outcome.message;
  EXPECT_TRUE(run.has(Rung::refreshed));
  EXPECT_NE(run.summary.find("new derivative"), std::string::npos) << run.summary;
  EXPECT_NEAR(end_of(run), 1 - std::pow(1 - 0.002, 200) * std::pow(1 - 0.08, 200), 1e-4);
}

TEST(FallBacks, AStepThatCannotBeComputedIsShortened) {
  TroubledMap map;
  map.from = 30;
  map.to = HUGE_VAL;
  map.fails_once = true;
  const LadderRun run = run_ladder(map);
  ASSERT_TRUE(run.solution.ok()) << run.solution.outcome.message;
  EXPECT_TRUE(run.has(Rung::quarter)) << run.summary;
  EXPECT_TRUE(run.tells("envelope_shortened"));
  EXPECT_NEAR(end_of(run), 1 - std::pow(1 - 0.002, 400), 1e-4);
}

TEST(FallBacks, AnOrdinaryMethodPassesCyclesThatCannotBeComputed) {
  TroubledMap map;
  map.fails = map.has_plain = true;
  const LadderRun run = run_ladder(map);
  ASSERT_TRUE(run.solution.ok()) << run.solution.outcome.message;
  EXPECT_EQ(map.plain, 5);  // the cycles 100 to 104
  EXPECT_TRUE(run.has(Rung::transient));
  EXPECT_TRUE(run.tells("envelope_transient"));
  EXPECT_NE(run.summary.find("5 cycles by an ordinary method"), std::string::npos) << run.summary;
  EXPECT_NEAR(end_of(run), 1 - std::pow(1 - 0.002, 400), 1e-4);
  EXPECT_LT(map.computed, 200);  // afterwards steps over many cycles are possible again
}

TEST(FallBacks, WithoutAnOrdinaryMethodTheRunEndsThereAndSaysWhy) {
  TroubledMap map;
  map.fails = true;
  const LadderRun run = run_ladder(map);
  EXPECT_FALSE(run.solution.ok());
  EXPECT_NEAR(run.solution.t.back(), 100, 1e-9);
}

// A drift at a constant rate that ends abruptly. Steps of 51 cycles extrapolate it beyond this end. From there
// undamped iterations for w + 0.15 atan(300 w) = base alternate between two points on both sides of the solution.
class BentMap final : public TroubledMap {
 public:
  State initial_state() const override {
    State s(layout());
    s.y[0] = 1;
    return s;
  }
  bool change(double, In z, Out change) const override {
    change[0] = -0.003 * std::atan(300 * z[0]);
    return true;
  }
  bool change_and_derivative(double n, In z, Out change_here, Mat& derivative) const override {
    derivative(0, 0) = -0.9 / (1 + 9e4 * z[0] * z[0]);
    return change(n, z, change_here);
  }
};

TEST(FallBacks, AnIterationThatRunsAwayIsDamped) {
  const LadderRun run = run_ladder(BentMap(), {{"order", "1"}, {"cycles", "51"}}, 51 * 8);
  ASSERT_TRUE(run.solution.ok()) << run.solution.outcome.message;
  EXPECT_TRUE(run.has(Rung::damped)) << run.summary;
  EXPECT_NE(run.summary.find("damped"), std::string::npos) << run.summary;
  EXPECT_NEAR(end_of(run), 0, 1e-3);
}

// For some cycles the change is another one in each of them, so that no step can jump over any.
class RestlessMap final : public TroubledMap {
 public:
  static constexpr double kicks(double n) { return n >= 100 && n < 160 ? 0.1 : 0; }
  bool change(double n, In z, Out change) const override {
    change[0] = rate * (1 - z[0]) + kicks(n) * std::sin(2.4 * n);
    return true;
  }
};

TEST(FallBacks, CyclesThatCannotBeJumpedOverAreComputedOneByOne) {
  const LadderRun run = run_ladder(RestlessMap());
  ASSERT_TRUE(run.solution.ok()) << run.solution.outcome.message;
  const Index rung = run.solution.quantity("rung");
  int singles = 0;
  for (Index k = 0; k < run.solution.rows(); ++k) {
    const double n = run.solution.t[static_cast<std::size_t>(k)];
    if (n > 110 && n <= 160 && run.solution.measured()(rung, k) == static_cast<int>(Rung::single)) ++singles;
  }
  EXPECT_GT(singles, 40) << run.summary;
  EXPECT_NE(run.summary.find("cycles one by one"), std::string::npos) << run.summary;
  double z = 0;
  for (int n = 0; n < 400; ++n) z += 0.002 * (1 - z) + RestlessMap::kicks(n) * std::sin(2.4 * n);
  EXPECT_NEAR(end_of(run), z, 1e-3);
}

// Each cycle takes longer than the one before. Still no step may go beyond the end of the run.
class SlowingMap final : public TroubledMap {
 public:
  Layout layout() const override { return {.nq = 2}; }
  std::vector<Quantity> components() const override { return {{"z", ""}, {"t", ""}}; }
  bool change(double, In z, Out change) const override {
    change << 0.002 * (1 - z[0]), 1 + 0.05 * z[1];
    return true;
  }
  bool change_and_derivative(double n, In z, Out change_here, Mat& derivative) const override {
    derivative << -0.002, 0, 0, 0.05;
    return change(n, z, change_here);
  }
  double time(double, In z) const override { return z[1]; }
  double cycles_until(double t, double, In z) const override { return std::floor((t - z[1]) / (1 + 0.05 * z[1])); }
  bool part(double, In z, double t, Out end) const override {
    end << z[0], t;
    return true;
  }
};

TEST(FallBacks, NoStepOverrunsItsEnd) {
  const LadderRun run = run_ladder(SlowingMap(), {}, 1000);
  ASSERT_TRUE(run.solution.ok()) << run.solution.outcome.message;
  EXPECT_EQ(run.solution.t.back(), 1000);
  for (const double t : run.solution.t) EXPECT_LE(t, 1000);
}

TEST(FallBacks, ACycleByAnOrdinaryMethodIsTheSameCycle) {
  for (const char* name : {"buck", "hysteretic_buck", "rectifier"}) {
    const TextModel model =
        load_model(std::filesystem::path(TRILL_SOURCE_DIR) / "examples/circuits" / (std::string(name) + ".cir"));
    const double period = std::string(name) == "rectifier" ? 0.02 : 1e-5;
    const CircuitCycle map(model.problem->as<CircuitProblem>("a test"), model.problem->initial_state(), period,
                           {.rtol = 1e-7});
    Vec z = map.initial_state().y, change(z.size()), plain(z.size());
    for (int n = 0; n < 20; ++n, z += change) {
      ASSERT_TRUE(map.change(n, z, change)) << name << map.failure();
      if (n < 19) continue;
      ASSERT_TRUE(map.change(n, z, change) && map.change_plainly(n, z, plain)) << name;
      EXPECT_LT((plain - change).norm(), 2e-5 * change.norm() + 1e-9 * z.norm()) << name;
      EXPECT_TRUE(map.trace().mean().allFinite());
    }
  }
}
}  // namespace
}  // namespace trill::test
