// SPDX-License-Identifier: BSD-3-Clause
// Lists of a run's outcome in a checkpoint.
#pragma once

#include "trill/base/archive.hpp"
#include "trill/solution/solution.hpp"

namespace trill {
void save(Archive& archive, const std::vector<EventHit>& hits);
void load(Archive& archive, std::vector<EventHit>& hits);
void save(Archive& archive, const std::vector<Notice>& notices);
void load(Archive& archive, std::vector<Notice>& notices);
}  // namespace trill
