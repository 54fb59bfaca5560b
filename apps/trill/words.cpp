// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include "base/text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::cli {
double read_number(const std::string& option, const std::string& text) {
  const auto value = parse_number(text);
  if (!value) throw UsageError(fmt::format("{} needs a number, not '{}'", option, text));
  return *value;
}

std::int64_t read_count(const std::string& option, const std::string& text) {
  // Numbers like 1e6 are accepted: people write a million steps that way.
  const auto value = parse_number(text);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 9e15)
    throw UsageError(fmt::format("{} needs a whole number, not '{}'", option, text));
  return static_cast<std::int64_t>(*value);
}

When read_when(const std::string& option, const std::string& text) {
  if (text == "auto") return When::automatic;
  if (text == "always") return When::always;
  if (text == "never") return When::never;
  throw UsageError(fmt::format("{} cannot be '{}'; choose one of auto | always | never", option, text));
}

CheckTime read_check(const std::string& option, const std::string& text) {
  if (text == "auto") return When::automatic;
  if (text == "full" || text == "always") return When::always;
  if (text == "off" || text == "never") return When::never;
  CheckTime time;
  time.seconds = parse_number(text);
  if (!time.seconds || !(*time.seconds > 0))
    throw UsageError(
        fmt::format("{} cannot be '{}'; choose one of off | auto | full, or a number of seconds", option, text));
  return time;
}

Want read_want(const std::string& text) {
  std::vector<std::string> known;
  for (const Want want : all_wants()) {
    if (text == to_text(want)) return want;
    known.push_back(to_text(want));
  }
  throw UsageError(
      fmt::format("--want cannot be '{}'{}; choose one of {}", text, suggest(text, known), join(known, " | ")));
}

std::int64_t read_count_from(std::int64_t least, const std::string& option, const std::string& text) {
  const std::int64_t value = read_count(option, text);
  if (value < least) throw UsageError(fmt::format("{} needs {} or more, not {}", option, least, value));
  return value;
}
}  // namespace trill::cli
