// SPDX-License-Identifier: BSD-3-Clause
// What `trill stability` says of methods that kick a fast motion by slow forces.
#pragma once

#include "trill/method/linear_form.hpp"
#include "trill/report/chart.hpp"

#include <nlohmann/json_fwd.hpp>

namespace trill::cli {
std::string resonance_text(const SplitForm& form);
nlohmann::json resonance_json(const SplitForm& form);
Table unstable_table(const SplitForm& form);
Chart filter_chart(const SplitForm& form);
}  // namespace trill::cli
