// SPDX-License-Identifier: BSD-3-Clause
// What is judged of a structure, and how it moves along a run.
#pragma once

#include "multiscale/modal_motion.hpp"

namespace trill {
// y = weights^T u, or, without weights, the whole field in the mean that is weighted by mass, sqrt(u^T M u).
struct RitzTarget {
  std::string name;
  Vec weights;
  bool is_field() const { return weights.size() == 0; }
};

// Outputs and positions with the names in `of`; all outputs if nobody says which, and the whole field if there are
// none. What is no linear function of positions is judged by the field.
std::vector<RitzTarget> structure_targets(const LinearStructure& structure, const std::vector<std::string>& of);

// Half the widths of bands around these targets, as quantities of a run; the whole field has none.
std::vector<Quantity> error_bands(const LinearStructure& structure, const std::vector<RitzTarget>& targets,
                                  bool proved);

// All targets along a run of a reduced structure, a row for each. Its coordinates are M-orthonormal; row k of `weights`
// gives target k from them, unless that is the field.
struct ReducedStart {
  const Vec &x, &v;
  double t = 0, t_end = 0;
};
Mat sample_targets(const ModalSystem& system, const LinearStructure& structure, const ReducedStart& start,
                   const std::vector<RitzTarget>& targets, const Mat& weights);
}  // namespace trill
