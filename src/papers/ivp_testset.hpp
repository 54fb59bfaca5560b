// SPDX-License-Identifier: BSD-3-Clause
// The problems of the Test Set for Initial Value Problem Solvers: their solutions at the end, and the digits that other
// solvers get.
#pragma once

#include "trill/base/types.hpp"

#include <array>
#include <string>
#include <vector>

namespace trill::papers::ivp {
inline constexpr std::array<double, 3> tolerances{1e-4, 1e-6, 1e-8};
using Digits = std::array<double, tolerances.size()>;

// A method on a problem. Either `other` names a solver of the same kind, with its digits, or `reason` says why the
// method is not run.
struct Trial {
  std::string method, other;
  Digits digits{};
  std::string reason{};
  bool held_by_stability = false;  // the tolerance does not set the steps, of which there are many
  // Digits at one time scatter: a change of rtol by a tenth changes them by more than one. Those gained are then judged
  // by means and by the fewest over a stretch of this length before the end. 0: they are judged at the end.
  double scatters_over = 0;
};

// Components first, first + stride, ... of the model's solution are compared with `end`.
struct TestProblem {
  std::string model;
  std::vector<double> end;
  std::vector<Trial> trials;
  Index first = 0, stride = 1;
};

const std::vector<TestProblem>& problems();

// -log10 of the largest error relative to |y| + 1e-3; 0 if no digit is right.
double digits_of(const TestProblem& problem, const Vec& y);
}  // namespace trill::papers::ivp
