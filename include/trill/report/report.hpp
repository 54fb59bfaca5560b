// SPDX-License-Identifier: BSD-3-Clause
// For programs that write the report page.
#pragma once

#include "trill/report/chart.hpp"
#include "trill/solution/solution.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
struct CycleShapes;
struct MovingPicture;

// One run as a report shows it. The rows are read once, in order; they must outlive this.
struct ReportRun {
  std::string label;  // empty: method and step size or tolerance
  RunInfo info;
  RunOutcome outcome;
  Trust trust;
  const RowSource& rows;
  std::vector<Parameter> parameters{};  // with units and meanings, if the model is available; else info.parameters
  std::shared_ptr<const CycleShapes> cycles{};  // of an envelope: cycles that can be looked at one by one
  // The names of which spectra are wanted; none: of measures and coordinates. Not set: these, where they oscillate
  // fast.
  std::optional<std::vector<std::string>> spectrum{};
  // The angular frequencies that the model is known to have; asked for only if there is a spectrum to mark them in.
  std::function<std::vector<ChartMark>()> frequencies{};
  // How many of the rows the run recorded; the others lie between them, for curves without corners. 0: all of them.
  Index recorded_rows = 0;
  // Where the files are that the model reads; they must be those that the run read. Not set: they are not looked at.
  std::optional<std::filesystem::path> model_folder{};
};
ReportRun report_run(const Solution& solution, std::string label = "");

// A shape that a model can take, such as a mode, drawn between its two ends.
struct ShapePicture {
  std::string title;
  std::shared_ptr<const MovingPicture> picture;
};

struct Report {
  std::string title;      // empty: problem and method of the first run
  std::string generated;  // empty: now
  std::string version;    // empty: the version of the first run
  std::vector<ReportRun> runs;
  std::vector<Chart> charts;
  std::vector<Table> tables;
  std::vector<std::string> summary{};  // sentences that the page begins with
  std::vector<ShapePicture> shapes{};
};

// The data of the page (schema 1). Its size is bounded whatever the number of rows and components: below 5 MB for up to
// a few dozen runs. Curves are decimated so that no extreme value of a shown series is lost; components that do not fit
// are counted as hidden.
std::string report_json(const Report& report);

// One self-contained HTML page.
std::string report_page(const Report& report);

// The same with another page around the data; UsageError if it does not contain the marker /*TRILL_DATA*/ exactly once.
std::string report_page(const Report& report, std::string_view page);

// The plots that a report shows of this run, for static pictures.
std::vector<Chart> charts_of(const ReportRun& run);
}  // namespace trill
