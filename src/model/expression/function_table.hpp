// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

#include <algorithm>

namespace trill {
// Functions of points; a function of numbers alone is an operation of the graph.
enum class PointFunction { none, distance, angle, dihedral, dot, norm, point };

struct Function {
  std::string_view name;
  Op op = Op::number;
  PointFunction of_points = PointFunction::none;
  int least_values = 0, most_values = 0;

  constexpr Function(std::string_view function_name, Op operation) : name(function_name), op(operation) {}
  constexpr Function(std::string_view function_name, PointFunction function, int least, int most)
      : name(function_name), of_points(function), least_values(least), most_values(most) {}
  int least() const { return of_points == PointFunction::none ? arity(op) : least_values; }
  int most() const { return of_points == PointFunction::none ? arity(op) : most_values; }
};
inline constexpr Function functions[] = {
    {"if", Op::choose},
    {"sqrt", Op::sqrt},
    {"exp", Op::exp},
    {"log", Op::log},
    {"sin", Op::sin},
    {"cos", Op::cos},
    {"tan", Op::tan},
    {"asin", Op::asin},
    {"acos", Op::acos},
    {"atan", Op::atan},
    {"atan2", Op::atan2},
    {"sinh", Op::sinh},
    {"cosh", Op::cosh},
    {"tanh", Op::tanh},
    {"abs", Op::abs},
    {"min", Op::min},
    {"max", Op::max},
    {"pow", Op::power},
    {"hypot", Op::hypot},
    {"distance", PointFunction::distance, 2, 2},
    {"angle", PointFunction::angle, 3, 3},
    {"dihedral", PointFunction::dihedral, 4, 4},
    {"dot", PointFunction::dot, 2, 2},
    {"norm", PointFunction::norm, 1, 1},
    {"point", PointFunction::point, 2, 3},
};
inline constexpr std::size_t most_arguments = 4;

inline const Function* find_function(std::string_view name) {
  const auto* it = std::find_if(std::begin(functions), std::end(functions), [&](auto& f) { return f.name == name; });
  return it == std::end(functions) ? nullptr : it;
}
}  // namespace trill
