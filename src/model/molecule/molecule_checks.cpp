// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_checks.hpp"

#include "model/molecule/bonded_forces.hpp"
#include "model/molecule/pair_list.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double most_stretch = 1.7, least_stretch = 0.5;  // of a bond at the start, in lengths at rest
constexpr double overlap = 0.5;                            // of sigma
constexpr double charges_overlap = 0.3;                    // A, for atoms without sigma

class MoleculeCompletion {
 public:
  MoleculeCompletion(Molecule& molecule, const MoleculePlaces& places) : m_(molecule), places_(places) {}
  void complete() {
    join_atoms();
    join_molecules();
    check_bond_lengths();
    find_special_pairs();
    check_box();
    check_overlaps();
  }

 private:
  void join_atoms();
  void join_molecules();
  void check_bond_lengths() const;
  void find_special_pairs();
  void check_box() const;
  void check_overlaps() const;
  void check_apart(int i, int j, const LennardJones& pair) const;

  Molecule& m_;
  const MoleculePlaces& places_;
  std::vector<std::vector<int>> joined_;  // atoms that share a bond
};

void MoleculeCompletion::join_atoms() {
  joined_.resize(m_.id.size());
  std::set<std::pair<int, int>> known;
  for (std::size_t b = 0; b < m_.bonds.size(); ++b) {
    const int i = m_.bonds[b].i, j = m_.bonds[b].j;
    if (!known.emplace(std::min(i, j), std::max(i, j)).second)
      throw places_.at_bond(b, fmt::format("atoms {} and {} are joined by a bond twice",
                                           m_.id[static_cast<std::size_t>(i)], m_.id[static_cast<std::size_t>(j)]));
    joined_[static_cast<std::size_t>(i)].push_back(j);
    joined_[static_cast<std::size_t>(j)].push_back(i);
  }
}

// Files may hold each atom in its own image of the box. The atoms of a molecule are moved next to each other, starting
// from the first of them, so that bonds need not look for images.
void MoleculeCompletion::join_molecules() {
  if (!m_.box.periodic()) return;
  std::vector<bool> placed(m_.id.size(), false);
  std::vector<int> open;
  for (int first = 0; first < m_.atoms(); ++first) {
    if (placed[static_cast<std::size_t>(first)]) continue;
    placed[static_cast<std::size_t>(first)] = true;
    open.assign(1, first);
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      for (const int j : joined_[static_cast<std::size_t>(i)]) {
        if (placed[static_cast<std::size_t>(j)]) continue;
        placed[static_cast<std::size_t>(j)] = true;
        for (int k = 0; k < 3; ++k)
          m_.start[3 * j + k] = m_.start[3 * i + k] + m_.box.nearest(k, m_.start[3 * j + k] - m_.start[3 * i + k]);
        open.push_back(j);
      }
    }
  }
}

void MoleculeCompletion::check_bond_lengths() const {
  for (std::size_t b = 0; b < m_.bonds.size(); ++b) {
    const BondTerm& bond = m_.bonds[b];
    const auto id = [&](int atom) { return m_.id[static_cast<std::size_t>(atom)]; };
    const double length = bond_length(bond, m_.start.data());
    double nearest = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = m_.box.nearest(k, m_.start[3 * bond.i + k] - m_.start[3 * bond.j + k]);
      nearest += d * d;
    }
    if (length > std::sqrt(nearest) * (1 + 1e-9) + 1e-9)
      throw places_.at_bond(b, fmt::format("the bond of atoms {} and {} joins a molecule to its own image "
                                           "across the box; trill cannot treat endless molecules",
                                           id(bond.i), id(bond.j)));
    if (length <= most_stretch * bond.length && length >= least_stretch * bond.length) continue;
    const bool scaled = length * 10 <= most_stretch * bond.length && length * 10 >= least_stretch * bond.length;
    throw places_.at_bond(
        b, fmt::format("the bond of atoms {} and {} is {:.4g} A long, but {:.4g} A at rest{}", id(bond.i), id(bond.j),
                       length, bond.length,
                       scaled ? "; are positions in nm? They must be in A"
                              : "; look at its atoms, at the box and at the units, which must be 'real'"));
  }
}

