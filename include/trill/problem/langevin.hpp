// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: mechanical systems in a heat bath.
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// Mechanics in a heat bath: M dv = f dt - gamma M v dt + sqrt(2 gamma kT M) dW     (PJY97 eq. 4.5)
// Layout and state are those of the mechanical system, with multipliers if it has constraints.
class LangevinProblem : public Problem {
 public:
  static std::string kind() { return "a Langevin system"; }
  virtual const MechanicalProblem& mechanics() const = 0;
  virtual double gamma() const = 0;
  virtual double kT() const = 0;  // the seed belongs to the run, not to the problem
};

// The problem itself if it is mechanical, the mechanical system inside a Langevin problem or inside one whose forces
// depend on multipliers, or null.
const MechanicalProblem* mechanics_of(const Problem& problem);
}  // namespace trill
