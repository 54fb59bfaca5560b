// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/decimate.hpp"
#include "trill/report/report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// What a band around a curve covers.
enum class BandMeaning { oscillation, bound, estimate };
const char* to_text(BandMeaning meaning);
std::string band_label(BandMeaning meaning);  // for legends

struct ViewSeries {
  std::string name, unit;
  QuantityKind kind;
  std::string group;  // heading under which it is shown; may cover several kinds
  SeriesPick pick;
  // Index of the series (in the group "band") that is half the width of a band around this one.
  std::optional<std::size_t> band{};
  BandMeaning band_meaning = BandMeaning::oscillation;
};

// The part of a run that is shown, read from its rows in one pass.
struct RunView {
  std::vector<ViewSeries> series;
  Decimated data;  // in the order of `series`
  // What did not fit among them, for the search of the page: thinned further. The largest motions come first.
  std::vector<ViewSeries> others;
  Decimated others_data;
  std::vector<Quantity> phase_names;
  PhasePoints phase;             // no phase plot if there are fewer than two columns
  bool phase_far_apart = false;  // lines between neighbours would suggest an orbit that does not exist
  Index hidden = 0;              // components and quantities that are not on the page at all
};

constexpr double page_budget = 3.5e6;  // bytes for the curves of all runs together

// For every component X the index of its quantity PREFIX_X of this kind; -1 if there is none.
std::vector<Index> companions_of(const RunInfo& info, std::string_view prefix, QuantityKind kind);

double wanted_bytes(const ReportRun& run);  // bytes needed to show all series and rows, up to sensible limits
RunView view_of(const ReportRun& run, double bytes = page_budget);
}  // namespace trill
