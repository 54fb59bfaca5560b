// SPDX-License-Identifier: BSD-3-Clause
// For programs that keep the rows of a run in a place of their own.
#pragma once

#include "trill/base/archive.hpp"
#include "trill/solution/solution.hpp"

namespace trill {
// Takes the output of a run as it comes. The driver calls begin once, row for every output, checkpoint at step counts
// (the archive holds everything a bit-identical restart needs; rows recorded so far become safe together with it), and
// finish once.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const RunInfo& info) = 0;
  virtual void row(double t, In y, In measured) = 0;
  virtual bool keeps_checkpoints() const { return false; }
  virtual bool wants_checkpoint() { return keeps_checkpoints(); }  // false: the last one is recent enough
  virtual void checkpoint(const Archive&) {}
  virtual void finish(const RunOutcome& outcome) = 0;
};

// Gives a recorder what it would have got from the run of this solution.
void replay(const Solution& solution, Recorder& recorder);

// Into a Solution in memory. Beyond `most_rows` every other row is dropped and from then on every second one recorded,
// again and again; the solution's notices say so.
class MemoryRecorder final : public Recorder {
 public:
  explicit MemoryRecorder(Solution& solution, Index most_rows = 0) : solution_(solution), most_rows_(most_rows) {}
  void begin(const RunInfo& info) override { solution_.info = info; }
  void row(double t, In y, In measured) override;
  void finish(const RunOutcome& outcome) override;

 private:
  Solution& solution_;
  Index most_rows_;  // 0: no bound
  Index stride_ = 1, seen_ = 0;
  double last_t_ = 0;
  Vec last_y_, last_measured_;  // so that the end of the run is kept whatever the stride
};
}  // namespace trill
