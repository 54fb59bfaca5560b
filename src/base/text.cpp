// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace trill {
std::string lower_snake(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string format_number(double value) { return fmt::format("{}", value); }

namespace {
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const auto value = parse_whole<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<long long> parse_integer(std::string_view text) { return parse_whole<long long>(text); }

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[b.size()];
}

namespace {
constexpr std::size_t short_list = 40;     // of names that a message can show
constexpr std::size_t longest_name = 200;  // names in a file may be megabytes long; edit_distance costs their product
}  // namespace

std::string suggest(std::string_view wrong, std::span<const std::string> known) {
  if (known.empty() || wrong.size() > longest_name) return "";
  std::vector<std::pair<int, std::string>> ranked;
  for (const std::string& name : known) {
    if (name.size() > longest_name) continue;
    const bool contains = wrong.size() >= 3 && name.find(wrong) != std::string::npos;
    ranked.emplace_back(contains ? 1 : edit_distance(wrong, name), name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const int limit = std::max<int>(2, static_cast<int>(wrong.size()) / 3);
  std::vector<std::string> near;
  for (const auto& [distance, name] : ranked)
    if (distance <= limit && near.size() < 3) near.push_back("'" + name + "'");
  if (!near.empty()) return "; did you mean " + join(near, " or ") + "?";
  if (known.size() <= short_list) return "; known names: " + join(known, ", ");
  return "";
}
}  // namespace trill
