// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <memory>

namespace trill {
// The stiff system whose motion the heterogeneous multiscale method averages: the given one, or one in which hard
// constraints are replaced by springs.
class HmmModel {
 public:
  virtual ~HmmModel() = default;
  virtual const MechanicalProblem& stiff() const = 0;
  virtual bool may_oscillate() const = 0;  // false: only for motions that do not oscillate
  virtual void begin(const State& /*given*/, double /*tolerance*/, double /*span*/) {}
  virtual double model_error() const { return 0; }
  virtual void find_multipliers(State& /*out*/) const {}
};

std::unique_ptr<HmmModel> model_as_given(const MechanicalProblem& given);
// omega: frequency of the springs; 0: as high as the tolerance requires.
std::unique_ptr<HmmModel> model_with_springs(const MechanicalProblem& given, double omega);
}  // namespace trill
