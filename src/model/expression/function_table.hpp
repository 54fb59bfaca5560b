// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/expression.hpp"

#include <algorithm>

namespace trill {
// Functions of points; a function of numbers alone is an operation of the graph.
enum class PointFunction { none, distance, angle, dihedral, dot, norm, point };

// Functions of numbers that are made of several operations.
enum class MadeFunction { none, modulo, sign, table };

inline constexpr int any_number = 1000;  // of arguments

struct Function {
  std::string_view name;
  Op op = Op::number;
  PointFunction of_points = PointFunction::none;
  MadeFunction made = MadeFunction::none;
  int least_values = 0, most_values = 0;
  bool reserved = true;  // otherwise a model may use its name for something else, without parentheses

  constexpr Function(std::string_view function_name, Op operation) : name(function_name), op(operation) {}
  // An operation on two values that is applied again to its result and the next value.
  constexpr Function(std::string_view function_name, Op operation, int least, int most)
      : name(function_name), op(operation), least_values(least), most_values(most) {}
  constexpr Function(std::string_view function_name, MadeFunction function, int values)
      : name(function_name), made(function), least_values(values), most_values(values) {}
  constexpr Function(std::string_view function_name, PointFunction function, int least, int most)
      : name(function_name), of_points(function), least_values(least), most_values(most) {}
  constexpr Function unreserved() const {
    Function other = *this;
    other.reserved = false;
    return other;
  }
  int least() const { return least_values == 0 ? arity(op) : least_values; }
  int most() const { return most_values == 0 ? arity(op) : most_values; }
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
    Function("floor", Op::floor).unreserved(),
    Function("mod", MadeFunction::modulo, 2).unreserved(),
    Function("sign", MadeFunction::sign, 1).unreserved(),
    Function("table", MadeFunction::table, 2).unreserved(),
    {"min", Op::min, 2, any_number},
    {"max", Op::max, 2, any_number},
    {"pow", Op::power},
    {"hypot", Op::hypot},
    {"distance", PointFunction::distance, 2, 2},
    {"angle", PointFunction::angle, 3, 3},
    {"dihedral", PointFunction::dihedral, 4, 4},
    {"dot", PointFunction::dot, 2, 2},
    {"norm", PointFunction::norm, 1, 1},
    {"point", PointFunction::point, 2, 3},
};
// Operators that are words.
inline constexpr std::string_view operator_words[] = {"and", "or", "not"};

inline const Function* find_function(std::string_view name) {
  const auto* it = std::find_if(std::begin(functions), std::end(functions), [&](auto& f) { return f.name == name; });
  return it == std::end(functions) ? nullptr : it;
}
}  // namespace trill
