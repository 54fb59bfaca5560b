// SPDX-License-Identifier: BSD-3-Clause
#include "solution/part_directory.hpp"

#include "base/text.hpp"
#include "solution/file_formats.hpp"
#include "solution/safe_file.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
static_assert(sizeof(SegmentHead) == 56, "segments are written as they lie in memory");

struct CheckpointHead {
  char magic[8] = {'t', 'r', 'i', 'l', 'l', 'c', 'h', 'k'};
  std::uint32_t version = 1, byte_order = 0x01020304;
  std::uint64_t number = 0, rows = 0, segments = 0, bytes = 0;
};

// The head of a block; IoError if the block is incomplete, damaged or not of the expected kind.
template <class Head>
Head checked_head(const std::string& bytes, const fs::path& file) {
  Head head;
  const Head expected;
  if (bytes.size() < sizeof(Head) + checksum_size)
    throw IoError(file.string() + " is incomplete: it ends inside its header");
  std::memcpy(&head, bytes.data(), sizeof(Head));
  if (std::memcmp(head.magic, expected.magic, sizeof(head.magic)) != 0)
    throw IoError(file.string() + " is not a file of trill");
  if (head.version != expected.version || head.byte_order != expected.byte_order)
    throw IoError(file.string() + " was written by another version of trill or on another kind of machine");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - checksum_size, checksum_size);
  if (sum != checksum(bytes.data(), bytes.size() - checksum_size))
    throw IoError(file.string() + " is damaged or incomplete: its checksum is wrong");
  return head;
}

class PartRun final : public StoredRun {
 public:
  fs::path part;
  std::int64_t segments = 0;

  void visit(const Visitor& visitor) const override {
    std::vector<double> block;
    const std::size_t n_y = width_y(record.info), width = 1 + n_y + width_measured(record.info);
    Index seen = 0;
    for (std::int64_t k = 0; k < segments; ++k) {
      const SegmentHead head = read_segment(part, k, block);
      if (static_cast<Index>(head.first_row) != seen || head.n_y != n_y || head.n_measured != width - 1 - n_y)
        throw IoError(fmt::format("{} does not follow the segment before it", numbered(part, "segment", k).string()));
      for (const double* row = block.data(); row != block.data() + block.size(); row += width, ++seen)
        visitor(row[0], row + 1, row + 1 + n_y);
    }
    if (seen != record.rows)
      throw IoError(fmt::format("{} is damaged: it has {} rows instead of {}", part.string(), seen, record.rows));
  }
};

// Is this the number of bytes of so many rows? By division: the product of hostile numbers overflows.
bool fits(const SegmentHead& head, std::size_t bytes) {
  const std::size_t numbers = bytes / sizeof(double);
  if (bytes % sizeof(double) != 0 || head.n_y >= numbers || head.n_measured >= numbers - head.n_y) return false;
  const std::size_t width = 1 + head.n_y + head.n_measured;
  return numbers % width == 0 && numbers / width == head.rows;
}

// Reads only the head, which has the number of rows, to open a long run quickly.
SegmentHead read_head(const fs::path& file) {
  const std::string bytes = read_start(file, sizeof(SegmentHead));
  const std::uintmax_t size = fs::file_size(file);
  SegmentHead head;
  if (bytes.size() == sizeof(head)) std::memcpy(&head, bytes.data(), sizeof(head));
  if (bytes.size() != sizeof(head) || std::memcmp(head.magic, SegmentHead{}.magic, sizeof(head.magic)) != 0 ||
      size < sizeof(head) + checksum_size || !fits(head, size - sizeof(head) - checksum_size))
    throw IoError(file.string() + " is damaged or incomplete");
  return head;
}
}  // namespace

fs::path part_of(fs::path path) { return path += ".part"; }
fs::path without_part(const fs::path& path) {
  fs::path bare = path.has_filename() ? path : path.parent_path();  // "run.h5.part/"
  if (bare.extension() == ".part") bare.replace_extension();
  return bare;
}
bool holds_run(const fs::path& part) {
  std::error_code none;
  return fs::exists(part / "header.json", none);
}

