// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/csv_table.hpp"

#include "model/expression/parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_columns = 1000;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_space(char c) { return c == ' ' || c == '\t'; }

class CsvReader {
 public:
  CsvReader(const std::string& file, std::string_view text, CsvHeader header) : text_(text), header_(header) {
    table_.file = file;
  }

  CsvTable read() {
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    if (!find_line()) throw error("the file is empty; a table needs a header line with the names of its columns");
    read_header();
    while (find_line()) read_row();
    return std::move(table_);
  }

 private:
  struct Cell {
    std::size_t begin = 0, end = 0;  // without surrounding quotes and spaces
  };

  ModelError error(std::size_t offset, std::string_view message) const {
    return error_at(table_.file, text_, offset, message);
  }
  ModelError error(std::string_view message) const { return SourceText(table_.file, "").error(message); }

  char next() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_ + 1, 1) == "\n") ||
           (text_[at_] == '\r' && at_ + 1 == text_.size());
  }
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    skip_line_end();
  }
  void skip_line_end() {
    if (next() == '\r') ++at_;
    if (at_ < text_.size()) ++at_;
    ++line_;
  }

  // Goes to the next line that is neither a comment nor blank; false at the end of the text.
  bool find_line() {
    std::size_t blank = text_.size();
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      if (text_[at_] == '#') {
        skip_line();
        continue;
      }
      skip_spaces();
      if (!at_line_end()) {
        if (blank < text_.size() && !table_.names.empty())
          throw error(blank, "there is an empty line inside the table");
        at_ = begin;
        return true;
      }
      blank = std::min(blank, begin);
      skip_line_end();
    }
    return false;
  }

  // Reads a cell of any text, up to the comma or the end of the line.
  Cell read_cell() {
    skip_spaces();
    if (next() == '"') return read_quoted_cell();
    const std::size_t begin = at_;
    while (!at_line_end() && text_[at_] != ',') ++at_;
    std::size_t end = at_;
    while (end > begin && is_space(text_[end - 1])) --end;
    return {begin, end};
  }

  Cell read_quoted_cell() {
    const std::size_t open = at_;
    std::size_t begin = open + 1, end = text_.find_first_of("\"\n", begin);
    if (end >= text_.size() || text_[end] == '\n') throw error(open, "this cell has no closing quote");
    at_ = end + 1;
    while (begin < end && is_space(text_[begin])) ++begin;
    while (end > begin && is_space(text_[end - 1])) --end;
    skip_spaces();
    if (!at_line_end() && next() != ',')
      throw error(at_, "after a closing quote, ',' or the end of the line was expected");
    return {begin, end};
  }

  std::string shown(const Cell& cell) const { return shortened(text_.substr(cell.begin, cell.end - cell.begin)); }

  void check_name(const std::string& name, const Cell& cell) const {
    if (!is_identifier(name))
      throw error(cell.begin,
                  fmt::format("'{}' is not a valid name of a column; names in the first line consist of letters, "
                              "digits and _",
                              shown(cell)));
    if (is_reserved(name))
      throw error(cell.begin, fmt::format("the name '{}' has a meaning in formulas already; choose another", name));
  }
  void check_heading(const std::string& name, const Cell& cell) const {
    double value = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (name.empty() || (problem == std::errc() && end == name.data() + name.size()))
      throw error(cell.begin, fmt::format("the first line must have the names of the columns, such as x,height; '{}' "
                                          "is not a name",
                                          shown(cell)));
    if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }))
      throw error(cell.begin, "this is not a table of text: there is a control character in its first line");
  }

  void read_header() {
    std::set<std::string, std::less<>> taken;
    while (true) {
      const Cell cell = read_cell();
      const std::string name(text_.substr(cell.begin, cell.end - cell.begin));
      if (header_ == CsvHeader::names) check_name(name, cell);
      if (header_ == CsvHeader::texts) check_heading(name, cell);
      if (!taken.insert(name).second)
        throw error(cell.begin, fmt::format("there are two columns with the name '{}'", shown(cell)));
      if (table_.names.size() == most_columns)
        throw error(cell.begin, fmt::format("the table has more than {} columns, which is the limit", most_columns));
      table_.names.push_back(name);
      if (next() != ',') break;
      ++at_;
    }
    table_.columns.resize(table_.names.size());
    skip_line_end();
  }

  void read_row() {
    const std::size_t count = table_.columns.size();
    for (std::size_t k = 0; k < count; ++k) {
      table_.columns[k].push_back(read_number(table_.names[k]));
      const bool last = k + 1 == count;
      if (!last && next() != ',')
        throw error(at_, fmt::format("this row has {} cell{}, but the header has {}", k + 1, k == 0 ? "" : "s", count));
      if (last && next() == ',')
        throw error(at_, fmt::format("this row has more cells than the header, which has {}", count));
      if (!last) ++at_;
    }
    table_.lines.push_back(line_);
    skip_line_end();
  }

  double read_number(const std::string& column) {
    skip_spaces();
    const std::size_t begin = at_;
    double value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_spaces();
    if (problem == std::errc() && std::isfinite(value) && at_ > begin && (next() == ',' || at_line_end())) return value;
    at_ = begin;
    return read_unusual_number(column);
  }

  // A number in quotes, a number with a plus sign, or a mistake.
  double read_unusual_number(const std::string& column) {
    const Cell cell = read_cell();
    std::size_t begin = cell.begin;
    if (begin == cell.end)
      throw error(begin, fmt::format("this cell of column '{}' is empty; a number was expected", column));
    if (text_[begin] == '+' && begin + 1 < cell.end && text_[begin + 1] != '-') ++begin;
    double value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + begin, text_.data() + cell.end, value);
    const bool whole = end == text_.data() + cell.end;
    if (problem == std::errc::result_out_of_range && whole)
      throw error(cell.begin,
                  fmt::format("'{}' in column '{}' is too large or too small to be stored (in double precision)",
                              shown(cell), column));
    if (problem != std::errc() || !whole)
      throw error(cell.begin, fmt::format("'{}' in column '{}' is not a number", shown(cell), column));
    if (!std::isfinite(value))
      throw error(cell.begin, fmt::format("'{}' in column '{}' is not finite", shown(cell), column));
    return value;
  }

  std::string_view text_;
  CsvHeader header_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  CsvTable table_;
};
}  // namespace

ModelError CsvTable::error(std::size_t row, std::size_t column, std::string_view message) const {
  return SourceText(fmt::format("{}:{}", file, lines[row]), "")
      .error(fmt::format("column '{}': {}", names[column], message));
}

CsvTable read_csv(const std::string& file, std::string_view text, CsvHeader header) {
  if (text.size() > most_csv_bytes)
    throw ModelError(
        fmt::format("{}: the file has {} bytes; a table may have at most {}", file, text.size(), most_csv_bytes));
  return CsvReader(file, text, header).read();
}
}  // namespace trill
