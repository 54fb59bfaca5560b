// SPDX-License-Identifier: BSD-3-Clause
// Stretches of a run that another method computes, where it cannot compute all of it.
#pragma once

#include "driver/check_audit.hpp"
#include "driver/check_compare.hpp"

namespace trill {
inline constexpr Index least_columns = 4;  // of a window
struct WindowTask {
  const PreparedRun& run;
  const Curve& rows;
  const Vec& scales;
  const std::vector<JudgedValue>& values;
  const Averages* averages;  // null: the full motion is judged
  double to;
  bool from_own_states;  // further windows may begin at states of the run
};

struct WindowEstimate {
  Comparison first;  // of the stretch from the start
  double error = 0;  // carried to the end of the run
  Index value = 0;
  int count = 1;
  double covered = 0;  // share of the run
  std::string covered_text() const;
};
// `begun` is the audit from the start that did not come to the end. Empty: it did not come far enough.
std::optional<WindowEstimate> estimate_by_windows(const WindowTask& task, const Audit& begun, const CheckClock& clock);
}  // namespace trill
