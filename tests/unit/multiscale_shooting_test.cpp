// SPDX-License-Identifier: BSD-3-Clause
// Periodic motions by shooting, tested with motions of known period and multipliers.
#include "multiscale/shooting.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
// sizes() gives zeros, so that the sizes of components are those of the start.
class TestCycle : public ShootingCycle {
 public:
  std::string component_name(Index k) const override { return "component " + std::to_string(k); }
  void sizes(Out size) const override { size.setZero(); }
};

// x'' + 2 d w x' + w^2 x = cos(t) with period 2 pi. The map of a cycle has a closed form.
class DrivenOscillator : public TestCycle {
 public:
  DrivenOscillator(double w, double d) : w_(w), d_(d) {}
  Index size() const override { return 2; }
  bool advance(In z, Out end) override {
    const Vec forced = periodic();
    end = forced + transition() * (z - forced);
    return true;
  }
  bool advance_with_derivative(In z, Out end, Mat& derivative) override {
    derivative = transition();
    return advance(z, end);
  }
  // The periodic motion is x = a cos t + b sin t.
  Vec periodic() const {
    const double r = w_ * w_ - 1, c = 2 * d_ * w_;
    return Vec{{r / (r * r + c * c), c / (r * r + c * c)}};
  }
  std::complex<double> eigenvalue() const { return {-d_ * w_, w_ * std::sqrt(1 - d_ * d_)}; }

 private:
  Mat transition() const {
    const double t = 2 * std::numbers::pi, a = eigenvalue().real(), b = eigenvalue().imag(), e = std::exp(a * t);
    const double c = std::cos(b * t), s = std::sin(b * t) / b;
    return Mat{{e * (c - a * s), e * s}, {-e * w_ * w_ * s, e * (c + a * s)}};
  }
  double w_, d_;
};

TEST(Shooting, FindsTheForcedMotionOfALinearOscillatorInOneIteration) {
  DrivenOscillator cycle(3.3, 1e-3);
  const ShootingResult found = find_periodic(cycle, Vec::Zero(2), {});
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_LT((found.z - cycle.periodic()).norm(), 1e-12);
  EXPECT_LT(found.residual, 1e-12);
  EXPECT_EQ(found.cycles, 4);  // two cycles to warm up, one for the iteration, and the one that closes
  const std::complex<double> exact = std::exp(2 * std::numbers::pi * cycle.eigenvalue());
  ASSERT_EQ(found.multipliers.size(), 2u);
  EXPECT_NEAR(std::abs(found.multipliers[0]), std::abs(exact), 1e-12);
  EXPECT_NEAR(found.multipliers[0].real(), exact.real(), 1e-12);
  const Stability stability = judge_stability(found.multipliers, true);
  EXPECT_TRUE(stability.is_stable);
  EXPECT_NEAR(stability.cycles_to_settle, 6 * std::log(10) / (2 * std::numbers::pi * 3.3e-3), 1);
}

