// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/source_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t shown_columns = 100;  // of a longer source line

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::size_t line_begin(const std::string& text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

// A terminal must not be steered by what stands in a file.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  return out;
}
}  // namespace

SourcePlace SourceText::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const std::size_t begin = line_begin(text_, offset);
  const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  return {static_cast<std::size_t>(lines) + 1, characters(std::string_view(text_).substr(begin, offset - begin)) + 1};
}

std::size_t SourceText::offset(SourcePlace place) const {
  std::size_t at = 0;
  for (std::size_t line = 1; line < place.line; ++line) {
    at = text_.find('\n', at);
    if (at == std::string::npos) return text_.size();
    ++at;
  }
  for (std::size_t column = 1; column < place.column && at < text_.size(); ++column) {
    ++at;
    while (at < text_.size() && !starts_character(text_[at])) ++at;
  }
  return at;
}

ModelError SourceText::error(std::size_t offset, std::string_view message) const {
  offset = std::min(offset, text_.size());
  const SourcePlace at = place(offset);
  const std::size_t begin = line_begin(text_, offset);
  const std::size_t end = std::min(text_.find('\n', begin), text_.size());
  std::size_t first = begin;
  if (offset - begin > shown_columns / 2) first = offset - shown_columns / 2;
  while (first < offset && !starts_character(text_[first])) ++first;
  std::size_t last = std::min(end, first + shown_columns);
  while (last < end && !starts_character(text_[last])) ++last;
  const std::string before = first > begin ? "..." : "", after = last < end ? "..." : "";
  const std::string_view shown = std::string_view(text_).substr(first, last - first);
  const std::size_t indent = before.size() + characters(shown.substr(0, offset - first));
  return ModelError(fmt::format("{}:{}:{}: {}\n  {}{}{}\n  {}^", file_, at.line, at.column, message, before,
                                printable(shown), after, std::string(indent, ' ')));
}

ModelError SourceText::error(std::string_view message) const {
  return ModelError(fmt::format("{}: {}", file_, message));
}

ModelError SourcePiece::error(std::size_t offset_in_piece, std::string_view message) const {
  if (verbatim) return source->error(begin + offset_in_piece, message);
  return source->error(begin, fmt::format("{} (at character {} of the text)", message,
                                          characters(std::string_view(text).substr(0, offset_in_piece)) + 1));
}
}  // namespace trill
