// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"
#include "trill/model/source_text.hpp"

#include <string>
#include <vector>

namespace trill {
// A flexible body in the plane with few coordinates q, as `trill reduce` writes it to a .body file. Its points are at
// r + A(theta) (X + T q) in a frame that moves with its first interface. The columns of T are vibrations with unit
// modal mass: T^T M T = 1 and T^T K T = diag(stiffness). With E the translations, X the positions and J a quarter turn:
struct ReducedBody {
  struct Point {
    std::string name;
    double x = 0, y = 0;                // in the frame
    Vec shape_x, shape_y, shape_angle;  // displacement and rotation for unit q
  };
  double mass = 0, moment_x = 0, moment_y = 0, inertia = 0;  // E^T M E, E^T M X, (J X)^T M J X
  Vec stiffness;
  Vec push_x, push_y;  // E^T M T
  Vec stretch;         // T^T M X: how q changes the moment of inertia
  Vec swing;           // T^T M J X
  Mat convective;      // T^T M T without rotations of nodes: the same to second order
  Mat gyroscopic;      // T^T J^T M T, skew
  Mat stiffening;      // geometric stiffness of the stress in a body that spins at unit speed
  Mat damping;
  std::vector<Point> points;  // the first one is the origin of the frame and does not move in it
  Index modes() const { return stiffness.size(); }
};

inline constexpr std::size_t most_body_bytes = 20'000'000;
inline constexpr Index most_body_modes = 200, most_body_points = 100;

std::string body_text(const ReducedBody& body);
// ModelError with file and line for anything that does not fit.
ReducedBody read_reduced_body(const std::string& file, std::string_view text);
}  // namespace trill
