// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_checks.hpp"

#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
struct Centre {
  std::set<int> neighbours;
  int angles = 0;
  double sum = 0;  // of the angles at rest
};
}  // namespace

// The directions of n bonds at an atom are given by 2 n - 3 angles, and three angles in a plane depend on each other.
std::string over_determined_angles(const Molecule& m) {
  constexpr double full_turn = 359.5 * std::numbers::pi / 180;
  const auto id = [&](int atom) { return m.id[static_cast<std::size_t>(atom)]; };
  constexpr const char* remedy = "use --set constraints=bonds";
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
  return "";
}
}  // namespace trill
