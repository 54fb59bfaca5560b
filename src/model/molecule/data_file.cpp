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

std::string joined(const DataLine& line) {
  std::string text;
  for (const DataWord& word : line.words) text += (text.empty() ? "" : " ") + std::string(word.text);
  return text;
}
}  // namespace

DataFile::DataFile(const std::string& file, const std::string& text) : LineSource(file, text) {
  const std::string& all = source().text();
  DataSection* now = nullptr;
  std::size_t from = 0;
  title_ = std::string_view(all).substr(0, all.find('\n'));
  next_line(from, '#');
  while (!at_end(from)) {
    if (DataLine line = next_line(from, '#'); !line.words.empty()) {
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
  }
}

const DataSection* DataFile::find(std::string_view section) const {
  const auto found = sections_.find(section);
  return found == sections_.end() ? nullptr : &found->second;
}

const DataSection& DataFile::section(std::string_view name, std::string_view what_for) const {
  if (const DataSection* found = find(name)) return *found;
  throw source().error(fmt::format("the section '{}' is missing, which states {}", name, what_for));
}

}  // namespace trill
