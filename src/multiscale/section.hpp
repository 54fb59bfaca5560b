// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/rk4_kernel.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/solution/counters.hpp"

#include <algorithm>

namespace trill {
// Where the cycles of an oscillation begin and end: a surface s = 0 in the space of states that the motion crosses from
// s < 0 to s > 0 once in each cycle.
struct Section {
  Vec direction;        // c
  bool of_rate = true;  // s = c^T y', or else s = c^T y - offset
  double offset = 0;
};

// The right end of the bracket [a, b] around a zero of f, where fa < 0 <= fb, after it has shrunk to the width `slack`
// by regula falsi (Illinois). There f >= 0: whoever goes on from there does not find the same zero again.
template <class Function>
double rising_zero(Function&& f, double a, double fa, double b, double fb, double slack) {
  constexpr int most_iterations = 100;
  int moved = 0;  // the end that moved last: -1 left, 1 right
  double weight_a = fa, weight_b = fb;
  for (int k = 0; k < most_iterations && b - a > slack && fb > 0; ++k) {
    const double x = std::clamp(b - weight_b * (b - a) / (weight_b - weight_a), a + 0.5 * slack, b - 0.5 * slack);
    const double fx = f(x);
    if (fx >= 0) {
      b = x;
      fb = weight_b = fx;
      if (moved == 1) weight_a *= 0.5;
      moved = 1;
    } else {
      a = x;
      weight_a = fx;
      if (moved == -1) weight_b *= 0.5;
      moved = -1;
    }
  }
  return b;
}

// The value of a section along a motion, and the way back to it for states beside it. Each object counts the
// evaluations of the problem that it makes.
class SectionValue {
 public:
  SectionValue(const Problem& problem, const State& start, Section section, std::string_view asker);
  const Section& section() const { return section_; }
  bool at(double t, In y, double& value);
  bool is_close(double t, In y, double period);  // the section is hardly more than rounding away along the motion
  // Follows the flow forwards or backwards until s = 0 with s rising, for no longer than `longest`; cycles take about
  // the time `period`. false: there is no such point, and t and y are lost.
  bool reach(double& t, Out y, double period, double longest, int most_iterations);
  const Counters& work() const { return work_; }

 private:
  bool rate(double t, In y, Out dy);
  bool rise(double t, In y, double period, double& value, double& slope);
  bool follow(double& t, Out y, double time, double period);

  FirstOrderForm form_;
  Section section_;
  Rk4Kernel kernel_;
  Vec rate_, later_rate_, later_;
  Counters work_;
};
}  // namespace trill
