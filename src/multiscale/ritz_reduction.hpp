// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/modal_motion.hpp"
#include "multiscale/ritz_bounds.hpp"

#include <cmath>
#include <limits>

namespace trill {
struct ReductionTask {
  const LinearStructure& structure;
  State start;
  double t_end = 0, tolerance = 1e-6;
  std::vector<RitzTarget> targets;
  Index most_vectors = 300;
  StartEstimate of_start = StartEstimate::bound;
  // Null: this process has the whole structure. Otherwise K and M are those of the space, and of all vectors the rows
  // of the space are taken.
  StructureSpace* space = nullptr;
  // From so many solves on, outputs are also accepted where they have hardly changed over the last third of the
  // vectors, which proves nothing.
  Index solves_for_bound = std::numeric_limits<Index>::max();
};

inline constexpr Index solves_before_estimates = 42;  // unless the user wants nothing but bounds
inline constexpr double share_of_vectors_before = 2.0 / 3;

// How far an output of the reduced structure may be from that of the whole one.
struct ReducedOutput {
  std::string name;
  double bound = 0, range = 0;  // bound: or an estimate, where that of the reduction is not proved
  std::string worst;            // what contributes most: "load 1", "the initial state"
  bool is_field = false;
  double change = HUGE_VAL;  // over the last third of the vectors, and what the initial state may add; if looked at
  double relative(double ReducedOutput::*error = &ReducedOutput::bound) const {
    return range > 0 ? this->*error / range : this->*error > 0 ? 1 : 0;
  }
};

// A structure in as many Ritz vectors as its outputs need.
struct Reduction {
  Mat shapes;  // u = shapes x, in the rows that are here
  ModalSystem system;
  Vec x0, v0;
  std::vector<ReducedOutput> outputs;
  Index solves = 0, modes = 0;  // modes: those vectors that have converged
  Index rigid = 0;              // motions of the whole body without strain, which are the first coordinates
  bool proved = false;          // the bounds are proved: damping is proportional and not negative
  bool reached = false;         // all bounds, or the estimates that stand for them, are below the tolerance
  double unmet_bound = 0;       // the worst bound, relative, where estimates stand for the bounds
  bool complete = false;        // the vectors span all that can be excited
  double floor = 0;             // relative error that rounding in the entries of K makes
  double step = 0;              // that shows the motion in a plot
  std::string engine;           // that factorised K
  double bytes_of_factors = 0;
};
// UsageError if K is not symmetric or indefinite, and where it is singular because a body is not held, if a load pushes
// the whole body.
Reduction reduce(const ReductionTask& task);
}  // namespace trill
