// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/charmm_parameters.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double in_radians = std::numbers::pi / 180;
const std::string any = "X";  // stands for every type

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

// The same names the other way round are the same term: of the two, the smaller.
CharmmParameters::Names in_order(CharmmParameters::Names names) {
  CharmmParameters::Names turned(names.rbegin(), names.rend());
  return std::min(names, turned);
}

LennardJones from_minimum(double epsilon, double minimum) {
  return {std::abs(epsilon), minimum * std::pow(2.0, -1.0 / 6)};
}

template <class Table>
const typename Table::mapped_type* found_in(const Table& table, const typename Table::key_type& key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}
}  // namespace

// Reads one file into the tables.
class CharmmParameters::Reader final : public LineSource {
 public:
  Reader(const std::string& file, const std::string& text, CharmmParameters& into)
      : LineSource(file, text), into_(into) {}

  void read() {
    std::size_t from = 0;
    bool continued = false;
    while (!at_end(from)) {
      const DataLine line = next_line(from, '!');
      if (line.words.empty()) continue;
      const bool belongs_to_last = continued;
      continued = line.words.back().text == "-";
      if (belongs_to_last || line.words.front().text.front() == '*') continue;
      if (!begins_section(line)) take(line);
    }
  }

 private:
  enum class Section { none, bonds, angles, dihedrals, impropers, pairs, exceptions };

  bool begins_section(const DataLine& line) {
    const std::string word = upper(line.words.front().text);
    static const std::map<std::string, Section> sections{
        {"BOND", Section::bonds},      {"ANGL", Section::angles},   {"THET", Section::angles},
        {"DIHE", Section::dihedrals},  {"PHI", Section::dihedrals}, {"IMPR", Section::impropers},
        {"IMPH", Section::impropers},  {"NONB", Section::pairs},    {"NBON", Section::pairs},
        {"NBFI", Section::exceptions}, {"ATOM", Section::none},     {"MASS", Section::none},
        {"CMAP", Section::none},       {"HBON", Section::none},     {"END", Section::none},
        {"RETU", Section::none},       {"READ", Section::none}};
    // A name of a type may begin like a section, but then numbers follow.
    const bool alone = line.words.size() == 1 || word.size() >= 4;
    if (line.words.size() > 2 && parse_number(line.words.back().text) && word != "MASS" && !word.starts_with("NONB") &&
        !word.starts_with("NBON"))
      return false;
    const auto found = sections.find(word.substr(0, 4));
    if (found == sections.end() || !alone) return false;
    now_ = found->second;
    last_dihedral_.clear();
    return true;
  }

  Names names(const DataLine& line, std::size_t count) const {
    Names result;
    for (std::size_t k = 0; k < count && k < line.words.size(); ++k) result.push_back(upper(line.words[k].text));
    return in_order(result);
  }
  void need(const DataLine& line, std::size_t least, std::string_view form) const {
    if (line.words.size() < least)
      throw error(line, fmt::format("expected '{}', and this line has {} words", form, line.words.size()));
  }
  double value(const DataLine& line, std::size_t word) const { return number(line, word, "a parameter"); }

  void take(const DataLine& line) {
    switch (now_) {
      case Section::bonds:
        need(line, 4, "type type K length");
        into_.bonds_[names(line, 2)] = {2 * value(line, 2), value(line, 3)};
        return;
      case Section::angles: {
        need(line, 5, "type type type K angle");
        Angle angle{2 * value(line, 3), value(line, 4) * in_radians};
        if (line.words.size() >= 7) {
          angle.span_stiffness = 2 * value(line, 5);
          angle.span = value(line, 6);
        }
        into_.angles_[names(line, 3)] = angle;
        return;
      }
      case Section::dihedrals:
        return take_dihedral(line);
      case Section::impropers: {
        need(line, 7, "type type type type K n angle");
        const long long n = integer(line, 5, "the multiplicity");
        if (n < 0 || n > TorsionTerm::most_waves)
          throw error(line, fmt::format("the multiplicity must be from 0 to {}, not {}", TorsionTerm::most_waves, n));
        into_.impropers_[names(line, 4)] = {2 * value(line, 4), value(line, 6) * in_radians, static_cast<int>(n)};
        return;
      }
      case Section::pairs:
        return take_atom(line);
      case Section::exceptions:
        return take_exception(line);
      case Section::none:
        return;
    }
  }

