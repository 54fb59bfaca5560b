// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/file/table_reader.hpp"

namespace trill {
// Reads the keys of [structure]: what each may hold, not what it means.
FileStructure read_structure_section(const SourceText& source, TableReader& section);
}  // namespace trill
