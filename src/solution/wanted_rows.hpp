// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

namespace trill {
// A run always records its start, its end and its events. Where a user named the times of the rows, only the rows at
// these times are kept, and the last row of a run that ended early. A time without a row of its own, in random motion,
// gets the first one after it.
class WantedRows final : public RowSource {
 public:
  // `times` in the order of the run; `rows` must outlive this.
  WantedRows(const RowSource& rows, const std::vector<double>& times, RunStatus status);
  Index rows() const override { return static_cast<Index>(wanted_.size()); }
  void visit(const Visitor& visitor) const override;

 private:
  const RowSource& all_;
  std::vector<Index> wanted_;  // ascending
};
}  // namespace trill
