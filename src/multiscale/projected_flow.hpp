// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "formulation/rigid_limit.hpp"
#include "multiscale/fast_flow.hpp"

namespace trill {
// The equilibrium mollifier (Izaguirre, Reich, Skeel, J. Chem. Phys. 110 (1999) 9853): A(q) is the nearest position
// with closed gaps in the metric of the mass, M (A - q) + G(A)^T mu = 0, and the force is that of the potential
// U(A(q)),
//   A'(q)^T f = M w,   (M + d(G^T mu)/dq) w + G^T nu = f,   G w = 0.
// The motion itself is that of another flow.
class ProjectedFlow final : public FastFlow {
 public:
  ProjectedFlow(const MechanicalProblem& problem, Groups closed, std::shared_ptr<FastFlow> motion);

  void start(const State& s) override;  // UsageError where the gaps cannot be closed
  bool flow(double t, double h, Out q, Out v, Counters& work) override { return motion_->flow(t, h, q, v, work); }
  void forget() override;
  const std::vector<WeightPair>& pairs() const override { return motion_->pairs(); }
  bool average(double t, double h, In q, Eigen::Ref<Mat> a, Counters& work) override;
  bool mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters& work) override;
  double fastest_frequency() const override { return motion_->fastest_frequency(); }
  const Vec& fastest_mode() const override { return motion_->fastest_mode(); }
  double frequency_at(double t, In q, Counters& work) override { return motion_->frequency_at(t, q, work); }
  double inner_angle(double h) const override { return motion_->inner_angle(h); }
  std::string text() const override { return motion_->text(); }
  bool has_sparse_factors() const { return manifold_.has_sparse_factors(); }

 private:
  RigidLimit rigid_;
  const ConstraintMap& gaps_;
  ConstraintManifold manifold_;
  std::shared_ptr<FastFlow> motion_;
  MatrixSlot bend_;  // d(G^T mu)/dq
  Vec near_, mu_, nu_, force_, w_, bent_, no_slope_;
};
}  // namespace trill
