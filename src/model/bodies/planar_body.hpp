// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trill {
// A free flexible body in the plane as finite elements give it. Unknown d of node i has the number i * per_node + d:
// displacements along x and y and, if there are three for each node, the rotation.
struct PlanarBody {
  SpMat stiffness, mass, damping;
  SpMat geometric;      // stiffness of the stress at unit spin about its first interface; no rows: it is not given
  std::string held_at;  // the only first interface for which this holds; empty: whichever is chosen
  Vec x, y;
  Index per_node = 2;
  struct Point {
    std::string name;
    std::vector<Index> nodes;
  };
  std::vector<Point> points;
  Index nodes() const { return x.size(); }
};

// A rectangular strip of nine-node elements in plane stress, one over its height, held by nobody. Its points are the
// edges `left` and `right`, and `tip`, the middle of the right edge. The origin is the middle of the left edge.
struct PlanarStrip {
  double length = 1, height = 0.1, thickness = 1, modulus = 1, density = 1, poisson = 0;
  Index elements = 8;
};

// What the file of a body says: its matrices, or a strip that is yet to be divided into elements. ModelError with file
// and line for anything that does not fit.
struct PlanarBodyFile {
  PlanarBody body;
  std::optional<PlanarStrip> strip;
};
PlanarBodyFile load_planar_body(const std::filesystem::path& path);
}  // namespace trill
