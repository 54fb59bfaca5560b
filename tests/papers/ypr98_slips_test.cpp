// SPDX-License-Identifier: BSD-3-Clause
// Misprints in YPR98 and PJY97: what the printed formulas do, and what the corrected ones do. The alpha method used
// here is a small program written from the formulas alone.
#include "support/algebra.hpp"
#include "trill/base/types.hpp"

#include <array>
#include <cmath>
#include <complex>

#include <gtest/gtest.h>

namespace {
using trill::Mat;
using trill::Vec;

enum class Slip { none, sum_of_accelerations, shift };

struct Member {
  double am, af;
  double gamma() const { return 0.5 - am + af; }
  double beta() const { return 0.25 * (1 - am + af) * (1 - am + af); }
};
Member generalized(double rho) { return {(2 * rho - 1) / (rho + 1), rho / (rho + 1)}; }
Member hht(double alpha) { return {0, -alpha}; }

// The rigid pendulum with g = (x^2 + y^2 - 1)/2 and gravity 1 along y. phi and lambda follow from the second
// derivative of the constraint.
struct Point {
  Eigen::Vector2d q, v, phi;
  double lambda = 0;
  void accelerate() {
    const Eigen::Vector2d gravity(0, 1);
    lambda = (q.dot(gravity) + v.squaredNorm()) / q.squaredNorm();
    phi = gravity - lambda * q;
  }
};

// YPR98 eq. 3.3 with (4.2). The unknowns are first q and nu, then v and mu.
void step(const Member& m, double h, Slip slip, Point& p, Eigen::Vector2d& a) {
  const Eigen::Vector2d gravity(0, 1);
  const double b = m.beta() * (1 - m.af) / (1 - m.am), g = m.gamma() * (1 - m.af) / (1 - m.am);
  const double sign = slip == Slip::shift ? -1 : 1;
  const Eigen::Vector2d qh =
      p.q + h * p.v + h * h * ((0.5 - m.beta() / (1 - m.am)) * a + sign * m.beta() * m.af / (1 - m.am) * p.phi);
  const Eigen::Vector2d vh =
      p.v + h * ((1 - m.gamma() / (1 - m.am)) * a + sign * m.gamma() * m.af / (1 - m.am) * p.phi);
  const Eigen::Vector2d before = p.phi, free = qh + b * h * h * gravity;
  // q (1 + nu) = free with |q| = 1.
  p.q = free.normalized();
  const Eigen::Vector2d w = vh + g * h * gravity;
  p.v = w - p.q.dot(w) * p.q;
  p.accelerate();
  const double other = slip == Slip::sum_of_accelerations ? -1 : 1;
  a = ((1 - m.af) * p.phi + other * m.af * before - m.am * a) / (1 - m.am);
}

// Errors of q, v and lambda at t = 2, for a start from rest at (1, 0).
std::array<double, 3> errors(const Member& m, int n, Slip slip) {
  Point p{{1, 0}, {0, 0}, {0, 0}};
  p.accelerate();
  Eigen::Vector2d a = p.phi;
  for (int i = 0; i < n; ++i) step(m, 2.0 / n, slip, p, a);
  // The exact values come from an independent integrator with 15 digits.
  const Eigen::Vector2d q(-0.204193214788267, 0.978930605831926), v(-1.369754885003488, -0.285714484535028);
  return {(p.q - q).norm(), (p.v - v).norm(), std::abs(p.lambda - 2.936791817495875)};
}

std::array<double, 3> orders(const Member& m, Slip slip) {
  const auto coarse = errors(m, 160, slip), fine = errors(m, 320, slip);
  return {std::log2(coarse[0] / fine[0]), std::log2(coarse[1] / fine[1]), std::log2(coarse[2] / fine[2])};
}

TEST(Ypr98Slips, CorrectedFormulasHaveOrderTwoInEverything) {
  for (const Member& m : {hht(-1. / 3), hht(-0.1), generalized(0), generalized(0.5), generalized(0.9)})
    for (const double order : orders(m, Slip::none)) {
      EXPECT_GT(order, 1.95);  // Theorems 2.1 and 3.1 claim only order 1 for v and lambda
      EXPECT_LT(order, 2.2);
    }
  const auto found = errors(generalized(0.5), 320, Slip::none);
  const std::array<double, 3> expected{4.175e-5, 6.100e-5, 4.057e-5};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i] / expected[i], 1, 5e-3);
}

