// SPDX-License-Identifier: BSD-3-Clause
// Checksums of solution files against damage. They do not tell who wrote a file.
#pragma once

#include "solution/run_json.hpp"

namespace trill {
inline constexpr const char *solution_schema = "trill-solution-2", *older_schema = "trill-solution-1";

enum class Seal {
  whole,   // the file is as it was written
  waived,  // in place of the checksum it says "none": somebody changed it on purpose
  older    // it is of an earlier version, which wrote none
};

// IoError if the schema is unknown, or if the file is damaged: `stored` is the checksum it carries, empty if none.
Seal judge_seal(const std::string& schema, const std::string& stored, bool matches, const std::string& file);
// Adds a notice to a record that no checksum protects.
void note_seal(RunRecord& record, Seal seal);

// A JSON object is sealed by a last member "checksum" over all bytes before it.
std::string seal_text(std::uint64_t sum);  // the last member and the closing brace
bool has_whole_seal(std::string_view text);
}  // namespace trill
