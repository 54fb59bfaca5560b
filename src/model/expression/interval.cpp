// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr FunctionRange unknown_range{everything, everything, everything};

Interval ordered(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return everything;
  return {std::min(a, b), std::max(a, b)};
}

double end_product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

template <class Function>
Interval monotone(Function f, const Interval& a) {
  return ordered(f(a.low), f(a.high));
}

Interval range_of_cosine(const Interval& a) {
  constexpr double turn = 2 * std::numbers::pi;
  if (!(a.high - a.low < turn)) return {-1, 1};
  const Interval ends = ordered(std::cos(a.low), std::cos(a.high));
  const auto passes = [&](double peak) {
    return std::floor((a.high - peak) / turn) >= std::ceil((a.low - peak) / turn);
  };
  return {passes(std::numbers::pi) ? -1 : ends.low, passes(0) ? 1 : ends.high};
}

Interval range_of_sine(const Interval& a) {
  if (a.is_point()) return {std::sin(a.low), std::sin(a.low)};
  constexpr double quarter = std::numbers::pi / 2;
  return range_of_cosine({a.low - quarter, a.high - quarter});
}

FunctionRange range_of_tangent(const Interval& a) {
  constexpr double half_turn = std::numbers::pi;
  if (!(std::floor(a.low / half_turn + 0.5) == std::floor(a.high / half_turn + 0.5))) return unknown_range;
  const Interval t = monotone([](double x) { return std::tan(x); }, a), slope = Interval{1, 1} + square(t);
  return {t, slope, 2 * (t * slope)};
}

FunctionRange range_of_arcsine(const Interval& a) {
  if (!(a.low > -1 && a.high < 1)) return unknown_range;
  const Interval beside = Interval{1, 1} - square(a);
  const Interval slope = monotone([](double x) { return 1 / std::sqrt(x); }, beside);
  return {monotone([](double x) { return std::asin(x); }, a), slope, a * slope * inverse(beside)};
}

FunctionRange range_of_root(const Interval& a) {
  if (!(a.low > 0)) return a.low == 0 ? FunctionRange{{0, std::sqrt(a.high)}, everything, everything} : unknown_range;
  const Interval root = monotone([](double x) { return std::sqrt(x); }, a), slope = inverse(2 * root);
  return {root, slope, -0.5 * (slope * inverse(a))};
}

FunctionRange range_of_logarithm(const Interval& a) {
  if (!(a.low > 0)) return unknown_range;
  const Interval slope = inverse(a);
  return {monotone([](double x) { return std::log(x); }, a), slope, -square(slope)};
}

FunctionRange range_of_arctangent(const Interval& a) {
  const Interval slope = inverse(Interval{1, 1} + square(a));
  return {monotone([](double x) { return std::atan(x); }, a), slope, -2 * (a * square(slope))};
}

FunctionRange range_of_hyperbolic_tangent(const Interval& a) {
  const Interval t = monotone([](double x) { return std::tanh(x); }, a), slope = Interval{1, 1} - square(t);
  return {t, slope, -2 * (t * slope)};
}

Interval range_of_hyperbolic_cosine(const Interval& a) {
  const Interval ends = monotone([](double x) { return std::cosh(x); }, a);
  return {a.contains(0) ? 1 : ends.low, ends.high};
}

FunctionRange range_of_absolute(const Interval& a) {
  const double low = a.contains(0) ? 0 : std::min(std::abs(a.low), std::abs(a.high));
  const Interval sign = a.low > 0 ? Interval{1, 1} : a.high < 0 ? Interval{-1, -1} : Interval{-1, 1};
  return {{low, a.most()}, sign, {0, 0}};
}

// The polynomial of one cell.
FunctionRange range_in_cell(const LookupTable& table, const Interval& a, double cell) {
  const double origin = lookup_origin(table, cell);
  const auto at_origin = [&](int derivative) {
    const double c = lookup_piece(table, origin, cell, derivative);
    return Interval{c, c};
  };
  const Interval d = a - Interval{origin, origin};
  const Interval curvature = at_origin(2) + d * at_origin(3);
  const Interval slope = at_origin(1) + d * (at_origin(2) + 0.5 * (d * at_origin(3)));
  const Interval value =
      at_origin(0) + d * (at_origin(1) + 0.5 * (d * (at_origin(2) + (1.0 / 3) * (d * at_origin(3)))));
  return {value, slope, curvature};
}
Interval piece_third(const LookupTable& table, double cell) {
  const double third = lookup_piece(table, 0, cell, 3);
  return {third, third};
}

// The part of a range that belongs to a cell and its neighbours; formulas of a cell are used no further.
Interval near_cell(const LookupTable& table, const Interval& a, long cell) {
  const long last = table.points() - 1;
  const double low = cell < 1 ? -std::numeric_limits<double>::infinity() : table.x(cell - 1);
  const double high = cell + 2 > last ? std::numeric_limits<double>::infinity() : table.x(cell + 2);
  const Interval part{std::max(a.low, low), std::min(a.high, high)};
  return part.low <= part.high ? part : a;
}

