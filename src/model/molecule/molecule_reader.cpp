// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_reader.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double radian = std::numbers::pi / 180;
constexpr long long most_atoms = 1'000'000;
}  // namespace

Molecule MoleculeReader::read() {
  check_units();
  read_header();
  read_masses();
  read_atoms();
  read_velocities();
  read_bonds();
  join_molecules();
  check_bond_lengths();
  read_angles();
  read_torsions({"Dihedrals", "Dihedral Coeffs", "dihedral", 4}, m_.dihedrals);
  read_torsions({"Impropers", "Improper Coeffs", "improper", 4}, m_.impropers);
  read_pairs();
  choose_coulomb();
  find_special_pairs();
  check_box();
  check_overlaps();
  return std::move(m_);
}

// LAMMPS writes the name of its units into the first line.
void MoleculeReader::check_units() const {
  const std::string_view title = file_.title();
  const auto at = title.find("units");
  if (at == std::string_view::npos) return;
  auto from = title.find_first_not_of(" =", at + 5);
  if (from == std::string_view::npos) return;
  const std::string_view units = title.substr(from, title.find_first_of(" ,\r", from) - from);
  if (units != "real")
    throw file_.source().error(from, fmt::format("the units of this file are '{}'; trill reads files in the units "
                                                 "'real' (A, fs, kcal/mol, g/mol)",
                                                 shortened(units)));
}

void MoleculeReader::read_header() {
  static const std::vector<std::string> known{"atoms",          "bonds",         "angles",     "dihedrals",
                                              "impropers",      "atom types",    "bond types", "angle types",
                                              "dihedral types", "improper types"};
  for (const DataLine& line : file_.header()) {
    const std::string_view last = line.words.back().text;
    if (last == "xhi" || last == "yhi" || last == "zhi") {
      file_.expect(line, 4, fmt::format("low high {}lo {}hi", last[0], last[0]));
      const auto axis = static_cast<std::size_t>(last[0] - 'x');
      const double low = file_.number(line, 0, "the lower end of the box"),
                   high = file_.number(line, 1, "the upper end of the box");
      if (!(high > low)) throw file_.error(line, "the upper end of the box must be above the lower one");
      m_.box.origin[axis] = low;
      m_.box.length[axis] = high - low;
      m_.box.inverse[axis] = 1 / (high - low);
      box_line_ = &line;
    } else if (last == "yz") {
      for (std::size_t k = 0; k < 3; ++k)
        if (file_.number(line, k, "a tilt of the box") != 0)
          throw file_.error(line, "the box is tilted; trill has rectangular boxes only");
    } else if (line.words.size() >= 2 && line.words[1].text != "extra") {
      std::string what;
      for (std::size_t k = 1; k < line.words.size(); ++k) what += (k > 1 ? " " : "") + std::string(line.words[k].text);
      if (std::find(known.begin(), known.end(), what) == known.end())
        throw file_.error(line, fmt::format("trill does not know '{}' in the head of a data file{}", shortened(what),
                                            suggest(what, known)));
      counts_[what] = {file_.integer(line, 0, "the number of " + what), &line};
    }
  }
  if (box_line_)
    for (std::size_t k = 0; k < 3; ++k)
      if (m_.box.length[k] == 0)
        throw file_.error(*box_line_, fmt::format("the box has no line '{0}lo {0}hi'", "xyz"[k]));
  if (count_of("atoms") < 1 || count_of("atoms") > most_atoms)
    throw file_.source().error(
        fmt::format("a data file states its number of atoms, from 1 to {}, in a line such as '648 atoms'", most_atoms));
}

long long MoleculeReader::count_of(std::string_view what) const {
  const auto found = counts_.find(what);
  return found == counts_.end() ? 0 : found->second.first;
}

void MoleculeReader::check_count(const DataSection& section, std::string_view what) const {
  const auto stated = counts_.find(what);
  const auto lines = static_cast<long long>(section.lines.size());
  if (stated == counts_.end() ? lines > 0 : stated->second.first != lines)
    throw file_.error(stated == counts_.end() ? section.title : *stated->second.second,
                      fmt::format("the head says {} {}, but there are {} lines of them", count_of(what), what, lines));
}

int MoleculeReader::type_of(const DataLine& line, std::size_t word, std::string_view what, long long most) const {
  const long long type = file_.integer(line, word, what);
  if (type < 1 || type > most)
    throw file_.source().error(line.words[word].offset,
                               fmt::format("{} is {}, but the head says that there are {}", what, type, most));
  return static_cast<int>(type - 1);
}

