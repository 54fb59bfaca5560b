// SPDX-License-Identifier: BSD-3-Clause
#include "problem/joint_terms.hpp"

namespace trill {
void SeparateTerms::force_and_gaps(double t, const double* q, const double* v, double* f, double* g,
                                   MatrixSlot& G) const {
  const Index n = problem_.layout().nq;
  const Eigen::Map<const Vec> position(q, n), velocity(v, n);
  problem_.force(groups_, t, position, velocity, Eigen::Map<Vec>(f, n));
  map_.jacobian(t, position, G);
  map_.value(t, position, Eigen::Map<Vec>(g, map_.count()));
}

void SeparateTerms::force_and_curvature(double t, In q, In v, Out f, MatrixSlot& G, Out eta) const {
  map_.slope_and_curvature(t, q, v, G, eta);
  problem_.force(groups_, t, q, v, f);
}

void SeparateTerms::rates(int k, const Motion& motion, In s, In s1, Out f, Out covector, Out values) const {
  problem_.force_derivative(groups_, k, motion, f);
  map_.rigid_rate(k, motion, s, s1, covector, values);
}

std::unique_ptr<JointTerms> make_joint_terms(const MechanicalProblem& problem, Groups groups,
                                             const ConstraintMap& map) {
  if (const auto* model = dynamic_cast<const JointModel*>(&problem))
    if (auto joint = model->joint_terms(groups, map)) return joint;
  return std::make_unique<SeparateTerms>(problem, groups, map);
}
}  // namespace trill
