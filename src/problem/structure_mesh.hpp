// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <array>
#include <vector>

namespace trill {
// Where the unknowns of a structure are, for pictures of it.
struct MeshNode {
  std::array<double, 3> at{};
  std::array<Index, 3> unknown{-1, -1, -1};  // its displacements in these directions; -1: it is held, or cannot move so
};
struct StructureMesh {
  std::vector<MeshNode> nodes;
  std::vector<std::array<Index, 2>> lines;  // between nodes
};
}  // namespace trill
