// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/source_text.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
struct DataWord {
  std::string_view text;
  std::size_t offset = 0;
};

// A line of a LAMMPS data file without its comment.
struct DataLine {
  std::vector<DataWord> words;
  std::string_view comment = {};  // the first word after '#'
  std::size_t offset() const { return words.front().offset; }
};

struct DataSection {
  DataLine title;
  std::vector<DataLine> lines;
};

// A LAMMPS data file, cut into header and sections: "648 atoms", "0 18.6 xlo xhi", "Masses", ...
class DataFile {
 public:
  DataFile(const std::string& file, const std::string& text);
  const SourceText& source() const { return source_; }
  const std::string_view& title() const { return title_; }
  const std::vector<DataLine>& header() const { return header_; }
  const DataSection* find(std::string_view section) const;
  const DataSection& section(std::string_view name, std::string_view what_for) const;  // a ModelError if there is none

  double number(const DataLine& line, std::size_t word, std::string_view what) const;
  long long integer(const DataLine& line, std::size_t word, std::string_view what) const;
  ModelError error(const DataLine& line, std::string_view message) const;
  // A line must have this many words.
  void expect(const DataLine& line, std::size_t count, std::string_view form) const;

 private:
  DataLine cut(std::size_t from, std::size_t to) const;

  SourceText source_;
  std::string_view title_;
  std::vector<DataLine> header_;
  std::map<std::string, DataSection, std::less<>> sections_;
};
}  // namespace trill
