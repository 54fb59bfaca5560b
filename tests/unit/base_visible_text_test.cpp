// SPDX-License-Identifier: BSD-3-Clause
#include "base/visible_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
using trill::visible_text;

TEST(VisibleText, LeavesWhatOneCanSee) {
  for (const char* text : {"", "plain", "two\nlines\tand a tab", "\u03b8\u0308 \u2713 1/s\u00b2 \u00fc", "\u65e5\u672c",
                           "\U0001f600", "\u0928\u200d\u092f"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, ShowsControlsOfBothKinds) {
  EXPECT_EQ(visible_text("a\x1b[31mb"), "a\\u001b[31mb");
  EXPECT_EQ(visible_text(std::string("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(visible_text("a\rb\bc\x7f\v\f"), "a\\u000db\\u0008c\\u007f\\u000b\\u000c");
  EXPECT_EQ(visible_text("\u0080\u0085\u009b31m\u009f\u00a0"), "\\u0080\\u0085\\u009b31m\\u009f\u00a0");
}

TEST(VisibleText, ShowsWhatTurnsTheDirectionOrHasNoWidth) {
  EXPECT_EQ(visible_text("\u202eabc\u202c"), "\\u202eabc\\u202c");
  EXPECT_EQ(visible_text("\u2066\u2069\u200f\u061c\ufeff\u200b\u2028"),
            "\\u2066\\u2069\\u200f\\u061c\\ufeff\\u200b\\u2028");
  EXPECT_EQ(visible_text("\U000e0041"), "\\udb40\\udc41");
}

// Some terminals do not read UTF-8 and take the byte 9b for the start of an escape sequence.
TEST(VisibleText, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(visible_text("a\x9b"
                         "31m"),
            "a\\x9b31m");
  EXPECT_EQ(visible_text("\xc0\x9b"), "\\xc0\\x9b");           // overlong encoding
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(visible_text("\xe2\x80"), "\\xe2\\x80");           // ends too early
}

TEST(VisibleText, KeepsJsonWhatItIs) {
  const std::string name = "\u202e\u009b\x7f\x1b \U000e0041 \u00fc";
  EXPECT_EQ(nlohmann::json::parse(visible_text(nlohmann::json(name).dump())), name);
}
}  // namespace