// Misprint 1: a_n = (1 + alpha) phi_n + alpha phi_{n-1}, as printed in YPR98 (3.4) and PJY97 (3.14).
TEST(Ypr98Slips, PrintedAccelerationHasOrderZero) {
  for (const double order : orders(generalized(0.5), Slip::sum_of_accelerations)) EXPECT_LT(order, 0.2);
  for (const double order : orders(hht(-1. / 3), Slip::sum_of_accelerations)) EXPECT_LT(order, 0.2);
  const auto found = errors(generalized(0.5), 320, Slip::sum_of_accelerations);
  const std::array<double, 3> expected{0.1613, 0.2309, 0.1705};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i] / expected[i], 1, 5e-3);
}

// Misprint 2: the terms with phi_n in YPR98 (4.2).
TEST(Ypr98Slips, PrintedShiftHasOrderZero) {
  for (const double order : orders(generalized(0.5), Slip::shift)) EXPECT_LT(order, 0.2);
  const auto found = errors(generalized(0.5), 320, Slip::shift);
  const std::array<double, 3> expected{0.8798, 1.106, 1.501};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i] / expected[i], 1, 5e-3);
  // It has no effect if alpha_f = 0.
  EXPECT_EQ(errors(generalized(0), 320, Slip::shift), errors(generalized(0), 320, Slip::none));
}

// The moduli of the eigenvalues of one step for h omega -> infinity, in falling order.
Eigen::Vector3d limits(const Member& m) {
  const double mu2 = 1e10;
  // In the variables (q, h v, h^2 a), with phi = -omega^2 q: (1 - am) a1 + am a = -mu2 ((1 - af) q1 + af q).
  Eigen::Matrix3d left, right;
  left << 1, 0, -m.beta(), 0, 1, -m.gamma(), (1 - m.af), 0, (1 - m.am) / mu2;
  right << 1, 1, 0.5 - m.beta(), 0, 1, 1 - m.gamma(), -m.af, 0, -m.am / mu2;
  Eigen::Vector3d size = trill::test::eigenvalues(trill::test::inverse(left) * right).cwiseAbs();
  std::sort(size.data(), size.data() + 3, std::greater<>());
  return size;
}

// Misprints 3 and 4: the printed (1 - alpha)/(1 + alpha) would be 2 for alpha = -1/3.
TEST(Ypr98Slips, RootsOfLargeStepsAreTheInverseOfThePrintedOnes) {
  for (const double alpha : {-0.05, -0.2, -0.3, -1. / 3}) {
    const double root = (1 + alpha) / (1 - alpha);
    const Eigen::Vector3d found = limits(hht(alpha));
    EXPECT_NEAR(found[0], root, 1e-3) << alpha;
    EXPECT_NEAR(found[1], root, 1e-3) << alpha;
    EXPECT_NEAR(found[2], -alpha / (1 + alpha), 1e-3) << alpha;
  }
  for (const double rho : {0.1, 0.5, 0.75})
    for (const double size : limits(generalized(rho))) EXPECT_NEAR(size, rho, 5e-3) << rho;
  // The trapezoidal rule has the eigenvalues -1, -1 and 0, so it does not damp.
  EXPECT_NEAR(limits(hht(0))[1], 1, 1e-4);
  EXPECT_NEAR(limits(hht(0))[2], 0, 1e-4);
  // The damping of HHT is strongest at -1/3, not at -0.3. Beyond -1/3 the third eigenvalue is the largest.
  EXPECT_LT(limits(hht(-1. / 3))[0], limits(hht(-0.3))[0]);
  EXPECT_GT(limits(hht(-0.36))[0], limits(hht(-1. / 3))[0] + 0.01);
}

