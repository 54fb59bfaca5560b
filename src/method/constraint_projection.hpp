// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "linalg/row_products.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"

namespace trill {
// G M^-1 W^T for constraint Jacobians at two points: sparse where they are and the mass is diagonal.
class ProjectedMass {
 public:
  ProjectedMass(const MechanicalProblem& p, Acceleration& mass);
  const MatrixSlot& pattern() const { return pattern_; }
  void form(In q, const MatrixSlot& G, const MatrixSlot& W, MatrixSlot& out);
  void largest_in_rows(In q, const MatrixSlot& G, Out sizes);  // of M^-1 G^T, column by column

 private:
  void find_inverse(In q);
  Acceleration& mass_;
  bool sparse_;
  RowProducts products_;
  MatrixSlot pattern_;
  Vec column_, product_;
};

// The constraints in a step of Rattle, for a constant mass: positions are not moved to the nearest point of the
// manifold but along M^-1 G^T of the point where the step began, which makes it symplectic; velocities are projected
// where they arrive. `mass` must have been started.
class ConstraintProjection {
 public:
  ConstraintProjection(const MechanicalProblem& p, Acceleration& mass);

  // Positions are moved along M^-1 G^T as it is here.
  void take_directions(double t, In q) { map_.jacobian(t, q, position_.G0); }
  // One for each multiplier of project_position, which then counts by what it does to positions of this weight.
  void weigh(double weight, In q, Out weights);
  bool has_sparse_factors() const { return position_.matrix().is_sparse() || manifold_.has_sparse_factors(); }
  void forget();  // pivot orders of earlier matrices; allocates
  // q = q_free - M^-1 G^T s with g(t, q) = 0. s: a first guess in, the solution out. A failure leaves q alone.
  NewtonStats project_position(double t, In q_free, In weights, Out s, Out q);

  // What follows is meant at this point, until the next is given. false: the constraints are dependent there.
  bool stand_at(double t, In q) { return manifold_.stand_at(t, q); }
  void project_velocity(Out v) { manifold_.project_velocity(v, work_m_); }
  void accelerate(In f, In v, Out a, Out lambda) { manifold_.accelerate(f, v, a, lambda); }
  // From a = M^-1 f to that of the constrained motion, and its multipliers.
  void close_acceleration(In v, Out a, Out lambda) { manifold_.close_acceleration(v, a, lambda); }

 private:
  // g(t1, q_free - M^-1 G0^T s) = 0
  class PositionSystem final : public MatrixSystem {
   public:
    PositionSystem(const MechanicalProblem& p, Acceleration& mass);
    void residual(In s, Out r) override;
    void jacobian(In, MatrixSlot& j) override;
    ProjectedMass& projected() { return projected_; }

   private:
    const ConstraintMap& map_;
    Acceleration& mass_;
    ProjectedMass projected_;
    MatrixSlot G1_;

   public:
    MatrixSlot G0;
    Vec q_free, q1;
    double t1 = 0;
  };

  const ConstraintMap& map_;
  PositionSystem position_;
  Newton newton_;
  ConstraintManifold manifold_;
  Vec work_m_;
};
}  // namespace trill
