// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/run_json.hpp"
#include "trill/base/archive.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

// The directory PATH.part of a run that is not yet published (PartFolder writes there):
//   lock                     says that trill made the directory; locked while a run writes here
//   header.json              the RunInfo with a checksum; a directory without this file holds no run
//   segment-00000000.bin ... rows
//   checkpoint-000000.bin .. the last two checkpoints
//   outcome.json             the RunRecord with a checksum, once the run has ended or was stopped
namespace trill {
std::filesystem::path part_of(std::filesystem::path path);              // run.h5 -> run.h5.part
std::filesystem::path without_part(const std::filesystem::path& path);  // run.h5.part -> run.h5, run.h5 -> run.h5
bool holds_run(const std::filesystem::path& part);                      // finished or not
std::vector<std::int64_t> numbers_of(const std::filesystem::path& part, std::string_view kind);  // ascending
std::filesystem::path numbered(const std::filesystem::path& part, std::string_view kind, std::int64_t number);

struct SegmentHead {
  char magic[8] = {'t', 'r', 'i', 'l', 'l', 's', 'e', 'g'};
  std::uint32_t version = 1, byte_order = 0x01020304;
  std::uint64_t number = 0, first_row = 0, rows = 0, n_y = 0, n_measured = 0;
};
constexpr std::size_t checksum_size = sizeof(std::uint64_t);

// Head and rows (t, y, measured; row after row) of a segment, or an IoError.
SegmentHead read_segment(const std::filesystem::path& part, std::int64_t number, std::vector<double>& rows);

struct Checkpoint {
  std::int64_t number = 0, rows = 0, segments = 0;
  Archive archive;
};
std::string checkpoint_bytes(const Checkpoint& checkpoint);
Checkpoint read_checkpoint(const std::filesystem::path& part, std::int64_t number);

RunInfo read_header(const std::filesystem::path& part);
std::optional<RunRecord> read_outcome(const std::filesystem::path& part);  // nullopt: there is no such file
}  // namespace trill
