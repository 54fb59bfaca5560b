// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/structure.hpp"

namespace trill {
bool is_symmetric_stiffness(const LinearStructure& structure);
// UsageError that names `asker` and the entry that differs from the one across the diagonal.
void require_symmetric_stiffness(const LinearStructure& structure, const std::string& asker);
// UsageError if the run does not go forwards in time.
void require_forwards(double t_begin, double t_end, const std::string& asker);
}  // namespace trill
