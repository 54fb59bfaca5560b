// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

namespace trill {
// One cycle of an oscillation as a map P from the state at its start to the state at its end (PJY97 section 5). The
// unknown is the quasi-envelope z(n), a smooth curve through the states at the starts of cycles, and "time" is the
// number n of cycles. Evaluations may fail, because each is an integration of its own.
class CycleMap : public Problem {
 public:
  static std::string kind() { return "a cycle map"; }
  // P(z) - z for a cycle that starts at z. Every cycle starts at the same phase of the fast motion, also where n is no
  // whole number: n only says how far things have got that change slowly. false: the cycle could not be computed.
  virtual bool change(double n, In z, Out change) const = 0;
  // The same with its derivative with respect to z. Default: finite differences, one more cycle for each component.
  virtual bool change_and_derivative(double n, In z, Out change, Mat& derivative) const;
  // Moves a value that is not the end of a computed cycle to where cycles start, such as onto a section.
  virtual bool settle(double /*n*/, Out /*z*/) const { return true; }
};
}  // namespace trill
