// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/plan.hpp"

#include <memory>

namespace trill {
// The rows of a run with others between them, for curves without corners: from each row the run's own method is taken
// to the next, and its interpolant gives the rows between. A run with a formulation is made again as a whole. Steps of
// a stored run are repeated in this way, so that nothing but the rows has to be stored. Where a repetition does not end
// where the run went on, as at an event, or is not possible, neighbours are left as they are. Null where this is not
// wanted (enough rows, rows at times that were asked for) or not known how to do (envelopes, random motion, long runs).
// Refers to the rows.
std::unique_ptr<RowSource> filled_rows(const PreparedRun& run, const RunInfo& info, const RunOutcome& outcome,
                                       const RowSource& rows);
// One period of a steady state, between its rows by the parabolas from which its figures are computed.
std::unique_ptr<RowSource> filled_period(const RunInfo& info, const RowSource& rows);
}  // namespace trill
