// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/native/native_model.hpp"

namespace trill {
using Routines = std::vector<std::shared_ptr<const Routine>>;

// Replaces routines by copies with machine code, all or none. Returns "", or why there is no machine code.
std::string make_native(Routines& routines, NativeUse use);

NativeModel::Cost native_cost(const Routines& routines);
}  // namespace trill
