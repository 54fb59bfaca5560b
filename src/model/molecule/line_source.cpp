// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/line_source.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
}  // namespace

DataLine LineSource::next_line(std::size_t& from, char comment_sign) const {
  const std::string_view all = source_.text();
  const std::size_t to = std::min(all.find('\n', from), all.size());
  const std::size_t hash = std::min(all.substr(0, to).find(comment_sign, from), to);
  const auto words_in = [&](std::size_t begin, std::size_t end) {
    std::vector<DataWord> words;
    while (begin < end) {
      while (begin < end && is_blank(all[begin])) ++begin;
      std::size_t stop = begin;
      while (stop < end && !is_blank(all[stop])) ++stop;
      if (stop > begin) words.push_back({all.substr(begin, stop - begin), begin});
      begin = stop;
    }
    return words;
  };
  DataLine line{words_in(from, hash)};
  if (hash < to)
    if (const auto comment = words_in(hash + 1, to); !comment.empty()) line.comment = comment.front().text;
  from = to + 1;
  return line;
}

ModelError LineSource::error(const DataLine& line, std::string_view message) const {
  return source_.error(line.offset(), message);
}

double LineSource::number(const DataLine& line, std::size_t word, std::string_view what) const {
  if (word >= line.words.size()) throw error(line, fmt::format("{} is missing at the end of this line", what));
  const DataWord& w = line.words[word];
  const auto value = parse_number(w.text);
  if (!value) throw source_.error(w.offset, fmt::format("{} must be a number, not '{}'", what, shortened(w.text)));
  return *value;
}

long long LineSource::integer(const DataLine& line, std::size_t word, std::string_view what) const {
  if (word >= line.words.size()) throw error(line, fmt::format("{} is missing at the end of this line", what));
  const DataWord& w = line.words[word];
  const auto value = parse_integer(w.text);
  if (!value)
    throw source_.error(w.offset, fmt::format("{} must be a whole number, not '{}'", what, shortened(w.text)));
  return *value;
}

void LineSource::expect(const DataLine& line, std::size_t count, std::string_view form) const {
  if (line.words.size() != count)
    throw error(line,
                fmt::format("expected '{}', which are {} words; this line has {}", form, count, line.words.size()));
}
}  // namespace trill
