// SPDX-License-Identifier: BSD-3-Clause
// A compiled model written out again, as C and as LaTeX.
#pragma once

#include "model/text/compiled_model.hpp"

namespace trill {
std::string c_text(const CompiledModel& model);
std::string latex_text(const CompiledModel& model);
}  // namespace trill
