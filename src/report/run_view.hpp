// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/decimate.hpp"
#include "trill/report/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trill {
struct ViewSeries {
  std::string name, unit;
  QuantityKind kind;
  std::string group;  // a heading may stand over several kinds
  SeriesPick pick;
  std::optional<std::size_t> band{};  // the series, of the group "band", that is half the width of a band around this
};

// What of a run is shown, read from its rows in one pass.
struct RunView {
  std::vector<ViewSeries> series;
  Decimated data;  // in the same order
  std::vector<Quantity> phase_names;
  PhasePoints phase;             // fewer than two columns: none
  bool phase_far_apart = false;  // lines between neighbours would draw an orbit that never was
  Index hidden = 0;              // components and quantities that are not shown
};

constexpr double page_budget = 3.5e6;  // bytes for the curves of all runs together

double wanted_bytes(const ReportRun& run);  // for every row of all that could be shown, within sensible limits
RunView view_of(const ReportRun& run, double bytes = page_budget);
}  // namespace trill
