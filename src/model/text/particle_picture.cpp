// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/particle_picture.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_kinds_told = 6;  // kinds of atoms in the note

std::string colour_of(const std::string& element) {
  constexpr std::array<std::array<const char*, 2>, 6> usual{
      {{"H", "grey"}, {"C", "brown"}, {"N", "blue"}, {"O", "red"}, {"S", "orange"}, {"P", "pink"}}};
  for (const auto& [name, colour] : usual)
    if (element == name) return colour;
  return "purple";
}
}  // namespace

ParticlePicture::ParticlePicture(const Particles& particles, const Bonds& bonds)
    : unknowns_(3 * static_cast<Index>(particles.names.size())), box_(particles.box) {
  const auto room = most_numbers - 2 * static_cast<Index>(particles.names.size());
  if (room >= 4 * static_cast<Index>(bonds.size())) add_bonds(bonds);  // else the atoms alone
  add_atoms(particles.names);
}

void ParticlePicture::add_bonds(const Bonds& bonds) {
  const auto known = [&](int atom) { return atom >= 0 && 3 * static_cast<Index>(atom) < unknowns_; };
  if (!std::all_of(bonds.begin(), bonds.end(), [&](const auto& b) { return known(b[0]) && known(b[1]); })) return;
  if (add_shape(PictureKind::line, 2, static_cast<Index>(bonds.size()), "grey", false)) bonds_ = bonds;
}

void ParticlePicture::add_atoms(const std::vector<std::string>& names) {
  std::map<std::string, std::vector<Index>> of_kind;
  for (std::size_t i = 0; i < names.size(); ++i) of_kind[names[i]].push_back(static_cast<Index>(i));
  std::vector<std::string> told;
  for (const auto& [name, atoms] : of_kind) {
    const std::string colour = colour_of(name);
    if (!add_shape(PictureKind::point, 1, static_cast<Index>(atoms.size()), colour, false)) continue;
    atoms_.insert(atoms_.end(), atoms.begin(), atoms.end());
    if (told.size() < most_kinds_told) told.push_back(fmt::format("{} {} ({})", atoms.size(), name, colour));
  }
  const std::size_t others = of_kind.size() - told.size();
  set_note(fmt::format("Atoms, seen along the z axis: {}{}.", join(told, ", "),
                       others > 0 ? fmt::format(" and {} other kinds", others) : ""));
}

double ParticlePicture::nearest(double from, double to, std::size_t axis) const {
  const double length = box_[axis];
  return length > 0 ? to - length * std::round((to - from) / length) : to;
}

void ParticlePicture::evaluate(double /*t*/, const double* q, const double* /*v*/, double* numbers) {
  for (const auto& [a, b] : bonds_) {
    const double *from = q + 3 * a, *to = q + 3 * b;
    for (std::size_t k = 0; k < 2; ++k) numbers[k] = from[k];
    for (std::size_t k = 0; k < 2; ++k) numbers[2 + k] = nearest(from[k], to[k], k);
    numbers += 4;
  }
  for (const Index atom : atoms_) {
    std::copy_n(q + 3 * atom, 2, numbers);
    numbers += 2;
  }
}
}  // namespace trill
