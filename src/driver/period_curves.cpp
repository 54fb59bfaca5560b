// SPDX-License-Identifier: BSD-3-Clause
#include "driver/period_curves.hpp"

#include "base/curve_piece.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace trill {
namespace {
using Complex = std::complex<double>;

// Integrals over 0..1 of exp(-i a s) times 1, s and s (1 - s).
struct PieceIntegrals {
  Complex flat, rising, bump;
};
PieceIntegrals piece_integrals(double a) {
  const Complex i(0, 1);
  if (std::abs(a) < 0.05)  // the closed form cancels
    return {1.0 - i * a / 2.0 - a * a / 6 + i * std::pow(a, 3) / 24.0 + std::pow(a, 4) / 120,
            0.5 - i * a / 3.0 - a * a / 8 + i * std::pow(a, 3) / 30.0 + std::pow(a, 4) / 144,
            1.0 / 6 - i * a / 12.0 - a * a / 40 + i * std::pow(a, 3) / 180.0};
  const Complex e = std::exp(-i * a), b = i * a;
  const Complex flat = (1.0 - e) / b, rising = (flat - e) / b, square = (2.0 * rising - e) / b;
  return {flat, rising, rising - square};
}
}  // namespace

PeriodCurves::PeriodCurves(const CycleTrace& period)
    : times_(period.times()), values_(period.values()), bends_(Mat::Zero(values_.rows(), values_.cols() - 1)) {
  const Index n = pieces();
  const auto piece = [&](Index p, Index signal) {
    return CurvePiece{length(p), values_(signal, p + 1) - values_(signal, p)};
  };
  // The period is closed.
  for (Index p = 0; p < n; ++p)
    for (Index signal = 0; signal < signals(); ++signal)
      bends_(signal, p) = bend_between(piece((p + n - 1) % n, signal), piece(p, signal), piece((p + 1) % n, signal));
}

Mat PeriodCurves::harmonics(int count) const {
  Mat amplitudes(signals(), count);
  Vec cosine(signals()), sine(signals());
  for (int k = 1; k <= count; ++k) {
    const double omega = 2 * std::numbers::pi * k / period();
    cosine.setZero();
    sine.setZero();
    for (Index p = 0; p < pieces(); ++p) {
      const PieceIntegrals piece = piece_integrals(omega * length(p));
      const Complex turn = std::polar(2 * length(p) / period(), -omega * (begin(p) - times_.front()));
      const Complex at_left = turn * (piece.flat - piece.rising), at_right = turn * piece.rising,
                    bent = turn * piece.bump;
      cosine += at_left.real() * left(p) + at_right.real() * right(p) + bent.real() * bends_.col(p);
      sine += at_left.imag() * left(p) + at_right.imag() * right(p) + bent.imag() * bends_.col(p);
    }
    amplitudes.col(k - 1) = (cosine.cwiseAbs2() + sine.cwiseAbs2()).cwiseSqrt();
  }
  return amplitudes;
}
}  // namespace trill
