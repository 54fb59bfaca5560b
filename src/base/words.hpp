// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace trill {
// The words that stand for the values of an enum in files and on pages. Every value must be in the table.
template <class Value>
struct EnumWord {
  Value value;
  const char* text;
};

template <class Value, std::size_t count>
const char* word_for(Value value, const std::array<EnumWord<Value>, count>& words) {
  return std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.value == value; })->text;
}

template <class Value, std::size_t count>
std::optional<Value> meaning_of(std::string_view text, const std::array<EnumWord<Value>, count>& words) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.text == text; });
  return found == words.end() ? std::nullopt : std::optional(found->value);
}
}  // namespace trill
