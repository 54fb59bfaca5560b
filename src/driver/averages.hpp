// SPDX-License-Identifier: BSD-3-Clause
// Averages and distributions of what a run measured, with their random errors.
#pragma once

#include "trill/solution/solution.hpp"

#include <span>

namespace trill {
// The average of a random or chaotic signal that was sampled at equal intervals. Its error is that of the means of
// blocks, which are so long that they are no longer correlated.
struct Average {
  double mean = 0, deviation = 0;  // deviation: of single values
  double error = 0;                // standard error of the mean
  double correlation = 0;          // integrated autocorrelation time
  double independent = 0;          // as many independent values would give the same error
  bool is_settled = false;         // false: the run is so short that the error itself is hardly known
};
Average average_of(std::span<const double> values, double spacing);
// Not for lack of independent values, but because longer blocks show a change that the run is too short for.
bool changes_slowly(const Average& average);

// A histogram as a density. The errors are those of means of blocks.
struct Distribution {
  double from = 0, width = 0;  // of the first bin; all have the same width
  std::vector<double> density, error;
  double middle(std::size_t bin) const { return from + (static_cast<double>(bin) + 0.5) * width; }
};
struct ValueRange {
  double low, high;
};
// Empty for a signal that has only a few different values, such as 0 and 1.
Distribution distribution_of(std::span<const double> values, const Average& average, const ValueRange& range);
ValueRange range_of(std::span<const double> values);

// What a run measured, column by column, without the part in which it comes to its equilibrium.
class MeasuredColumns {
 public:
  // Measures of the model, the method and the formulation; not steps, errors and constraints.
  MeasuredColumns(const RunInfo& info, const RowSource& rows);
  MeasuredColumns(std::vector<Quantity> quantities, const RowSource& rows);  // all that are listed, the first of a row

  std::size_t size() const { return quantities_.size(); }
  const Quantity& quantity(std::size_t k) const { return quantities_[k]; }
  std::span<const double> values(std::size_t k) const { return values_[k]; }
  Index rows() const { return values_.empty() ? 0 : static_cast<Index>(values_.front().size()); }
  double spacing() const { return spacing_; }
  Average average(std::size_t k) const { return average_of(values_[k], spacing_); }

 private:
  void read(const RowSource& rows);
  std::vector<Quantity> quantities_;
  std::vector<std::size_t> columns_;
  std::vector<std::vector<double>> values_;
  double spacing_ = 0;
};

// Rows that are needed before averages mean anything.
inline constexpr Index least_rows_for_averages = 100;
inline constexpr Index most_rows_for_averages = 1 << 20;  // more are thinned out evenly
inline constexpr double start_left_out = 0.1;             // share of the run in which it comes to its equilibrium
}  // namespace trill
