// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/text_mechanics.hpp"

namespace trill {
// Forces on copies of one text model with different parameters; every copy is a lane of the interpreter or of compiled
// code. nullptr if the copies differ in more than parameters.
std::unique_ptr<ForceBlock> make_text_block(std::span<const CompiledModel* const> copies);
}  // namespace trill
