// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/molecule/psf_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr long long most_in_psf = 1'000'000;

bool begins_section(const DataLine& line) {
  return std::any_of(line.words.begin(), line.words.end(), [](const DataWord& w) { return w.text.front() == '!'; });
}
}  // namespace

// Sections begin with lines such as "33 !NATOM". Those that trill does not need are passed over.
PsfFile::PsfFile(const std::string& file, const std::string& text) : LineSource(file, text) {
  std::size_t from = 0;
  const DataLine first = next_line(from, '\0');
  if (first.words.empty() || first.words.front().text != "PSF")
    throw source().error("a PSF file begins with a line 'PSF'");
  bool has_atoms = false;
  while (!at_end(from)) {
    const DataLine line = next_line(from, '\0');
    if (line.words.size() < 2 || line.words[1].text.front() != '!') continue;
    std::string_view name = line.words[1].text.substr(1);
    name = name.substr(0, name.find(':'));
    const long long count = integer(line, 0, "the number of lines or terms");
    if (count < 0 || count > most_in_psf)
      throw error(line, fmt::format("the number must be from 0 to {}, not {}", most_in_psf, count));
    if (name == "NTITLE") {
      if (count > 0) {
        std::size_t end = from;
        const DataLine remark = next_line(end, '\0');
        for (const DataWord& word : remark.words)
          if (word.text != "REMARKS") title += (title.empty() ? "" : " ") + std::string(word.text);
      }
    } else if (name == "NATOM") {
      read_atoms(from, line, count);
      has_atoms = true;
    } else if (name == "NBOND") {
      read_terms(from, line, count, 2, bonds);
    } else if (name == "NTHETA") {
      read_terms(from, line, count, 3, angles);
    } else if (name == "NPHI") {
      read_terms(from, line, count, 4, dihedrals);
    } else if (name == "NIMPHI") {
      read_terms(from, line, count, 4, impropers);
    } else if (name == "NCRTERM") {
      has_cross_terms = count > 0;
    }
  }
  if (!has_atoms || atoms.empty()) throw source().error("there is no section '!NATOM' with atoms in this PSF file");
}

void PsfFile::read_atoms(std::size_t& from, const DataLine& head, long long count) {
  if (!atoms.empty()) throw error(head, "the section '!NATOM' is there twice");
  while (static_cast<long long>(atoms.size()) < count) {
    if (at_end(from))
      throw error(head, fmt::format("there should be {} atoms, and the file ends after {}", count, atoms.size()));
    const DataLine line = next_line(from, '\0');
    if (line.words.empty()) continue;
    if (begins_section(line))
      throw error(head, fmt::format("there should be {} atoms, and there are {}", count, atoms.size()));
    // number, segment, number of the residue, residue, name, type, charge, mass
    if (line.words.size() < 8)
      throw error(line, fmt::format("expected 'number segment residue residue name type charge mass', and this line "
                                    "has {} words",
                                    line.words.size()));
    Atom atom;
    atom.offset = line.offset();
    atom.name = std::string(line.words[4].text);
    atom.type = std::string(line.words[5].text);
    if (parse_integer(atom.type))
      throw error(line, "the types of atoms are numbers; trill reads PSF files with names of types (X-PLOR format)");
    if (integer(line, 0, "the number of the atom") != static_cast<long long>(atoms.size()) + 1)
      throw error(line,
                  fmt::format("this should be atom {}, and it is numbered {}", atoms.size() + 1, line.words[0].text));
    atom.charge = number(line, 6, "the charge");
    atom.mass = number(line, 7, "the mass");
    if (!(atom.mass > 0)) throw error(line, fmt::format("the mass must be positive, not {}", atom.mass));
    std::transform(atom.type.begin(), atom.type.end(), atom.type.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    atoms.push_back(std::move(atom));
  }
}

void PsfFile::read_terms(std::size_t& from, const DataLine& head, long long count, std::size_t each,
                         std::vector<Term>& into) {
  std::size_t known = 0;
  Term term;
  while (static_cast<long long>(into.size()) < count) {
    if (at_end(from))
      throw error(head, fmt::format("there should be {} terms, and the file ends after {}", count, into.size()));
    const DataLine line = next_line(from, '\0');
    if (begins_section(line))
      throw error(head, fmt::format("there should be {} terms, and there are {}", count, into.size()));
    for (std::size_t k = 0; k < line.words.size(); ++k) {
      const long long atom = integer(line, k, "the number of an atom");
      if (atom < 1 || atom > static_cast<long long>(atoms.size()))
        throw source().error(line.words[k].offset,
                             fmt::format("there is no atom {}; the file has {}", atom, atoms.size()));
      if (known == 0) term.offset = line.words[k].offset;
      const auto end = term.atoms.begin() + static_cast<std::ptrdiff_t>(known);
      if (std::find(term.atoms.begin(), end, static_cast<int>(atom - 1)) != end)
        throw source().error(line.words[k].offset, fmt::format("this term names atom {} twice", atom));
      term.atoms[known++] = static_cast<int>(atom - 1);
      if (known < each) continue;
      if (static_cast<long long>(into.size()) == count)
        throw source().error(term.offset, fmt::format("there should be {} terms, and here is one more", count));
      into.push_back(term);
      known = 0;
    }
  }
  if (known > 0) throw source().error(term.offset, fmt::format("this term should have {} atoms", each));
}
}  // namespace trill
