// SPDX-License-Identifier: BSD-3-Clause
// Functions that compute values of several kinds from one graph, so that what they share is computed once.
#pragma once

#include "model/text/kernel.hpp"
#include "trill/linalg/matrix_slot.hpp"

namespace trill {
bool is_joint(Purpose purpose);
// `slope` is the pattern of G for the selected rows, `rows` their number.
VectorDraft draft_joint(const Kernel& kernel, FunctionKey key, MatrixSlot& slope, Index rows, ExpressionGraph& graph);
}  // namespace trill
