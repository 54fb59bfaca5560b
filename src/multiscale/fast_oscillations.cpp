// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/fast_oscillations.hpp"

#include "linalg/dense_decompositions.hpp"
#include "multiscale/charge_coordinates.hpp"
#include "multiscale/cycle_tape.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double looks_in_a_cycle = 16;
constexpr double resolved = 1;         // h omega up to which the comparison with shorter steps shows the damping
constexpr double least_factor = 1e-6;  // of an implicit Euler step; smaller ones are rounding
}  // namespace

void FastOscillations::begin(double period) {
  period_ = period;
  longest_step_ = since_ = 0;
  looks_.clear();
}

// An eigenvalue of a step of the implicit Euler method is sigma/(sigma - rate).
void FastOscillations::look(CycleTape& last, const ChargeCoordinates& coordinates, double h) {
  if (sizes_.size() == 0) return;
  longest_step_ = std::max(longest_step_, h);
  since_ += h;
  if (!looks_.empty() && since_ < period_ / looks_in_a_cycle) {
    looks_.back().weight += h;
    return;
  }
  since_ = 0;
  const Index n = sizes_.size();
  Mat step(n, n);
  Vec moved(coordinates.all()), from(coordinates.all());
  for (Index k = 0; k < n; ++k) {
    coordinates.complete_direction(sizes_[k] * Vec::Unit(n, k), from);
    last.euler(from, moved);
    coordinates.reduce(moved, step.col(k));
    step.col(k).array() /= sizes_.array();
  }
  Look found{{}, h};
  if (const GeneralEigen eigen = general_eigen(step, false); eigen.converged) {
    found.rates.setZero(n);
    for (Index k = 0; k < n; ++k)
      if (std::abs(eigen.values[k]) > least_factor) found.rates[k] = last.first_sigma() * (1.0 - 1.0 / eigen.values[k]);
  }
  looks_.push_back(std::move(found));
}

FastOscillation FastOscillations::slowest() const {
  double exponent = 0, frequency = 0;
  for (const Look& look : looks_) {
    double slowest = -HUGE_VAL;
    for (const std::complex<double> rate : look.rates) {
      const bool oscillates = std::abs(rate.imag()) > std::abs(rate.real());
      if (!oscillates || std::abs(rate.imag()) * longest_step_ <= resolved || rate.real() < slowest) continue;
      slowest = rate.real();
      frequency = std::abs(rate.imag());
    }
    exponent += slowest * look.weight;
  }
  if (!(frequency > 0) || !std::isfinite(exponent)) return {};
  return {std::exp(exponent), frequency};
}
}  // namespace trill
