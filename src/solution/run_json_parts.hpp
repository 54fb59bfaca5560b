// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solution/run_json.hpp"

#include <nlohmann/json_fwd.hpp>

namespace trill {
RunRecord record_from(const nlohmann::json& value, const std::string& file);
}  // namespace trill
