// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

#include <vector>

namespace trill {
// Which number of a row becomes a series.
struct SeriesPick {
  Index column = 0;
  bool measured = false;          // the column is one of the measured quantities, not of y
  bool log = false;               // shown on a logarithmic axis: stored without offset, so that small values survive
  bool blank_first_zero = false;  // a quantity measured by a step is 0 in the first row, before any step: show a gap
  // Half the width of a band around another series: stored without offset, and both points of a bucket hold its max, so
  // that the band is wide enough for every point of the other series in that bucket.
  bool half_width = false;
};

// Value i is offset + data[i]. The offset is the first finite value in double precision, so that drifts far below the
// value itself survive in single precision. NaN is a gap.
struct DecimatedSeries {
  double offset = 0;
  std::vector<float> data;
  double value(std::size_t i) const { return offset + static_cast<double>(data[i]); }
};

struct Decimated {
  Index rows = 0;         // number of rows before thinning
  std::vector<double> t;  // shared by all series, ascending or descending as the rows are
  std::vector<DecimatedSeries> series;
  bool thinned() const { return static_cast<Index>(t.size()) < rows; }
};

// Minimum and maximum of every series in every bucket of consecutive rows, in the order in which they occur: no extreme
// value is ever lost, and memory is bounded by points x series. First and last row are kept exactly. If there are at
// most `most_points` rows, all are kept.
class Decimator {
 public:
  Decimator(Index rows, Index most_points, std::vector<SeriesPick> picks);
  void row(double t, const double* y, const double* measured);
  Decimated finish();

 private:
  struct Extremes {
    double low, high;
    Index low_at, high_at;  // -1: no finite value in this bucket yet
  };
  double number(std::size_t series, const double* y, const double* measured) const;
  void keep(std::size_t series, double value);
  void open_bucket();
  void close_bucket();

  std::vector<SeriesPick> picks_;
  Index buckets_ = 0;  // 0: every row is kept
  Index at_ = 0, bucket_ = -1, begin_ = 0, end_ = 0;
  double first_t_ = 0, second_t_ = 0;
  std::vector<Extremes> extremes_;
  std::vector<char> has_offset_;
  Decimated result_;
};

// Whole states for a phase plane: points x columns.size() numbers, row by row.
struct PhasePoints {
  std::vector<Index> columns;
  Index points = 0;
  std::vector<float> data;
};

// Keeps, in time order, the first and last state, the states at which one of the columns has its minimum or maximum
// within a bucket, and the same number of samples, which are evenly spread but not in step with any oscillation. All
// are true points of the orbit, never mixtures of several states.
class PhaseCollector {
 public:
  PhaseCollector(Index rows, Index most_points, std::vector<Index> columns);
  void row(const double* y);
  PhasePoints finish();

 private:
  struct Candidate {
    Index at = -1;
    double value = 0;
    std::size_t state = 0;  // where it lies in states_
  };
  void keep(const double* state);
  void offer(Candidate& candidate, double value);
  void open_bucket();
  void close_bucket();

  Index rows_, buckets_ = 0, at_ = 0, bucket_ = -1, end_ = 0;
  std::vector<Candidate> candidates_;  // minimum and maximum of every column, then the same number of samples
  std::vector<Index> sample_rows_;     // rows to sample in this bucket, ascending
  std::size_t next_sample_ = 0;
  std::vector<double> states_, current_;
  PhasePoints result_;
};

// Indices of at most `most` points (at least 4) of a curve given point by point: in every bucket the points with min
// and max x and y, in order, and both ends. All indices if there are few enough points.
std::vector<std::size_t> extreme_points(const std::vector<double>& x, const std::vector<double>& y, std::size_t most);
}  // namespace trill
