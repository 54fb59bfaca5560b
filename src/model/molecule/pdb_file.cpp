// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/pdb_file.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double least_box = 1.5;  // A; programs without a box write 1 or 0

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
  return from == std::string_view::npos ? std::string_view() : text.substr(from, to - from + 1);
}

// Columns count from 1, as in the description of the format.
std::string_view columns(std::string_view line, std::size_t from, std::size_t to) {
  return line.size() < from ? std::string_view() : trimmed(line.substr(from - 1, to - from + 1));
}

class PdbReader {
 public:
  PdbReader(const SourceText& source, PdbFile& into) : source_(source), into_(into) {}

  void read() {
    const std::string_view all = source_.text();
    for (std::size_t from = 0; from < all.size();) {
      const std::size_t to = std::min(all.find('\n', from), all.size());
      offset_ = from;
      line_ = all.substr(from, to - from);
      from = to + 1;
      const std::string_view record = columns(line_, 1, 6);
      if (record == "ATOM" || record == "HETATM") read_atom();
      if (record == "CRYST1") read_box();
      if (record == "END" || record == "ENDMDL") break;
    }
    if (into_.atoms.empty()) throw source_.error("there is no line 'ATOM' or 'HETATM' with an atom in this PDB file");
  }

 private:
  double number(std::size_t from, std::size_t to, const char* what) const {
    const std::string_view text = columns(line_, from, to);
    const auto value = parse_number(text);
    if (!value || !std::isfinite(*value))
      throw source_.error(
          offset_, fmt::format("columns {} to {} must hold {}, a number, not '{}'", from, to, what, shortened(text)));
    return *value;
  }
  void read_atom() {
    PdbAtom atom{std::string(columns(line_, 13, 16)), {}, offset_};
    for (std::size_t k = 0; k < 3; ++k) atom.at[k] = number(31 + 8 * k, 38 + 8 * k, "a coordinate");
    into_.atoms.push_back(std::move(atom));
  }
  void read_box() {
    Box box;
    for (std::size_t k = 0; k < 3; ++k) box.length[k] = number(7 + 9 * k, 15 + 9 * k, "a length of the box");
    if (box.shortest() < least_box) return;
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::abs(number(34 + 7 * k, 40 + 7 * k, "an angle of the box") - 90) > 1e-6)
        throw source_.error(offset_, "the box is tilted; trill has rectangular boxes only");
      box.inverse[k] = 1 / box.length[k];
    }
    into_.box = box;
    into_.box_offset = offset_;
  }

  const SourceText& source_;
  PdbFile& into_;
  std::size_t offset_ = 0;
  std::string_view line_;
};
}  // namespace

PdbFile::PdbFile(const std::string& file, const std::string& text) : source(file, text) {
  PdbReader(source, *this).read();
}
}  // namespace trill
