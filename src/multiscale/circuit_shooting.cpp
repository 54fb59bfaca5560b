// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/circuit_shooting.hpp"

#include <limits>

namespace trill {
bool CircuitShooting::advance(In z, Out end) {
  if (!cycle_.change(0, z, end)) return false;
  end += z;
  return true;
}

bool CircuitShooting::advance_with_derivative(In z, Out end, Mat& derivative) {
  derivative.resize(z.size(), z.size());
  if (!cycle_.change_and_derivative(0, z, end, derivative)) return false;
  end += z;
  derivative.diagonal().array() += 1;
  return true;
}

bool CircuitShooting::advance_and_keep(In z, Out end) {
  if (!cycle_.record(0, z, end)) return false;
  end += z;
  return true;
}

void CircuitShooting::product(In v, Out derivative_v) {
  if (!cycle_.tangent(v, derivative_v)) derivative_v.setConstant(std::numeric_limits<double>::quiet_NaN());
}

bool CircuitShooting::move_in_half_steps(In z, const Mat& directions, const Vec& sizes, Mat& moved,
                                         FastOscillation& fast) {
  const auto found = cycle_.with_half_steps(0, z, directions, sizes);
  if (!found) return false;
  moved = found->moved;
  fast = found->fastest;
  half_step_counts_ = found->counts;
  return true;
}

// The charges that belong to the largest values of the unknowns: a flux that is zero where cycles start is measured by
// what it is in between.
void CircuitShooting::sizes(Out size) const {
  const CycleTrace& trace = cycle_.trace();
  size = cycle_.reduce(trace.max()).cwiseAbs().cwiseMax(cycle_.reduce(trace.min()).cwiseAbs());
}
}  // namespace trill
