// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/seal.hpp"

#include <nlohmann/json_fwd.hpp>

namespace trill {
RunRecord record_from(const nlohmann::json& value, const std::string& file);
// A record from a text with a checksum at its end; gives the whole document, too.
Seal read_sealed(std::string_view text, const std::string& file, RunRecord& record, nlohmann::json& document);
}  // namespace trill
