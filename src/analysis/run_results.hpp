// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/run_results.hpp"
#include "trill/solution/solution.hpp"

#include <optional>

namespace trill {
struct RunResult {
  std::string name, unit;
  std::optional<double> value;  // empty: the run has no rows between the wished times
};
// Between the recorded rows signals are taken as straight lines.
std::vector<RunResult> find_results(const std::vector<RunResultWish>& wishes, const RowSource& rows);
}  // namespace trill