// y'' + y = mu (1 - y^2) y' with its variational equations, integrated by many steps of a method of order 4.
class VanDerPol : public TestCycle {
 public:
  explicit VanDerPol(double mu, bool keeps = false) : mu_(mu), keeps_(keeps) {}
  Index size() const override { return 2; }
  bool advance(In z, Out end) override {
    Mat unused;
    return advance_with_derivative(z, end, unused);
  }
  bool advance_with_derivative(In z, Out end, Mat& derivative) override {
    constexpr int steps = 4000;
    const double h = period_ / steps;
    Mat y(2, 3);
    y << z, Mat::Identity(2, 2);
    for (int k = 0; k < steps; ++k) {
      const Mat k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    end = y.col(0);
    end_ = end;
    derivative = y.rightCols(2);
    kept_ = derivative;
    return std::isfinite(end.norm());
  }
  void set_period(double period) override { period_ = period; }
  void slope(Out dz) const override { dz = rate(end_); }
  bool has_products() const override { return keeps_; }
  bool advance_and_keep(In z, Out end) override { return advance(z, end); }
  void product(In v, Out av) override { av = kept_ * v; }

 private:
  Mat rate(const Mat& y) const {
    Mat d(2, y.cols());
    const double x = y(0, 0), v = y(1, 0);
    d.row(0) = y.row(1);
    d(1, 0) = mu_ * (1 - x * x) * v - x;
    for (Index j = 1; j < y.cols(); ++j) d(1, j) = (-1 - 2 * mu_ * x * v) * y(0, j) + mu_ * (1 - x * x) * y(1, j);
    return d;
  }
  double mu_, period_ = 1;
  bool keeps_;
  Vec end_;
  Mat kept_;
};

TEST(Shooting, FindsThePeriodOfVanDerPol) {
  for (const bool matrix_free : {false, true}) {
    VanDerPol cycle(1, matrix_free);
    ShootingOptions options;
    options.free_period = 6.3;
    options.dense_up_to = matrix_free ? 0 : 100;
    const ShootingResult found = find_periodic(cycle, Vec{{2.0, 0.0}}, options);
    ASSERT_TRUE(found.converged) << found.message;
    EXPECT_EQ(found.matrix_free, matrix_free);
    EXPECT_NEAR(found.period, 6.6632868593, 1e-9);  // Andersen & Geer 1982
    EXPECT_LE(found.cycles, 16);
    const Stability stability = judge_stability(found.multipliers, false);
    EXPECT_NEAR(std::abs(stability.trivial - 1.0), 0, 1e-8);
    EXPECT_TRUE(stability.is_stable) << stability.text;
  }
}

// By Liouville's theorem the product of the multipliers is the exponential of the integral of the divergence, which is
// computed here by a separate sum.
TEST(Shooting, MultipliersOfVanDerPolObeyLiouville) {
  VanDerPol cycle(1);
  ShootingOptions options;
  options.free_period = 6.6;
  const ShootingResult found = find_periodic(cycle, Vec{{2.0, 0.0}}, options);
  ASSERT_TRUE(found.converged);
  // The integral of mu (1 - y^2) over the period, by the midpoint rule along the orbit.
  Vec z = found.z, end(2);
  double divergence = 0;
  constexpr int pieces = 400;
  for (int k = 0; k < pieces; ++k) {
    cycle.set_period(found.period / pieces / 2);
    cycle.advance(z, end);
    divergence += (1 - end[0] * end[0]) * found.period / pieces;
    cycle.set_period(found.period / pieces);
    cycle.advance(Vec(z), z);
  }
  const std::complex<double> product = found.multipliers[0] * found.multipliers[1];
  EXPECT_NEAR(product.real(), std::exp(divergence), 1e-6);
}

// A map with given multipliers, whose modes are mixed by a reflection, with a weak nonlinearity.
class ManyModes : public TestCycle {
 public:
  explicit ManyModes(Index n) : n_(n), axis_(n), multipliers_(Vec::Zero(n)) {
    for (Index i = 0; i < n; ++i) {
      axis_[i] = std::sin(1.0 + static_cast<double>(i));
      multipliers_[i] = 0.97 / std::pow(1.0 + static_cast<double>(i), 2);
    }
    axis_.normalize();
  }
  Index size() const override { return n_; }
  bool advance(In z, Out end) override {
    const Vec x = reflect(z);
    Vec y = multipliers_.cwiseProduct(x) + Vec::Ones(n_);
    y[1] += 0.01 * std::sin(x[0]);
    end = reflect(y);
    return true;
  }
  bool advance_with_derivative(In, Out, Mat&) override { return false; }
  bool has_products() const override { return true; }
  bool advance_and_keep(In z, Out end) override {
    kept_ = reflect(z);
    return advance(z, end);
  }
  void product(In v, Out av) override {
    const Vec x = reflect(v);
    Vec y = multipliers_.cwiseProduct(x);
    y[1] += 0.01 * std::cos(kept_[0]) * x[0];
    av = reflect(y);
  }
  const Vec& multipliers() const { return multipliers_; }

