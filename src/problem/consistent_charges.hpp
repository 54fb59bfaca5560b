// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/charge_split.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/problem/circuit.hpp"

#include <vector>

namespace trill {
// Finds the values of all unknowns of a circuit that belong to given charges at a time. Which charges are independent
// is decided where the object is made.
class ConsistentCharges {
 public:
  enum class Status { ok, singular, not_reached, non_finite };
  ConsistentCharges(const CircuitProblem& problem, double t, In x);
  ~ConsistentCharges();
  ConsistentCharges(ConsistentCharges&&) noexcept;
  ConsistentCharges& operator=(ConsistentCharges&&) noexcept;
  Index algebraic() const;  // number of algebraic equations, hidden ones included

  // Moves x to the values with the same charges that satisfy the algebraic equations. x is unchanged if it already does
  // to rounding, and on failure.
  Status settle(double t, Out x);
  // Finds the values with the given charges; of these, dependent ones are not looked at. x is the guess on entry. The
  // result depends on the arguments only, and on nothing solved before.
  Status find(double t, In charges, Out x);
  // The last values satisfy the equations up to rounding, but Newton's method did not settle on them: they follow from
  // leakage alone.
  bool is_rounded() const { return is_rounded_; }
  // dx/dt at consistent values; dt: a short time for the differences of what depends on t alone.
  bool slope(double t, double dt, In x, Out dx);

  // After a failure: the equation that is violated most, and its value. For a singular matrix: equations that depend
  // on each other.
  struct Violation {
    Index equation = 0;
    double value = 0;
  };
  Violation worst(double t, In x);
  std::vector<Index> dependent_equations(double t, In x);

 private:
  class System;
  bool is_settled(In x);
  bool is_rounding(In x);  // what is left over of the equations at x is no more than that
  bool is_spread_rounding(In x);
  bool find_rounding(In x);
  bool is_below(const Vec& limit) const;
  Status solve(Out x);
  Status approach(Out x);
  std::unique_ptr<System> system_;
  Newton newton_;
  Vec trial_, weights_, r_, later_;
  bool is_rounded_ = false;
};

// One sentence about a failure of settle() at x.
std::string describe_failure(const CircuitProblem& problem, ConsistentCharges& charges,
                             ConsistentCharges::Status status, double t, In x);
}  // namespace trill
