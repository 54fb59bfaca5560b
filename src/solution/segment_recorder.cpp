// SPDX-License-Identifier: BSD-3-Clause
#include "solution/segment_recorder.hpp"

#include "solution/file_formats.hpp"
#include "solution/part_directory.hpp"
#include "solution/wanted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr std::size_t most_segment_rows = 65536, most_segment_bytes = 4 << 20;
constexpr std::size_t head_doubles = sizeof(SegmentHead) / sizeof(double);

std::string_view as_bytes(const std::vector<double>& data, std::size_t count) {
  return {reinterpret_cast<const char*>(data.data()), count * sizeof(double)};
}
}  // namespace

SegmentRecorder::SegmentRecorder(fs::path path, double seconds_between_checkpoints)
    : path_(std::move(path)),
      part_(part_of(path_)),
      when_full_(fmt::format("free some space on the disk and run again with --resume {}", path_.string())),
      pacing_(seconds_between_checkpoints) {
  format_of(path_);
}

SegmentRecorder::SegmentRecorder(const ResumePoint& point, double seconds_between_checkpoints)
    : SegmentRecorder(point.path, seconds_between_checkpoints) {
  folder_ = point.folder;
  stored_ = point.info;
  resumed_ = true;
  finished_ = point.is_finished;
  rows_ = point.rows;
  next_segment_ = point.segments;
  next_checkpoint_ = point.checkpoint + 1;
}

void SegmentRecorder::take_directory() {
  folder_ = PartFolder::make(part_, when_full_);
  if (left_unfinished(path_))
    throw Occupied(fmt::format("{} contains an unfinished run; continue it with --resume {} or remove it",
                               part_.string(), path_.string()));
  folder_->clear();  // of a run that ended before its first rows were on disk
}

void SegmentRecorder::drop_beyond_checkpoint() {
  folder_->remove("outcome.json");
  for (const char* kind : {"checkpoint", "segment"})
    for (const std::int64_t number : numbers_of(part_, kind))
      if (number >= (kind == std::string_view("segment") ? next_segment_ : next_checkpoint_))
        folder_->remove(numbered("", kind, number).string());
  for (const std::string& name : folder_->names())
    if (is_temporary_name(name)) folder_->remove(name);
  folder_->sync();
}

void SegmentRecorder::begin(const RunInfo& info) {
  check_writable(info, path_);
  check_output(path_);
  if (finished_) throw UsageError(part_.string() + " contains a finished run, so there is nothing to continue");
  if (resumed_) {
    if (const auto d = difference(*stored_, info))
      throw UsageError(
          fmt::format("{} cannot be continued with other settings than it was started with; {}", part_.string(), *d));
    drop_beyond_checkpoint();
    info_ = *stored_;
  } else {
    take_directory();
    info_ = info;
    folder_->write("header.json", sealed(to_json(info_)), when_full_);
  }
  width_ = 1 + width_y(info_) + width_measured(info_);
  most_rows_ = std::clamp<std::size_t>(most_segment_bytes / (width_ * sizeof(double)), 1, most_segment_rows);
  buffer_.resize(head_doubles + most_rows_ * width_ + 1);
  pacing_.begin();
}

void SegmentRecorder::row(double t, In y, In measured) {
  const auto n_y = static_cast<std::size_t>(y.size()), n_measured = static_cast<std::size_t>(measured.size());
  if (1 + n_y + n_measured != width_)
    throw UsageError(
        fmt::format("a row of {} has {} numbers instead of {}", path_.string(), 1 + n_y + n_measured, width_));
  if (!std::isfinite(t) || !y.allFinite() || !measured.allFinite()) {
    flush();
    check_finite(info_, t, y.data(), measured.data());
  }
  if (buffered_ == most_rows_) flush();
  double* at = buffer_.data() + head_doubles + buffered_ * width_;
  *at++ = t;
  if (n_y) std::memcpy(at, y.data(), n_y * sizeof(double));
  if (n_measured) std::memcpy(at + n_y, measured.data(), n_measured * sizeof(double));
  ++buffered_;
  ++rows_;
}

void SegmentRecorder::flush() {
  if (buffered_ == 0) return;
  SegmentHead head;
  head.number = static_cast<std::uint64_t>(next_segment_);
  head.first_row = static_cast<std::uint64_t>(rows_) - buffered_;
  head.rows = buffered_;
  head.n_y = width_y(info_);
  head.n_measured = width_measured(info_);
  std::memcpy(buffer_.data(), &head, sizeof(head));
  const std::size_t used = head_doubles + buffered_ * width_;
  const std::uint64_t sum = checksum(buffer_.data(), used * sizeof(double));
  std::memcpy(buffer_.data() + used, &sum, sizeof(sum));
  folder_->write(numbered("", "segment", next_segment_).string(), as_bytes(buffer_, used + 1), when_full_);
  ++next_segment_;
  buffered_ = 0;
}

void SegmentRecorder::checkpoint(const Archive& archive) {
  pacing_.time([&] {
    flush();
    folder_->write(numbered("", "checkpoint", next_checkpoint_).string(),
                   checkpoint_bytes({next_checkpoint_, rows_, next_segment_, archive}), when_full_);
  });
  for (const std::int64_t number : numbers_of(part_, "checkpoint"))
    if (number < next_checkpoint_ - 1) folder_->remove(numbered("", "checkpoint", number).string());
  ++next_checkpoint_;
}

void SegmentRecorder::finish(const RunOutcome& outcome) {
  flush();
  folder_->write("outcome.json", sealed(to_json(RunRecord{info_, outcome, {}, rows_, 0})), when_full_);
  finished_ = outcome.status != RunStatus::stopped;
}

void SegmentRecorder::publish(const Trust& trust, const std::vector<double>* times) {
  if (!finished_)
    throw UsageError(
        fmt::format("the run of {} has not finished; continue it with --resume {}", path_.string(), path_.string()));
  const auto run = open_part(part_);
  run->record.trust = trust;
  if (times) {
    const WantedRows wanted(*run, *times, run->record.outcome.status);
    RunRecord record = run->record;
    record.rows = wanted.rows();
    write_run(wanted, record, path_, when_full_);
  } else {
    write_run(*run, run->record, path_, when_full_);
  }
  discard();
}

void SegmentRecorder::discard() {
  if (folder_) folder_->vanish();
  folder_.reset();
}
}  // namespace trill
