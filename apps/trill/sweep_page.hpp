// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/driver/sweep.hpp"
#include "trill/report/chart.hpp"

#include <array>

namespace trill::cli {
// What became of every measure in every member: its value at the end, its mean over time and its largest value. Models
// without measures have their first coordinates.
class SweepFigures {
 public:
  SweepFigures(const Sweep& sweep, const Problem& problem);
  void look(std::size_t member, const RunInfo& info, const RowSource& rows);  // may be called from any thread
  // Against one parameter as lines, against two as heat maps; against more there are none.
  std::vector<Chart> charts() const;
  // A sentence for each measure that changes by more than half of its range between neighbouring values.
  std::vector<std::string> warnings() const;

 private:
  static constexpr std::size_t kinds = 3;
  using Figures = std::array<double, kinds>;
  double value(std::size_t measure, std::size_t kind, std::size_t member) const {
    return figures_[measure * sweep_.members.size() + member][kind];
  }
  Chart lines(std::size_t measure) const;
  Chart heat_map(std::size_t measure) const;
  std::string warning(std::size_t measure) const;
  ChartAxis axis(std::size_t parameter) const;

  const Sweep& sweep_;
  std::vector<Quantity> measures_, left_out_;     // that are drawn, and that are too many
  std::vector<std::string> units_;                // of the parameters
  std::vector<std::vector<double>> axis_values_;  // of each parameter
  std::vector<Figures> figures_;                  // measure by measure, member by member
};

// The table for the page: values, what was measured, the check, and links to the pages of the members.
Table page_table(const Sweep& sweep, const std::filesystem::path& page);

// With files of the members, each of them gets a page beside its file, if there are not too many.
inline constexpr std::size_t most_member_pages = 64;
std::vector<std::filesystem::path> member_pages(const Sweep& sweep);  // empty: there are none
void write_member_pages(const Sweep& sweep);
}  // namespace trill::cli
