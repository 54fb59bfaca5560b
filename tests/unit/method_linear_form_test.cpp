// SPDX-License-Identifier: BSD-3-Clause
#include "trill/method/linear_form.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace trill {
namespace {
constexpr auto iiia = ImplicitFamily::lobatto_iiia, iiib = ImplicitFamily::lobatto_iiib;
LinearForm pair(int s) { return partitioned_form(extended_tableau(iiia, s), extended_tableau(iiib, s)); }

void expect_matrix(const StepMatrix& m, Extended m11, Extended m12, Extended m21, Extended m22, double tolerance) {
  EXPECT_NEAR(static_cast<double>(1 + m.e11), static_cast<double>(m11), tolerance);
  EXPECT_NEAR(static_cast<double>(m.m12), static_cast<double>(m12), tolerance);
  EXPECT_NEAR(static_cast<double>(m.m21), static_cast<double>(m21), tolerance);
  EXPECT_NEAR(static_cast<double>(1 + m.e22), static_cast<double>(m22), tolerance);
}

// JP95 eq. 15
TEST(LinearForm, OfTheTwoStagePairIsVerlet) {
  for (const Extended mu : {0.3L, 1.1L, 1.9L, 5.0L})
    for (const LinearForm& form : {pair(2), verlet_form()})
      expect_matrix(step_matrix(form, mu), 1 - mu * mu / 2, mu, -mu + mu * mu * mu / 4, 1 - mu * mu / 2, 1e-14);
}

// JP95 eq. 5 with the sign of the sine corrected: since q' = omega p, a positive p must increase q.
TEST(LinearForm, TendsToTheExactRotation) {
  for (const Extended mu : {0.5L, 2.0L, 6.0L})
    for (const LinearForm& form : {runge_kutta_form(extended_tableau(ImplicitFamily::gauss, 12)), pair(12)})
      expect_matrix(step_matrix(form, mu), std::cos(mu), std::sin(mu), -std::sin(mu), std::cos(mu), 1e-10);
}

// p12 and p21 in the proof of JP95 Theorem 2.6, whose last term is -q. The numbers come from an independent program.
TEST(LinearForm, HasTheDeterminantsOfTheorem26) {
  constexpr int s = 3;
  const Extended mu = 1.3L;
  const auto a = extended_tableau(iiia, s), b = extended_tableau(iiib, s);
  const ExtendedMat I = ExtendedMat::Identity(s, s), ones_b = ExtendedVec::Ones(s) * a.b.transpose();
  const auto block = [&](const ExtendedMat& m11, const ExtendedMat& m22) {
    ExtendedMat m(2 * s, 2 * s);
    m << m11, -mu * a.A, mu * b.A, m22;
    return m.determinant();
  };
  const Extended q = block(I, I);
  const StepMatrix m = step_matrix(pair(s), mu);
  EXPECT_NEAR(static_cast<double>(m.m12), 0.957921370182951, 1e-14);
  EXPECT_NEAR(static_cast<double>(m.m21), -0.969965388607759, 1e-14);
  EXPECT_NEAR(static_cast<double>(m.m12 - (block(I, I + mu * ones_b) - q) / q), 0, 1e-15);
  EXPECT_NEAR(static_cast<double>(m.m21 - (block(I - mu * ones_b, I) - q) / q), 0, 1e-15);
  EXPECT_NEAR(static_cast<double>((block(I, I + mu * ones_b) - 1) / q), 1.02370572207084, 1e-13) << "as printed";
}

// JP95 Theorem 2.6 gives the degrees of numerators and denominators, from which it follows that the trace is
// unbounded.
TEST(LinearForm, OfThePairHasDegreesOfTheorem26) {
  for (int s = 2; s <= most_implicit_stages; ++s) {
    const LinearForm form = pair(s);
    EXPECT_EQ((form.n11 + form.n22).degree(), s - 1) << s;
    EXPECT_EQ(form.q.degree(), s - 2) << s;
    EXPECT_EQ((form.det - form.q).degree(), -1) << s;
    EXPECT_EQ((form.n11 - form.n22).degree(), -1) << s;
  }
}

// The stability function of Gauss methods is the diagonal Pade approximation.
TEST(LinearForm, OfGaussIsPade) {
  for (int s = 1; s <= 8; ++s) {
    const LinearForm form = runge_kutta_form(extended_tableau(ImplicitFamily::gauss, s));
    const Extended mu = 2.3L;
    std::complex<Extended> numerator = 0;
    Extended coefficient = 1;
    std::complex<Extended> power = 1;
    for (int k = 0; k <= s; ++k) {
      numerator += coefficient * power;
      coefficient *= Extended(s - k) / ((2 * s - k) * (k + 1));
      power *= std::complex<Extended>(0, mu);
    }
    const std::complex<Extended> r = numerator / std::conj(numerator);
    expect_matrix(step_matrix(form, mu), r.real(), r.imag(), -r.imag(), r.real(), 1e-15);
  }
}

// Y1 = y + h/2 y', y1 = y + h y' + h^2/2 f(Y1), y1' = y' + h f(Y1) is drift, kick, drift.
TEST(LinearForm, OfNystroemMethods) {
  const NystroemTableau t{Vec::Constant(1, 0.5), Vec::Constant(1, 0.5), Vec::Constant(1, 1), Mat::Zero(1, 1)};
  const LinearForm nystroem = nystroem_form(t), split = drift_form(0.5L) * kick_form({1}) * drift_form(0.5L);
  for (const Extended mu : {0.4L, 1.7L, 3.0L}) {
    const StepMatrix m = step_matrix(split, mu);
    expect_matrix(step_matrix(nystroem, mu), 1 + m.e11, m.m12, m.m21, 1 + m.e22, 1e-14);
    EXPECT_NEAR(static_cast<double>(step_matrix(nystroem, mu).det_minus_one), 0, 1e-15);
  }
}

// A Runge-Kutta method can be written as a Nystroem method with the coefficients (c, A^2, A^T b, b).
TEST(LinearForm, OfNystroemMethodsIsThatOfRungeKutta) {
  const ImplicitTableau gauss = gauss_tableau(4);
  const LinearForm nystroem = nystroem_form({gauss.c, gauss.A.transpose() * gauss.b, gauss.b, gauss.A * gauss.A});
  const LinearForm direct = runge_kutta_form(gauss);
  for (const Extended mu : {0.4L, 3.0L, 25.0L}) {
    const StepMatrix m = step_matrix(direct, mu);
    expect_matrix(step_matrix(nystroem, mu), 1 + m.e11, m.m12, m.m21, 1 + m.e22, 1e-11);
  }
}

TEST(LinearForm, OfTwoStepMethodsHasTheirTrace) {
  const LinearForm numerov = two_step_form({2, -10.0 / 12}, {1, 1.0 / 12});
  const StepMatrix m = step_matrix(numerov, 1.5L);
  const Extended x = 2.25L;
  EXPECT_NEAR(static_cast<double>(2 * m.half_trace()), static_cast<double>((2 - 10 * x / 12) / (1 + x / 12)), 1e-15);
  EXPECT_EQ(m.det_minus_one, 0);
  EXPECT_NEAR(static_cast<double>((1 + m.e11) * (1 + m.e22) - m.m12 * m.m21), 1, 1e-15);
}

TEST(LinearForm, OfPartsOfAStepMultiply) {
  const LinearForm half = with_step(verlet_form(), 0.5), whole = half * half;
  const StepMatrix a = step_matrix(verlet_form(), 0.6L), b = step_matrix(whole, 1.2L);
  Mat m(2, 2);
  m << static_cast<double>(1 + a.e11), static_cast<double>(a.m12), static_cast<double>(a.m21),
      static_cast<double>(1 + a.e22);
  const Mat square = m * m;
  expect_matrix(b, square(0, 0), square(0, 1), square(1, 0), square(1, 1), 1e-14);
}
}  // namespace
}  // namespace trill
