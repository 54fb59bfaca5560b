// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/eigenpairs.hpp"
#include "linalg/structure_space.hpp"

namespace trill {
// How it is checked that no mode below the last one is missing. deflation: an iteration that cannot see the modes found
// so far looks for others; it shows what is missing, but does not prove that nothing is. inertia: counts eigenvalues by
// the signs of the pivots of K - mu M, which is a proof up to rounding and needs one more factorisation.
enum class CountCheck { deflation, inertia };

struct ModeOptions {
  Index count = 10;
  Index block = 2;           // multiple eigenvalues are found at once up to this multiplicity
  double tolerance = 1e-10;  // of the residual of a mode, relative to its eigenvalue of the inverse
  CountCheck check = CountCheck::deflation;
};

struct Modes {
  EigenPairs pairs;  // values omega^2
  // How far rounding in K can move each value, relative to it: u |K| |x|^2 / x^T K x. Not below the rounding itself.
  Vec uncertainty;
  Index factorisations = 0, solves = 0;
  Index found_by_check = 0;  // modes that the iteration had missed and the check found
  double shift = 0;          // not 0 for free bodies, whose K is singular
  std::string engine;        // that factorised
  double bytes_of_factors = 0;
  // A zero eigenvalue comes out as up to a thousand times what rounding in K explains.
  bool is_rigid(Index i) const { return !(uncertainty[i] < 1e-3); }
};

// The modes of M x'' + K x = 0 with the lowest frequencies, M-orthonormal. K may be singular but not indefinite, and M
// must be positive definite; if this is not so, the message of the pairs says it.
Modes lowest_modes(const SpMat& k, const SpMat& m, const ModeOptions& options);
// The same in a space that other processes share, with the rows of the vectors that are here. M must be known to be
// positive definite.
Modes lowest_modes(StructureSpace& space, const ModeOptions& options);
// The same for the highest ones, in ascending order.
Modes highest_modes(const SpMat& k, const SpMat& m, const ModeOptions& options);
}  // namespace trill
