// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <string>

#include <gtest/gtest.h>

namespace trill::testing_models {
inline Mat dense(const MatrixSlot& slot) {
  Mat m(slot.rows(), slot.cols());
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i) m(i, j) = slot.value(i, j);
  return m;
}

// The tolerance is relative to the expected size, or to `least` if that is larger (for values that are small by
// cancellation).
inline void expect_equal(const Mat& a, const Mat& b, const std::string& what, double tolerance = 1e-13,
                         double least = 0) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  if (b.size() == 0) return;
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * std::max(least, b.cwiseAbs().maxCoeff())) << what << "\n"
                                                                                                 << a << "\n\n"
                                                                                                 << b;
}
}  // namespace trill::testing_models
