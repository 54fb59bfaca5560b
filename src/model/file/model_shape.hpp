// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/model_file.hpp"

namespace trill {
// Throws ModelError if sections of a file do not fit each other. Needs no evaluation.
void check_model_shape(const ModelFile& file, const SourceText& source);

// Throws ModelError if a column has the name of something else, or another length than the lists of its set.
void check_columns(const ModelFile& file, const FileSet& set, const SourceText& source);
}  // namespace trill
