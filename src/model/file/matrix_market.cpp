// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/matrix_market.hpp"

#include "base/text.hpp"
#include "trill/base/options.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::string_view spaces = " \t\r";

enum class Symmetry { general, symmetric, skew };

struct Word {
  std::string_view text;
  std::size_t offset = 0;
};

struct Entry {
  int column = 0, row = 0;
  double value = 0;
  std::size_t offset = 0;
  bool before(const Entry& other) const {
    return column != other.column ? column < other.column : row != other.row ? row < other.row : offset < other.offset;
  }
};

class MatrixReader {
 public:
  MatrixReader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  SpMat read() {
    read_banner();
    read_sizes();
    if (coordinate_)
      read_coordinates();
    else
      read_array();
    if (next_line())
      throw error(words_[0].offset,
                  fmt::format("there are more entries than the {} announced in the line of sizes", wanted_));
    return assemble();
  }

  MatrixHead read_head() {
    read_banner();
    read_sizes();
    const int across = symmetry_ == Symmetry::general ? 0 : symmetry_ == Symmetry::symmetric ? 1 : -1;
    return {coordinate_, whole_numbers_, across, static_cast<Index>(rows_), static_cast<Index>(columns_), wanted_, at_};
  }

  std::vector<MatrixEntry> read_piece(const MatrixHead& head) {
    whole_numbers_ = head.has_whole_numbers;
    symmetry_ = head.across == 0 ? Symmetry::general : head.across > 0 ? Symmetry::symmetric : Symmetry::skew;
    rows_ = head.rows;
    columns_ = head.columns;
    std::vector<MatrixEntry> entries;
    while (next_line()) entries.push_back(read_entry());
    return entries;
  }

 private:
  ModelError error(std::size_t offset, std::string_view message) const {
    return error_at(file_, text_, offset, message);
  }