void MoleculeReader::read_masses() {
  m_.types = static_cast<int>(std::min(count_of("atom types"), most_atoms));
  type_mass_.assign(static_cast<std::size_t>(m_.types), 0);
  for (const DataLine& line : file_.section("Masses", "the mass of each type of atoms").lines) {
    const int type = type_of(line, 0, "the type of atoms", m_.types);
    const double mass = file_.number(line, 1, "the mass");
    if (!(mass > 0)) throw file_.error(line, fmt::format("the mass must be positive, not {}", mass));
    type_mass_[static_cast<std::size_t>(type)] = mass;
  }
}

// Without a comment such as "Atoms # full" the number of columns says it, where it can.
std::string MoleculeReader::atom_style(const DataSection& atoms) const {
  const std::string_view stated = atoms.title.comment;
  if (stated == "bond" || stated == "angle") return "molecular";
  if (stated == "full" || stated == "molecular" || stated == "charge" || stated == "atomic") return std::string(stated);
  if (!stated.empty())
    throw file_.error(atoms.title, fmt::format("trill does not know atoms of the style '{}'; it reads full, molecular, "
                                               "charge and atomic",
                                               shortened(stated)));
  const std::size_t columns = atoms.lines.empty() ? 0 : atoms.lines.front().words.size();
  if (columns == 7 || columns == 10) return "full";
  throw file_.error(atoms.title,
                    "write which columns the atoms have, as in 'Atoms # full' (full, molecular, charge or "
                    "atomic)");
}

void MoleculeReader::read_atoms() {
  const DataSection& section = file_.section("Atoms", "where the atoms are");
  check_count(section, "atoms");
  const std::string style = atom_style(section);
  const bool has_molecule = style == "full" || style == "molecular", has_charge = style == "full" || style == "charge";
  const std::size_t type_at = has_molecule ? 2 : 1, charge_at = type_at + 1, x_at = charge_at + (has_charge ? 1 : 0);
  const auto n = static_cast<Index>(section.lines.size());
  m_.mass = m_.start = m_.velocity = Vec::Zero(3 * n);
  m_.charge = Vec::Zero(n);
  Index i = 0;
  for (const DataLine& line : section.lines) {
    const bool images = line.words.size() == x_at + 6;
    if (!images && line.words.size() != x_at + 3)
      throw file_.error(line, fmt::format("an atom of the style {} has {} columns, or {} with image flags; this line "
                                          "has {}",
                                          style, x_at + 3, x_at + 6, line.words.size()));
    const long long id = file_.integer(line, 0, "the number of the atom");
    if (!by_id_.emplace(id, static_cast<int>(i)).second)
      throw file_.error(line, fmt::format("atom {} is there twice", id));
    const int type = type_of(line, type_at, "the type of the atom", m_.types);
    const double mass = type_mass_[static_cast<std::size_t>(type)];
    if (mass == 0) throw file_.error(line, fmt::format("atom type {} has no line in 'Masses'", type + 1));
    m_.id.push_back(id);
    m_.type.push_back(type);
    atom_line_.push_back(&line);
    if (has_charge) m_.charge[i] = file_.number(line, charge_at, "the charge");
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = 3 * i + static_cast<Index>(k);
      m_.mass[at] = mass * real_units::mass;
      m_.start[at] = file_.number(line, x_at + k, "a coordinate");
      if (images)
        m_.start[at] +=
            m_.box.length[k] * static_cast<double>(file_.integer(line, x_at + 3 + k, "the number of an image"));
    }
    ++i;
  }
}

int MoleculeReader::atom(const DataLine& line, std::size_t word) const {
  const long long id = file_.integer(line, word, "the number of an atom");
  const auto found = by_id_.find(id);
  if (found == by_id_.end())
    throw file_.source().error(line.words[word].offset, fmt::format("there is no atom {} in 'Atoms'", id));
  return found->second;
}

void MoleculeReader::read_velocities() {
  const DataSection* section = file_.find("Velocities");
  if (!section) return;
  for (const DataLine& line : section->lines) {
    file_.expect(line, 4, "atom vx vy vz");
    const Index i = atom(line, 0);
    for (std::size_t k = 0; k < 3; ++k)
      m_.velocity[3 * i + static_cast<Index>(k)] = file_.number(line, 1 + k, "a velocity");
  }
}

