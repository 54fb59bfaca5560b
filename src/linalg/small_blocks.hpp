// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <optional>
#include <vector>

namespace trill {
// Unknowns that are coupled to each other and to no others, in ascending order.
using UnknownBlock = std::vector<Index>;
inline constexpr Index most_in_block = 8;

// The components of the graph of two matrices together. Entries at rounding level do not couple. nullopt: a block has
// more than most_in_block unknowns.
std::optional<std::vector<UnknownBlock>> small_blocks(const MatrixSlot& a, const MatrixSlot& b);

Mat block_of(const MatrixSlot& a, const UnknownBlock& unknowns);
}  // namespace trill
