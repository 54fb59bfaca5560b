// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/source_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t shown_columns = 100;  // max columns shown of a source line
constexpr std::size_t shown_bytes = 40;     // max bytes shown of a text in a message

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// Control sequences in a file must not reach the terminal.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  return out;
}

ModelError error_in_line(const std::string& file, std::string_view text, std::size_t line, std::size_t begin,
                         std::size_t offset, std::string_view message) {
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::size_t first = begin;
  if (offset - begin > shown_columns / 2) first = offset - shown_columns / 2;
  while (first < offset && !starts_character(text[first])) ++first;
  std::size_t last = std::min(end, first + shown_columns);
  while (last < end && !starts_character(text[last])) ++last;
  const std::string before = first > begin ? "..." : "", after = last < end ? "..." : "";
  const std::string_view shown = text.substr(first, last - first);
  const std::size_t indent = before.size() + characters(shown.substr(0, offset - first));
  const std::size_t column = characters(text.substr(begin, offset - begin)) + 1;
  return ModelError(fmt::format("{}:{}:{}: {}\n  {}{}{}\n  {}^", file, line, column, printable(message), before,
                                printable(shown), after, std::string(indent, ' ')));
}
}  // namespace

SourceText::SourceText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  lines_.push_back({});
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (static_cast<unsigned char>(text_[k]) >= 0x80) lines_.back().single_bytes = false;
    if (text_[k] == '\n') lines_.push_back({k + 1});
  }
}

const SourceText::Line& SourceText::line_at(std::size_t offset) const {
  return *(std::upper_bound(lines_.begin(), lines_.end(), offset,
                            [](std::size_t at, const Line& line) { return at < line.begin; }) -
           1);
}

SourcePlace SourceText::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const Line& line = line_at(offset);
  return {static_cast<std::size_t>(&line - lines_.data()) + 1,
          characters(std::string_view(text_).substr(line.begin, offset - line.begin)) + 1};
}

std::size_t SourceText::offset(SourcePlace place) const {
  if (place.line < 1 || place.line > lines_.size()) return text_.size();
  const Line& line = lines_[place.line - 1];
  std::size_t at = line.begin;
  if (line.single_bytes) return std::min(at + place.column - 1, text_.size());
  for (std::size_t column = 1; column < place.column && at < text_.size(); ++column) {
    ++at;
    while (at < text_.size() && !starts_character(text_[at])) ++at;
  }
  return at;
}

ModelError SourceText::error(std::size_t offset, std::string_view message) const {
  offset = std::min(offset, text_.size());
  const Line& line = line_at(offset);
  return error_in_line(file_, text_, static_cast<std::size_t>(&line - lines_.data()) + 1, line.begin, offset, message);
}

ModelError error_at(const std::string& file, std::string_view text, std::size_t offset, std::string_view message) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto ends = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  return error_in_line(file, text, ends + 1, before.rfind('\n') + 1, offset, message);
}

ModelError SourceText::error(std::string_view message) const {
  return ModelError(fmt::format("{}: {}", file_, printable(message)));
}

std::string shortened(std::string_view text) {
  if (text.size() <= shown_bytes) return std::string(text);
  std::size_t length = shown_bytes;
  while (length > 0 && !starts_character(text[length])) --length;
  return std::string(text.substr(0, length)) + "...";
}

ModelError SourcePiece::error(std::size_t offset_in_piece, std::string_view message) const {
  if (made) return source->error(begin, message);
  if (verbatim) return source->error(begin + offset_in_piece, message);
  return source->error(begin, fmt::format("{} (at character {} of the text)", message,
                                          characters(std::string_view(text).substr(0, offset_in_piece)) + 1));
}
}  // namespace trill
