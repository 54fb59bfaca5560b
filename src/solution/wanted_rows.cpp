// SPDX-License-Identifier: BSD-3-Clause
#include "solution/wanted_rows.hpp"

namespace trill {
WantedRows::WantedRows(const RowSource& rows, const std::vector<double>& times, RunStatus status) : all_(rows) {
  const Index last = rows.rows() - 1;
  double start = 0, end = 0;
  Index row = 0;
  rows.visit([&](double t, const double*, const double*) {
    if (row == 0) start = t;
    if (row++ == last) end = t;
  });
  const double direction = end < start ? -1 : 1;
  std::size_t due = 0;  // the first named time that no row has reached
  row = 0;
  rows.visit([&](double t, const double*, const double*) {
    const bool is_reached = due < times.size() && direction * (t - times[due]) >= 0;
    const bool is_there_again = due > 0 && t == times[due - 1];
    while (due < times.size() && direction * (t - times[due]) >= 0) ++due;
    if (is_reached || is_there_again || (row == last && status != RunStatus::reached_end)) wanted_.push_back(row);
    ++row;
  });
}

void WantedRows::visit(const Visitor& visitor) const {
  Index row = 0;
  auto next = wanted_.begin();
  all_.visit([&](double t, const double* y, const double* measured) {
    if (next != wanted_.end() && row == *next) {
      visitor(t, y, measured);
      ++next;
    }
    ++row;
  });
}
}  // namespace trill
