// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/sweep.hpp"
#include "trill/report/chart.hpp"

namespace trill::cli {
// One row per member; with `exact`, measured values are written with all their digits.
Table summary_table(const Sweep& sweep, bool exact);
std::string summary_csv(const Sweep& sweep);
std::string summary_json(const Sweep& sweep, const RunInfo& info);

// One component of all members drawn in one picture; if there are very many members, an even selection of them.
class SweepPicture {
 public:
  // UsageError if nothing of that name is recorded; empty: the first component.
  SweepPicture(const Sweep& sweep, const Problem& problem, const std::string& show);
  void look(std::size_t member, const RunInfo& info, const RowSource& rows);  // may be called from any thread
  Chart chart() const;

 private:
  const Sweep& sweep_;
  Quantity shown_;
  bool measured_ = false;
  std::string time_unit_;
  std::vector<std::size_t> members_;  // those in the picture, ascending
  std::vector<ChartSeries> curves_;
};
}  // namespace trill::cli
