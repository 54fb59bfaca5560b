// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill::cli {
namespace {
struct WantMeaning {
  Want want;
  const char* what;
};
constexpr std::array want_meanings{WantMeaning{Want::full, "the full motion"},
                                   WantMeaning{Want::slow, "the slow motion"},
                                   WantMeaning{Want::amplitude, "the amplitudes of the fast motion"},
                                   WantMeaning{Want::statistics, "averages"},
                                   WantMeaning{Want::envelope, "the envelope"},
                                   WantMeaning{Want::steady, "the periodic steady state"}};
}  // namespace

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

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
  throw UsageError(fmt::format("--want cannot be '{}'{}", text, suggest(text, known)));
}

const char* what_is(Want want) {
  return std::find_if(want_meanings.begin(), want_meanings.end(), [&](const auto& w) { return w.want == want; })->what;
}

std::vector<double> read_times(const std::string& option, const std::string& text) {
  std::vector<double> times;
  for (const std::string& part : split(text, ',')) times.push_back(read_number(option, part));
  return times;
}

std::vector<std::string> read_names(const std::string& option, const std::string& text) {
  std::vector<std::string> names = split(text, ',');
  for (const std::string& name : names)
    if (name.empty()) throw UsageError(fmt::format("{} needs names separated by commas, not '{}'", option, text));
  return names;
}

std::int64_t read_count_from(std::int64_t least, const std::string& option, const std::string& text) {
  const std::int64_t value = read_count(option, text);
  if (value < least) throw UsageError(fmt::format("{} needs {} or more, not {}", option, least, value));
  return value;
}
}  // namespace trill::cli
