// SPDX-License-Identifier: BSD-3-Clause
// For programs that store the rows of a run themselves.
#pragma once

#include "trill/base/archive.hpp"
#include "trill/solution/solution.hpp"

namespace trill {
// Receives the output of a run while it is computed. The driver calls begin once, row for every output, checkpoint
// after every so many steps (the archive holds everything a bit-identical restart needs; the rows recorded so far must
// be stored safely together with it), and finish once.
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

// Makes the same calls to the recorder as the run that gave this solution would have made.
void replay(const Solution& solution, Recorder& recorder);

// Records into a Solution in memory. Whenever there are more than `most_rows` rows, every other row is dropped, and
// from then on only half as many rows as before are recorded; a notice in the solution says so.
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
  Vec last_y_, last_measured_;  // so that the last row is kept whatever the stride
};
}  // namespace trill
