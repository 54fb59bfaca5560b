// SPDX-License-Identifier: BSD-3-Clause
#include "trill/base/options.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
std::string Range::text() const {
  const bool low = std::isfinite(min), high = std::isfinite(max);
  if (low && high) return fmt::format("{}{}, {}]", open_min ? "(" : "[", min, max);
  if (low) return fmt::format("{} {}", open_min ? ">" : ">=", min);
  if (high) return fmt::format("<= {}", max);
  return "any";
}

const std::string* OptionReader::take(std::string_view name) {
  known_.emplace_back(name);
  const auto it = given_.find(name);
  return it == given_.end() ? nullptr : &it->second;
}

void OptionReader::number(std::string_view name, double& value, Range range, std::string_view) {
  const std::string* text = take(name);
  if (!text) return;
  const auto parsed = parse_number(*text);
  if (!parsed) throw UsageError(fmt::format("{}: {} '{}' needs a number, not '{}'", owner_, noun_, name, *text));
  if (!range.holds(*parsed))
    throw UsageError(fmt::format("{}: {} '{}' = {} is out of range; the allowed range is {}", owner_, noun_, name,
                                 *text, range.text()));
  value = *parsed;
}

void OptionReader::integer(std::string_view name, int& value, Range range, std::string_view) {
  const std::string* text = take(name);
  if (!text) return;
  const auto parsed = parse_integer(*text);
  if (!parsed || std::abs(*parsed) > std::numeric_limits<int>::max())
    throw UsageError(fmt::format("{}: {} '{}' needs a whole number, not '{}'", owner_, noun_, name, *text));
  if (!range.holds(static_cast<double>(*parsed)))
    throw UsageError(fmt::format("{}: {} '{}' = {} is out of range; the allowed range is {}", owner_, noun_, name,
                                 *text, range.text()));
  value = static_cast<int>(*parsed);
}

void OptionReader::choice(std::string_view name, std::string& value, const Choices& choices, std::string_view) {
  const std::string* text = take(name);
  if (!text) return;
  if (std::find(choices.begin(), choices.end(), *text) == choices.end())
    throw UsageError(
        fmt::format("{}: {} '{}' cannot be '{}'; choose one of {}", owner_, noun_, name, *text, join(choices, " | ")));
  value = *text;
}

void OptionReader::text(std::string_view name, std::string& value, std::string_view, std::string_view) {
  if (const std::string* given = take(name)) value = *given;
}

void OptionReader::finish() const {
  for (const auto& [key, text] : given_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string hint = known_.empty() ? fmt::format("; it has no {}s at all", noun_) : suggest(key, known_);
    throw UsageError(fmt::format("{} has no {} '{}'{}", owner_, noun_, key, hint));
  }
}

void OptionLister::number(std::string_view name, double& value, Range range, std::string_view what) {
  rows.push_back({std::string(name), format_number(value), range.text(), std::string(what)});
}
void OptionLister::integer(std::string_view name, int& value, Range range, std::string_view what) {
  rows.push_back({std::string(name), fmt::format("{}", value), range.text(), std::string(what)});
}
void OptionLister::choice(std::string_view name, std::string& value, const Choices& choices, std::string_view what) {
  rows.push_back({std::string(name), value, join(choices, " | "), std::string(what)});
}

void OptionLister::text(std::string_view name, std::string& value, std::string_view allowed, std::string_view what) {
  rows.push_back({std::string(name), value, std::string(allowed), std::string(what)});
}

std::pair<std::string, std::string> parse_assignment(std::string_view text) {
  const auto at = text.find('=');
  if (at == std::string_view::npos || at == 0)
    throw UsageError(fmt::format("'{}' is not of the form NAME=VALUE", text));
  std::string name(text.substr(0, at));
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == "rho_inf") name = "rho";
  return {name, std::string(text.substr(at + 1))};
}
}  // namespace trill
