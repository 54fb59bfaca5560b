// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/joint_draft.hpp"

#include <set>

namespace trill {
namespace {
class JointDrafter {
 public:
  JointDrafter(const Kernel& kernel, FunctionKey key, MatrixSlot& slope, Index rows, ExpressionGraph& graph)
      : kernel_(kernel), key_(key), slope_(slope), rows_(rows), unknowns_(kernel.scope.unknowns()), graph_(graph) {}

  VectorDraft draft() {
    switch (key_.purpose) {
      case Purpose::slope_and_curvature:
        add_slope_and_curvature(0);
        break;
      case Purpose::force_and_gaps:
        add_forces(0);
        add_part({Purpose::value, key_.selection}, unknowns_);
        add_slope(unknowns_ + rows_);
        break;
      case Purpose::force_and_curvature:
        add_slope_and_curvature(unknowns_);
        add_forces(0);
        break;
      default:  // Purpose::rates
        add_part({Purpose::rigid_rate, key_.selection, key_.derivative}, unknowns_);
        share_reciprocals(graph_, all_.outputs);
        add_forces(0);
    }
    return std::move(all_);
  }

 private:
  void add_part(FunctionKey key, Index first) {
    const VectorDraft part = draft_vector(kernel_, key, graph_);
    all_.outputs.insert(all_.outputs.end(), part.outputs.begin(), part.outputs.end());
    for (const Target& target : part.targets) all_.targets.push_back({shifted(*target.places, first), target.sum});
  }
  void add_slope(Index first) {
    const MatrixDraft part = draft_matrix(kernel_, {Purpose::jacobian, key_.selection}, graph_);
    all_.outputs.insert(all_.outputs.end(), part.outputs.begin(), part.outputs.end());
    for (std::size_t k = 0; k < part.rows.size(); ++k)
      all_.targets.push_back({shifted(places_in(slope_, *part.rows[k], *part.columns[k]), first), false});
  }
  // Higher derivatives of a distance divide by it many times. Only these outputs share reciprocals: forces keep the
  // bits that they have by themselves.
  void add_slope_and_curvature(Index first) {
    add_slope(first);
    add_part({Purpose::curvature, key_.selection}, first + slope_.stored());
    share_reciprocals(graph_, all_.outputs);
  }
  // Beside gaps, the groups without gaps one after another, as they are added up where they are evaluated separately.
  void add_forces(Index first) {
    if (key_.selection == of_constraints) return add_part({Purpose::force, every_group, key_.derivative}, first);
    std::set<std::size_t> soft;
    for (const ForceTerm& term : kernel_.terms)
      if (!term.of_gap) soft.insert(term.group);
    for (const std::size_t group : soft) add_part({Purpose::force, static_cast<int>(group), key_.derivative}, first);
  }

  const Kernel& kernel_;
  FunctionKey key_;
  MatrixSlot& slope_;
  Index rows_, unknowns_;
  ExpressionGraph& graph_;
  VectorDraft all_;
};
}  // namespace

bool is_joint(Purpose purpose) {
  return purpose == Purpose::slope_and_curvature || purpose == Purpose::force_and_gaps ||
         purpose == Purpose::force_and_curvature || purpose == Purpose::rates;
}

VectorDraft draft_joint(const Kernel& kernel, FunctionKey key, MatrixSlot& slope, Index rows, ExpressionGraph& graph) {
  return JointDrafter(kernel, key, slope, rows, graph).draft();
}
}  // namespace trill
