// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/options.hpp"

namespace trill {
// The data of the stiff spring pendulum, the same in both coordinate systems: PJY97 sec. 1, figs 1 and 2.
struct SpringPendulumParameters {
  double epsilon = 0.03162277660168379;  // sqrt(1e-3)
  double x0 = 0.9, y0 = 0.1, u0 = 0, v0 = 0;

  void fields(OptionVisitor& v) {
    v.number("epsilon", epsilon, Range::positive(), "inverse frequency of the spring; its stiffness is 1/epsilon^2");
    v.number("x0", x0, {}, "start: position across gravity");
    v.number("y0", y0, {}, "start: position along gravity");
    v.number("u0", u0, {}, "start: velocity across gravity");
    v.number("v0", v0, {}, "start: velocity along gravity");
  }
  void check(const char* owner) const {
    if (x0 == 0 && y0 == 0)
      throw UsageError(std::string(owner) +
                       ": the start x0 = y0 = 0 is the support, where the spring has no direction;"
                       " set x0 or y0");
  }
};
}  // namespace trill
