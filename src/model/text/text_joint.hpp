// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/text/text_map.hpp"
#include "problem/joint_terms.hpp"

namespace trill {
// The forces of a text model together with its gaps or its constraints. While an event holds formulas, forces may have
// to be evaluated without them, and then everything is evaluated separately.
class TextJoint final : public JointTerms {
 public:
  // Refers to all of them. `groups` are those without gaps, or for constraints all groups.
  TextJoint(const MechanicalProblem& problem, Groups groups, const TextMap& map, const ModelMode& mode);
  void force_and_gaps(double t, const double* q, const double* v, double* f, double* g, MatrixSlot& G) const override;
  bool force_and_gaps_at(Index points, const double* q, const double* v, double* values) const override;
  void force_and_curvature(double t, In q, In v, Out f, MatrixSlot& G, Out eta) const override;
  void rates(int k, const Motion& motion, In s, In s1, Out f, Out covector, Out values) const override;

 private:
  bool serves(const MatrixSlot& G) const {
    return !mode_.held().any() && G.stored() == slope_.stored() && G.pattern_id() == slope_.pattern_id();
  }
  double* evaluate(VectorRun& run, const ProgramInputs& inputs) const;

  const ModelMode& mode_;
  SeparateTerms separate_;
  MatrixSlot slope_;
  Index unknowns_, rows_;
  mutable VectorRun gaps_, curvature_;
  mutable StackedRun gaps_at_;
  mutable std::array<VectorRun, 2> rates_;
  mutable std::vector<double> values_;  // zero between calls
};
}  // namespace trill
