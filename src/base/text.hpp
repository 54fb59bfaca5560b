// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
std::string lower_snake(std::string_view name);  // "Generalized-Alpha" -> "generalized_alpha"
std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);

// Shortest text that reads back as the same number.
std::string format_number(double value);

// The whole text as one finite number, or nothing.
std::optional<double> parse_number(std::string_view text);
std::optional<long long> parse_integer(std::string_view text);

// Number of edits (insert, delete, replace, swap of neighbours) that turn one name into the other.
int edit_distance(std::string_view a, std::string_view b);

// "; did you mean 'verlet' or 'rk4'?", or the whole list if no name is similar and the list is short.
std::string suggest(std::string_view wrong, std::span<const std::string> known);
}  // namespace trill
