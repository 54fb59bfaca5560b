// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/checkpoint_pacing.hpp"
#include "solution/part_folder.hpp"
#include "solution/run_json.hpp"
#include "solution/timed_recorder.hpp"

#include <filesystem>
#include <optional>

namespace trill {
// Where an unfinished run is continued.
struct ResumePoint {
  std::filesystem::path path;        // the final file
  RunInfo info;                      // of the stored run
  Archive archive;                   // for the driver; empty when from_start
  Index rows = 0;                    // recorded up to the checkpoint
  std::int64_t segments = 0;         // number of segments with these rows
  std::int64_t checkpoint = -1;      // number of the checkpoint
  bool from_start = false;           // no usable checkpoint: the run starts again from the beginning
  bool is_finished = false;          // everything is computed; only publish() is missing
  std::vector<std::string> remarks;  // which files are damaged
  std::shared_ptr<PartFolder> folder;
};

// Is there an unfinished run of `path` that a new one must not overwrite?
bool left_unfinished(const std::filesystem::path& path);

// The same, if no other process is at work on it.
bool is_abandoned(const std::filesystem::path& path);

// The newest checkpoint of the unfinished run of `path` (run.h5 or run.h5.part) whose rows are complete; nullopt if
// there is no such run. UsageError when run.h5 is finished already, Occupied when another process is writing it.
// Removes what killed processes left beside it.
std::optional<ResumePoint> find_resume_point(const std::filesystem::path& path);

// Another process that computed the same run may have been killed when `path` was finished already: removes what it
// left. What is in use, or belongs to a run with other settings, stays.
void remove_abandoned(const std::filesystem::path& path);

// Records to PATH.part, a directory of numbered segments and checkpoints: whatever happens to the process, everything
// up to the last checkpoint is safe. At the end publish() writes the complete final file and removes the directory.
class SegmentRecorder final : public TimedRecorder {
 public:
  explicit SegmentRecorder(std::filesystem::path path, double seconds_between_checkpoints = 1);
  explicit SegmentRecorder(const ResumePoint& point, double seconds_between_checkpoints = 1);

  // New run: Occupied if another run is writing here or an unfinished one is here, UsageError if trill did not make
  // what has the name of the directory, IoError if the file cannot be written later. Resumed run: UsageError if `info`
  // does not match the stored run; otherwise removes everything after the checkpoint.
  void begin(const RunInfo& info) override;
  void row(double t, In y, In measured) override;  // IoError when a number is not finite
  bool keeps_checkpoints() const override { return true; }
  bool wants_checkpoint() override { return pacing_.due(); }
  bool overdue() override { return pacing_.due_after_step(); }
  void checkpoint(const Archive& archive) override;
  void finish(const RunOutcome& outcome) override;

  // Call after finish (in this process or an earlier one). UsageError if the run was stopped: it must be resumed first.
  // `times`: those of the rows that the user named; nullptr: all rows are kept.
  void publish(const Trust& trust, const std::vector<double>* times = nullptr);
  void discard();  // instead of publish(): removes the directory; the file of an earlier run stays

  Index rows() const { return rows_; }
  const std::filesystem::path& part() const { return part_; }

 private:
  void take_directory();
  void drop_beyond_checkpoint();
  void flush();
  std::filesystem::path path_, part_;
  std::string when_full_;
  CheckpointPacing pacing_;
  std::shared_ptr<PartFolder> folder_;
  std::optional<RunInfo> stored_;
  RunInfo info_;
  bool resumed_ = false, finished_ = false;
  std::size_t width_ = 0, most_rows_ = 0, buffered_ = 0;
  Index rows_ = 0;  // including buffered rows
  std::int64_t next_segment_ = 0, next_checkpoint_ = 0;
  std::vector<double> buffer_;  // content of a segment file: head, rows, checksum
};
}  // namespace trill
