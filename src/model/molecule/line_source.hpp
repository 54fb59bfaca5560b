// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/source_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trill {
struct DataWord {
  std::string_view text;
  std::size_t offset = 0;
};

// A line without its comment.
struct DataLine {
  std::vector<DataWord> words;
  std::string_view comment = {};  // the first word after the sign of a comment
  std::size_t offset() const { return words.front().offset; }
};

// A text of lines with words in them, and messages that name the line.
class LineSource {
 public:
  LineSource(const std::string& file, const std::string& text) : source_(file, text) {}
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;
  const SourceText& source() const { return source_; }

  double number(const DataLine& line, std::size_t word, std::string_view what) const;
  long long integer(const DataLine& line, std::size_t word, std::string_view what) const;
  ModelError error(const DataLine& line, std::string_view message) const;
  // A line must have this many words.
  void expect(const DataLine& line, std::size_t count, std::string_view form) const;

 protected:
  // The line that begins at this offset, which is moved behind its end.
  DataLine next_line(std::size_t& from, char comment) const;
  bool at_end(std::size_t offset) const { return offset >= source_.text().size(); }

 private:
  SourceText source_;
};
}  // namespace trill