  void take_dihedral(const DataLine& line) {
    need(line, 7, "type type type type K n phase");
    const Names key = names(line, 4);
    const long long n = integer(line, 5, "the multiplicity");
    if (n < 0 || n > TorsionTerm::most_waves)
      throw error(line, fmt::format("the multiplicity must be from 0 to {}, not {}", TorsionTerm::most_waves, n));
    std::vector<Wave>& waves = into_.dihedrals_[key];
    if (key != last_dihedral_) waves.clear();
    last_dihedral_ = key;
    waves.push_back({value(line, 4), value(line, 6) * in_radians, static_cast<int>(n)});
  }
  void take_atom(const DataLine& line) {
    if (line.words.size() < 4 || !parse_number(line.words[1].text)) return;  // the options of the title go on
    Atom atom;
    atom.pair = atom.pair14 = from_minimum(value(line, 2), 2 * value(line, 3));
    if (line.words.size() >= 7) {
      atom.pair14 = from_minimum(value(line, 5), 2 * value(line, 6));
      atom.has14 = true;
    }
    into_.atoms_[upper(line.words[0].text)] = atom;
  }
  void take_exception(const DataLine& line) {
    need(line, 4, "type type epsilon minimum");
    Exception exception;
    exception.pair = exception.pair14 = from_minimum(value(line, 2), value(line, 3));
    if (line.words.size() >= 6) exception.pair14 = from_minimum(value(line, 4), value(line, 5));
    into_.exceptions_[names(line, 2)] = exception;
  }

  CharmmParameters& into_;
  Section now_ = Section::none;
  Names last_dihedral_;
};

void CharmmParameters::read(const std::string& file, const std::string& text) { Reader(file, text, *this).read(); }

const CharmmParameters::Bond* CharmmParameters::bond(const Names& names) const {
  return found_in(bonds_, in_order(names));
}
const CharmmParameters::Angle* CharmmParameters::angle(const Names& names) const {
  return found_in(angles_, in_order(names));
}
const CharmmParameters::Atom* CharmmParameters::atom(const std::string& name) const { return found_in(atoms_, name); }

std::vector<CharmmParameters::Wave> CharmmParameters::dihedral(const Names& names) const {
  const auto* waves = found_in(dihedrals_, in_order(names));
  if (!waves) waves = found_in(dihedrals_, in_order({any, names[1], names[2], any}));
  return waves ? *waves : std::vector<Wave>();
}

// In the order in which CHARMM tries them.
const CharmmParameters::Improper* CharmmParameters::improper(const Names& n) const {
  for (const Names& tried : {n, Names{n[0], any, any, n[3]}, Names{any, n[1], n[2], n[3]}, Names{n[0], n[1], n[2], any},
                             Names{any, n[1], n[2], any}, Names{any, any, n[2], n[3]}, Names{n[0], n[1], any, any}})
    if (const Improper* found = found_in(impropers_, in_order(tried))) return found;
  return nullptr;
}

LennardJones CharmmParameters::mixed(const std::string& a, const std::string& b, bool third) const {
  if (const Exception* special = found_in(exceptions_, in_order({a, b})))
    return third ? special->pair14 : special->pair;
  const Atom &one = atoms_.at(a), &other = atoms_.at(b);
  const LennardJones &x = third ? one.pair14 : one.pair, &y = third ? other.pair14 : other.pair;
  return {std::sqrt(x.epsilon * y.epsilon), 0.5 * (x.sigma + y.sigma)};
}
}  // namespace trill
