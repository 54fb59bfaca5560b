// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/run_json.hpp"
#include "solution/safe_file.hpp"
#include "trill/solution/recorder.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

namespace trill {
// Where an unfinished run goes on. Holds the lock of its part directory.
struct ResumePoint {
  std::filesystem::path path;        // the final file
  RunInfo info;                      // of the stored run
  Archive archive;                   // for the driver; empty when from_start
  Index rows = 0;                    // recorded up to the checkpoint
  std::int64_t segments = 0;         // that hold them
  std::int64_t checkpoint = -1;      // its number
  bool from_start = false;           // no usable checkpoint: the run begins again
  bool is_finished = false;          // all is computed; only publish() is left
  std::vector<std::string> remarks;  // what was found damaged
  std::shared_ptr<FileLock> lock;
};

// An unfinished run of `path` that a new one must not overwrite.
bool left_unfinished(const std::filesystem::path& path);

// The newest checkpoint of the unfinished run of `path` (run.h5 or run.h5.part) whose rows are all there; nothing when
// there is no such run. UsageError when run.h5 is finished already or another process is writing it.
std::optional<ResumePoint> find_resume_point(const std::filesystem::path& path);

// Records to PATH.part, a directory of numbered segments and checkpoints: whatever happens to the process, everything
// up to the last checkpoint is safe. publish() then makes the final file, whole, and removes the directory.
class SegmentRecorder final : public Recorder {
 public:
  explicit SegmentRecorder(std::filesystem::path path, double seconds_between_checkpoints = 1);
  explicit SegmentRecorder(const ResumePoint& point, double seconds_between_checkpoints = 1);

  // Fresh: UsageError when another run is writing here or an unfinished one is left here. Resumed: UsageError when
  // `info` is not that of the stored run; otherwise drops what lies beyond the checkpoint.
  void begin(const RunInfo& info) override;
  void row(double t, In y, In measured) override;  // IoError when a number is not finite
  bool keeps_checkpoints() const override { return true; }
  // The time between checkpoints grows with the run, to 1 % of it and at most a minute, so that a day has about a
  // thousand of them.
  bool wants_checkpoint() override;
  void checkpoint(const Archive& archive) override;
  void finish(const RunOutcome& outcome) override;

  // After finish (of this process or an earlier one). UsageError after a run that was stopped: it is to be resumed.
  void publish(const Trust& trust);

  Index rows() const { return rows_; }
  const std::filesystem::path& part() const { return part_; }

 private:
  void take_directory();
  void drop_beyond_checkpoint();
  void flush();
  std::filesystem::path path_, part_;
  std::string when_full_;
  double seconds_between_;
  std::shared_ptr<FileLock> lock_;
  std::optional<RunInfo> stored_;
  RunInfo info_;
  bool resumed_ = false, finished_ = false;
  std::size_t width_ = 0, most_rows_ = 0, buffered_ = 0;
  Index rows_ = 0;  // including the buffered
  std::int64_t next_segment_ = 0, next_checkpoint_ = 0;
  std::vector<double> buffer_;  // head, rows, checksum: what a segment file holds
  std::chrono::steady_clock::time_point began_, last_checkpoint_;
};
}  // namespace trill
