// SPDX-License-Identifier: BSD-3-Clause
#include "trill/linalg/polynomial.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace trill {
namespace {
Polynomial with_roots(std::initializer_list<Extended> roots) {
  Polynomial p{1};
  for (const Extended root : roots) p = p * Polynomial{-root, 1};
  return p;
}

TEST(Polynomial, HasItsPositiveRootsInOrder) {
  const auto roots = positive_roots(with_roots({3, -5, 0.25L, 1000}) * Polynomial{1, 1, 1});
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_NEAR(static_cast<double>(roots[0]), 0.25, 1e-15);
  EXPECT_NEAR(static_cast<double>(roots[1]), 3, 1e-14);
  EXPECT_NEAR(static_cast<double>(roots[2]), 1000, 1e-11);
}

TEST(Polynomial, FindsDoubleRootsOnce) {
  const auto roots = positive_roots(with_roots({2, 2, 5}));
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_NEAR(static_cast<double>(roots[0]), 2, 1e-15);
  EXPECT_NEAR(static_cast<double>(roots[1]), 5, 1e-14);
  // Two roots whose distance exceeds their error bounds are kept apart.
  EXPECT_EQ(positive_roots(with_roots({2, 2.00001L, 5})).size(), 3u);
  EXPECT_EQ(positive_roots(with_roots({2, 2, 5}) + Polynomial{-1e-9L}).size(), 1u);
}

TEST(Polynomial, WithoutPositiveRootsHasNone) {
  EXPECT_TRUE(positive_roots(Polynomial{}).empty());
  EXPECT_TRUE(positive_roots(Polynomial{7}).empty());
  EXPECT_TRUE(positive_roots(Polynomial{0, 0, 1}).empty());
  EXPECT_TRUE(positive_roots(with_roots({-1, -2})).empty());
}

TEST(Polynomial, KnowsZeroFromSmall) {
  const Polynomial third = Polynomial{1, 2}.scaled(1 / 3.0, 1e-16L);
  EXPECT_EQ((third - Polynomial{1 / 3.0L, 2 / 3.0L}).degree(), -1);
  EXPECT_EQ((third - Polynomial{1 / 3.0L, 2 / 3.0L + 1e-14L}).degree(), 1);
  EXPECT_EQ((third * third - Polynomial{1 / 9.0L, 4 / 9.0L, 4 / 9.0L}).degree(), -1);
}

TEST(Polynomial, IsFoundFromValuesOverManyPowersOfTen) {
  std::vector<Extended> exact{1};
  for (int k = 1; k <= 12; ++k) exact.push_back(exact.back() / ((2 * k - 1) * (2 * k)));
  const Polynomial found = interpolate(13, [&](std::complex<Extended> x) -> ComplexSample {
    std::complex<Extended> value = 0;
    for (std::size_t k = exact.size(); k-- > 0;) value = value * x + exact[k];
    return {value, 1e-18L * std::abs(value)};
  });
  ASSERT_EQ(found.degree(), 12);
  for (int k = 0; k <= 12; ++k) {
    const Extended error = std::abs(found.coefficient(k) - exact[static_cast<std::size_t>(k)]);
    EXPECT_LE(error, found.bound(k)) << k;
    EXPECT_LT(error, 1e-15L * exact[static_cast<std::size_t>(k)]) << k;
  }
}
}  // namespace
}  // namespace trill
