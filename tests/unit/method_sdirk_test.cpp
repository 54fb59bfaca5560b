// SPDX-License-Identifier: BSD-3-Clause
#include "method/sdirk_tableau.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "trill/driver/plan.hpp"

#include <complex>

namespace trill::test {
namespace {
using Complex = std::complex<double>;

// R(z) = 1 + z b^T (I - z A)^-1 1.
Complex stability_function(const SdirkTableau& t, Complex z) {
  const auto s = t.stages;
  const Eigen::MatrixXcd m = Eigen::MatrixXcd::Identity(s, s) - z * t.a.cast<Complex>();
  const Eigen::VectorXcd x = m.fullPivLu().solve(Eigen::VectorXcd::Ones(s));
  return 1.0 + z * (t.a.row(s - 1).cast<Complex>() * x)(0);
}

std::vector<double> gammas(int stages) {
  const GammaRange range = l_stable_gammas(stages);
  std::vector<double> all{range.min, range.max, most_accurate_gamma(stages), 0.37, 0.75, 1.0};
  for (int i = 1; i < 40; ++i) all.push_back(range.min + (range.max - range.min) * i / 40);
  std::erase_if(all, [&](double g) { return g < range.min || g > range.max; });
  return all;
}

TEST(SdirkTableau, OrderConditions) {
  for (const int stages : {2, 3, 4})
    for (const double gamma : gammas(stages)) {
      const SdirkTableau t = make_sdirk_tableau(stages, gamma);
      const Vec b = t.a.row(stages - 1);
      EXPECT_LT((t.a.rowwise().sum() - t.c).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_LT(t.a.cwiseAbs().maxCoeff(), 4) << stages << " " << gamma;
      EXPECT_NEAR(b.sum(), 1, 1e-14);
      if (t.order >= 2) {
        EXPECT_NEAR(b.dot(t.c), 1.0 / 2, 1e-13);
      }
      if (t.order >= 3) {
        EXPECT_NEAR(b.dot(t.c.cwiseAbs2()), 1.0 / 3, 1e-13);
        EXPECT_NEAR(b.dot(t.a * t.c), 1.0 / 6, 1e-13);
      }
    }
  EXPECT_EQ(make_sdirk_tableau(2, 0.5).order, 1);
  EXPECT_EQ(make_sdirk_tableau(2, most_accurate_gamma(2)).order, 2);
  EXPECT_EQ(make_sdirk_tableau(3, 0.3).order, 2);
  EXPECT_EQ(make_sdirk_tableau(3, most_accurate_gamma(3)).order, 3);
  EXPECT_EQ(make_sdirk_tableau(4, 0.3).order, 3);
}

// In the tableau for constraints all stages are of order 2, and R is that of the tableau for free systems.
TEST(SdirkTableau, WithConstraints) {
  for (const int stages : {2, 3, 4})
    for (const double gamma : gammas(stages)) {
      const SdirkTableau t = make_constrained_sdirk_tableau(stages, gamma), free = make_sdirk_tableau(stages, gamma);
      const Vec b = t.a.row(stages - 1);
      EXPECT_LT((t.a.rowwise().sum() + t.start - t.c).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT(t.a.cwiseAbs().maxCoeff(), 2.5) << stages << " " << gamma;
      EXPECT_EQ(t.order, free.order);
      const Vec excess = t.a * t.c - 0.5 * t.c.cwiseAbs2();
      EXPECT_LT(excess.head(stages - 1).cwiseAbs().maxCoeff(), 1e-13) << stages << " " << gamma;
      if (t.order >= 2) {
        EXPECT_NEAR(b.dot(t.c), 1.0 / 2, 1e-13);
      }
      if (t.order >= 3) {
        EXPECT_NEAR(b.dot(t.c.cwiseAbs2()), 1.0 / 3, 1e-12);
      }
      const auto stability = [&](Complex z) {
        const Eigen::MatrixXcd m = Eigen::MatrixXcd::Identity(stages, stages) - z * t.a.cast<Complex>();
        const Eigen::VectorXcd first = Eigen::VectorXcd::Ones(stages) + z * t.start.cast<Complex>();
        return Complex(m.fullPivLu().solve(first)[stages - 1]);
      };
      for (const Complex z : {Complex(0.3, 1), Complex(-4, 2), Complex(0, 30)})
        EXPECT_LT(std::abs(stability(z) - stability_function(free, z)), 1e-11) << stages << " " << gamma;
      EXPECT_NEAR(t.error.sum(), 0, 1e-12);
      if (stages >= 3) {
        EXPECT_NEAR(t.error.tail(stages).dot(t.c), 0, 1e-12);
      }
    }
}

TEST(SdirkTableau, ErrorWeightsVanishBelowTheirOrder) {
  for (const int stages : {2, 3, 4})
    for (const double gamma : gammas(stages)) {
      const SdirkTableau t = make_sdirk_tableau(stages, gamma);
      const Vec e = t.error.tail(stages);
      EXPECT_NEAR(t.error.sum(), 0, 1e-12);
      if (stages >= 3) {
        EXPECT_NEAR(e.dot(t.c), 0, 1e-12);
      }
      if (stages == 4) {
        EXPECT_NEAR(e.dot(t.c.cwiseAbs2()), 0, 1e-12);
        EXPECT_NEAR(e.dot(t.a * t.c), 0, 1e-12);
      }
      EXPECT_LT(t.error.cwiseAbs().maxCoeff(), 6) << stages << " " << gamma;
      EXPECT_GT(t.error.cwiseAbs().maxCoeff(), 0.02) << stages << " " << gamma;
    }
}

// R(i y)| <= 1 holds for gamma inside the ranges and not outside; R vanishes at infinity.
TEST(SdirkTableau, LStableExactlyInTheRange) {
  const auto worst = [](int stages, double gamma) {
    const SdirkTableau t = make_sdirk_tableau(stages, gamma);
    double largest = 0;
    for (double y = 1e-2; y < 1e3; y *= 1.02) largest = std::max(largest, std::abs(stability_function(t, {0, y})));
    return largest;
  };
  for (const int stages : {2, 3, 4}) {
    for (const double gamma : gammas(stages)) {
      EXPECT_LT(worst(stages, gamma), 1 + 1e-8) << stages << " " << gamma;
      EXPECT_LT(std::abs(stability_function(make_sdirk_tableau(stages, gamma), 1e9)), 1e-7);
    }
    const GammaRange range = l_stable_gammas(stages);
    EXPECT_GT(worst(stages, range.min - 0.004), 1 + 1e-6) << stages;
    EXPECT_GT(worst(stages, range.max + 0.02), 1 + 1e-9) << stages;
  }
}

// Spectral radii of one step for the oscillator, with three stages.
TEST(Sdirk, DampingTable) {
  struct Row {
    const char* gamma;
    double at_1, at_10, at_100;
  };
  for (const Row& row : {Row{"0.1804254", 0.9999843195108663, 0.7431676118252873, 0.09570392466561248},
                         Row{"0.2", 0.9980137876076128, 0.3687817782917153, 0.025277686282785903},
                         Row{"0.25", 0.996635904630848, 0.39285095255760455, 0.03999989800829321},
                         Row{"0.435866521508459", 0.9824427735317243, 0.27906323635172153, 0.028692807699112338},
                         Row{"0.6", 0.9198526472938829, 0.1081993771054601, 0.010192296455317522},
                         Row{"0.8", 0.8136832909439851, 0.026783237850713997, 0.00047510847841017255}})
    for (const auto& [mu, radius] : {std::pair{1.0, row.at_1}, {10.0, row.at_10}, {100.0, row.at_100}}) {
      // R(i mu) (q - i v) is the new value of q - i v. It must be the same for a mechanical and for a first-order
      // problem.
      Walk mechanical(oscillator(1), "sdirk", {{"gamma", row.gamma}});
      const FormulaRate rotation(Vec::Unit(2, 0), [](double, In y, Out d) { d << y[1], -y[0]; });
      Walk first_order(rotation, "sdirk", {{"gamma", row.gamma}});
      ASSERT_EQ(mechanical.step(mu).status, StepStatus::ok);
      ASSERT_EQ(first_order.step(mu).status, StepStatus::ok);
      EXPECT_NEAR(mechanical.s.y.norm() / radius, 1, 1e-9) << row.gamma << " " << mu;
      EXPECT_NEAR(first_order.s.y.norm() / radius, 1, 1e-9) << row.gamma << " " << mu;
    }
}

TEST(Sdirk, Orders) {
  const auto problem = one_mass(1, 0.5, [](double x) { return -std::sin(x); });
  const Vec exact = at_end(problem, "dop853", {}, 4, 400);
  const auto order = [&](const OptionSet& options) {
    const double a = (at_end(problem, "sdirk", options, 4, 200) - exact).norm();
    return std::log2(a / (at_end(problem, "sdirk", options, 4, 400) - exact).norm());
  };
  EXPECT_NEAR(order({{"stages", "2"}, {"gamma", "0.5"}}), 1, 0.1);
  EXPECT_NEAR(order({{"stages", "2"}}), 2, 0.1);
  EXPECT_NEAR(order({{"gamma", "0.25"}}), 2, 0.1);
  EXPECT_NEAR(order({{"gamma", "1.2"}}), 2, 0.1);
  EXPECT_NEAR(order({}), 3, 0.1);
  EXPECT_NEAR(order({{"stages", "4"}, {"gamma", "0.3"}}), 3, 0.1);
  EXPECT_NEAR(order({{"stages", "4"}}), 3, 0.2);
}

// The estimate is O(h^stages).
TEST(Sdirk, EstimateHasItsOrder) {
  const auto problem = one_mass(1, 0.5, [](double x) { return -std::sin(x); });
  for (const OptionSet& options : {OptionSet{{"stages", "2"}, {"gamma", "0.5"}}, OptionSet{{"gamma", "0.25"}},
                                   OptionSet{}, OptionSet{{"stages", "4"}, {"gamma", "0.3"}}}) {
    const auto estimate = [&](double h) {
      Walk walk(problem, "sdirk", options);
      return 1e-13 * walk.step(h).error;
    };
    const int stages = options.contains("stages") ? std::stoi(options.at("stages")) : 3;
    EXPECT_NEAR(std::log2(estimate(0.1) / estimate(0.05)), stages, 0.25) << stages;
  }
}

// A stiff component that is small does not spoil the estimate. Without the damping of the estimate it would be 100
// times larger.
TEST(Sdirk, StiffComponentsAreDampedInTheEstimate) {
  const FormulaRate stiff(Vec::Constant(1, 1e-3), [](double, In y, Out d) { d[0] = -1e6 * y[0]; });
  Walk walk(stiff, "sdirk");
  const StepResult result = walk.step(0.1);
  EXPECT_LT(1e-13 * result.error * 1e-3, 3e-3);  // the error is of the size of y and not of h f(y)
}

TEST(Sdirk, AdaptiveStepsMeetTheTolerance) {
  for (const char* stages : {"2", "3", "4"}) {
    RunPlan plan;
    plan.model = "kepler";
    plan.parameters = {{"e", "0.4"}};
    plan.method = "sdirk";
    plan.options = {{"stages", stages}};
    plan.to = 3;
    plan.rtol = 1e-6;
    const Solution s = prepare(plan).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    plan.method = "dop853";
    plan.options.clear();
    plan.rtol = 1e-12;
    const Solution exact = prepare(plan).run();
    const double error = (s.y().rightCols(1) - exact.y().rightCols(1)).cwiseAbs().maxCoeff();
    EXPECT_LT(error, 3e-4) << stages;
    EXPECT_GT(error, 1e-9) << stages;
  }
}

TEST(Sdirk, KeepsItsMatrix) {
  Walk walk(oscillator(3), "sdirk");
  walk.walk(0.2, 100);
  EXPECT_LE(walk.work.jacobians, 2);
}

// A mass that depends on positions and a force that depends on velocities: the pendulum in polar coordinates.
TEST(Sdirk, MassOfThePosition) {
  const auto made = make_model("stiff_spring_polar", {});
  const Vec exact = at_end(*made.problem, "dop853", {}, 1, 4000);
  const double a = (at_end(*made.problem, "sdirk", {}, 1, 2000) - exact).norm();
  const double b = (at_end(*made.problem, "sdirk", {}, 1, 4000) - exact).norm();
  EXPECT_LT(b, 1e-3);
  EXPECT_NEAR(std::log2(a / b), 3, 0.3);
}

TEST(Sdirk, AllocatesNothingInAStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  Walk walk(oscillator(3), "sdirk", {{"stages", "4"}});
  walk.step(0.1);
  AllocationGuard guard;
  for (const double h : {0.1, 0.2})
    for (int i = 0; i < 10; ++i) walk.step(h);
  EXPECT_EQ(guard.count(), 0u);
}

TEST(Sdirk, RefusesGammaOutsideItsRange) {
  EXPECT_THAT(refusal([] {
                Walk(oscillator(1), "sdirk", {{"stages", "4"}, {"gamma", "0.6"}});
              }),
              mentions("sdirk", "gamma", "0.2236478", "0.5728161", "0.6"));
  EXPECT_THAT(refusal([] {
                Walk(oscillator(1), "sdirk", {{"gamma", "0.1"}});
              }),
              mentions("sdirk", "gamma", "0.1804253", "2.1856001", "0.1"));
}

TEST(Sdirk, NewtonFailureLeavesTheStateAlone) {
  const auto rough = one_mass(1, 0.1, [](double x) { return -x - 400 * std::sin(40 * x); });
  Walk walk(rough, "sdirk");
  EXPECT_EQ(walk.step(3).status, StepStatus::newton_diverged);
  EXPECT_EQ(walk.s.y[0], 1);
  EXPECT_EQ(walk.s.t, 0);
  EXPECT_EQ(walk.step(0.002).status, StepStatus::ok);
}

// A step whose error is above the allowed one is not taken, and the next attempt begins with the same slopes.
TEST(Sdirk, RejectedStepsCanBeRepeated) {
  const auto problem = one_mass(1, 0.5, [](double x) { return -std::sin(x); });
  Walk walk(problem, "sdirk"), twin(problem, "sdirk");
  walk.walk(0.1, 3);
  twin.walk(0.1, 3);
  const Vec before = walk.s.y;
  EXPECT_GT(walk.step(0.5, 1).error, 1);
  EXPECT_EQ(walk.s.y, before);
  EXPECT_LT((walk.walk(0.1, 3) - twin.walk(0.1, 3)).cwiseAbs().maxCoeff(), 1e-12);
}
}  // namespace
}  // namespace trill::test
