// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <functional>

namespace trill {
struct PeriodFit {
  double period = 0;
  double misfit = 0;  // root mean square of what is left, relative to the motion around its mean
  int iterations = 0;
  bool converged = false;
};

// y and y' at a time.
using MotionAt = std::function<void(double t, Out y, Out rate)>;

// The period of an oscillation around a slow motion: the T for which y(t) - y(t + T) - r(t) is smallest in the mean
// over one period from t0 on (Petzold 1981). r is a polynomial of degree d - 1, the change in one period of a slow
// polynomial of degree d = slow_degree; 0: there is none. weights: of each component. The motion has to be known from
// t0 to t0 + 2 T. Gauss-Newton from `guess`, which may be wrong by a fifth.
PeriodFit fit_period(const MotionAt& motion, In weights, double t0, double guess, int slow_degree);
}  // namespace trill
