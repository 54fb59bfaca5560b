// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/expression/time_function.hpp"
#include "problem/time_marks.hpp"

namespace trill {
// A stretch of a run in which a function of time changes quickly, and the longest step that cannot miss what it does.
struct ActiveStretch {
  double begin = 0, end = 0, longest_step = 0;
};

// The stretches of [t0, t1] in which f changes much faster than over the whole of it. None if there are too many to be
// found, or if steps of that length would be too many: such a function is left to the error estimate of the method.
std::vector<ActiveStretch> active_stretches(TimeFunction f, double t0, double t1);

// Where one bound of the step ends and another begins, ascending.
std::vector<TimeMark> marks_of(const std::vector<ActiveStretch>& stretches);
}  // namespace trill
