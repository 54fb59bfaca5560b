// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic with ranges of numbers. Ends are rounded like other numbers, not outwards.
#pragma once

#include "model/expression/expression.hpp"

#include <limits>

namespace trill {
struct Interval {
  double low = 0, high = 0;
  bool contains(double x) const { return low <= x && x <= high; }
  bool is_point() const { return low == high; }
  double most() const;  // the largest absolute value
};
inline constexpr Interval everything{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};

Interval hull(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval operator*(double factor, const Interval& a);
Interval inverse(const Interval& a);
Interval square(const Interval& a);

// The range of a function of one number, and those of its first two derivatives. Where the function is not defined
// everywhere in `a`, everything.
struct FunctionRange {
  Interval value, slope, curvature;
};
FunctionRange range_of(Op op, const Interval& a);
// The same for the operations on a table, see LookupTable; `cell` is the range of its cells.
FunctionRange range_of_place(const LookupTable& table, const Interval& a);
FunctionRange range_of_piece(const LookupTable& table, const Interval& a, const Interval& cell, int derivative);
FunctionRange range_of_power(const Interval& a, double exponent);
}  // namespace trill
