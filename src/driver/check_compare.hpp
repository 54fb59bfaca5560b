// SPDX-License-Identifier: BSD-3-Clause
// Differences between two runs, and how they grow.
#pragma once

#include "driver/check_scales.hpp"

namespace trill {
constexpr double shortest_moment = 1e-6;  // share of the time
struct Comparison {
  Vec deviation, halfway;       // the largest of each judged value, and in the first half of the times
  std::vector<double> t;        // the times that were compared
  std::vector<double> worst;    // largest error up to each of them, relative to scales, of all values that count
  std::vector<double> moved;    // how much of its range the value of the last error has shown up to each of them
  double error = 0;             // the last of the errors
  Index value = -1;             // what it is the error of; -1: nothing differs
  double error_in_moments = 0;  // that were left out, because errors are far larger then than at all other times
  double first_above(double error) const;  // the last time before the error exceeds this; NaN: it never does
};
// A motion that jumps is off by all of its range between the jumps of two runs, however close these are. So the times
// of the largest errors are left out where they last, all together, less than that share of the run.
Comparison compare(const JudgedCurve& run, const JudgedCurve& reference, const Vec& scales,
                   const std::vector<JudgedValue>& values);

// The largest error, relative to scales, of a value that counts and that the reference conserves.
double error_of_conserved(const Comparison& comparison, const JudgedCurve& reference, const Vec& scales,
                          const std::vector<JudgedValue>& values);

// The largest error that counts at a time that is `times_as_late` times as late, and which value has it. Each
// error goes on growing with the power of time (0 to 2) with which it grew from the first to the second half.
struct Carried {
  double error = 0;
  Index value = 0;
};
Carried carried_on(const Comparison& comparison, const Vec& scales, const std::vector<JudgedValue>& values,
                   double times_as_late);

// Exponential growth of small differences between two accurate runs: the time in which they grow e-fold. Empty: they do
// not grow exponentially.
std::optional<double> folding_time(const Comparison& accurate_ones);

// Times at which the slow part of a motion is compared: averages over windows of several fast periods.
class Averages {
 public:
  Averages(const Problem& problem, const State& start, double t_end);
  const std::vector<double>& times() const { return times_; }
  JudgedCurve of(const JudgedCurve& curve) const;  // averages over the windows that the curve reaches

 private:
  std::vector<double> times_, weights_;
};
}  // namespace trill
