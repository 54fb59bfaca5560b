// SPDX-License-Identifier: BSD-3-Clause
// A membrane, a plate and a beam with a load, an initial shape and noise in the velocities, and the exact motion of
// their ten lowest modes: what reductions and methods for large structures are compared on.
#pragma once

#include "multiscale/modal_motion.hpp"
#include "papers/given_structure.hpp"

namespace trill::papers::structures {
inline constexpr Index coordinates_judged = 10;
inline constexpr double mass_damping = 0.02, stiffness_damping = 1e-6;

// M u'' + (a0 M + a1 K) u' + K u = f sin 2t, u0 = (phi_1 + 0.3 phi_3) / max |phi_1|, noise in v0.
struct RoughCase {
  std::string label;
  GivenStructure structure;
  Vec lambda;  // of the lowest modes
  Mat phi;
  double scale = 1;  // max |phi_1|

  // The motion in some vectors, as modal coordinates phi^T M u at t = 1, ..., 10.
  Mat along(const Mat& shapes, const Vec& values) const;
  Mat exact() const { return along(phi, lambda); }
  double error(const Mat& found) const { return scale * (found - exact()).cwiseAbs().maxCoeff(); }
};
inline constexpr std::uint64_t usual_noise = 7;
RoughCase rough_membrane(double points, bool as_plate, std::uint64_t seed = usual_noise);
RoughCase rough_beam(Index elements, std::uint64_t seed = usual_noise);
}  // namespace trill::papers::structures
