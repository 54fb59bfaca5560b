// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/kernels.hpp"

#include <algorithm>

namespace trill {
// Copies numbers that have been in memory for a while, unlike copy_one_by_one.
inline void copy_settled(const double* from, Index count, double* to) {
  if (count < short_vector) return copy_one_by_one(from, count, to);
  std::copy_n(from, count, to);
}
}  // namespace trill
