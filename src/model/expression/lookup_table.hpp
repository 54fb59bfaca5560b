// SPDX-License-Identifier: BSD-3-Clause
// Functions that are given by points. Between two points, in a cell, the function is a polynomial; before the first and
// after the last point it keeps its value there.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trill {
enum class Interpolation { linear, cubic };

struct LookupTable {
  // x ascends; both have at least two entries. Cubic is the spline with two continuous derivatives whose first two and
  // last two cells each have one polynomial (not-a-knot).
  LookupTable(std::string name, std::span<const double> x, std::span<const double> y, Interpolation interpolation);

  std::string name;                // for formulas to read
  std::vector<double> data;        // the number n of points; n values x; for the cells -1 to n - 1 their origin and 4
                                   // coefficients, beginning with the constant
  int continuous_derivatives = 0;  // between the first and the last point
  long points() const { return static_cast<long>(data[0]); }
  double x(long point) const { return data[static_cast<std::size_t>(1 + point)]; }
};
using LookupTables = std::vector<std::shared_ptr<const LookupTable>>;

// A table and which function of it is meant, as one number in a formula.
struct LookupFunction {
  static constexpr int place_slope = 4;  // 0 to 3: the value and its derivatives; place_slope: that of the place
  int table = 0, derivative = 0;
  static LookupFunction from(double code);
  double code() const { return 8.0 * table + derivative; }
};

// The number of the cell plus the share of it that lies below x: a continuous function, whose floor is the cell of x.
// Outside of the table it goes on for half a cell and stays there.
double lookup_place(const LookupTable& table, double x);
// The polynomial of a cell, or a derivative of it, also for x beyond the cell.
double lookup_piece(const LookupTable& table, double x, double cell, int derivative);

// Where the polynomial of a cell has its origin.
double lookup_origin(const LookupTable& table, double cell);

// Both as C, with the same operations: trill_place(data, x) and trill_piece(data, x, cell, derivative).
extern const char* const lookup_in_c;
}  // namespace trill
