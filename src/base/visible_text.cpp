// SPDX-License-Identifier: BSD-3-Clause
#include "base/visible_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<std::uint8_t>(character[0]);
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) code = (code << 6) | (static_cast<std::uint8_t>(c) & 0x3Fu);
  return code;
}

// Controls (C0, delete, C1), marks of direction and its overrides, separators of lines, characters without width.
bool is_hidden(std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 11> hidden = {{{0x00, 0x08},
                                                                               {0x0B, 0x1F},
                                                                               {0x7F, 0x9F},
                                                                               {0x061C, 0x061C},
                                                                               {0x200B, 0x200B},
                                                                               {0x200E, 0x200F},
                                                                               {0x2028, 0x202E},
                                                                               {0x2060, 0x206F},
                                                                               {0xFEFF, 0xFEFF},
                                                                               {0xFFF9, 0xFFFB},
                                                                               {0xE0000, 0xE0FFF}}};
  return std::any_of(hidden.begin(), hidden.end(),
                     [code](const auto& range) { return code >= range.first && code <= range.second; });
}

std::string escaped(std::uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const std::uint32_t beyond = code - 0x10000;  // two halves, as in JSON
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (beyond >> 10), 0xDC00 + (beyond & 0x3FF));
}
}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : (lead & 0xF0) == 0xE0       ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;                      // overlong
  if (lead == 0xED && byte(1) >= 0xA0) return 0;                     // surrogate
  if (lead == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0;  // U+FFFE and U+FFFF are no characters
  if (lead == 0xF0 && byte(1) < 0x90) return 0;                      // overlong
  if (lead == 0xF4 && byte(1) >= 0x90) return 0;                     // beyond Unicode
  return length;
}

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    if (length == 0)
      out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(character[0]));
    else if (const std::uint32_t code = code_point(character); is_hidden(code))
      out += escaped(code);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}
}  // namespace trill
