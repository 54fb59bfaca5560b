// SPDX-License-Identifier: BSD-3-Clause
// For authors of implicit Runge-Kutta methods: their coefficients.
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Coefficients of an implicit Runge-Kutta method, to full double precision.
struct ImplicitTableau {
  Vec c, b;
  Mat A;
  int order = 0, stage_order = 0;
  Index stages() const { return b.size(); }
};
inline constexpr int most_implicit_stages = 12;

// The same in extended precision, for quantities that are small differences of products of the coefficients.
struct ExtendedTableau {
  ExtendedVec c, b;
  ExtendedMat A;
  int order = 0, stage_order = 0;
};
enum class ImplicitFamily { gauss, radau_iia, lobatto_iiia, lobatto_iiib, lobatto_iiic };
ExtendedTableau extended_tableau(ImplicitFamily family, int stages);

ImplicitTableau gauss_tableau(int stages);         // 1..12
ImplicitTableau radau_iia_tableau(int stages);     // 1..12
ImplicitTableau lobatto_iiia_tableau(int stages);  // 2..12, like the next two
ImplicitTableau lobatto_iiib_tableau(int stages);
ImplicitTableau lobatto_iiic_tableau(int stages);

// One method for positions and another for velocities, with the same weights: symplectic for the Lobatto pair.
struct PartitionedTableau {
  ImplicitTableau position, velocity;
};
PartitionedTableau lobatto_pair_tableau(int stages);
}  // namespace trill
