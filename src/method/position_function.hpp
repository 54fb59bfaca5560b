// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/program.hpp"
#include "trill/problem/mechanical.hpp"

#include <string>

namespace trill {
// A formula in the positions and parameters of a problem that is given as an option of a method, with its gradient.
class PositionFunction {
 public:
  // `what` names the option in messages: "time_transform: scale".
  PositionFunction(const MechanicalProblem& problem, const std::string& text, const std::string& what);
  PositionFunction(const PositionFunction&) = delete;
  PositionFunction& operator=(const PositionFunction&) = delete;

  double value(In q);
  double value_and_gradient(In q, Out gradient);

 private:
  std::vector<double> parameters_;
  std::vector<int> columns_;  // of the entries of the gradient that are not zero
  Program value_, all_;
  Evaluator evaluate_value_, evaluate_all_;
};
}  // namespace trill
