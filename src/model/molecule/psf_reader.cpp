// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/psf_reader.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
class PsfAssembly final : private MoleculePlaces {
 public:
  PsfAssembly(const PsfFile& psf, const PdbFile& pdb, const CharmmParameters& parameters)
      : psf_(psf), pdb_(pdb), parameters_(parameters) {}

  Molecule assemble(const MoleculeSettings& settings) {
    m_.settings = settings;
    m_.box = pdb_.box;
    take_atoms();
    take_pairs();
    take_bonds();
    take_angles();
    take_dihedrals();
    take_impropers();
    choose_coulomb();
    complete_molecule(m_, *this);
    return std::move(m_);
  }

 private:
  using Names = CharmmParameters::Names;
  ModelError at_atom(int atom, std::string_view message) const override {
    return pdb_.source.error(pdb_.atoms[static_cast<std::size_t>(atom)].offset, message);
  }
  ModelError at_bond(std::size_t bond, std::string_view message) const override {
    return psf_.source().error(psf_.bonds[bond].offset, message);
  }
  ModelError at_box(std::string_view message) const override { return pdb_.source.error(pdb_.box_offset, message); }

  const PsfFile::Atom& atom(int i) const { return psf_.atoms[static_cast<std::size_t>(i)]; }
  Names names_of(const PsfFile::Term& term, std::size_t count) const {
    Names names;
    for (std::size_t k = 0; k < count; ++k) names.push_back(atom(term.atoms[k]).type);
    return names;
  }
  ModelError missing(const PsfFile::Term& term, const char* noun, const Names& names) const {
    std::vector<std::string> atoms;
    for (std::size_t k = 0; k < names.size(); ++k) atoms.push_back(std::to_string(term.atoms[k] + 1));
    return psf_.source().error(term.offset,
                               fmt::format("the parameters have no {} of the types {}, which atoms {} have", noun,
                                           join(names, " "), join(atoms, ", ")));
  }

  void take_atoms() {
    if (psf_.atoms.size() != pdb_.atoms.size())
      throw pdb_.source.error(fmt::format("there are {} atoms here and {} in {}", pdb_.atoms.size(), psf_.atoms.size(),
                                          psf_.source().file()));
    const auto n = static_cast<Index>(psf_.atoms.size());
    m_.mass = m_.start = m_.velocity = Vec::Zero(3 * n);
    m_.charge = Vec::Zero(n);
    std::map<std::string, int> types;
    for (Index i = 0; i < n; ++i) {
      const PsfFile::Atom& atom = psf_.atoms[static_cast<std::size_t>(i)];
      const PdbAtom& place = pdb_.atoms[static_cast<std::size_t>(i)];
      if (!place.name.empty() && place.name != atom.name)
        throw pdb_.source.error(place.offset, fmt::format("atom {} is called {} here and {} in {}", i + 1, place.name,
                                                          atom.name, psf_.source().file()));
      if (!parameters_.atom(atom.type))
        throw psf_.source().error(atom.offset, fmt::format("the parameters have no line for the type {} of atom {} in "
                                                           "'NONBONDED'",
                                                           atom.type, i + 1));
      const auto [known, is_new] = types.try_emplace(atom.type, static_cast<int>(types.size()));
      if (is_new) type_names_.push_back(atom.type);
      m_.id.push_back(i + 1);
      m_.type.push_back(known->second);
      m_.elements.push_back(element_of(atom.mass));
      m_.charge[i] = atom.charge;
      for (int k = 0; k < 3; ++k) {
        m_.mass[3 * i + k] = atom.mass * real_units::mass;
        m_.start[3 * i + k] = place.at[static_cast<std::size_t>(k)];
      }
    }
    m_.types = static_cast<int>(types.size());
  }

  void take_pairs() {
    bool differs = false;
    for (const std::string& a : type_names_)
      for (const std::string& b : type_names_) {
        const LennardJones pair = parameters_.mixed(a, b, false), third = parameters_.mixed(a, b, true);
        m_.pairs.push_back(pair);
        m_.pairs14.push_back(third);
        differs = differs || pair.epsilon != third.epsilon || pair.sigma != third.sigma;
      }
    if (!differs) m_.pairs14.clear();
  }

