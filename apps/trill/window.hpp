// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.hpp"

namespace trill::cli {
inline constexpr double bytes_for_cycles = 1.2e6;  // of an envelope, on a page

TimeWindow read_window(const std::string& option, const std::string& text);  // "0.01:0.0102"

// UsageError if the other arguments do not go together with a window.
void check_window(const RunArguments& arguments);

// The command that computes a window of the same run; the word WINDOW in it stands for the times.
std::string window_command(const RunArguments& arguments);
std::string window_command(const std::string& solution);  // that was stored
}  // namespace trill::cli
