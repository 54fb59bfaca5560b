// SPDX-License-Identifier: BSD-3-Clause
#include "solution/wanted_rows.hpp"

#include <algorithm>

namespace trill {
WantedRows::WantedRows(const RowSource& rows, const std::vector<double>& times, RunStatus status)
    : all_(rows), last_(rows.rows()) {
  double start = 0, end = 0;
  Index seen = 0;
  rows.visit([&](double t, const double*, const double*) {
    if (seen++ == 0) start = t;
    end = t;
  });
  const auto is_wanted = [&](double t) { return std::find(times.begin(), times.end(), t) != times.end(); };
  if (last_ > 0 && !is_wanted(start)) ++first_;
  if (last_ > first_ && status == RunStatus::reached_end && !is_wanted(end)) --last_;
}

void WantedRows::visit(const Visitor& visitor) const {
  Index at = 0;
  all_.visit([&](double t, const double* y, const double* measured) {
    if (at >= first_ && at < last_) visitor(t, y, measured);
    ++at;
  });
}
}  // namespace trill
