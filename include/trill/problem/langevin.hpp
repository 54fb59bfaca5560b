// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

namespace trill {
// Mechanics in a heat bath: M dv = f dt - gamma M v dt + sqrt(2 gamma kT M) dW     (PJY97 eq. 4.5)
class LangevinProblem : public Problem {
 public:
  static std::string kind() { return "a Langevin system"; }
  virtual const MechanicalProblem& mechanics() const = 0;
  virtual double gamma() const = 0;
  virtual double kT() const = 0;  // the seed belongs to the run, not to the problem
};
}  // namespace trill
