// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: circuits, and other rates beside algebraic equations.
#pragma once

#include "trill/problem/problem.hpp"

#include <optional>

namespace trill {
// d/dt charge(x) + current(t, x) = 0. The derivative of the charge may be singular, so this is a differential-algebraic
// system of index 1. Circuits have this form, and so have rates y' = f beside algebraic equations 0 = g, and M y' = f
// with a constant M: the charge is then M y.
class CircuitProblem : public Problem {
 public:
  static std::string kind() { return "a circuit, or rates beside algebraic equations"; }
  virtual void charge(In x, Out c) const = 0;
  virtual void current(double t, In x, Out i) const = 0;
  virtual MatrixSlot jacobian_pattern() const = 0;  // of both Jacobians
  virtual void jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const = 0;
  virtual void limit(In /*x_old*/, Out /*x_new*/) const {}  // junction limiting
  virtual std::optional<double> clock_period() const { return std::nullopt; }
  // What messages call equation k.
  virtual std::string equation_name(Index k) const {
    return "the equation of '" + components()[static_cast<std::size_t>(k)].name + "'";
  }
};
}  // namespace trill
