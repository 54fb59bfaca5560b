// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_checks.hpp"

#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace trill {
namespace {
struct Centre {
  std::set<int> neighbours;
  int angles = 0;
  double sum = 0;  // of the angles at rest
};

constexpr const char* remedy = "use --set constraints=bonds";

// The atoms that bonds join, each with the first atom of its molecule.
std::vector<int> firsts_of(const Molecule& m) {
  std::vector<int> first(static_cast<std::size_t>(m.atoms()));
  std::iota(first.begin(), first.end(), 0);
  const auto find = [&](int atom) {
    while (first[static_cast<std::size_t>(atom)] != atom) atom = first[static_cast<std::size_t>(atom)];
    return atom;
  };
  for (const BondTerm& bond : m.bonds) {
    const int a = find(bond.i), b = find(bond.j);
    first[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  for (int atom = 0; atom < m.atoms(); ++atom) first[static_cast<std::size_t>(atom)] = find(atom);
  return first;
}

// The shape of n atoms is given by 3 n - 6 numbers. Rings have too many bonds and angles for that.
std::string too_many_in_a_molecule(const Molecule& m) {
  struct Count {
    int atoms = 0, bonds = 0, angles = 0;
  };
  const std::vector<int> first = firsts_of(m);
  std::map<int, Count> molecules;
  const auto of = [&](int atom) -> Count& { return molecules[first[static_cast<std::size_t>(atom)]]; };
  for (int atom = 0; atom < m.atoms(); ++atom) ++of(atom).atoms;
  for (const BondTerm& bond : m.bonds) ++of(bond.i).bonds;
  for (const AngleTerm& angle : m.angles) ++of(angle.j).angles;
  for (const auto& [atom, count] : molecules)
    if (count.atoms > 2 && count.bonds + count.angles > 3 * count.atoms - 6)
      return fmt::format(
          "the molecule of {} atoms that begins with atom {} has {} bonds and {} angles, but {} numbers give its "
          "shape, so that bonds and angles cannot all be rigid; {}",
          count.atoms, m.id[static_cast<std::size_t>(atom)], count.bonds, count.angles, 3 * count.atoms - 6, remedy);
  return "";
}
}  // namespace

// The directions of n bonds at an atom are given by 2 n - 3 angles, and three angles in a plane depend on each other.
std::string over_determined_angles(const Molecule& m) {
  constexpr double full_turn = 359.5 * std::numbers::pi / 180;
  const auto id = [&](int atom) { return m.id[static_cast<std::size_t>(atom)]; };
  if (!m.spans.empty())
    return fmt::format(
        "the Urey-Bradley term of atoms {} and {} fixes a distance that their bonds and angle fix already, so that "
        "bonds and angles cannot be rigid together; {}",
        id(m.spans.front().i), id(m.spans.front().j), remedy);
  std::map<int, Centre> centres;
  for (const AngleTerm& angle : m.angles) {
    Centre& centre = centres[angle.j];
    centre.neighbours.insert({angle.i, angle.k});
    ++centre.angles;
    centre.sum += angle.angle;
  }
  for (const auto& [atom, centre] : centres) {
    const auto bonds = static_cast<int>(centre.neighbours.size());
    const bool flat = bonds == 3 && centre.angles == 3 && centre.sum > full_turn;
    if (centre.angles <= 2 * bonds - 3 && !flat) continue;
    std::string neighbours;
    for (const int other : centre.neighbours)
      neighbours += fmt::format("{}{}", neighbours.empty() ? "" : ", ", id(other));
    return fmt::format(
        "the {} angles at atom {} between its bonds to atoms {} depend on each other{}, so that they "
        "cannot all be rigid; {}",
        centre.angles, id(atom), neighbours, flat ? ", since they lie in a plane" : "", remedy);
  }
  return too_many_in_a_molecule(m);
}
}  // namespace trill
