// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/data_file.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::array<std::string_view, 13> known_sections{
    "Masses", "Pair Coeffs", "PairIJ Coeffs", "Bond Coeffs", "Angle Coeffs", "Dihedral Coeffs", "Improper Coeffs",
    "Atoms",  "Velocities",  "Bonds",         "Angles",      "Dihedrals",    "Impropers"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string joined(const DataLine& line) {
  std::string text;
  for (const DataWord& word : line.words) text += (text.empty() ? "" : " ") + std::string(word.text);
  return text;
}
}  // namespace

DataFile::DataFile(const std::string& file, const std::string& text) : source_(file, text) {
  const std::string& all = source_.text();
  DataSection* now = nullptr;
  std::size_t from = 0;
  for (std::size_t number = 0; from < all.size(); ++number) {
    const std::size_t to = std::min(all.find('\n', from), all.size());
    if (number == 0) {
      title_ = std::string_view(all).substr(0, to);
    } else if (DataLine line = cut(from, to); !line.words.empty()) {
      const bool titled = std::isupper(static_cast<unsigned char>(line.words.front().text.front())) != 0;
      if (titled) {
        const std::string name = joined(line);
        if (std::find(known_sections.begin(), known_sections.end(), name) == known_sections.end()) {
          const std::vector<std::string> known(known_sections.begin(), known_sections.end());
          throw error(line, fmt::format("trill does not know a section '{}'{}", shortened(name), suggest(name, known)));
        }
        if (sections_.contains(name)) throw error(line, fmt::format("the section '{}' is there twice", name));
        now = &sections_[name];
        now->title = std::move(line);
      } else {
        (now ? now->lines : header_).push_back(std::move(line));
      }
    }
    from = to + 1;
  }
}

DataLine DataFile::cut(std::size_t from, std::size_t to) const {
  const std::string_view all = source_.text();
  const std::size_t hash = std::min(all.substr(0, to).find('#', from), to);
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
  return line;
}

const DataSection* DataFile::find(std::string_view section) const {
  const auto found = sections_.find(section);
  return found == sections_.end() ? nullptr : &found->second;
}

const DataSection& DataFile::section(std::string_view name, std::string_view what_for) const {
  if (const DataSection* found = find(name)) return *found;
  throw source_.error(fmt::format("the section '{}' is missing, which states {}", name, what_for));
}

ModelError DataFile::error(const DataLine& line, std::string_view message) const {
  return source_.error(line.offset(), message);
}

double DataFile::number(const DataLine& line, std::size_t word, std::string_view what) const {
  if (word >= line.words.size()) throw error(line, fmt::format("{} is missing at the end of this line", what));
  const DataWord& w = line.words[word];
  const auto value = parse_number(w.text);
  if (!value) throw source_.error(w.offset, fmt::format("{} must be a number, not '{}'", what, shortened(w.text)));
  return *value;
}

long long DataFile::integer(const DataLine& line, std::size_t word, std::string_view what) const {
  if (word >= line.words.size()) throw error(line, fmt::format("{} is missing at the end of this line", what));
  const DataWord& w = line.words[word];
  const auto value = parse_integer(w.text);
  if (!value)
    throw source_.error(w.offset, fmt::format("{} must be a whole number, not '{}'", what, shortened(w.text)));
  return *value;
}

void DataFile::expect(const DataLine& line, std::size_t count, std::string_view form) const {
  if (line.words.size() != count)
    throw error(line,
                fmt::format("expected '{}', which are {} words; this line has {}", form, count, line.words.size()));
}
}  // namespace trill
