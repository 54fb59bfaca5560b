// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/lookup_table.hpp"

#include <algorithm>

// The same text is compiled here and written into compiled models, so that both give the same bits.
#define TRILL_HERE_AND_IN_C(...)                \
  namespace trill {                             \
  namespace {                                   \
  __VA_ARGS__                                   \
  }                                             \
  const char* const lookup_in_c = #__VA_ARGS__; \
  }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
// clang-format off
TRILL_HERE_AND_IN_C(
static inline double trill_place(const double* data, double x) {
  const long n = (long)data[0];
  const double* const k = data + 1;
  if (x != x) return x;
  if (x < k[0]) {
    const double share = (x - k[0]) / (k[1] - k[0]);
    return share < -0.5 ? -0.5 : share;
  }
  if (x >= k[n - 1]) {
    const double share = (x - k[n - 1]) / (k[n - 1] - k[n - 2]);
    return (double)(n - 1) + (share > 0.5 ? 0.5 : share);
  }
  long low = 0;
  long high = n - 1;
  while (high - low > 1) {
    const long middle = (low + high) / 2;
    if (x < k[middle]) high = middle; else low = middle;
  }
  return (double)low + (x - k[low]) / (k[high] - k[low]);
}
static inline double trill_piece(const double* data, double x, double cell, int derivative) {
  const double n = data[0];
  if (x != x || cell != cell) return x + cell;
  const double inside = cell < -1.0 ? -1.0 : cell > n - 1.0 ? n - 1.0 : cell;
  const double* const c = data + 1 + (long)n + 5 * ((long)inside + 1);
  const double d = x - c[0];
  if (derivative == 0) return ((c[4] * d + c[3]) * d + c[2]) * d + c[1];
  if (derivative == 1) return (3.0 * c[4] * d + 2.0 * c[3]) * d + c[2];
  if (derivative == 2) return 6.0 * c[4] * d + 2.0 * c[3];
  if (derivative == 3) return 6.0 * c[4];
  const long left = inside < 0.0 ? 0 : inside > n - 2.0 ? (long)n - 2 : (long)inside;
  return 1.0 / (data[2 + left] - data[1 + left]);
}
)
// clang-format on
#pragma GCC diagnostic pop

namespace trill {
namespace {
// Slopes of the cubic spline at its points: its second derivative is continuous at all of them, its third derivative at
// the second and at the last but one. Elimination without pivots is stable here, since all diagonal entries stay above
// a third of the entry beside them.
std::vector<double> spline_slopes(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<double> width(n - 1), chord(n - 1), diagonal(n), right(n), above(n), below(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    width[i] = x[i + 1] - x[i];
    chord[i] = (y[i + 1] - y[i]) / width[i];
  }
  if (n == 2) return {chord[0], chord[0]};
  if (n == 3) {
    const double curvature = (chord[1] - chord[0]) / (x[2] - x[0]);  // half of it
    return {chord[0] - curvature * width[0], chord[0] + curvature * width[0], chord[1] + curvature * width[1]};
  }
  const double first = x[2] - x[0], last = x[n - 1] - x[n - 3];
  diagonal[0] = width[1];
  above[0] = first;
  right[0] = ((width[0] + 2 * first) * width[1] * chord[0] + width[0] * width[0] * chord[1]) / first;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = width[i];
    diagonal[i] = 2 * (width[i - 1] + width[i]);
    above[i] = width[i - 1];
    right[i] = 3 * (width[i] * chord[i - 1] + width[i - 1] * chord[i]);
  }
  below[n - 1] = last;
  diagonal[n - 1] = width[n - 3];
  right[n - 1] =
      (width[n - 2] * width[n - 2] * chord[n - 3] + (2 * last + width[n - 2]) * width[n - 3] * chord[n - 2]) / last;
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    right[i] -= factor * right[i - 1];
  }
  std::vector<double> slope(n);
  slope[n - 1] = right[n - 1] / diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) slope[i] = (right[i] - above[i] * slope[i + 1]) / diagonal[i];
  return slope;
}
}  // namespace

LookupTable::LookupTable(std::string table_name, std::span<const double> x, std::span<const double> y,
                         Interpolation interpolation)
    : name(std::move(table_name)), continuous_derivatives(interpolation == Interpolation::cubic ? 2 : 0) {
  const std::size_t n = x.size();
  data.reserve(1 + n + 5 * (n + 1));
  data.push_back(static_cast<double>(n));
  data.insert(data.end(), x.begin(), x.end());
  data.insert(data.end(), {x[0], y[0], 0, 0, 0});
  const bool cubic = interpolation == Interpolation::cubic;
  const std::vector<double> slope = cubic ? spline_slopes(x, y) : std::vector<double>();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double width = x[i + 1] - x[i], chord = (y[i + 1] - y[i]) / width;
    if (!cubic) {
      data.insert(data.end(), {x[i], y[i], chord, 0, 0});
      continue;
    }
    const double excess = (slope[i] + slope[i + 1] - 2 * chord) / width;
    data.insert(data.end(), {x[i], y[i], slope[i], (chord - slope[i]) / width - excess, excess / width});
  }
  data.insert(data.end(), {x[n - 1], y[n - 1], 0, 0, 0});
}

LookupFunction LookupFunction::from(double code) {
  const int whole = static_cast<int>(code);
  return {whole / 8, whole % 8};
}

double lookup_origin(const LookupTable& table, double cell) { return table.x(static_cast<long>(std::max(cell, 0.0))); }
double lookup_place(const LookupTable& table, double x) { return trill_place(table.data.data(), x); }
double lookup_piece(const LookupTable& table, double x, double cell, int derivative) {
  return trill_piece(table.data.data(), x, cell, derivative);
}
}  // namespace trill
