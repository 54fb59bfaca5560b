// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/solution/solution.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trill {
// Everything about a run except its rows.
struct RunRecord {
  RunInfo info;
  RunOutcome outcome;
  Trust trust;
  Index rows = 0;
  std::uint64_t data_checksum = 0;  // of the rows, if they are in a separate file; 0: none
};

// Conversion to JSON. JSON has no NaN: a number that is not finite is an IoError that names it.
std::string to_json(const RunInfo& info);
std::string to_json(const RunOutcome& outcome);
std::string to_json(const Trust& trust);
std::string to_json(const RunRecord& record);

// Conversion from JSON; an IoError names `file` and what is missing or wrong there.
RunInfo info_from_json(std::string_view text, const std::string& file);
RunOutcome outcome_from_json(std::string_view text, const std::string& file);
Trust trust_from_json(std::string_view text, const std::string& file);
RunRecord record_from_json(std::string_view text, const std::string& file);

std::string json_quoted(std::string_view text);

// Wraps a JSON text and its checksum into one JSON text, so that damage is detected; unsealed() gives the text back.
std::string sealed(std::string_view json);
std::string unsealed(std::string_view text, const std::string& file);

// The first difference because of which a stored run cannot be continued as this one ("method: verlet, now rk4"). Host,
// start time, titles and references do not count.
std::optional<std::string> difference(const RunInfo& stored, const RunInfo& now);
}  // namespace trill
