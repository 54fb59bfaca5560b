// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/envelope_gain.hpp"

#include "linalg/dense_decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace trill {
namespace {
// Measured with cycle_bdf at its default tolerance on converters and a rectifier.
constexpr double cycles_per_oscillation = 20, cycles_per_decay = 3, cycles_at_the_start = 15;
constexpr double gone_in_a_cycle = 0.05;  // multipliers below are followed without being resolved
}  // namespace

EnvelopeGain predict_gain(const Mat& derivative, double cycles, double tolerance) {
  const auto multipliers =
      general_eigen(derivative + Mat::Identity(derivative.rows(), derivative.cols()), false).values;
  const double decays_that_count = std::log(1 / tolerance);
  double oscillations = 0, decays = 0;
  for (const std::complex<double>& multiplier : multipliers) {
    if (std::abs(multiplier) < gone_in_a_cycle) continue;
    const std::complex<double> rate = std::log(multiplier);
    const double lasts = rate.real() < 0 ? std::min(cycles, decays_that_count / -rate.real()) : cycles;
    oscillations = std::max(oscillations, lasts * std::abs(rate.imag()) / (2 * std::numbers::pi));
    decays = std::max(decays, lasts * std::abs(rate.real()));
  }
  const double computed = cycles_at_the_start + cycles_per_oscillation * oscillations + cycles_per_decay * decays;
  return {cycles, std::min(computed, cycles)};
}
}  // namespace trill
