// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trill {
// All of a run but its rows.
struct RunRecord {
  RunInfo info;
  RunOutcome outcome;
  Trust trust;
  Index rows = 0;
  std::uint64_t data_checksum = 0;  // of the rows, where they live in a file beside the record; 0: not kept
};

// As JSON texts. JSON has no NaN: a number that is not finite is an IoError that says which.
std::string to_json(const RunInfo& info);
std::string to_json(const RunOutcome& outcome);
std::string to_json(const Trust& trust);
std::string to_json(const RunRecord& record);

// And back; an IoError names `file` and what is missing or wrong there.
RunInfo info_from_json(std::string_view text, const std::string& file);
RunOutcome outcome_from_json(std::string_view text, const std::string& file);
Trust trust_from_json(std::string_view text, const std::string& file);
RunRecord record_from_json(std::string_view text, const std::string& file);

std::string json_quoted(std::string_view text);

// A text with its checksum around it, still JSON, so that a damaged one is told from a whole one.
std::string sealed(std::string_view json);
std::string unsealed(std::string_view text, const std::string& file);

// The first difference that forbids to continue a stored run as this one ("method: verlet, now rk4"). Host, start time
// and wording do not count.
std::optional<std::string> difference(const RunInfo& stored, const RunInfo& now);
}  // namespace trill
