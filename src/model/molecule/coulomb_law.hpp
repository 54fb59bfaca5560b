// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/molecule.hpp"

#include <vector>

namespace trill {
// The energy of two unit charges as a function of the square s of their distance, and its derivative by s.
struct ChargeEnergy {
  double energy = 0, slope = 0;
};

// The part of 1/r that acts within a distance only: 1/r less a polynomial of the square of r that meets it there with
// one derivative (Skeel and Biesiadecki, Ann. Numer. Math. 1 (1994) 191) or with two.
class NearCharge {
 public:
  NearCharge(double reach, bool two_derivatives)
      : square_(reach * reach),
        inverse_(reach > 0 ? 1 / reach : 0),
        c_(two_derivatives ? Polynomial{1.875, -1.25, 0.375} : Polynomial{1.5, -0.5, 0}) {}
  ChargeEnergy at(double s, double inverse, double inverse_root) const {
    if (!(s < square_)) return {};
    const double per = inverse_ * inverse_, u = s * per;
    return {inverse_root - inverse_ * (c_.zero + u * (c_.one + u * c_.two)),
            -0.5 * inverse_root * inverse - inverse_ * per * (c_.one + 2 * u * c_.two)};
  }

 private:
  struct Polynomial {
    double zero, one, two;
  };
  double square_, inverse_;
  Polynomial c_;
};

// All laws are 1/r near 0 and end at the cut-off: cut off, with energy and force shifted to 0 there, damped by erfc and
// shifted (Fennell and Gezelter 2006), or the near part of an Ewald sum. Each is 1/r + ramp r + rest(s), where the
// rest, -damping erf(x)/x with x = damping r and a constant, is so smooth in s that a short table of polynomials holds
// it to the last digits.
class CoulombLaw {
 public:
  CoulombLaw() = default;
  CoulombLaw(Coulomb kind, double cutoff, double damping);
  ChargeEnergy exact(double s) const;                  // by library functions, s > 0
  double self_energy() const;                          // of a unit charge, which does not depend on positions
  double slope_shift() const { return slope_shift_; }  // the derivative by r that is shifted away at the cut-off

  // The same from the table, for s inside the cut-off; inverse = 1/s, inverse_root = 1/r.
  double slope(double s, double inverse, double inverse_root) const {
    return read(slopes_.data(), s) + 0.5 * inverse_root * (ramp_ - inverse);
  }
  double energy(double s, double inverse_root) const {
    return read(energies_.data(), s) + inverse_root * (1 + ramp_ * s);
  }

 private:
  static constexpr int degree = 5;
  struct alignas(64) Piece {
    double c[8];  // degree + 1 coefficients, in a line of the cache
  };
  double read(const Piece* pieces, double s) const {
    const double place = s * per_s_;
    const int k = static_cast<int>(place);
    const double t = place - k, *c = pieces[k].c;
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
  }
  ChargeEnergy unshifted(double r) const;  // energy, and its derivative by r
  ChargeEnergy rest(double s) const;
  void fill_table();

  Coulomb kind_ = Coulomb::none;
  double cutoff_ = 0, damping_ = 0, energy_shift_ = 0, slope_shift_ = 0;
  double ramp_ = 0, per_s_ = 0;
  std::vector<Piece> slopes_, energies_;
};
}  // namespace trill
