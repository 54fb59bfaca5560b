// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/lammps_data.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double in_degrees = 180 / std::numbers::pi;

// The terms of one kind: each different line of coefficients is a type.
class LammpsTerms {
 public:
  void add(const std::string& coefficients, std::initializer_list<int> atoms) {
    const int next = static_cast<int>(types_.size()) + 1;
    const int type = types_.try_emplace(coefficients, next).first->second;
    if (type == next) coefficients_ += fmt::format("{} {}\n", type, coefficients);
    terms_ += fmt::format("{} {}", ++count_, type);
    for (const int atom : atoms) terms_ += fmt::format(" {}", atom + 1);
    terms_ += '\n';
  }
  bool empty() const { return count_ == 0; }
  std::string head(const char* noun) const {
    return empty() ? "" : fmt::format("{} {}s\n{} {} types\n", count_, noun, types_.size(), noun);
  }
  std::string sections(const char* title, const char* coefficients) const {
    return empty() ? "" : fmt::format("\n{} Coeffs\n\n{}\n{}\n\n{}", coefficients, coefficients_, title, terms_);
  }

 private:
  std::map<std::string, int> types_;
  std::string coefficients_, terms_;
  int count_ = 0;
};

LammpsTerms bonds_of(const Molecule& m, std::string& style) {
  LammpsTerms terms;
  for (const BondTerm& b : m.bonds) {
    const bool harmonic = b.form == BondTerm::Form::harmonic;
    style = harmonic ? "harmonic" : "morse";
    terms.add(harmonic ? fmt::format("{:.17g} {:.17g}", 0.5 * b.stiffness, b.length)
                       : fmt::format("{:.17g} {:.17g} {:.17g}", b.stiffness, b.alpha, b.length),
              {b.i, b.j});
  }
  return terms;
}

LammpsTerms angles_of(const Molecule& m, std::string& style) {
  LammpsTerms terms;
  std::map<std::pair<int, int>, const BondTerm*> spans;
  for (const BondTerm& span : m.spans) spans[{span.i, span.j}] = &span;
  style = m.angles.empty() ? "zero" : m.spans.empty() ? "harmonic" : "charmm";
  for (const AngleTerm& a : m.angles) {
    std::string coefficients = fmt::format("{:.17g} {:.17g}", 0.5 * a.stiffness, a.angle * in_degrees);
    if (!m.spans.empty()) {
      const auto span = spans.find({a.i, a.k});
      coefficients += span == spans.end()
                          ? " 0 1"
                          : fmt::format(" {:.17g} {:.17g}", 0.5 * span->second->stiffness, span->second->length);
    }
    terms.add(coefficients, {a.i, a.j, a.k});
  }
  return terms;
}

// Each wave is a term of its own: K (1 + cos(n phi - d)), of whole degrees d.
LammpsTerms torsions_of(const std::vector<TorsionTerm>& torsions, bool improper, std::string& style, double& constant) {
  LammpsTerms terms;
  for (const TorsionTerm& t : torsions) {
    if (t.harmonic) {
      if (style == "cvff") throw UsageError("forces=lammps: impropers of two forms cannot be mixed");
      style = "harmonic";
      terms.add(fmt::format("{:.17g} {:.17g}", 0.5 * t.stiffness, t.angle * in_degrees), {t.i, t.j, t.k, t.l});
      continue;
    }
    style = improper ? "cvff" : "charmm";
    constant += t.constant;
    for (int n = 1; n <= TorsionTerm::most_waves; ++n) {
      const double a = t.cosine[static_cast<std::size_t>(n - 1)], b = t.sine[static_cast<std::size_t>(n - 1)];
      if (a == 0 && b == 0) continue;
      const double angle = std::atan2(b, a) * in_degrees, whole = std::round(angle), size = std::hypot(a, b);
      const bool fits = std::abs(angle - whole) < 1e-7 && (!improper || whole == 0 || std::abs(whole) == 180);
      if (!fits)
        throw UsageError(
            fmt::format("forces=lammps: LAMMPS has no torsion with the phase {:.6g} degrees, which a {} of this "
                        "molecule has; use trill's own forces",
                        angle, improper ? "improper" : "dihedral"));
      constant -= size;
      terms.add(improper ? fmt::format("{:.17g} {} {}", size, whole == 0 ? 1 : -1, n)
                         : fmt::format("{:.17g} {} {:.0f} 0", size, n, whole),
                {t.i, t.j, t.k, t.l});
    }
  }
  return terms;
}

std::string atoms_of(const Molecule& m) {
  std::string text = "\nAtoms # full\n\n";
  for (int i = 0; i < m.atoms(); ++i)
    text += fmt::format("{} 1 {} {:.17g} {:.17g} {:.17g} {:.17g}\n", i + 1, m.type[static_cast<std::size_t>(i)] + 1,
                        m.charge[i], m.start[3 * i], m.start[3 * i + 1], m.start[3 * i + 2]);
  return text;
}

std::string masses_of(const Molecule& m) {
  std::vector<double> masses(static_cast<std::size_t>(m.types), 1);
  for (int i = 0; i < m.atoms(); ++i)
    masses[static_cast<std::size_t>(m.type[static_cast<std::size_t>(i)])] = m.mass[3 * i] / real_units::mass;
  std::string text = "\nMasses\n\n";
  for (std::size_t type = 0; type < masses.size(); ++type) text += fmt::format("{} {:.17g}\n", type + 1, masses[type]);
  return text;
}

std::string box_of(const Molecule& m) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    double low = m.box.origin[k], high = low + m.box.length[k];
    if (!m.box.periodic()) {
      // Shrinks to the atoms when LAMMPS reads it.
      low = high = m.start[axis];
      for (int i = 0; i < m.atoms(); ++i) {
        low = std::min(low, m.start[3 * i + axis] - 1);
        high = std::max(high, m.start[3 * i + axis] + 1);
      }
    }
    text += fmt::format("{0:.17g} {1:.17g} {2}lo {2}hi\n", low, high, "xyz"[axis]);
  }
  return text;
}
}  // namespace

LammpsData lammps_data_of(const Molecule& m) {
  LammpsData data;
  data.bond_style = data.angle_style = data.dihedral_style = data.improper_style = "zero";
  const LammpsTerms bonds = bonds_of(m, data.bond_style), angles = angles_of(m, data.angle_style);
  const LammpsTerms dihedrals =
      torsions_of(m.dihedrals, false, data.dihedral_style, data.constant[ForceProvider::dihedrals]);
  const LammpsTerms impropers =
      torsions_of(m.impropers, true, data.improper_style, data.constant[ForceProvider::impropers]);
  data.text = fmt::format("from trill\n\n{} atoms\n{} atom types\n", m.atoms(), m.types) + bonds.head("bond") +
              angles.head("angle") + dihedrals.head("dihedral") + impropers.head("improper") + box_of(m) +
              masses_of(m) + atoms_of(m) + bonds.sections("Bonds", "Bond") + angles.sections("Angles", "Angle") +
              dihedrals.sections("Dihedrals", "Dihedral") + impropers.sections("Impropers", "Improper");
  return data;
}
}  // namespace trill
