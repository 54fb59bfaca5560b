// SPDX-License-Identifier: BSD-3-Clause
// For programs that read model files: places in a text, and errors that name them.
#pragma once

#include "trill/base/errors.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// A mistake in a model file. The text has several lines: "file:line:column: message", the source line, a caret.
struct ModelError : UsageError {
  using UsageError::UsageError;
};

// Line and column count from 1; a column is a character, not a byte.
struct SourcePlace {
  std::size_t line = 1, column = 1;
};

// The text of a model file, for messages that show the place.
class SourceText {
 public:
  SourceText(std::string file, std::string text);
  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  SourcePlace place(std::size_t offset) const;
  std::size_t offset(SourcePlace place) const;  // of a place outside the text: its end
  ModelError error(std::size_t offset, std::string_view message) const;
  ModelError error(std::string_view message) const;  // of the whole file

 private:
  struct Line {
    std::size_t begin = 0;
    bool single_bytes = true;  // every character is one byte, so that a column is an offset
  };
  const Line& line_at(std::size_t offset) const;

  std::string file_, text_;
  std::vector<Line> lines_;
};

// The message of SourceText::error for a text that is read once: a huge table needs no list of its lines.
ModelError error_at(const std::string& file, std::string_view text, std::size_t offset, std::string_view message);

// What a message quotes of a file: the whole text, or its beginning and dots.
std::string shortened(std::string_view text);

// A piece of a source, an expression for one. Where escapes make it differ from what the file says, or where trill made
// it from something else that stands there, every message points at its beginning.
struct SourcePiece {
  const SourceText* source = nullptr;
  std::size_t begin = 0;
  std::string text;
  bool verbatim = true;
  bool made = false;  // the file does not have this text
  ModelError error(std::size_t offset_in_piece, std::string_view message) const;
};
}  // namespace trill
