// SPDX-License-Identifier: BSD-3-Clause
// What block Ritz vectors take on a rough case, and the error that they leave.
#pragma once

#include "multiscale/ritz_basis.hpp"
#include "papers/rough_structures.hpp"
#include "ratio.hpp"

#include <cmath>

namespace trill::bench {
inline constexpr Index ritz_vectors = 18;  // six blocks of a load and the initial state

struct Timed {
  double seconds = 0, error = 0;
};

inline Timed by_ritz(const papers::structures::RoughCase& c) {
  const auto& s = c.structure;
  Timed out;
  Mat found;
  out.seconds = processor_seconds([&] {
    WholeSpace space(s.k, s.m);
    space.factorise(0);
    Mat start(s.m.rows(), 3);
    start << s.shapes, s.m * s.u0, s.m * s.v0;
    RitzBasis basis(space, start);
    while (basis.size() < ritz_vectors && basis.extend()) {
    }
    if (basis.solve()) found = c.along(basis.vectors() * basis.combinations(), basis.lambda());
  });
  out.error = found.size() > 0 ? c.error(found) : NAN;
  return out;
}
}  // namespace trill::bench
