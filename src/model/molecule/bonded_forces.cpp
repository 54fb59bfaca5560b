// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/bonded_forces.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace trill {
namespace {
using Point = Eigen::Vector3d;

Point at(const double* q, int i) { return Eigen::Map<const Point>(q + 3 * i); }
void push(double* f, int i, const Point& force) { Eigen::Map<Point>(f + 3 * i) += force; }

struct EnergyAndSlope {
  double energy, slope;
};

EnergyAndSlope stretch(const BondTerm& bond, double r) {
  const double open = r - bond.length;
  if (bond.form == BondTerm::Form::harmonic) return {0.5 * bond.stiffness * open * open, bond.stiffness * open};
  const double decay = std::exp(-bond.alpha * open);
  return {bond.stiffness * (1 - decay) * (1 - decay), 2 * bond.stiffness * bond.alpha * decay * (1 - decay)};
}

// cos(n phi) and sin(n phi) by the recurrence of Chebyshev.
EnergyAndSlope twist(const TorsionTerm& torsion, double cosine, double sine) {
  if (torsion.harmonic) {
    const double phi = std::atan2(sine, cosine), open = std::abs(phi) - torsion.angle;
    return {0.5 * torsion.stiffness * open * open, torsion.stiffness * open * (phi < 0 ? -1 : 1)};
  }
  EnergyAndSlope sum{torsion.constant, 0};
  double c = 1, s = 0;
  for (int n = 1; n <= TorsionTerm::most_waves; ++n) {
    const double next = c * cosine - s * sine;
    s = s * cosine + c * sine;
    c = next;
    const double a = torsion.cosine[static_cast<std::size_t>(n - 1)], b = torsion.sine[static_cast<std::size_t>(n - 1)];
    sum.energy += a * c + b * s;
    sum.slope += n * (b * c - a * s);
  }
  return sum;
}
}  // namespace

double bond_length(const BondTerm& bond, const double* q) { return (at(q, bond.i) - at(q, bond.j)).norm(); }

double bond_angle(const AngleTerm& angle, const double* q) {
  const Point a = at(q, angle.i) - at(q, angle.j), b = at(q, angle.k) - at(q, angle.j);
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

double add_bonds(std::span<const BondTerm> bonds, const double* q, double* f) {
  double energy = 0;
  for (const BondTerm& bond : bonds) {
    const Point d = at(q, bond.i) - at(q, bond.j);
    const double r = d.norm();
    const EnergyAndSlope e = stretch(bond, r);
    energy += e.energy;
    const Point force = (-e.slope / r) * d;
    push(f, bond.i, force);
    push(f, bond.j, -force);
  }
  return energy;
}

double add_angles(std::span<const AngleTerm> angles, const double* q, double* f) {
  constexpr double least_sine = 1e-8;  // a straight angle has no direction in which it opens
  double energy = 0;
  for (const AngleTerm& angle : angles) {
    const Point a = at(q, angle.i) - at(q, angle.j), b = at(q, angle.k) - at(q, angle.j);
    const double aa = a.squaredNorm(), bb = b.squaredNorm(), inverse = 1 / std::sqrt(aa * bb);
    const double cosine = std::clamp(a.dot(b) * inverse, -1.0, 1.0);
    const double sine = std::max(std::sqrt((1 - cosine) * (1 + cosine)), least_sine);
    const double open = std::acos(cosine) - angle.angle;
    energy += 0.5 * angle.stiffness * open * open;
    const double pull = angle.stiffness * open / sine;
    const Point on_i = pull * (inverse * b - (cosine / aa) * a), on_k = pull * (inverse * a - (cosine / bb) * b);
    push(f, angle.i, on_i);
    push(f, angle.k, on_k);
    push(f, angle.j, -on_i - on_k);
  }
  return energy;
}

// Blondel and Karplus, J. Comput. Chem. 17 (1996) 1132: without a singularity where the torsion is planar.
double add_torsions(std::span<const TorsionTerm> torsions, const double* q, double* f) {
  double energy = 0;
  for (const TorsionTerm& torsion : torsions) {
    const Point first = at(q, torsion.i) - at(q, torsion.j), middle = at(q, torsion.j) - at(q, torsion.k),
                last = at(q, torsion.l) - at(q, torsion.k);
    const Point a = first.cross(middle), b = last.cross(middle);
    const double aa = a.squaredNorm(), bb = b.squaredNorm(), length = middle.norm(), inverse = 1 / std::sqrt(aa * bb);
    const EnergyAndSlope e = twist(torsion, a.dot(b) * inverse, b.cross(a).dot(middle) * inverse / length);
    energy += e.energy;
    const Point on_i = (e.slope * length / aa) * a, on_l = (-e.slope * length / bb) * b;
    const Point between = (e.slope / length) * ((first.dot(middle) / aa) * a - (last.dot(middle) / bb) * b);
    push(f, torsion.i, on_i);
    push(f, torsion.l, on_l);
    push(f, torsion.j, -on_i - between);
    push(f, torsion.k, between - on_l);
  }
  return energy;
}
}  // namespace trill
