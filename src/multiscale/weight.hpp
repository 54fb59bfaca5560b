// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trill {
// An even weight chi of unit mass and bounded support, SS08 eq. 6: the unit mass at 0 ("delta"), a convolution of
// centred boxes, or given pieces of polynomials. Time is measured in steps of the method.
//
// By name: delta; short, long, lin, cubic; box(w) of width w; products with `*` are convolutions, "short*long". Pieces
// for t >= 0 are given by their ends and their polynomials in t: "pieces(1: 1 -1)" is lin, "pieces(0.5: 1)" is short.
class Weight {
 public:
  struct Piece {
    double from = 0, to = 0;
    Vec coefficients;  // coefficients of powers of t - from
  };

  Weight() = default;  // delta
  static Weight boxes(std::vector<double> widths);
  // Consecutive pieces for t >= 0, from 0 on, in powers of t; UsageError if their mass, including the other half, is
  // not 1.
  static Weight of_pieces(std::vector<Piece> pieces);
  static Weight named(std::string_view text);

  const std::string& name() const { return name_; }
  bool is_delta() const { return pieces_.empty(); }
  double half_support() const { return is_delta() ? 0 : pieces_.back().to; }
  // Widths of the boxes; empty for delta and for given pieces.
  const std::vector<double>& widths() const { return widths_; }
  const std::vector<Piece>& pieces() const { return pieces_; }  // for t >= 0

  // Fourier transform int chi(t) exp(i x t) dt, real and even.
  double filter(double x) const;
  // Value at t of the polynomial that is active at tref: compositions step outside the current piece.
  double value(double t, double tref) const;
  double mass() const;
  // Largest |filter(2 pi n)|, n = 1, 2, ..: 0 if the shifted weights chi(t - j) sum up to 1. Otherwise orders are lost
  // at h omega = 2 pi n (SS08 sec. 5 and 6).
  double unity_defect() const;

  Weight operator*(const Weight& other) const;  // convolution; UsageError for given pieces
  bool operator==(const Weight& other) const;

 private:
  std::string name_ = "delta";
  std::vector<double> widths_;
  std::vector<Piece> pieces_;
};

// The weights of a (phi, psi)-method: positions are averaged with phi, forces mollified with psi.
struct WeightPair {
  Weight phi, psi;
  bool is_impulse() const { return phi.is_delta() && psi.is_delta(); }
  bool operator==(const WeightPair&) const = default;
};

// Half the trace of one step for q'' = -omega^2 q - eps q, omega fast, with theta = h omega and square = h^2 eps.
double half_trace(const WeightPair& pair, double theta, double square);
// Width in theta of the unstable interval that touches k pi, to first order in square; it lies below k pi for eps > 0,
// above for eps < 0.
double instability_width(const WeightPair& pair, int k, double square);
// Factor by which the method slows down the exchange of energy between fast modes of frequency omega: hatphi hatpsi.
double exchange_factor(const WeightPair& pair, double theta);
// psi = phi * long, or both long: stable for all theta as long as h^2 eps <= 4.
bool resonance_free(const WeightPair& pair);
}  // namespace trill
