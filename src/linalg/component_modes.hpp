// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <vector>

namespace trill {
// A reduced basis for one part of a structure that is joined to others at its boundary: the first columns are 1 at one
// boundary coordinate and 0 at the others, all further columns are 0 at the boundary. So the boundary coordinates of
// the full model are coordinates of the reduced one.
struct ComponentBasis {
  Mat vectors;
  Index boundary = 0;
  Index rigid = 0;  // modes of a free part that move it without strain
};

// Craig and Bampton, AIAA J. 6 (1968) 1313: static shapes of the boundary and modes of the part that is held there.
// Frequencies of the joined structure come out too high, never too low. UsageError if the part can still move freely.
ComponentBasis craig_bampton(const SpMat& k, const SpMat& m, const std::vector<Index>& boundary, Index modes);

// Rubin, AIAA J. 13 (1975) 995: modes of the free part, and what all other modes together contribute to the static
// response to forces at the boundary. Motions without strain are added to `modes`.
ComponentBasis rubin(const SpMat& k, const SpMat& m, const std::vector<Index>& boundary, Index modes);

SpMat picked(const SpMat& a, const std::vector<Index>& rows, const std::vector<Index>& columns);
std::vector<Index> all_but(Index n, const std::vector<Index>& some);

// Modes of a small dense pair, M-orthonormal and ascending, from M x = mu K x, which gives low frequencies accurately.
// Directions in which K or M vanish are left out. The columns of `vectors` refer to the columns of `basis`.
struct DenseModes {
  Vec values;  // omega^2
  Mat vectors;
};
DenseModes modes_in(const Mat& basis, const SpMat& k, const SpMat& m);
}  // namespace trill