 private:
  Vec reflect(const Vec& z) const { return z - 2 * axis_ * axis_.dot(z); }
  Index n_;
  Vec axis_, multipliers_, kept_;
};

TEST(Shooting, NeedsFewProductsForManyUnknowns) {
  ManyModes cycle(400);
  const ShootingResult found = find_periodic(cycle, Vec::Zero(400), {});
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_TRUE(found.matrix_free);
  Vec end(400);
  cycle.advance(found.z, end);
  EXPECT_LT((end - found.z).lpNorm<Eigen::Infinity>(), 1e-10);
  ASSERT_EQ(found.multipliers.size(), 12u);
  for (Index k = 0; k < 6; ++k)
    EXPECT_NEAR(std::abs(found.multipliers[static_cast<std::size_t>(k)]), cycle.multipliers()[k], 1e-6);
  EXPECT_LE(found.cycles, 7);
  EXPECT_LE(found.products, 80);
}

TEST(SlowSubspace, SparesTheSecondSystemMostProducts) {
  const Index n = 300;
  Vec values(n);
  for (Index i = 0; i < n; ++i) values[i] = 0.99 * std::pow(0.7, static_cast<double>(i));
  int products = 0;
  KrylovCycleMatrix matrix(n, [&](In v, Out av) {
    ++products;
    av = values.cwiseProduct(v);
  });
  Vec d(n);
  ASSERT_TRUE(matrix.solve(Vec::Ones(n), d));
  const int first = products;
  ASSERT_TRUE(matrix.solve(Vec::LinSpaced(n, 1, 2), d));
  EXPECT_LT((d - Vec::LinSpaced(n, 1, 2).cwiseQuotient(Vec::Ones(n) - values)).norm(), 1e-4);
  EXPECT_GE(first, 10);
  EXPECT_LT(products - first, first / 2);
}

// The map z -> z + 1 has no periodic motion.
class Drift : public TestCycle {
 public:
  Index size() const override { return 1; }
  bool advance(In z, Out end) override {
    end = z + Vec::Ones(1);
    return true;
  }
  bool advance_with_derivative(In z, Out end, Mat& derivative) override {
    derivative = Mat::Identity(1, 1);
    return advance(z, end);
  }
};

TEST(Shooting, SaysWhyThereIsNoPeriodicMotion) {
  Drift cycle;
  const ShootingResult found = find_periodic(cycle, Vec::Zero(1), {});
  EXPECT_FALSE(found.converged);
  EXPECT_NE(found.message.find("singular"), std::string::npos) << found.message;
  EXPECT_NE(found.message.find("component 0"), std::string::npos) << found.message;
}

// The map z -> z + 1 + z^2 has no fixed point, but Newton's method can always take another step.
class NoFixedPoint : public TestCycle {
 public:
  Index size() const override { return 1; }
  bool advance(In z, Out end) override {
    end[0] = z[0] + 1 + z[0] * z[0];
    return std::isfinite(end[0]) && std::abs(end[0]) < 1e100;
  }
  bool advance_with_derivative(In z, Out end, Mat& derivative) override {
    derivative = Mat::Constant(1, 1, 1 + 2 * z[0]);
    return advance(z, end);
  }
};

TEST(Shooting, StopsAfterItsIterationsAndSaysWhatItReached) {
  NoFixedPoint cycle;
  ShootingOptions options;
  options.warm_up = 0;
  options.max_iterations = 15;
  const ShootingResult found = find_periodic(cycle, Vec::Constant(1, 0.3), options);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 15);
  EXPECT_NE(found.message.find("15 iterations"), std::string::npos) << found.message;
  EXPECT_GT(found.residual, 0);
}

// As if the steps of a cycle depended on where it starts.
class RoughCycle final : public DrivenOscillator {
 public:
  RoughCycle() : DrivenOscillator(1.3, 0.1) {}
  bool advance(In z, Out end) override {
    DrivenOscillator::advance(z, end);
    end.array() += 1e-6 * std::sin(1e9 * z[0]);
    return true;
  }
};

TEST(Shooting, EndsWhereCyclesAreTooRoughForMore) {
  RoughCycle cycle;
  ShootingOptions options;
  EXPECT_FALSE(find_periodic(cycle, Vec::Zero(2), options).converged);
  options.noise = 1e-5;
  const ShootingResult found = find_periodic(cycle, Vec::Zero(2), options);
  EXPECT_TRUE(found.converged) << found.message;
  EXPECT_LT(found.iterations, 10);
  EXPECT_LT((found.z - cycle.periodic()).norm(), 1e-5);
}

