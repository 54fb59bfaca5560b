// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/run_results.hpp"
#include "trill/solution/solution.hpp"

#include <optional>

namespace trill {
struct RunResult {
  std::string name, unit;
  std::optional<double> value;  // empty: there are no rows between the wished times, or an envelope does not tell it
};
// Between the recorded rows signals are taken as parabolas (base/curve_piece.hpp). Rows of an envelope tell the range
// and the mean of a component in a cycle, and these are taken.
std::vector<RunResult> find_results(const std::vector<RunResultWish>& wishes, const RunInfo& info,
                                    const RowSource& rows);
}  // namespace trill
