// SPDX-License-Identifier: BSD-3-Clause
#include "solution/seal.hpp"

#include "trill/base/archive.hpp"

#include <fmt/format.h>

namespace trill {
Seal judge_seal(const std::string& schema, const std::string& stored, bool matches, const std::string& file) {
  if (schema != solution_schema && schema != older_schema)
    throw IoError(
        fmt::format("{} is damaged, or of another version: its schema is '{}', but this version of trill reads "
                    "'{}'",
                    file, schema, solution_schema));
  if (matches) return Seal::whole;
  if (stored == "none") return Seal::waived;
  if (stored.empty() && schema == older_schema) return Seal::older;
  throw IoError(
      fmt::format("{} is damaged, or somebody changed it: its checksum {}; to read it although you changed it, "
                  "set \"checksum\" to \"none\"",
                  file, stored.empty() ? "is missing" : "is wrong"));
}

void note_seal(RunRecord& record, Seal seal) {
  if (seal == Seal::whole) return;
  const bool older = seal == Seal::older;
  record.outcome.notices.push_back(
      {0, "no_checksum",
       older ? "This file is of an earlier version of trill, which wrote no checksum: damage would go unnoticed."
             : "The checksum of this file was removed, so it may have been changed after the run.",
       older ? Severity::info : Severity::warning, 0, 0, 1});
}

std::string seal_text(std::uint64_t sum) { return fmt::format("\"checksum\":\"{:016x}\"}}\n", sum); }

bool has_whole_seal(std::string_view text) {
  static const std::size_t size = seal_text(0).size();
  if (text.size() < size) return false;
  const std::string_view sealed = text.substr(0, text.size() - size);
  return text.substr(sealed.size()) == seal_text(checksum(sealed.data(), sealed.size()));
}
}  // namespace trill
