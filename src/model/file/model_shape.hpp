// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/model_file.hpp"

namespace trill {
// ModelError where sections of a file do not fit each other. Needs no evaluation.
void check_model_shape(const ModelFile& file, const SourceText& source);

// ModelError where a column has the name of something else, or another length than the lists of its set.
void check_columns(const ModelFile& file, const FileSet& set, const SourceText& source);
}  // namespace trill
