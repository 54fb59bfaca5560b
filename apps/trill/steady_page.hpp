// SPDX-License-Identifier: BSD-3-Clause
// What the page of a periodic steady state says beside the curves of its period.
#pragma once

#include "trill/driver/plan.hpp"
#include "trill/report/chart.hpp"

namespace trill::cli {
std::vector<std::string> steady_summary(const SteadyState& state, const std::string& time_unit);
std::vector<Table> steady_tables(const SteadyState& state);  // of signals, and of powers if there are any
}  // namespace trill::cli
