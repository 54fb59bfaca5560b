// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

namespace trill {
// A run always records its start and its end. Where a user named the times of the rows, these two are dropped unless
// they are among them; the last row of a run that ended early stays.
class WantedRows final : public RowSource {
 public:
  // `times` in the order of the run; `rows` must outlive this.
  WantedRows(const RowSource& rows, const std::vector<double>& times, RunStatus status);
  Index rows() const override { return last_ - first_; }
  void visit(const Visitor& visitor) const override;

 private:
  const RowSource& all_;
  Index first_ = 0, last_ = 0;  // the wanted rows are [first_, last_)
};
}  // namespace trill
