// SPDX-License-Identifier: BSD-3-Clause
#include "driver/run.hpp"

namespace trill {
void Run::take_checkpoints() {
  if (advancer_.counters().steps - last_regular_ >= checkpoint_every_)
    reach_restart();
  else if (timed_ && timed_->overdue() && under_way())
    checkpoint();
}

// Methods that cannot save their memory start afresh here whether a checkpoint is written or not, so that the numbers
// do not depend on the clock.
void Run::reach_restart() {
  last_regular_ = advancer_.counters().steps;
  if (!keeps_exactly()) advancer_.note_restart();
  mark_restart();
  if (recorder_.wants_checkpoint() || stop_requested()) checkpoint();
}

void Run::mark_restart() {
  if (keeps_exactly() || !recorder_.keeps_checkpoints()) return;
  Archive archive;
  memory(archive);
  at_restart_.assign(archive.bytes().begin(), archive.bytes().end());
  rows_since_restart_ = 0;
}

void Run::checkpoint() {
  count_seconds();
  Archive archive;
  std::int64_t steps = advancer_.counters().steps, rows = rows_since_restart_;
  archive(steps);
  if (keeps_exactly())
    memory(archive);
  else
    archive(rows, at_restart_);
  recorder_.checkpoint(archive);
  last_stored_ = steps;
}

void Run::resume(Archive& archive) {
  archive(repeat_to_);
  if (keeps_exactly()) return memory(archive);
  archive(rows_to_skip_, at_restart_);
  Archive restart(std::vector<char>(at_restart_.begin(), at_restart_.end()));
  memory(restart);
  rows_since_restart_ = 0;
}

void Run::memory(Archive& archive) {
  archive(inner_.t, inner_.y, inner_.mode, clock_, last_recorded_, next_break_, last_step_, crowding_, sides_, series_,
          shorter_step_);
  if (options_.reformulation)
    formulation_memory(archive);
  else if (archive.reading())
    leave(inner_, user_);
  // Before the method is read: it may evaluate the problem to restore what it keeps.
  if (archive.reading()) session_.enter(user_);
  archive(detector_, advancer_, stepper_, outcome_.events);
  std::vector<Notice> notices = advancer_.notes().notices();
  archive(notices);
  if (archive.reading()) advancer_.notes().restore(notices);
}

void Run::formulation_memory(Archive& archive) {
  std::string bytes;
  if (!archive.reading()) {
    Archive part;
    part(*options_.reformulation);
    bytes.assign(part.bytes().begin(), part.bytes().end());
  }
  archive(bytes);
  if (!archive.reading()) return;
  const auto read = [&] {
    Archive part(std::vector<char>(bytes.begin(), bytes.end()));
    part(*options_.reformulation);
  };
  read();
  leave(inner_, user_);
  read();  // drops what finding the user's state has counted
}
}  // namespace trill