// Misprints 5, 6 and 7: two constraints on four coordinates, of which the first two are chosen by Y.
TEST(Ypr98Slips, TheSplittingMatrixNeedsItsTransposes) {
  const Mat G{{0.9, 0.4, 0.3, -0.2}, {-0.1, 0.7, 0.5, 0.6}};
  const Mat I = Mat::Identity(4, 4), Y = I.leftCols(2), X = I.rightCols(2);
  const Mat GY = G * Y, Q = trill::test::inverse(GY) * G * X;
  const Mat right = X.transpose() * (I - G.transpose() * trill::test::inverse(GY).transpose() * Y.transpose());
  const Mat printed = X.transpose() * (I - G.transpose() * trill::test::inverse(GY) * Y.transpose());
  EXPECT_LT((right * G.transpose()).norm(), 1e-14);
  EXPECT_GT((printed * G.transpose()).norm(), 0.1);
  EXPECT_LT((right - (X.transpose() - Q.transpose() * Y.transpose())).norm(), 1e-14);
  EXPECT_LT((right * X - Mat::Identity(2, 2)).norm(), 1e-14);
  EXPECT_LT((right * right.transpose() - Mat::Identity(2, 2) - Q.transpose() * Q).norm(), 1e-14);
  EXPECT_GT((right.transpose() * right - I).norm(), 0.1);  // the paper says "P^T P is the identity"
  const Vec r{{1, -2, 3, 0.5}};
  const Vec s = -trill::test::inverse(GY).transpose() * Y.transpose() * r,
            wrong = -trill::test::inverse(GY) * Y.transpose() * r;
  EXPECT_LT((X.transpose() * (r + G.transpose() * s) - right * r).norm(), 1e-14);
  EXPECT_GT((X.transpose() * (r + G.transpose() * wrong) - right * r).norm(), 0.1);
}

// Misprint 13: energy divided by E0 at T = 40 pi epsilon, in units of epsilon, with the torque as printed (4.4c) and
// as it follows from the potential. Multiplier and curvature are those of a pendulum of radius 1; Runge-Kutta steps
// are projected.
double energy_ratio(double torque_sign) {
  using V6 = Eigen::Matrix<double, 6, 1>;
  const auto rate = [&](const V6& y) {
    const double c = std::cos(y[2]), s = std::sin(y[2]), fx = 0.5 - y[0] + c / 2, fy = -y[1] + s / 2;
    const double reaction = y[0] * fx + y[1] * fy + y[3] * y[3] + y[4] * y[4];
    V6 d;
    d << y.tail<3>(), fx - reaction * y[0], fy - reaction * y[1], -y[2] / 10 + torque_sign * (c * fy - s * fx) / 2;
    return d;
  };
  const auto energy = [](const V6& y) {
    const double fx = 0.5 - y[0] + std::cos(y[2]) / 2, fy = -y[1] + std::sin(y[2]) / 2;
    return (y.tail<3>().squaredNorm() + fx * fx + fy * fy + y[2] * y[2] / 10) / 2;
  };
  V6 y;
  y << 0.8, 0.6, 0, 0, 0, 0;
  const double start = energy(y), h = 40 * M_PI / 40000;
  for (int i = 0; i < 40000; ++i) {
    const V6 k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    y.head<2>().normalize();
    y.segment<2>(3) -= y.head<2>().dot(y.segment<2>(3)) * y.head<2>();
  }
  return energy(y) / start;
}

TEST(Ypr98Slips, ThePrintedTorqueOfTheBushingMakesEnergy) {
  EXPECT_NEAR(energy_ratio(-1), 1, 1e-9);
  EXPECT_NEAR(energy_ratio(1), 2, 0.1);
}
}  // namespace