fs::path numbered(const fs::path& part, std::string_view kind, std::int64_t number) {
  return part / fmt::format(fmt::runtime(kind == "segment" ? "{}-{:08d}.bin" : "{}-{:06d}.bin"), kind, number);
}

std::vector<std::int64_t> numbers_of(const fs::path& part, std::string_view kind) {
  std::vector<std::int64_t> numbers;
  for (const fs::path& entry : list_directory(part)) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(kind) || !name.ends_with(".bin")) continue;
    const auto number = parse_integer(std::string_view(name).substr(kind.size() + 1, name.size() - kind.size() - 5));
    if (number) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

SegmentHead read_segment(const fs::path& part, std::int64_t number, std::vector<double>& rows) {
  const fs::path file = numbered(part, "segment", number);
  const std::string bytes = read_whole(file);
  const auto head = checked_head<SegmentHead>(bytes, file);
  const std::size_t size = bytes.size() - sizeof(SegmentHead) - checksum_size;
  if (head.number != static_cast<std::uint64_t>(number) || !fits(head, size))
    throw IoError(file.string() + " is not the segment that its name says");
  rows.resize(size / sizeof(double));
  std::memcpy(rows.data(), bytes.data() + sizeof(SegmentHead), size);
  return head;
}

std::string checkpoint_bytes(const Checkpoint& c) {
  CheckpointHead head;
  head.number = static_cast<std::uint64_t>(c.number);
  head.rows = static_cast<std::uint64_t>(c.rows);
  head.segments = static_cast<std::uint64_t>(c.segments);
  head.bytes = c.archive.bytes().size();
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
  bytes.append(c.archive.bytes().data(), c.archive.bytes().size());
  const std::uint64_t sum = checksum(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  return bytes;
}

Checkpoint read_checkpoint(const fs::path& part, std::int64_t number) {
  const fs::path file = numbered(part, "checkpoint", number);
  const std::string bytes = read_whole(file);
  const auto head = checked_head<CheckpointHead>(bytes, file);
  if (head.number != static_cast<std::uint64_t>(number) ||
      head.bytes != bytes.size() - sizeof(CheckpointHead) - checksum_size)
    throw IoError(file.string() + " is not the checkpoint that its name says");
  const char* archive = bytes.data() + sizeof(CheckpointHead);
  return {number, static_cast<std::int64_t>(head.rows), static_cast<std::int64_t>(head.segments),
          Archive(std::vector<char>(archive, archive + head.bytes))};
}

RunInfo read_header(const fs::path& part) {
  const fs::path file = part / "header.json";
  return info_from_json(unsealed(read_whole(file), file.string()), file.string());
}

std::optional<RunRecord> read_outcome(const fs::path& part) {
  const fs::path file = part / "outcome.json";
  std::error_code none;
  if (!fs::exists(file, none)) return std::nullopt;
  return record_from_json(unsealed(read_whole(file), file.string()), file.string());
}

std::unique_ptr<StoredRun> open_part(const fs::path& part) {
  if (!fs::exists(part / "header.json"))
    throw IoError(part.string() + " is not the directory of a run: it contains no header.json");
  auto run = std::make_unique<PartRun>();
  run->part = part;
  auto ended = read_outcome(part);
  run->unfinished = !ended || ended->outcome.status == RunStatus::stopped;
  const auto numbers = numbers_of(part, "segment");
  run->segments = static_cast<std::int64_t>(numbers.size());
  Index rows = 0;
  for (std::int64_t k = 0; k < run->segments; ++k) {
    if (numbers[static_cast<std::size_t>(k)] != k)
      throw IoError(fmt::format("{} is damaged: {} is missing", part.string(), numbered("", "segment", k).string()));
    rows += static_cast<Index>(read_head(numbered(part, "segment", k)).rows);
  }
  if (ended) {
    run->record = std::move(*ended);
    if (run->record.rows != rows)
      throw IoError(fmt::format("{} is damaged: it has {} rows instead of {}", part.string(), rows, run->record.rows));
  } else {
    run->record.info = read_header(part);
    run->record.outcome.status = RunStatus::stopped;
    run->record.outcome.message = "the run has not finished";
    run->record.rows = rows;
  }
  return run;
}
}  // namespace trill
