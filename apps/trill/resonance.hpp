// SPDX-License-Identifier: BSD-3-Clause
// The part of `trill stability` about methods that apply slow forces as kicks to a fast motion.
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
