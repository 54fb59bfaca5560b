// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "driver/averages.hpp"
#include "trill/solution/recorder.hpp"

#include <vector>

namespace trill {
// Values of the measures at the steps of a run, evenly thinned out so that a long run does not need more memory than
// averages make use of.
class MeasureRows final : public Recorder, public RowSource {
 public:
  explicit MeasureRows(Index measures, Index most = most_rows_for_averages) : measures_(measures), most_(2 * most) {}
  void begin(const RunInfo&) override {}
  void row(double t, In, In measured) override;
  void finish(const RunOutcome&) override {}
  Index rows() const override { return static_cast<Index>(times_.size()); }
  void visit(const Visitor& visitor) const override;

 private:
  void drop_every_other();

  Index measures_, most_;
  Index seen_ = 0, stride_ = 1;
  std::vector<double> times_, values_;
};
}  // namespace trill
