// SPDX-License-Identifier: BSD-3-Clause
// The bonds, angles and torsions of a LAMMPS data file.
#include "model/molecule/molecule_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double radian = std::numbers::pi / 180;
}  // namespace

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
}  // namespace trill