  void take_bonds() {
    std::map<const CharmmParameters::Bond*, int> types;
    for (const PsfFile::Term& term : psf_.bonds) {
      const Names names = names_of(term, 2);
      const CharmmParameters::Bond* found = parameters_.bond(names);
      if (!found) throw missing(term, "bond", names);
      if (!(found->length > 0 && found->stiffness >= 0))
        throw psf_.source().error(term.offset, fmt::format("the parameters give this bond the length {} and the "
                                                           "stiffness {}",
                                                           found->length, found->stiffness / 2));
      const int type = types.try_emplace(found, static_cast<int>(types.size())).first->second;
      m_.bonds.push_back(
          {BondTerm::Form::harmonic, term.atoms[0], term.atoms[1], type, found->stiffness, found->length, 0});
    }
  }

  void take_angles() {
    std::map<const CharmmParameters::Angle*, int> types;
    for (const PsfFile::Term& term : psf_.angles) {
      const Names names = names_of(term, 3);
      const CharmmParameters::Angle* found = parameters_.angle(names);
      if (!found) throw missing(term, "angle", names);
      if (!(found->angle > 0 && found->angle <= std::numbers::pi * (1 + 1e-12)))
        throw psf_.source().error(term.offset, "the parameters give this angle no value between 0 and 180 degrees");
      const int type = types.try_emplace(found, static_cast<int>(types.size())).first->second;
      m_.angles.push_back({term.atoms[0], term.atoms[1], term.atoms[2], type, found->stiffness, found->angle});
      if (found->span_stiffness != 0)
        m_.spans.push_back(
            {BondTerm::Form::harmonic, term.atoms[0], term.atoms[2], 0, found->span_stiffness, found->span, 0});
    }
  }

  static TorsionTerm torsion_on(const PsfFile::Term& term) {
    TorsionTerm torsion;
    torsion.i = term.atoms[0];
    torsion.j = term.atoms[1];
    torsion.k = term.atoms[2];
    torsion.l = term.atoms[3];
    return torsion;
  }
  static void add_wave(TorsionTerm& torsion, double size, int n, double phase) {
    torsion.constant += size;
    if (n == 0) {
      torsion.constant += size * std::cos(phase);
      return;
    }
    torsion.cosine[static_cast<std::size_t>(n - 1)] += size * std::cos(phase);
    // A phase of 180 degrees has no sine, whatever rounding says.
    if (std::abs(std::sin(phase)) > 1e-12) torsion.sine[static_cast<std::size_t>(n - 1)] += size * std::sin(phase);
  }

  // X-PLOR writes a dihedral again for each of its waves, CHARMM once.
  void take_dihedrals() {
    const PsfFile::Term* last = nullptr;
    for (const PsfFile::Term& term : psf_.dihedrals) {
      if (last && last->atoms == term.atoms) continue;
      last = &term;
      const Names names = names_of(term, 4);
      const auto waves = parameters_.dihedral(names);
      if (waves.empty()) throw missing(term, "dihedral", names);
      TorsionTerm torsion = torsion_on(term);
      for (const CharmmParameters::Wave& wave : waves) add_wave(torsion, wave.size, wave.n, wave.phase);
      m_.dihedrals.push_back(torsion);
    }
  }

  void take_impropers() {
    for (const PsfFile::Term& term : psf_.impropers) {
      const Names names = names_of(term, 4);
      const CharmmParameters::Improper* found = parameters_.improper(names);
      if (!found) throw missing(term, "improper", names);
      TorsionTerm torsion = torsion_on(term);
      if (found->n > 0) {
        add_wave(torsion, found->stiffness / 2, found->n, found->angle);
      } else {
        const double turns = std::abs(found->angle) / std::numbers::pi;
        if (turns > 1e-9 && std::abs(turns - 1) > 1e-9)
          throw psf_.source().error(term.offset,
                                    "trill has harmonic impropers at 0 and 180 degrees only, and the "
                                    "parameters give this one another angle");
        torsion.harmonic = true;
        torsion.stiffness = found->stiffness;
        torsion.angle = std::abs(found->angle);
      }
      m_.impropers.push_back(torsion);
    }
  }

  void choose_coulomb() {
    if (m_.charge.isZero()) return;
    const std::string& asked = m_.settings.coulomb;
    m_.coulomb = asked == "file" ? (m_.box.periodic() ? Coulomb::ewald : Coulomb::cut) : coulomb_from(asked);
    check_ewald(m_, psf_.source());
  }

  const PsfFile& psf_;
  const PdbFile& pdb_;
  const CharmmParameters& parameters_;
  Molecule m_;
  std::vector<std::string> type_names_;
};
}  // namespace

Molecule molecule_of(const PsfFile& psf, const PdbFile& pdb, const CharmmParameters& parameters,
                     const MoleculeSettings& settings) {
  return PsfAssembly(psf, pdb, parameters).assemble(settings);
}
}  // namespace trill
