// SPDX-License-Identifier: BSD-3-Clause
#include "trill/linalg/kernels.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace trill {
TEST(Kernels, KickAndDriftAddScaledVectors) {
  Vec y = Vec::Zero(6);
  Vec a(3);
  a << 1, 2, -4;
  kick(y.tail(3), 0.5, a);  // it works on a block of a packed state
  EXPECT_EQ(y, (Vec(6) << 0, 0, 0, 0.5, 1, -2).finished());
  drift(y.head(3), 2.0, y.tail(3));
  EXPECT_EQ(y, (Vec(6) << 1, 2, -4, 0.5, 1, -2).finished());
}

TEST(Kernels, WeightedRms) {
  const Vec e = (Vec(2) << 3, -4).finished(), w = (Vec(2) << 1, 0.5).finished();
  EXPECT_DOUBLE_EQ(weighted_rms(e, w), std::sqrt((9.0 + 4.0) / 2.0));
  EXPECT_EQ(weighted_rms(Vec(0), Vec(0)), 0.0);
}

TEST(Kernels, MaxAbs) {
  EXPECT_EQ(max_abs((Vec(3) << 1, -7, 5).finished()), 7.0);
  EXPECT_EQ(max_abs(Vec(0)), 0.0);
}

TEST(Kernels, AllFiniteFindsOneBadEntryAnywhere) {
  const double huge = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
  for (Index n = 0; n <= 9; ++n) {
    Vec x = Vec::Constant(n, -huge);
    EXPECT_TRUE(all_finite(x));
    for (Index i = 0; i < n; ++i) {
      for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        x[i] = bad;
        EXPECT_FALSE(all_finite(x)) << n << " " << i;
        EXPECT_FALSE(all_finite(x.data(), n));
      }
      x[i] = 0.0;
    }
  }
}
}  // namespace trill