MoleculeReader::Coefficients MoleculeReader::coefficients_of(const Terms& terms) const {
  Coefficients all;
  if (const DataSection* section = file_.find(terms.coefficients))
    for (const DataLine& line : section->lines) {
      const std::string what = fmt::format("the type of {}s", terms.noun);
      all[1 + type_of(line, 0, what, count_of(fmt::format("{} types", terms.noun)))] = &line;
    }
  return all;
}

std::string MoleculeReader::style_of(const Terms& terms, std::string_view usual) const {
  const DataSection* section = file_.find(terms.coefficients);
  if (!section) return std::string(usual);
  if (!section->title.comment.empty()) return std::string(section->title.comment);
  if (usual.empty())
    throw file_.error(section->title, fmt::format("write which form the {0}s have, as in '{1} # {2}'", terms.noun,
                                                  terms.coefficients, terms.noun == "improper" ? "harmonic" : "opls"));
  return std::string(usual);
}

template <class Make>
void MoleculeReader::each_term(const Terms& terms, Make make) {
  const DataSection* section = file_.find(terms.section);
  if (!section) {
    if (count_of(fmt::format("{}s", terms.noun)) > 0)
      file_.section(terms.section, fmt::format("which atoms the {}s join", terms.noun));
    return;
  }
  check_count(*section, fmt::format("{}s", terms.noun));
  const Coefficients coefficients = coefficients_of(terms);
  for (const DataLine& line : section->lines) {
    file_.expect(line, 2 + terms.atoms,
                 terms.atoms == 2   ? "number type atom atom"
                 : terms.atoms == 3 ? "number type atom atom atom"
                                    : "number type atom atom atom atom");
    const long long type = file_.integer(line, 1, fmt::format("the type of the {}", terms.noun));
    const auto found = coefficients.find(type);
    if (found == coefficients.end())
      throw file_.source().error(line.words[1].offset,
                                 fmt::format("{} type {} has no line in '{}'", terms.noun, type, terms.coefficients));
    std::array<int, 4> atoms{};
    for (std::size_t k = 0; k < terms.atoms; ++k) {
      atoms[k] = atom(line, 2 + k);
      if (std::find(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(k), atoms[k]) !=
          atoms.begin() + static_cast<std::ptrdiff_t>(k))
        throw file_.error(line, fmt::format("this {} names atom {} twice", terms.noun, m_.id[atoms[k]]));
    }
    make(line, static_cast<int>(type - 1), atoms, *found->second);
  }
}

void MoleculeReader::read_bonds() {
  const Terms terms{"Bonds", "Bond Coeffs", "bond", 2};
  const std::string style = style_of(terms, "harmonic");
  if (style != "harmonic" && style != "morse")
    throw file_.error(
        file_.find(terms.coefficients)->title,
        fmt::format("trill does not know bonds of the form '{}'; it has harmonic and morse", shortened(style)));
  joined_.resize(m_.id.size());
  each_term(terms, [&](const DataLine& line, int type, const std::array<int, 4>& a, const DataLine& c) {
    BondTerm bond{BondTerm::Form::harmonic, a[0], a[1], type};
    if (style == "harmonic") {
      file_.expect(c, 3, "type K r0");
      bond.stiffness = 2 * file_.number(c, 1, "the stiffness");
      bond.length = file_.number(c, 2, "the length");
    } else {
      file_.expect(c, 4, "type D alpha r0");
      bond.form = BondTerm::Form::morse;
      bond.stiffness = file_.number(c, 1, "the depth");
      bond.alpha = file_.number(c, 2, "alpha");
      bond.length = file_.number(c, 3, "the length");
    }
    if (!(bond.stiffness >= 0 && bond.length > 0))
      throw file_.error(c, "the length of a bond must be positive and its stiffness must not be negative");
    m_.bonds.push_back(bond);
    bond_line_.push_back(&line);
    joined_[static_cast<std::size_t>(a[0])].push_back(a[1]);
    joined_[static_cast<std::size_t>(a[1])].push_back(a[0]);
  });
}

