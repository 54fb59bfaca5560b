// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace trill {
// Number of bytes of the UTF-8 character at the front of a text that is not empty; 0 if there is no valid one.
std::size_t utf8_length(std::string_view text);

// The text as a terminal may show it, whoever wrote it. Line breaks and tabs stay, and so does every character that one
// can see. Control characters (escape sequences begin with one), characters that reverse the direction of writing and
// those without width become \u001b, which JSON reads back; a byte that is not UTF-8 becomes \x9b.
std::string visible_text(std::string_view text);
}  // namespace trill