class FailingCycle : public Drift {
 public:
  bool advance(In, Out) override { return false; }
};

TEST(Shooting, SaysWhenACycleCannotBeComputed) {
  FailingCycle cycle;
  EXPECT_EQ(find_periodic(cycle, Vec::Zero(1), {}).message, "cycle 1 of the warm-up could not be computed");
  ShootingOptions options;
  options.warm_up = 0;
  EXPECT_EQ(find_periodic(cycle, Vec::Zero(1), options).message, "the first cycle could not be computed");
}

TEST(Stability, IsJudgedByTheLargestMultiplier) {
  EXPECT_NEAR(judge_stability({0.998947, 0.998947}, true).cycles_to_settle, 13113, 1);
  EXPECT_FALSE(judge_stability({-1.2, 0.3}, true).is_stable);
  EXPECT_NE(judge_stability({-1.2, 0.3}, true).text.find("twice the period"), std::string::npos);
  const Stability free = judge_stability({1.00004, 0.97688}, false);
  EXPECT_TRUE(free.is_stable);
  EXPECT_NEAR(free.trivial.real(), 1.00004, 1e-12);
  EXPECT_NEAR(free.largest, 0.97688, 1e-12);
}

TEST(Stability, IsNotDecidedWhereErrorsAreLarger) {
  EXPECT_TRUE(judge_stability({0.999915}, true, 8e-5).is_stable);
  for (const double size : {0.999915, 1.0004}) {
    const Stability s = judge_stability({size}, true, 6e-4);
    EXPECT_FALSE(s.is_stable);
    EXPECT_FALSE(s.is_decided);
    EXPECT_NE(s.text.find("neutral, or too near to it to tell"), std::string::npos) << s.text;
    EXPECT_NE(s.text.find("error of up to 0.0006"), std::string::npos) << s.text;
  }
  EXPECT_TRUE(judge_stability({1.001}, true, 6e-4).is_decided);
  EXPECT_FALSE(judge_stability({1.0}, true).is_decided);
  EXPECT_FALSE(judge_stability({0.5}, true, HUGE_VAL).is_decided);
  // A factor of two in the distance from 1 is one in the number of cycles.
  EXPECT_NE(judge_stability({0.99}, true, 0.005).text.find("920 to 2800 cycles"), std::string::npos)
      << judge_stability({0.99}, true, 0.005).text;
}

TEST(Stability, IsThatOfWhatStepsDoNotResolve) {
  EXPECT_FALSE(judge_stability({0.1}, true, 0, {.size = 1 - 1e-9, .frequency = 1000}).is_decided);
  const Stability slow = judge_stability({0.1}, true, 0, {.size = 0.99, .frequency = 1000});
  EXPECT_TRUE(slow.is_stable);
  EXPECT_NEAR(slow.cycles_to_settle, 1375, 1);
  EXPECT_NEAR(judge_stability({0.999}, true, 0, {.size = 0.99, .frequency = 1000}).largest, 0.999, 0);
  EXPECT_FALSE(judge_stability({1.1}, true, 0, {.size = 2, .frequency = 1000}).is_stable);
  EXPECT_NE(judge_stability({1.1}, true, 0, {.size = 2, .frequency = 1000}).text.find("unstable"), std::string::npos);
}

// The second multiplier is less accurate than the first and may be the larger one. The one of a shift in time does not
// count.
TEST(Stability, ErrorIsThatOfAnyMultiplierThatMayBeTheLargest) {
  EXPECT_NEAR(error_of_largest({0.9, 0.5}, {0.91, 0.5}, true), 0.01, 1e-15);
  EXPECT_NEAR(error_of_largest({0.9999, 0.998}, {0.9999, 0.99975}, true), 0.9997 + 0.0018 - 0.9999, 1e-15);
  EXPECT_NEAR(error_of_largest({1.01, 0.9}, {1.001, 0.9}, false), 0, 1e-15);
  EXPECT_EQ(error_of_largest({}, {0.9}, true), HUGE_VAL);
}
}  // namespace
}  // namespace trill::test
