// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem/structure_mesh.hpp"

#include <map>
#include <string>

namespace trill {
// The matrices of a body of a simple shape, and vectors on it that have names, such as its tip or a uniform load.
struct GeneratedStructure {
  SpMat mass, stiffness, damping;  // the last is empty except for bodies that turn
  std::map<std::string, Vec> vectors;
  StructureMesh mesh{};
};

// Shapes: beam, membrane, plate, solid, shaft. Numbers that are not given have defaults. UsageError for an unknown
// shape, an unknown number, or one that is out of range.
GeneratedStructure generate_structure(const std::string& shape, const std::map<std::string, double>& numbers);

// Cubic Hermite elements of equal length on a line: the integrals of products of the functions themselves, of their
// first and of their second derivatives. Unknowns are value and slope of node after node.
struct HermiteLine {
  SpMat values, slopes, curvatures;
  Vec mean;  // integral of each function
};
struct LineEnds {
  bool held_first = false, clamped_first = false, held_last = false, clamped_last = false;  // clamped: slope as well
};
HermiteLine hermite_line(Index elements, double length, const LineEnds& ends);
}  // namespace trill
