// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/extended_lu.hpp"
#include "trill/method/implicit_tableau.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace trill {
namespace {
constexpr Extended digit = std::numeric_limits<Extended>::epsilon();

// The Hilbert matrix with entries 1/(i + j + 1): badly conditioned, but its inverse consists of integers.
ExtendedMat hilbert(Index n) {
  ExtendedMat a(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) a(i, j) = Extended(1) / static_cast<Extended>(i + j + 1);
  return a;
}

TEST(ExtendedLu, InverseAndDeterminantOfTheHilbertMatrix) {
  const ExtendedLu<Extended> lu(hilbert(4));
  const ExtendedMat inverse = lu.inverse();
  EXPECT_NEAR(static_cast<double>(inverse(0, 0)), 16, 1e-12);
  EXPECT_NEAR(static_cast<double>(inverse(2, 2)), 6480, 1e-11);
  EXPECT_NEAR(static_cast<double>(inverse(3, 1)), 1680, 1e-11);
  EXPECT_NEAR(static_cast<double>(lu.determinant() * 6048000), 1, 1e-14);
}

TEST(ExtendedLu, RowsAreExchanged) {
  ExtendedMat a(3, 3);
  a << 0, 2, 1, 3, 0, 0, 0, 0, 5;
  const ExtendedLu<Extended> lu(a);
  EXPECT_EQ(lu.determinant(), -30);
  ExtendedVec b(3);
  b << 7, 6, 15;
  const ExtendedVec x = lu.solve(b);
  EXPECT_EQ(x[0], 2);
  EXPECT_EQ(x[1], 2);
  EXPECT_EQ(x[2], 3);
}

TEST(ExtendedLu, ComplexInverse) {
  ExtendedComplexMat a(2, 2);
  a << ExtendedComplex(0, 1), ExtendedComplex(2, 0), ExtendedComplex(1, 1), ExtendedComplex(0, -3);
  const ExtendedLu<ExtendedComplex> lu(a);
  EXPECT_LT(std::abs(lu.determinant() - ExtendedComplex(1, -2)), 8 * digit);
  const ExtendedComplexMat inverse = lu.inverse();
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) {
      const ExtendedComplex entry = a(i, 0) * inverse(0, j) + a(i, 1) * inverse(1, j);
      EXPECT_LT(std::abs(entry - ExtendedComplex(i == j ? 1 : 0)), 16 * digit);
    }
}

// A v = lambda v holds far beyond double precision, for every family and up to the largest number of stages.
TEST(ExtendedLu, ModesOfTableauxAreExactToExtendedPrecision) {
  for (const ImplicitFamily family : {ImplicitFamily::gauss, ImplicitFamily::radau_iia, ImplicitFamily::lobatto_iiic})
    for (int s = 2; s <= most_implicit_stages; ++s) {
      const ExtendedMat a = extended_tableau(family, s).A;
      const ExtendedModes modes = extended_modes(a);
      for (Index k = 0; k < s; ++k) {
        Extended length = 0;
        for (Index i = 0; i < s; ++i) {
          ExtendedComplex left_open = -modes.values[static_cast<std::size_t>(k)] * modes.vectors(i, k);
          for (Index j = 0; j < s; ++j) left_open += a(i, j) * modes.vectors(j, k);
          EXPECT_LT(std::abs(left_open), 20 * digit) << s << " stages, mode " << k;
          length += std::norm(modes.vectors(i, k));
        }
        EXPECT_NEAR(static_cast<double>(length), 1, 1e-15);
      }
    }
}

TEST(ExtendedLu, PairsOfModesAreConjugate) {
  const ExtendedModes modes = extended_modes(extended_tableau(ImplicitFamily::radau_iia, 5).A);
  int reals = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    if (modes.values[k].imag() == 0) ++reals;
    if (modes.values[k].imag() >= 0) continue;
    EXPECT_EQ(modes.values[k], std::conj(modes.values[k - 1]));
  }
  EXPECT_EQ(reals, 1);
}
}  // namespace
}  // namespace trill