// Where it jumps, no slope bounds the change of the function.
FunctionRange range_of_floor(const Interval& a) {
  const Interval value = monotone([](double x) { return std::floor(x); }, a);
  return {value, value.is_point() ? Interval{0, 0} : everything, {0, 0}};
}
}  // namespace

double Interval::most() const { return std::max(std::abs(low), std::abs(high)); }

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Interval operator-(const Interval& a) { return {-a.high, -a.low}; }

Interval operator+(const Interval& a, const Interval& b) {
  const double low = a.low + b.low, high = a.high + b.high;
  return std::isnan(low) || std::isnan(high) ? everything : Interval{low, high};
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  const auto [low, high] = std::minmax(
      {end_product(a.low, b.low), end_product(a.low, b.high), end_product(a.high, b.low), end_product(a.high, b.high)});
  return {low, high};
}

Interval operator*(double factor, const Interval& a) { return Interval{factor, factor} * a; }

Interval inverse(const Interval& a) {
  if (a.contains(0)) return everything;
  return ordered(1 / a.low, 1 / a.high);
}

Interval square(const Interval& a) {
  const Interval size = range_of_absolute(a).value;
  return {size.low * size.low, size.high * size.high};
}

FunctionRange range_of(Op op, const Interval& a) {
  switch (op) {
    case Op::negate:
      return {-a, {-1, -1}, {0, 0}};
    case Op::square:
      return {square(a), 2 * a, {2, 2}};
    case Op::sqrt:
      return range_of_root(a);
    case Op::exp: {
      const Interval e = monotone([](double x) { return std::exp(x); }, a);
      return {e, e, e};
    }
    case Op::log:
      return range_of_logarithm(a);
    case Op::sin:
      return {range_of_sine(a), range_of_cosine(a), -range_of_sine(a)};
    case Op::cos:
      return {range_of_cosine(a), -range_of_sine(a), -range_of_cosine(a)};
    case Op::tan:
      return range_of_tangent(a);
    case Op::asin:
      return range_of_arcsine(a);
    case Op::acos: {
      const FunctionRange sine = range_of_arcsine(a);
      return {monotone([](double x) { return std::acos(x); }, a), -sine.slope, -sine.curvature};
    }
    case Op::atan:
      return range_of_arctangent(a);
    case Op::sinh:
    case Op::cosh: {
      const Interval s = monotone([](double x) { return std::sinh(x); }, a), c = range_of_hyperbolic_cosine(a);
      return op == Op::sinh ? FunctionRange{s, c, s} : FunctionRange{c, s, c};
    }
    case Op::tanh:
      return range_of_hyperbolic_tangent(a);
    case Op::abs:
      return range_of_absolute(a);
    case Op::floor:
      return range_of_floor(a);
    default:
      return unknown_range;
  }
}

FunctionRange range_of_place(const LookupTable& table, const Interval& a) {
  const Interval place = monotone([&](double x) { return lookup_place(table, x); }, a);
  if (!std::isfinite(place.low) || !std::isfinite(place.high)) return unknown_range;
  FunctionRange range{place, {0, 0}, {0, 0}};
  for (double cell = std::floor(place.low); cell <= place.high; ++cell)
    range.slope.high = std::max(range.slope.high, lookup_piece(table, a.low, cell, LookupFunction::place_slope));
  if (std::floor(place.low) == std::floor(place.high)) range.slope.low = range.slope.high;
  if (place.low < 0 || place.high > static_cast<double>(table.points() - 1)) range.slope.low = 0;
  return range;
}

FunctionRange range_of_piece(const LookupTable& table, const Interval& a, const Interval& cell, int derivative) {
  const double last = static_cast<double>(table.points() - 1);
  const double from = std::clamp(std::floor(cell.low), -1.0, last), to = std::clamp(std::floor(cell.high), -1.0, last);
  if (std::isnan(from) || std::isnan(to) || derivative >= LookupFunction::place_slope) return unknown_range;
  const bool several = from < to, leaves = from < 0 || to == last;
  FunctionRange range;
  for (double k = from; k <= to; ++k) {
    const FunctionRange piece = range_in_cell(table, several ? near_cell(table, a, static_cast<long>(k)) : a, k);
    const Interval all[] = {piece.value, piece.slope, piece.curvature, piece_third(table, k), {0, 0}, {0, 0}};
    const auto d = static_cast<std::size_t>(derivative);
    const FunctionRange of{all[d], all[d + 1], all[d + 2]};
    range = k == from ? of
                      : FunctionRange{hull(range.value, of.value), hull(range.slope, of.slope),
                                      hull(range.curvature, of.curvature)};
  }
  const int smooth = leaves ? 0 : table.continuous_derivatives;
  if (several && derivative > smooth) range.slope = everything;  // it jumps, and no slope bounds that
  return range;
}

FunctionRange range_of_power(const Interval& a, double exponent) {
  if (!(a.low > 0)) return unknown_range;
  const auto power = [&](double p) { return monotone([p](double x) { return std::pow(x, p); }, a); };
  return {power(exponent), exponent * power(exponent - 1), exponent * (exponent - 1) * power(exponent - 2)};
}
}  // namespace trill
