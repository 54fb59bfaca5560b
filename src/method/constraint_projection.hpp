// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "linalg/row_products.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"

namespace trill {
// G M^-1 W^T for constraint Jacobians G and W at two points; sparse if they are sparse and the mass is diagonal.
class ProjectedMass {
 public:
  ProjectedMass(const MechanicalProblem& p, Acceleration& mass);
  const MatrixSlot& pattern() const { return pattern_; }
  void form(In q, const MatrixSlot& G, const MatrixSlot& W, MatrixSlot& out);
  void largest_in_rows(In q, const MatrixSlot& G, Out sizes);  // the largest entry in each column of M^-1 G^T

 private:
  void find_inverse(In q);
  Acceleration& mass_;
  bool sparse_;
  RowProducts products_;
  MatrixSlot pattern_;
  Vec column_, product_;
};

// How positions are moved onto the constraints. Sweeps correct one constraint after the other, as SHAKE does, by
// `relaxation` times what each needs, until all are closed to `tolerance`.
struct PositionSolver {
  bool sweeps = false;
  double relaxation = 1, tolerance = 1e-10;
  int most_sweeps = 100000;
};

// Keeps the constraints in a step of Rattle, for a constant mass. Positions are not moved to the nearest point of the
// manifold but along M^-1 G^T taken where the step began, which makes the step symplectic. Velocities are projected at
// the end point. `mass` must have been started.
class ConstraintProjection {
 public:
  ConstraintProjection(const MechanicalProblem& p, Acceleration& mass, const PositionSolver& solver = {});

  // From now on positions are moved along M^-1 G^T as it is at this point.
  void take_directions(double t, In q) { map_.jacobian(t, q, position_.G0); }
  // Weights for the multipliers of project_position: each counts by how far it moves positions of this weight.
  void weigh(double weight, In q, Out weights);
  bool has_sparse_factors() const { return position_.matrix().is_sparse() || manifold_.has_sparse_factors(); }
  void forget();  // drops the pivot order of earlier matrices; allocates
  // q = q_free - M^-1 G^T s with g(t, q) = 0. s: first guess on entry, solution on return. If it fails, q is unchanged.
  NewtonStats project_position(double t, In q_free, In weights, Out s, Out q);

  // The functions below refer to this point until another one is set. false: the constraints are dependent there.
  bool stand_at(double t, In q) { return manifold_.stand_at(t, q); }
  void project_velocity(Out v) { manifold_.project_velocity(v, work_m_); }
  void accelerate(In f, In v, Out a, Out lambda) { manifold_.accelerate(f, v, a, lambda); }
  // Turns a = M^-1 f into the acceleration of the constrained motion and gives its multipliers.
  void close_acceleration(In v, Out a, Out lambda) { manifold_.close_acceleration(v, a, lambda); }

 private:
  // g(t1, q_free - M^-1 G0^T s) = 0
  class PositionSystem final : public MatrixSystem {
   public:
    PositionSystem(const MechanicalProblem& p, Acceleration& mass);
    void residual(In s, Out r) override;
    void jacobian(In, MatrixSlot& j) override;
    ProjectedMass& projected() { return projected_; }
    bool sweep(double relaxation, Out s, Out r);  // r: the residual at s, which is changed; false: a row is empty

   private:
    const ConstraintMap& map_;
    Acceleration& mass_;
    ProjectedMass projected_;
    MatrixSlot G1_, J_;

   public:
    MatrixSlot G0;
    Vec q_free, q1;
    double t1 = 0;
  };

  NewtonStats sweep_positions(Out s);

  PositionSolver solver_;
  const ConstraintMap& map_;
  PositionSystem position_;
  Newton newton_;
  ConstraintManifold manifold_;
  Vec work_m_;
};
}  // namespace trill