// Atoms one, two or three bonds apart. Factors for the first two are 0, as usual.
void MoleculeCompletion::find_special_pairs() {
  std::vector<int> reached, front, next;
  for (int i = 0; i < m_.atoms(); ++i) {
    reached.assign(1, i);
    front.assign(1, i);
    std::vector<SpecialPair> found;
    for (int distance = 1; distance <= 3; ++distance) {
      next.clear();
      for (const int a : front)
        for (const int b : joined_[static_cast<std::size_t>(a)]) {
          if (std::find(reached.begin(), reached.end(), b) != reached.end()) continue;
          reached.push_back(b);
          next.push_back(b);
          const bool last = distance == 3;
          if (b > i) found.push_back({i, b, last ? m_.settings.lj14 : 0, last ? m_.settings.coulomb14 : 0, last});
        }
      front.swap(next);
    }
    std::sort(found.begin(), found.end(), [](const SpecialPair& a, const SpecialPair& b) { return a.j < b.j; });
    for (const SpecialPair& pair : found)
      if (pair.lj != 1 || pair.coulomb != 1 || (pair.third && !m_.pairs14.empty())) m_.special.push_back(pair);
  }
}

void MoleculeCompletion::check_box() const {
  if (!m_.box.periodic() || m_.box.shortest() >= 2 * m_.settings.cutoff) return;
  throw places_.at_box(
      fmt::format("the box is {:.4g} A wide, less than twice the cut-off of {:g} A, so that "
                  "an atom would interact with two images of another; use --param cutoff={:.3g}, or a "
                  "larger box",
                  m_.box.shortest(), m_.settings.cutoff, std::floor(5 * m_.box.shortest()) / 10));
}

void MoleculeCompletion::check_overlaps() const {
  double reach = charges_overlap;
  for (const LennardJones& pair : m_.pairs) reach = std::max(reach, overlap * pair.sigma);
  std::vector<std::vector<int>> special(m_.id.size());
  for (const SpecialPair& pair : m_.special) special[static_cast<std::size_t>(pair.i)].push_back(pair.j);
  PairList near(m_.box, m_.atoms(), std::min(reach, m_.settings.cutoff), 0);
  near.leave_out(special);
  near.update(m_.start.data());
  for (int i = 0; i < m_.atoms(); ++i)
    for (int k = near.begin(i); k < near.end(i); ++k)
      check_apart(i, near.partners()[k], m_.pair(i, near.partners()[k]));
  for (const SpecialPair& pair : m_.special)
    if (pair.lj > 0 || pair.coulomb > 0) check_apart(pair.i, pair.j, m_.pair(pair));
}

void MoleculeCompletion::check_apart(int i, int j, const LennardJones& pair) const {
  double square = 0;
  for (int c = 0; c < 3; ++c) {
    const double d = m_.box.nearest(c, m_.start[3 * i + c] - m_.start[3 * j + c]);
    square += d * d;
  }
  const double least = pair.epsilon > 0 ? std::max(overlap * pair.sigma, charges_overlap) : charges_overlap;
  if (square >= least * least) return;
  throw places_.at_atom(
      j, fmt::format("atoms {} and {} overlap: they are {:.3g} A apart", m_.id[static_cast<std::size_t>(i)],
                     m_.id[static_cast<std::size_t>(j)], std::sqrt(square)));
}
}  // namespace

Coulomb coulomb_from(const std::string& word) {
  static const std::map<std::string, Coulomb, std::less<>> words{{"none", Coulomb::none},
                                                                 {"cut", Coulomb::cut},
                                                                 {"shifted", Coulomb::shifted},
                                                                 {"dsf", Coulomb::dsf},
                                                                 {"ewald", Coulomb::ewald}};
  return words.at(word);
}

void check_ewald(const Molecule& molecule, const SourceText& source) {
  if (molecule.coulomb != Coulomb::ewald) return;
  if (!molecule.box.periodic()) throw source.error("an Ewald sum needs a periodic box, and this file has no box");
  if (const double sum = molecule.charge.sum(); std::abs(sum) > 1e-6)
    throw source.error(fmt::format("an Ewald sum needs charges that add up to 0; these add up to {:.6g}", sum));
}

void complete_molecule(Molecule& molecule, const MoleculePlaces& places) {
  MoleculeCompletion(molecule, places).complete();
}
}  // namespace trill
