// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/stored_entries.hpp"
#include "trill/linalg/matrix_slot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trill {
// What elimination leaves over of an equation, as a share of the sum of its terms.
inline constexpr double rounded_terms = 16 * std::numeric_limits<double>::epsilon();

// Every row gets the largest size of all rows that share an unknown with it. takes_part(row) leaves rows out.
// of_unknown: as many numbers as there are unknowns, to work with.
template <class TakesPart>
void spread_over_shared_unknowns(const MatrixSlot& matrix, In sizes, Out of_unknown, Out spread, TakesPart takes_part) {
  of_unknown.setZero();
  spread = sizes;
  const auto joins = [&](Index row, Index place) { return matrix.values()[place] != 0 && takes_part(row); };
  each_stored(matrix, [&](Index row, Index unknown, Index place) {
    if (joins(row, place)) of_unknown[unknown] = std::max(of_unknown[unknown], sizes[row]);
  });
  each_stored(matrix, [&](Index row, Index unknown, Index place) {
    if (joins(row, place)) spread[row] = std::max(spread[row], of_unknown[unknown]);
  });
}
}  // namespace trill
