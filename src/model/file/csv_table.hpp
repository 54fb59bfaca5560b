// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/model/source_text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trill {
inline constexpr std::size_t most_csv_bytes = 100'000'000;

// A table of numbers with named columns, stored column by column.
struct CsvTable {
  std::string file;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::vector<std::uint32_t> lines;  // line in the file of each row

  std::size_t rows() const { return lines.size(); }
  // An error about one number of the table: "bonds.csv:17: column 'i': message".
  ModelError error(std::size_t row, std::size_t column, std::string_view message) const;
};

// What the names in the header may be: names for formulas, or any texts.
enum class CsvHeader { names, texts };

// RFC 4180: a header line with the names, cells that may be in quotes, lines that end in LF or CRLF. Lines that begin
// with # are skipped, and so are blank lines before the header and at the end. Throws ModelError with line and column
// for everything that is not a table of finite numbers.
CsvTable read_csv(const std::string& file, std::string_view text, CsvHeader header = CsvHeader::names);
}  // namespace trill
