// SPDX-License-Identifier: BSD-3-Clause
#include "solution/file_formats.hpp"
#include "solution/part_directory.hpp"
#include "solution/segment_recorder.hpp"
#include "trill/solution/solution_file.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
// Entry k is the number of rows in the first k segments; ends before the first segment that is damaged or out of order.
std::vector<Index> rows_by_segment(const fs::path& part, const RunInfo& info, std::vector<std::string>& remarks) {
  std::vector<Index> rows{0};
  std::vector<double> block;
  const auto numbers = numbers_of(part, "segment");
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    try {
      const SegmentHead head = read_segment(part, static_cast<std::int64_t>(k), block);
      if (static_cast<Index>(head.first_row) != rows.back() || head.n_y != width_y(info) ||
          head.n_measured != width_measured(info))
        throw IoError(numbered(part, "segment", static_cast<std::int64_t>(k)).string() +
                      " does not follow the segment before it");
      rows.push_back(rows.back() + static_cast<Index>(head.rows));
    } catch (const IoError& error) {
      remarks.push_back(error.what());
      break;
    }
  }
  return rows;
}

bool all_rows_there(const fs::path& part, const std::vector<Index>& rows, std::vector<std::string>& remarks) {
  try {
    const auto ended = read_outcome(part);
    return ended && ended->outcome.status != RunStatus::stopped && ended->rows == rows.back();
  } catch (const IoError& error) {
    remarks.push_back(error.what());
    return false;
  }
}
}  // namespace

bool left_unfinished(const fs::path& path) {
  const fs::path part = part_of(without_part(path));
  try {
    return holds_run(part) && !numbers_of(part, "segment").empty();
  } catch (const IoError&) {
    if (holds_run(part)) throw;
    return false;  // another process has published it in the meantime
  }
}

bool is_abandoned(const fs::path& path) {
  if (!left_unfinished(path)) return false;
  try {
    const auto held = PartFolder::find(part_of(path));
    return held && left_unfinished(path);  // looked at again, for it may have been published in the meantime
  } catch (const Occupied&) {
    return false;
  }
}

void remove_abandoned(const fs::path& path) {
  const fs::path part = part_of(path);
  try {
    const auto folder = PartFolder::find(part);
    if (folder && (!holds_run(part) || !difference(read_header(part), SolutionFile(path).info()))) folder->vanish();
  } catch (const UsageError&) {
    // Somebody uses it, or trill did not make it.
  } catch (const IoError&) {
    // A process that wants to write there gets the error itself.
  }
}

std::optional<ResumePoint> find_resume_point(const fs::path& given) {
  ResumePoint point;
  point.path = without_part(given);
  format_of(point.path);
  const fs::path part = part_of(point.path);
  remove_stale_temporaries(folder_of(part));
  point.folder = PartFolder::find(part);
  if (point.folder && !holds_run(part)) {  // its process was killed before it began
    point.folder->vanish();
    point.folder.reset();
  }
  if (!point.folder) {
    if (fs::exists(point.path)) throw UsageError(point.path.string() + " is already finished");
    return std::nullopt;
  }
  point.info = read_header(part);

  const std::vector<Index> rows = rows_by_segment(part, point.info, point.remarks);
  if (all_rows_there(part, rows, point.remarks)) {
    point.is_finished = true;
    point.rows = rows.back();
    point.segments = static_cast<std::int64_t>(rows.size()) - 1;
    return point;
  }
  auto numbers = numbers_of(part, "checkpoint");
  for (; !numbers.empty(); numbers.pop_back()) {
    try {
      Checkpoint c = read_checkpoint(part, numbers.back());
      const auto segments = static_cast<std::size_t>(c.segments);
      if (segments >= rows.size() || rows[segments] != c.rows)
        throw IoError(
            fmt::format("some rows of {} are missing", numbered(part, "checkpoint", numbers.back()).string()));
      point.archive = std::move(c.archive);
      point.rows = c.rows;
      point.segments = c.segments;
      point.checkpoint = c.number;
      return point;
    } catch (const IoError& error) {
      point.remarks.push_back(error.what());
    }
  }
  point.from_start = true;
  return point;
}
}  // namespace trill
