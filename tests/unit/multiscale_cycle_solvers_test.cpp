// SPDX-License-Identifier: BSD-3-Clause
// Implicit steps over many cycles, with and without the matrix of the derivative.
#include "multiscale/circuit_cycle.hpp"
#include "multiscale/cycle_matrix.hpp"
#include "multiscale/cycle_methods.hpp"
#include "support/netlists.hpp"
#include "trill/driver/driver.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::test {
namespace {
// Modes that decay by known factors, mixed by a reflection, with a weak nonlinearity. The last modes decay within one
// cycle.
class ManyModesMap : public CycleMap {
 public:
  explicit ManyModesMap(Index n) : axis_(n), multipliers_(n) {
    for (Index i = 0; i < n; ++i) {
      axis_[i] = std::sin(1.0 + static_cast<double>(i));
      multipliers_[i] = 0.995 * std::pow(0.6, static_cast<double>(i));
    }
    axis_.normalize();
  }
  std::string name() const override { return "many modes"; }
  Layout layout() const override { return {.nq = axis_.size()}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(axis_.size()));
  }
  State initial_state() const override { return State(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<ManyModesMap>(*this); }
  bool change(double, In z, Out change) const override {
    const Vec x = reflect(z);
    Vec y = multipliers_.cwiseProduct(x) + Vec::Constant(x.size(), 0.01);
    y[1] += 0.01 * std::sin(x[0]);
    change = reflect(y) - z;
    return true;
  }

 private:
  Vec reflect(const Vec& z) const { return z - 2 * axis_ * axis_.dot(z); }
  Vec axis_, multipliers_;
};

struct Ended {
  Vec z;
  Counters work;
  std::string summary;
};

Ended run_cycles(const CycleMap& map, const std::string& method, const OptionSet& options, double cycles,
                 double rtol = 1e-6) {
  const auto stepper = cycle_methods().method(method).make(map, options);
  DriverOptions driver;
  driver.control = AdaptiveStep{.rtol = rtol, .atol = Vec::Constant(1, 1e-3 * rtol)};
  const Solution s = integrate(map, *stepper, map.initial_state(), cycles, driver);
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  return {s.y().col(s.rows() - 1), s.outcome.counters, stepper->summary()};
}

TEST(CycleSolvers, AgreeWithTheMatrix) {
  const ManyModesMap map(40);
  Vec exact = Vec::Zero(40), change(40);
  for (int n = 0; n < 1000; ++n) {
    ASSERT_TRUE(map.change(n, exact, change));
    exact += change;
  }
  for (const char* method : {"cycle_bdf", "cycle_implicit"})
    for (const char* solver : {"dense", "gmres", "picard"}) {
      const Ended end = run_cycles(map, method, {{"solver", solver}}, 1000);
      EXPECT_LT((end.z - exact).norm() / exact.norm(), 1e-4) << method << solver;
      EXPECT_LT(end.work.micro_steps, 500) << method << solver;  // not counting those for differences
      EXPECT_EQ(end.work.products > 0, std::string(solver) != "dense") << method << solver;
      // Each product costs one cycle here, a matrix costs 40.
      EXPECT_LT(end.work.products, std::string(solver) == "picard" ? 150 : 2000) << method << solver;
    }
}

TEST(CycleSolvers, AreChosenByTheNumberOfUnknowns) {
  EXPECT_EQ(run_cycles(ManyModesMap(5), "cycle_bdf", {}, 100).work.products, 0);
  EXPECT_GT(run_cycles(ManyModesMap(30), "cycle_bdf", {}, 100).work.products, 0);
}

// The products computed for (1 + a) d - a A d = r can be used again for another a, for a periodic motion and for two
// columns at once.
TEST(SlowSubspace, SharesItsProductsWithOtherWeights) {
  const Index n = 200;
  Vec values(n);
  for (Index i = 0; i < n; ++i) values[i] = 0.99 * std::pow(0.7, static_cast<double>(i));
  int products = 0;
  const Product product = [&](In v, Out av) {
    ++products;
    av = values.cwiseProduct(v);
  };
  KrylovCycleMatrix matrix(n, product), pair(n, product, 2);
  const auto weights = [](double a) { return CycleWeights{Mat::Constant(1, 1, 1 + a), Mat::Constant(1, 1, a)}; };
  const Vec r = Vec::LinSpaced(n, 1, 2);
  Vec d(n);
  matrix.pose(weights(50));
  ASSERT_TRUE(matrix.solve(r, d));
  const int first = products;
  EXPECT_GE(first, 8);
  EXPECT_LT((d - r.cwiseQuotient(51 * Vec::Ones(n) - 50 * values)).norm(), 1e-5 * d.norm());
  matrix.pose(weights(400));
  matrix.estimate(r, d);
  EXPECT_LT((d - r.cwiseQuotient(401 * Vec::Ones(n) - 400 * values)).norm(), 1e-2 * d.norm());
  EXPECT_EQ(products, first);
  ASSERT_TRUE(matrix.solve(r, d));
  EXPECT_LT(products - first, first / 2);
  EXPECT_LT((d - r.cwiseQuotient(401 * Vec::Ones(n) - 400 * values)).norm(), 1e-5 * d.norm());

  Mat alpha(2, 2);
  alpha << 20, -5, 40, 10;
  pair.pose({Mat::Identity(2, 2) + alpha, alpha});
  const Vec both = Vec::LinSpaced(2 * n, 1, -1);
  Vec solved(2 * n);
  ASSERT_TRUE(pair.solve(both, solved));
  for (const Index i : {Index{0}, Index{3}, n - 1}) {
    const Mat small = Mat::Identity(2, 2) + alpha * (1 - values[i]);
    const Vec expected = small.inverse() * Vec{{both[i], both[n + i]}};
    EXPECT_NEAR(solved[i], expected[0], 1e-5) << i;
    EXPECT_NEAR(solved[n + i], expected[1], 1e-5) << i;
  }
}

// Two slow components, and a third that every cycle sets to a new value, which changes irregularly.
class ForgetfulMap final : public ManyModesMap {
 public:
  ForgetfulMap(double jumps, double memory) : ManyModesMap(3), jumps_(jumps), memory_(memory) {}
  bool derives_cheaply() const override { return true; }
  bool change(double n, In z, Out change) const override {
    change << 0.01 * (1 - z[0]), 0.003 * (z[0] - z[1]), 1 + jumps_ * std::sin(12.9898 * n) + memory_ * z[2] - z[2];
    return true;
  }
  bool change_and_derivative(double n, In z, Out change_here, Mat& derivative) const override {
    derivative.setZero(3, 3);
    derivative << -0.01, 0, 0, 0.003, -0.003, 0, 0, 0, memory_ - 1;
    return change(n, z, change_here);
  }