void MoleculeReader::read_angles() {
  const Terms terms{"Angles", "Angle Coeffs", "angle", 3};
  const std::string style = style_of(terms, "harmonic");
  if (style != "harmonic" && style != "charmm")
    throw file_.error(
        file_.find(terms.coefficients)->title,
        fmt::format("trill does not know angles of the form '{}'; it has harmonic and charmm", shortened(style)));
  each_term(terms, [&](const DataLine&, int type, const std::array<int, 4>& a, const DataLine& c) {
    file_.expect(c, style == "harmonic" ? 3 : 5, style == "harmonic" ? "type K theta0" : "type K theta0 K_ub r_ub");
    AngleTerm angle{
        a[0], a[1], a[2], type, 2 * file_.number(c, 1, "the stiffness"), radian * file_.number(c, 2, "the angle")};
    if (!(angle.stiffness >= 0 && angle.angle > 0 && angle.angle <= std::numbers::pi))
      throw file_.error(c, "an angle must be above 0 and at most 180 degrees, and its stiffness must not be negative");
    m_.angles.push_back(angle);
    if (style == "harmonic") return;
    const double stiffness = 2 * file_.number(c, 3, "the Urey-Bradley stiffness");
    if (stiffness != 0)
      m_.spans.push_back({BondTerm::Form::harmonic, a[0], a[2], 0, stiffness, file_.number(c, 4, "its length"), 0});
  });
}

void MoleculeReader::read_torsions(const Terms& terms, std::vector<TorsionTerm>& into) {
  if (!file_.find(terms.section) && count_of(fmt::format("{}s", terms.noun)) == 0) return;
  const bool improper = terms.noun == "improper";
  std::string style = style_of(terms, "");
  if (improper && style == "harmonic") style = "improper harmonic";
  if (improper && style == "cvff") style = "harmonic";
  const std::vector<std::string> known = improper
                                             ? std::vector<std::string>{"improper harmonic", "harmonic"}
                                             : std::vector<std::string>{"harmonic", "charmm", "opls", "multi/harmonic"};
  if (std::find(known.begin(), known.end(), style) == known.end())
    throw file_.error(file_.find(terms.coefficients)->title,
                      fmt::format("trill does not know {}s of the form '{}'; it has {}", terms.noun, shortened(style),
                                  improper ? "harmonic and cvff" : "harmonic, charmm, opls and multi/harmonic"));
  each_term(terms, [&](const DataLine&, int, const std::array<int, 4>& a, const DataLine& c) {
    TorsionTerm term = torsion(style, c);
    term.i = a[0];
    term.j = a[1];
    term.k = a[2];
    term.l = a[3];
    into.push_back(term);
  });
}

// All forms but one are sums of waves of the torsion angle.
TorsionTerm MoleculeReader::torsion(const std::string& style, const DataLine& c) const {
  TorsionTerm term;
  const auto wave = [&](long long n, double size, double phase) {
    if (n < 0 || n > TorsionTerm::most_waves)
      throw file_.error(c, fmt::format("the multiplicity must be from 0 to {}, not {}", TorsionTerm::most_waves, n));
    if (n == 0) {
      term.constant += size * std::cos(phase);
      return;
    }
    term.cosine[static_cast<std::size_t>(n - 1)] += size * std::cos(phase);
    term.sine[static_cast<std::size_t>(n - 1)] += size * std::sin(phase);
  };
  const auto value = [&](std::size_t k) { return file_.number(c, k, fmt::format("coefficient {}", k)); };
  if (style == "improper harmonic") {
    file_.expect(c, 3, "type K chi0");
    term.harmonic = true;
    term.stiffness = 2 * value(1);
    term.angle = radian * value(2);
  } else if (style == "harmonic") {
    file_.expect(c, 4, "type K d n");
    const double size = value(1), sign = value(2);
    if (sign != 1 && sign != -1) throw file_.error(c, fmt::format("the sign d must be 1 or -1, not {}", sign));
    term.constant = size;
    wave(file_.integer(c, 3, "the multiplicity"), size * sign, 0);
  } else if (style == "charmm") {
    file_.expect(c, 5, "type K n d weight");
    if (value(4) != 0)
      throw file_.error(c, "the weight must be 0; state the 1-4 factors by --param lj14=... and --param coulomb14=...");
    term.constant = value(1);
    wave(file_.integer(c, 2, "the multiplicity"), value(1), radian * value(3));
  } else if (style == "opls") {
    file_.expect(c, 5, "type K1 K2 K3 K4");
    for (std::size_t n = 1; n <= 4; ++n) {
      term.constant += 0.5 * value(n);
      term.cosine[n - 1] = (n % 2 == 1 ? 0.5 : -0.5) * value(n);
    }
  } else {
    // Powers of the cosine as waves.
    file_.expect(c, 6, "type A1 A2 A3 A4 A5");
    term.constant = value(1) + value(3) / 2 + 3 * value(5) / 8;
    term.cosine[0] = value(2) + 3 * value(4) / 4;
    term.cosine[1] = value(3) / 2 + value(5) / 2;
    term.cosine[2] = value(4) / 4;
    term.cosine[3] = value(5) / 8;
  }
  return term;
}

