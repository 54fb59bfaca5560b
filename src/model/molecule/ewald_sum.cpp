// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/ewald_sum.hpp"

#include <cmath>
#include <numbers>

namespace trill {
EwaldSum::EwaldSum(const Box& box, std::vector<double> charge, double damping, double angle)
    : box_(box), charge_(std::move(charge)), of_wave_(charge_.size()) {
  constexpr double pi = std::numbers::pi;
  const double longest = 2 * damping * angle;
  for (std::size_t a = 0; a < 3; ++a) {
    most_[a] = static_cast<int>(longest * box_.length[a] / (2 * pi)) + 1;
    phases_[a].resize((2 * static_cast<std::size_t>(most_[a]) + 1) * charge_.size());
  }
  // Half of the waves, since n and -n contribute the same.
  for (int x = 0; x <= most_[0]; ++x)
    for (int y = -most_[1]; y <= most_[1]; ++y)
      for (int z = -most_[2]; z <= most_[2]; ++z) {
        if (x == 0 && (y < 0 || (y == 0 && z <= 0))) continue;
        Wave wave{{x, y, z}, {}, 0};
        double square = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          wave.k[a] = 2 * pi * wave.n[a] * box_.inverse[a];
          square += wave.k[a] * wave.k[a];
        }
        if (square > longest * longest) continue;
        wave.weight = 4 * pi / box_.volume() * std::exp(-square / (4 * damping * damping)) / square;
        waves_.push_back(wave);
      }
}

void EwaldSum::find_phases(const double* q) {
  const std::size_t atoms = charge_.size();
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < atoms; ++i) {
      const double angle = 2 * std::numbers::pi * q[3 * i + a] * box_.inverse[a];
      const std::complex<double> one(std::cos(angle), std::sin(angle));
      std::complex<double> power = 1;
      const auto middle = static_cast<std::size_t>(most_[a]);
      for (std::size_t n = 0; n <= middle; ++n) {
        phases_[a][(middle + n) * atoms + i] = power;
        phases_[a][(middle - n) * atoms + i] = std::conj(power);
        power = {power.real() * one.real() - power.imag() * one.imag(),
                 power.real() * one.imag() + power.imag() * one.real()};
      }
    }
}

double EwaldSum::add(const double* q, double* f) {
  find_phases(q);
  const std::size_t atoms = charge_.size();
  double energy = 0;
  for (const Wave& wave : waves_) {
    const std::complex<double>*x = phases(0, wave.n[0]), *y = phases(1, wave.n[1]), *z = phases(2, wave.n[2]);
    double real = 0, imaginary = 0;
    for (std::size_t i = 0; i < atoms; ++i) {
      const double ab = x[i].real() * y[i].real() - x[i].imag() * y[i].imag(),
                   ba = x[i].real() * y[i].imag() + x[i].imag() * y[i].real();
      const double re = charge_[i] * (ab * z[i].real() - ba * z[i].imag()),
                   im = charge_[i] * (ab * z[i].imag() + ba * z[i].real());
      of_wave_[i] = {re, im};
      real += re;
      imaginary += im;
    }
    energy += wave.weight * (real * real + imaginary * imaginary);
    for (std::size_t i = 0; i < atoms; ++i) {
      const double pull = 2 * wave.weight * (of_wave_[i].imag() * real - of_wave_[i].real() * imaginary);
      for (std::size_t a = 0; a < 3; ++a) f[3 * i + a] += pull * wave.k[a];
    }
  }
  return energy;
}
}  // namespace trill
