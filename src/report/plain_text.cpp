// SPDX-License-Identifier: BSD-3-Clause
#include "report/plain_text.hpp"

#include "base/visible_text.hpp"

#include <cctype>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::string_view ellipsis = "\u2026";

double relative_width(char c) {
  if (std::string_view("iljtfrI.,:;|'()[]{} !/-").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.95;
  return std::isupper(static_cast<unsigned char>(c)) ? 0.72 : 0.61;
}

struct Piece {
  std::string_view text;
  bool raised;
};

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const auto caret = text.find('^');
    if (caret != 0) pieces.push_back({text.substr(0, caret), false});
    if (caret == std::string_view::npos) break;
    text.remove_prefix(caret + 1);
    if (const auto close = text.find('}'); !text.empty() && text[0] == '{' && close != std::string_view::npos) {
      pieces.push_back({text.substr(1, close - 1), true});
      text.remove_prefix(close + 1);
      continue;
    }
    std::size_t length = !text.empty() && text[0] == '-' ? 1 : 0;
    while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length]))) ++length;
    if (length > (text.substr(0, 1) == "-" ? 1u : 0u)) {
      pieces.push_back({text.substr(0, length), true});
      text.remove_prefix(length);
    } else {
      pieces.push_back({"^", false});
    }
  }
  return pieces;
}
}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string xml_escape(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (c == '\t' || c == '\n' || c == '\r')
      out += ' ';
    else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F)
      out += c;
  }
  return out;
}

std::string svg_text(std::string_view text, double font_size) {
  const double lift = 0.38 * font_size;
  std::string out;
  bool raised = false;
  for (const Piece& piece : pieces_of(text)) {
    if (piece.raised)
      out += fmt::format(R"(<tspan dy="{:.1f}" font-size="{:.1f}">{}</tspan>)", raised ? 0 : -lift, 0.72 * font_size,
                         xml_escape(piece.text));
    else if (raised)
      out += fmt::format(R"(<tspan dy="{:.1f}">{}</tspan>)", lift, xml_escape(piece.text));
    else
      out += xml_escape(piece.text);
    raised = piece.raised;
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const Piece& piece : pieces_of(text))
    for (const char c : piece.text) {
      if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // continuation byte of a character
      width += relative_width(c) * (piece.raised ? 0.72 : 1);
    }
  return width * font_size;
}

std::string shorten(std::string_view text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return std::string(text);
  std::string kept = valid_utf8(text);
  while (!kept.empty() && text_width(kept, font_size) + 0.6 * font_size > width) {
    while (kept.size() > 1 && (static_cast<unsigned char>(kept.back()) & 0xC0) == 0x80) kept.pop_back();
    kept.pop_back();
  }
  return kept + std::string(ellipsis);
}

std::vector<std::string> wrap_text(std::string_view text, double width, double font_size, std::size_t lines) {
  std::vector<std::string> out;
  std::string line;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && text_width(longer, font_size) > width) {
      if (out.size() + 1 == lines) {
        line += " " + std::string(text);
        break;
      }
      out.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  if (!line.empty() && lines > 0) out.push_back(line);
  for (std::string& l : out) l = shorten(l, width, font_size);
  return out;
}

std::string short_number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }
}  // namespace trill