void MoleculeReader::read_pair_cutoff(const DataLine& line, std::size_t word) {
  if (line.words.size() <= word || m_.settings.names_cutoff) return;
  const double cutoff = file_.number(line, word, "the cut-off");
  if (cutoff_in_file_ && cutoff != m_.settings.cutoff)
    throw file_.error(line, fmt::format("the cut-off is {} here and {} above; trill has one for all pairs", cutoff,
                                        m_.settings.cutoff));
  if (!(cutoff > 0)) throw file_.error(line, "the cut-off must be positive");
  m_.settings.cutoff = cutoff;
  cutoff_in_file_ = true;
}

void MoleculeReader::read_pairs() {
  const auto n = static_cast<std::size_t>(m_.types);
  m_.pairs.assign(n * n, {});
  std::vector<bool> given(n * n, false);
  const auto read = [&](const DataLine& line, std::size_t at) {
    const LennardJones pair{file_.number(line, at, "epsilon"), file_.number(line, at + 1, "sigma")};
    if (!(pair.epsilon >= 0 && pair.sigma >= 0)) throw file_.error(line, "epsilon and sigma must not be negative");
    read_pair_cutoff(line, at + 2);
    return pair;
  };
  if (const DataSection* section = file_.find("Pair Coeffs")) {
    for (const DataLine& line : section->lines) {
      const auto i = static_cast<std::size_t>(type_of(line, 0, "the type of atoms", m_.types));
      m_.pairs[i * n + i] = read(line, 1);
      given[i * n + i] = true;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || !given[i * n + i] || !given[j * n + j]) continue;
        const LennardJones &a = m_.pairs[i * n + i], &b = m_.pairs[j * n + j];
        const double sigma =
            m_.settings.mixing == "arithmetic" ? 0.5 * (a.sigma + b.sigma) : std::sqrt(a.sigma * b.sigma);
        m_.pairs[i * n + j] = {std::sqrt(a.epsilon * b.epsilon), sigma};
        given[i * n + j] = true;
      }
  }
  if (const DataSection* section = file_.find("PairIJ Coeffs"))
    for (const DataLine& line : section->lines) {
      const auto i = static_cast<std::size_t>(type_of(line, 0, "the type of atoms", m_.types)),
                 j = static_cast<std::size_t>(type_of(line, 1, "the type of atoms", m_.types));
      m_.pairs[i * n + j] = m_.pairs[j * n + i] = read(line, 2);
      given[i * n + j] = given[j * n + i] = true;
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (!given[i * n + j])
        throw file_.source().error(
            fmt::format("atom types {} and {} have no Lennard-Jones coefficients: a line is "
                        "missing in 'Pair Coeffs' or 'PairIJ Coeffs'",
                        i + 1, j + 1));
}

// Where the file names the form of its pairs, that says how charges are treated.
void MoleculeReader::choose_coulomb() {
  static const std::map<std::string, Coulomb, std::less<>> words{{"none", Coulomb::none},
                                                                 {"cut", Coulomb::cut},
                                                                 {"shifted", Coulomb::shifted},
                                                                 {"dsf", Coulomb::dsf},
                                                                 {"ewald", Coulomb::ewald}};
  if (m_.charge.isZero()) return;
  if (m_.settings.coulomb != "file") {
    m_.coulomb = words.at(m_.settings.coulomb);
  } else {
    const DataSection* section = file_.find("Pair Coeffs");
    if (!section) section = file_.find("PairIJ Coeffs");
    const std::string_view style = section ? section->title.comment : "";
    m_.coulomb = style.ends_with("coul/long")  ? Coulomb::ewald
                 : style.ends_with("coul/cut") ? Coulomb::cut
                                               : Coulomb::dsf;
  }
  if (m_.coulomb != Coulomb::ewald) return;
  if (!m_.box.periodic()) throw file_.source().error("an Ewald sum needs a periodic box, and this file has no box");
  if (const double sum = m_.charge.sum(); std::abs(sum) > 1e-6)
    throw file_.source().error(fmt::format("an Ewald sum needs charges that add up to 0; these add up to {:.6g}", sum));
}
}  // namespace trill
