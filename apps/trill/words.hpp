// SPDX-License-Identifier: BSD-3-Clause
// Converts words of the command line to numbers; a UsageError names the option.
#pragma once

#include "commands.hpp"

#include <cstdint>

namespace trill::cli {
double read_number(const std::string& option, const std::string& text);
std::int64_t read_count(const std::string& option, const std::string& text);
std::int64_t read_count_from(std::int64_t least, const std::string& option, const std::string& text);
When read_when(const std::string& option, const std::string& text);
CheckTime read_check(const std::string& option, const std::string& text);
Want read_want(const std::string& text);
}  // namespace trill::cli