  void split_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    words_.clear();
    while (words_.size() <= most_words) {
      const std::size_t begin = std::min(text_.find_first_not_of(spaces, at_), end);
      if (begin >= end) break;
      const std::size_t stop = std::min(text_.find_first_of(" \t\r\n", begin), end);
      words_.push_back({text_.substr(begin, stop - begin), begin});
      at_ = stop;
    }
    line_end_ = end;
    at_ = std::min(end + 1, text_.size());
  }

  // The words of the next line that is neither blank nor a comment; false at the end of the text.
  bool next_line() {
    while (at_ < text_.size()) {
      if (text_[at_] == '%') {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        continue;
      }
      split_line();
      if (!words_.empty()) return true;
    }
    return false;
  }

  void need_words(std::size_t count, std::string_view what) const {
    if (words_.size() == count) return;
    const std::size_t offset = words_.size() > count ? words_[count].offset : line_end_;
    throw error(offset, fmt::format("a line with {} was expected here", what));
  }

  void read_banner() {
    split_line();
    if (words_.empty() || lower_snake(words_[0].text) != "%%matrixmarket")
      throw error(0, "this is not a Matrix Market file; such a file begins with %%MatrixMarket");
    need_words(5, "%%MatrixMarket matrix, a format, a field and a symmetry");
    choose<bool>(words_[1], {{"matrix", true}});
    coordinate_ = choose<bool>(words_[2], {{"coordinate", true}, {"array", false}});
    whole_numbers_ = choose<bool>(words_[3], {{"real", false}, {"integer", true}});
    symmetry_ = choose<Symmetry>(
        words_[4],
        {{"general", Symmetry::general}, {"symmetric", Symmetry::symmetric}, {"skew-symmetric", Symmetry::skew}});
  }

  template <class Value>
  Value choose(const Word& word, const NamedValues<Value>& known) const {
    std::vector<std::string> names;
    for (const auto& [name, value] : known) {
      if (lower_snake(name) == lower_snake(word.text)) return value;
      names.push_back(name);
    }
    throw error(word.offset,
                fmt::format("'{}' is not supported here; {} was expected", shortened(word.text), join(names, " or ")));
  }

  long long count(const Word& word, long long most, const char* what) const {
    const auto number = parse_integer(word.text);
    if (!number || *number < 0 || *number > most)
      throw error(word.offset,
                  fmt::format("'{}' is not a possible number of {}; a whole number from 0 to {} was expected",
                              shortened(word.text), what, most));
    return *number;
  }

  void read_sizes() {
    const char* const what =
        coordinate_ ? "the numbers of rows, columns and entries" : "the numbers of rows and columns";
    if (!next_line()) throw error(text_.size(), fmt::format("a line with {} was expected here", what));
    need_words(coordinate_ ? 3 : 2, what);
    rows_ = count(words_[0], most_matrix_rows, "rows");
    columns_ = count(words_[1], most_matrix_rows, "columns");
    if (symmetry_ != Symmetry::general && rows_ != columns_)
      throw error(words_[0].offset, fmt::format("a symmetric matrix must be square, not {} x {}", rows_, columns_));
    const long long all = rows_ * columns_, diagonal = symmetry_ == Symmetry::general ? 0 : rows_;
    const long long most = symmetry_ == Symmetry::general     ? all
                           : symmetry_ == Symmetry::symmetric ? (all + diagonal) / 2
                                                              : (all - diagonal) / 2;
    wanted_ = coordinate_ ? count(words_[2], most, "entries") : most;
    // The sizes may promise more than follows, so reserve no more than the text can hold.
    entries_.reserve(static_cast<std::size_t>(std::min<long long>(wanted_, static_cast<long long>(text_.size() / 4))));
  }

  void need_line(long long read) {
    if (!next_line())
      throw error(text_.size(),
                  fmt::format("the file ends too early: {} of {} entries are missing", wanted_ - read, wanted_));
  }

  double number(const Word& word) const {
    const auto value = parse_number(word.text);
    if (!value) throw error(word.offset, fmt::format("'{}' is not a finite number", shortened(word.text)));
    if (whole_numbers_ && !parse_integer(word.text))
      throw error(word.offset, fmt::format("'{}' is not an integer, although the first line announces integers",
                                           shortened(word.text)));
    return *value;
  }

  int position(const Word& word, long long size, const char* what) const {
    const auto number = parse_integer(word.text);
    if (!number || *number < 1 || *number > size)
      throw error(word.offset, fmt::format("'{}' is not a possible {}; a whole number from 1 to {} was expected",
                                           shortened(word.text), what, size));
    return static_cast<int>(*number - 1);
  }

  void read_coordinates() {
    for (long long k = 0; k < wanted_; ++k) {
      need_line(k);
      const MatrixEntry entry = read_entry();
      add(entry.row, entry.column, entry.value);
    }
  }

  MatrixEntry read_entry() const {
    need_words(3, "a row, a column and a number");
    const int row = position(words_[0], rows_, "row"), column = position(words_[1], columns_, "column");
    if (symmetry_ == Symmetry::symmetric && row < column)
      throw error(words_[0].offset,
                  "this entry is above the diagonal; a symmetric matrix is given by its entries on and below it");
    if (symmetry_ == Symmetry::skew && row <= column)
      throw error(words_[0].offset, "a skew-symmetric matrix is given by its entries below the diagonal only");
    return {row, column, number(words_[2])};
  }

  void read_array() {
    long long k = 0;
    for (int column = 0; column < columns_; ++column) {
      const int first = symmetry_ == Symmetry::general ? 0 : symmetry_ == Symmetry::symmetric ? column : column + 1;
      for (int row = first; row < rows_; ++row) {
        need_line(k++);
        need_words(1, "one number");
        if (const double value = number(words_[0]); value != 0) add(row, column, value);
      }
    }
  }

  void add(int row, int column, double value) {
    entries_.push_back({column, row, value, words_[0].offset});
    if (symmetry_ == Symmetry::general || row == column) return;
    entries_.push_back({row, column, symmetry_ == Symmetry::skew ? -value : value, words_[0].offset});
  }

  SpMat assemble() {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.before(b); });
    for (std::size_t k = 1; k < entries_.size(); ++k)
      if (const Entry& a = entries_[k - 1], &b = entries_[k]; a.row == b.row && a.column == b.column)
        throw error(b.offset, fmt::format("the entry in row {} and column {} is given twice", b.row + 1, b.column + 1));
    SpMat matrix(rows_, columns_);
    matrix.reserve(static_cast<Index>(entries_.size()));
    std::size_t k = 0;
    for (Index column = 0; column < columns_; ++column) {
      matrix.startVec(column);
      for (; k < entries_.size() && entries_[k].column == column; ++k)
        matrix.insertBack(entries_[k].row, column) = entries_[k].value;
    }
    matrix.finalize();
    return matrix;
  }

  static constexpr std::size_t most_words = 5;

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0, line_end_ = 0;
  std::vector<Word> words_;
  bool coordinate_ = true, whole_numbers_ = false;
  Symmetry symmetry_ = Symmetry::general;
  long long rows_ = 0, columns_ = 0, wanted_ = 0;
  std::vector<Entry> entries_;
};
}  // namespace

SpMat read_matrix_market(const std::string& file, std::string_view text) {
  if (text.size() > most_matrix_bytes)
    throw ModelError(
        fmt::format("{}: the file has {} bytes; a matrix may have at most {}", file, text.size(), most_matrix_bytes));
  return MatrixReader(file, text).read();
}

MatrixHead read_matrix_head(const std::string& file, std::string_view text) {
  return MatrixReader(file, text).read_head();
}

std::vector<MatrixEntry> read_matrix_entries(const std::string& file, std::string_view piece, const MatrixHead& head) {
  return MatrixReader(file, piece).read_piece(head);
}

Vec read_vector_market(const std::string& file, std::string_view text) {
  const SpMat matrix = read_matrix_market(file, text);
  if (matrix.cols() != 1)
    throw ModelError(fmt::format("{}: a vector was expected, with one column and not {}", file, matrix.cols()));
  return Vec(matrix);
}
}  // namespace trill
