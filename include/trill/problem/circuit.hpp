// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: charge-oriented circuit equations.
#pragma once

#include "trill/problem/problem.hpp"

#include <optional>

namespace trill {
// d/dt charge(x) + current(t, x) = 0; charge may be singular, so this is a differential-algebraic system of index 1.
class CircuitProblem : public Problem {
 public:
  static std::string kind() { return "a circuit"; }
  virtual void charge(In x, Out c) const = 0;
  virtual void current(double t, In x, Out i) const = 0;
  virtual MatrixSlot jacobian_pattern() const = 0;  // of both Jacobians
  virtual void jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const = 0;
  virtual void limit(In /*x_old*/, Out /*x_new*/) const {}  // junction limiting
  virtual std::optional<double> clock_period() const { return std::nullopt; }
};
}  // namespace trill
