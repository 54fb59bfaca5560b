// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/load_polynomial.hpp"

#include <array>

namespace trill {
// sums[k]: a sum over modes of what they contribute, divided by w^k, for k from 2 to 7.
using ModeSums = std::array<double, 8>;

// How much of the response to one load its static corrections leave out. In a mode of frequency w, with m = 1/w^2 and
// damping c = a0 + a1 w^2, the answer to p b is
//
//   b (m q_0 + m^2 q_1 + ... + m^K q_{K-1}) + e,   q_k + a1 q_k' = p_k,   p_0 = p,   p_{k+1} = -(q_k'' + a0 q_k'),
//
// where e'' + c e' + w^2 e = b m^K p_K, and e makes up for what the q_k are at the start and where they jump. A space
// that contains (K^-1 M)^k K^-1 b for all k < K has these corrections in common with the whole structure, so that two
// answers differ by their e alone. The q_k are taken as q_k = p_k - a1 p_k' + ... with a few terms, which leaves a
// multiple of a1^n p_k^(n) as a further force. The response h to an impulse has |h| <= 1/w, an integral between 0 and
// 2/w^2, and an integral of |h| of at most (1 + 2/(pi zeta))/w^2 with zeta = c/(2 w).
//
// Returns the smallest bound of the sum of |e| over all modes that some numbers of corrections and terms give.
double load_remainder(const LoadVariation& variation, Index load, const ProportionalDamping& damping,
                      const ModeSums& sums);
inline constexpr Index most_static_corrections = 3;
}  // namespace trill
