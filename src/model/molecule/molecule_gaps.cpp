// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/molecule_gaps.hpp"

#include "trill/model/dual.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
template <class T>
T distance_of(const T* q) {
  using std::sqrt;
  const T x = q[0] - q[3], y = q[1] - q[4], z = q[2] - q[5];
  return sqrt(x * x + y * y + z * z);
}

template <class T>
T angle_of(const T* q) {
  using std::acos;
  using std::sqrt;
  const T a[3] = {q[0] - q[3], q[1] - q[4], q[2] - q[5]}, b[3] = {q[6] - q[3], q[7] - q[4], q[8] - q[5]};
  const auto dot = [](const T* x, const T* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
  return acos(dot(a, b) / sqrt(dot(a, a) * dot(b, b)));
}

template <class Number, std::size_t... i>
std::array<Number, sizeof...(i)> unknowns_at(const double* values, std::index_sequence<i...>) {
  return {Number::template unknown<i>(values[i])...};
}

// A gap with its derivatives by the coordinates on which it depends.
struct GapDerivatives {
  std::size_t size;
  const Index* at;  // the coordinates
  const double* slope;
  const double* curvature;  // the lower triangle, row by row

  double bend(std::size_t i, std::size_t j) const {
    return i >= j ? curvature[i * (i + 1) / 2 + j] : curvature[j * (j + 1) / 2 + i];
  }
};
}  // namespace

MoleculeGaps::MoleculeGaps(const Molecule& molecule, bool with_bonds, bool with_angles) : molecule_(molecule) {
  if (with_bonds)
    for (const BondTerm& b : molecule.bonds) gaps_.push_back({{b.i, b.j, -1}, b.length, b.stiffness, false});
  if (!with_angles) return;
  for (const AngleTerm& a : molecule.angles) gaps_.push_back({{a.i, a.j, a.k}, a.angle, a.stiffness, true});
  for (const BondTerm& b : molecule.spans) gaps_.push_back({{b.i, b.j, -1}, b.length, b.stiffness, true});
}

std::string MoleculeGaps::name(Index k) const {
  const Gap& gap = gaps_[static_cast<std::size_t>(k)];
  const auto id = [&](std::size_t atom) { return molecule_.id[static_cast<std::size_t>(gap.atoms[atom])]; };
  return is_angle(k) ? fmt::format("angle of atoms {}, {} and {}", id(0), id(1), id(2))
                     : fmt::format("bond of atoms {} and {}", id(0), id(1));
}

template <class Use>
void MoleculeGaps::each(In q, Use use) const {
  std::array<Index, 9> coordinates{};
  std::array<double, 9> values{};
  for (Index row = 0; row < count(); ++row) {
    const Gap& gap = gaps_[static_cast<std::size_t>(row)];
    const std::size_t n = is_angle(row) ? 9 : 6;
    for (std::size_t c = 0; c < n; ++c) {
      coordinates[c] = 3 * gap.atoms[c / 3] + static_cast<Index>(c % 3);
      values[c] = q[coordinates[c]];
    }
    const auto hand_over = [&](const auto& gap) {
      use(row, GapDerivatives{n, coordinates.data(), gap.slope.data(), gap.curvature.data()});
    };
    if (is_angle(row))
      hand_over(angle_of(unknowns_at<SecondDual<9>>(values.data(), std::make_index_sequence<9>()).data()));
    else
      hand_over(distance_of(unknowns_at<SecondDual<6>>(values.data(), std::make_index_sequence<6>()).data()));
  }
}

MatrixSlot MoleculeGaps::pattern() const {
  std::vector<Eigen::Triplet<double>> places;
  for (Index row = 0; row < count(); ++row)
    for (const int atom : gaps_[static_cast<std::size_t>(row)].atoms)
      for (int c = 0; c < 3 && atom >= 0; ++c) places.emplace_back(row, 3 * atom + c, 1.0);
  SpMat pattern(count(), 3 * molecule_.atoms());
  pattern.setFromTriplets(places.begin(), places.end());
  return MatrixSlot::sparse(pattern);
}

MatrixSlot MoleculeGaps::transpose_pattern() const {
  std::vector<Eigen::Triplet<double>> places;
  for (const Gap& gap : gaps_)
    for (const int a : gap.atoms)
      for (const int b : gap.atoms)
        for (int k = 0; k < 9 && a >= 0 && b >= 0; ++k) places.emplace_back(3 * a + k / 3, 3 * b + k % 3, 1.0);
  SpMat pattern(3 * molecule_.atoms(), 3 * molecule_.atoms());
  pattern.setFromTriplets(places.begin(), places.end());
  return MatrixSlot::sparse(pattern);
}

void MoleculeGaps::value(double, In q, Out g) const {
  std::array<double, 9> values{};
  for (Index row = 0; row < count(); ++row) {
    const Gap& gap = gaps_[static_cast<std::size_t>(row)];
    const std::size_t n = is_angle(row) ? 9 : 6;
    for (std::size_t c = 0; c < n; ++c) values[c] = q[3 * gap.atoms[c / 3] + static_cast<Index>(c % 3)];
    g[row] = (is_angle(row) ? angle_of(values.data()) : distance_of(values.data())) - gap.rest;
  }
}

void MoleculeGaps::jacobian(double, In q, MatrixSlot& G) const {
  G.set_zero();
  each(q, [&](Index row, const GapDerivatives& gap) {
    for (std::size_t i = 0; i < gap.size; ++i) G.add(row, gap.at[i], gap.slope[i]);
  });
}

void MoleculeGaps::curvature(double, In q, In v, Out eta) const {
  each(q, [&](Index row, const GapDerivatives& gap) {
    double sum = 0;
    for (std::size_t i = 0; i < gap.size; ++i)
      for (std::size_t j = 0; j < gap.size; ++j) sum += v[gap.at[i]] * gap.bend(i, j) * v[gap.at[j]];
    eta[row] = sum;
  });
}

bool MoleculeGaps::velocity_derivative(double t, In q, In v, MatrixSlot& d) const { return jacobian_along(t, q, v, d); }

bool MoleculeGaps::jacobian_along(double, In q, In dq, MatrixSlot& d) const {
  d.set_zero();
  each(q, [&](Index row, const GapDerivatives& gap) {
    for (std::size_t i = 0; i < gap.size; ++i)
      for (std::size_t j = 0; j < gap.size; ++j) d.add(row, gap.at[i], gap.bend(i, j) * dq[gap.at[j]]);
  });
  return true;
}

void MoleculeGaps::transpose_derivative(double, In q, In s, MatrixSlot& d) const {
  d.set_zero();
  each(q, [&](Index row, const GapDerivatives& gap) {
    for (std::size_t i = 0; i < gap.size; ++i)
      for (std::size_t j = 0; j < gap.size; ++j) d.add(gap.at[i], gap.at[j], s[row] * gap.bend(i, j));
  });
}

bool MoleculeGaps::reaction_along(double, In q, In dq, In s, Out values) const {
  values.setZero();
  each(q, [&](Index row, const GapDerivatives& gap) {
    for (std::size_t i = 0; i < gap.size; ++i)
      for (std::size_t j = 0; j < gap.size; ++j) values[gap.at[i]] += s[row] * gap.bend(i, j) * dq[gap.at[j]];
  });
  return true;
}
}  // namespace trill
