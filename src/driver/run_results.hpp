// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/run_results.hpp"
#include "trill/driver/plan.hpp"

#include <optional>

namespace trill {
struct RunResult {
  std::string name, unit;
  std::optional<double> value;  // empty: there are no rows between the wished times, or an envelope does not tell it
};
// What the model of a run asks for. The period of a steady state stands for all times, if there is one.
std::vector<RunResultWish> wishes_of(const PreparedRun& run, const RunOutcome& outcome);

// Between the recorded rows signals are taken as parabolas (base/curve_piece.hpp). Rows of an envelope tell the range
// and the mean of a component in a cycle, and these are taken.
std::vector<RunResult> find_results(const std::vector<RunResultWish>& wishes, const RunInfo& info,
                                    const RowSource& rows);
}  // namespace trill
