// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/bodies/planar_body.hpp"
#include "model/bodies/reduced_body.hpp"

namespace trill {
enum class ReductionMethod { craig_bampton, rubin };
struct ReductionOptions {
  std::vector<std::string> interfaces;  // names of points; the frame of the body is fixed to the first
  Index modes = 8;
  ReductionMethod method = ReductionMethod::craig_bampton;
};

// UsageError where the body is not what it should be: held somewhere, with nodes in another order, unknown points.
ReducedBody reduce_body(const PlanarBody& body, const ReductionOptions& options);

// The geometric stiffness of a body that spins at unit speed about (x0, y0), from its matrices alone: the centrifugal
// forces are carried by bars between neighbouring nodes, as stiff as K says, and a bar under the tension N resists
// turning by N over its length. It holds for bodies whose neighbouring nodes can carry the forces without bending: all
// meshes of solids, and straight beams. The nodes `held` take up the forces. UsageError if the bars do not carry them.
SpMat centrifugal_stiffness(const PlanarBody& body, const std::vector<Index>& held, double x0, double y0);

// How a body that is held at these nodes deforms while it spins about the origin at unit speed.
Vec centrifugal_displacement(const PlanarBody& body, const std::vector<Index>& held);

PlanarBody planar_strip(const PlanarStrip& strip);
}  // namespace trill
