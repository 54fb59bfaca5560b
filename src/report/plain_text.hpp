// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trill {
// The text as valid UTF-8: stray bytes become U+FFFD.
std::string valid_utf8(std::string_view text);

// For XML content and attributes: the five reserved characters escaped, control characters dropped.
std::string xml_escape(std::string_view text);

// The text as content of an SVG text element; ^{...} is raised, and so is the number after a ^.
std::string svg_text(std::string_view text, double font_size);

// Estimated width in a sans-serif font; raised text counts less.
double text_width(std::string_view text, double font_size);

// Breaks the text at spaces into at most `lines` lines of this width; text that does not fit is cut with an ellipsis.
std::vector<std::string> wrap_text(std::string_view text, double width, double font_size, std::size_t lines);

// Cuts the text to this width, with an ellipsis if something was cut.
std::string shorten(std::string_view text, double width, double font_size);

// At most six digits, no trailing zeros; "-" when not finite.
std::string short_number(double value);
}  // namespace trill