 private:
  double jumps_, memory_;
};

TEST(CycleErrors, LeaveOutWhatACycleForgets) {
  const auto cycles_of = [](double jumps, double memory) {
    return run_cycles(ForgetfulMap(jumps, memory), "cycle_bdf", {}, 2000, 1e-5).work.micro_steps;
  };
  const auto smooth = cycles_of(0, 0);
  EXPECT_LT(cycles_of(4e-5, 0), 1.3 * static_cast<double>(smooth));
  // The third component is not forgotten, so its error counts.
  EXPECT_GT(cycles_of(4e-5, 1e-3), 1.5 * static_cast<double>(smooth));
  // Cycles begin so far from the right value that values inside them are wrong.
  EXPECT_GT(cycles_of(0.1, 0), 3 * smooth);
}

std::string ladder_of(int sections) {
  std::string text = "V1 in 0 SIN(0 12 50)\nRs in a 1\nD1 a n0 diode\nC0 n0 0 1000u IC=0\n";
  for (int k = 1; k <= sections; ++k) text += fmt::format("R{} n{} n{} 1\nC{} n{} 0 100u IC=0\n", k, k - 1, k, k, k);
  return text + fmt::format("Rload n{} 0 200\n.model diode D(IS=1e-9 N=1)\n.tran 100u 2 0 200u uic\n.end\n", sections);
}

TEST(CycleSolvers, FollowTheEnvelopeOfALongLadder) {
  Vec ends[2];
  std::int64_t cycles[2];
  int k = 0;
  for (const char* solver : {"dense", "picard"}) {
    TextModel model = testing_netlists::netlist(ladder_of(60));
    RunPlan plan;
    plan.method = "envelope";
    plan.options = {{"solver", solver}};
    plan.to = 2;
    const Solution s = prepare(plan, std::move(model.problem), model.info.run).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    ends[k] = s.y().col(s.rows() - 1);
    cycles[k++] = s.outcome.counters.micro_steps;
  }
  EXPECT_LT((ends[0] - ends[1]).lpNorm<Eigen::Infinity>(), 1e-3 * ends[0].lpNorm<Eigen::Infinity>());
  EXPECT_LT(cycles[1], 100);
}
}  // namespace
}  // namespace trill::test
