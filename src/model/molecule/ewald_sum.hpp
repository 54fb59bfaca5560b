// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/molecule/box.hpp"

#include <complex>
#include <vector>

namespace trill {
// The far part of the Ewald sum of charges in a periodic box, surrounded by a conductor: smeared charges, as waves that
// fit into the box (Allen and Tildesley, Computer Simulation of Liquids, 2nd ed. 2017, eq. 6.4).
class EwaldSum {
 public:
  // charge: times the root of the constant of Coulomb's law. Waves are left out where exp(-k^2/(4 damping^2)) is below
  // exp(-angle^2).
  EwaldSum(const Box& box, std::vector<double> charge, double damping, double angle);
  double add(const double* q, double* f);  // returns the energy

 private:
  struct Wave {
    std::array<int, 3> n{};
    std::array<double, 3> k{};
    double weight = 0;
  };
  void find_phases(const double* q);
  const std::complex<double>* phases(std::size_t axis, int n) const {
    return phases_[axis].data() + static_cast<std::size_t>(n + most_[axis]) * charge_.size();
  }

  Box box_;
  std::vector<double> charge_;
  std::array<int, 3> most_{};
  std::vector<Wave> waves_;
  std::array<std::vector<std::complex<double>>, 3> phases_;  // exp(i k x) of all atoms, wave number by wave number
  std::vector<std::complex<double>> of_wave_;
};
}  // namespace trill
