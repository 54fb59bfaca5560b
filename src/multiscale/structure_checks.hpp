// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/structure.hpp"

#include <string>

namespace trill {
// Of the accuracy asked, what a reduction takes for its tolerance, so that the check finds the rest.
inline constexpr double share_for_reductions = 0.3;

bool is_symmetric_stiffness(const LinearStructure& structure);
// UsageError that names `asker` and the entry that differs from the one across the diagonal.
void require_symmetric_stiffness(const LinearStructure& structure, const std::string& asker);
// Why its motions grow: K is indefinite, which takes a factorisation to see, or C adds energy. Empty: not for that.
std::string buckling_of(const LinearStructure& structure);
std::string drive_of(const LinearStructure& structure);
// UsageError if the run does not go forwards in time.
void require_forwards(double t_begin, double t_end, const std::string& asker);
}  // namespace trill
