// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model_file.hpp"

namespace trill {
// ModelError at what can be written in a model file and not be solved.
void refuse_what_is_not_built_yet(const ModelFile& file, const SourceText& source);
}  // namespace trill
