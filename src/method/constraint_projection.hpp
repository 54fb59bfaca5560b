// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/row_products.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"

namespace trill {
// G M^-1 W^T for two constraint Jacobians: sparse where they are and the mass is diagonal.
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

// Moves positions and velocities onto the constraints of a mechanical system with constant mass, along M^-1 G^T:
// orthogonally in the metric of the mass. `mass` must have been started.
class ConstraintProjection {
 public:
  ConstraintProjection(const MechanicalProblem& p, Acceleration& mass);

  // Positions are moved along M^-1 G^T as it is here.
  void take_directions(double t, In q) { map_.jacobian(t, q, position_.G0); }
  // One for each multiplier of project_position, which then counts by what it does to positions of this weight.
  void weigh(double weight, In q, Out weights);
  bool has_sparse_factors() const { return matrix_.is_sparse(); }
  void forget();  // pivot orders of earlier matrices; allocates
  // q = q_free - M^-1 G^T s with g(t, q) = 0. s: a first guess in, the solution out. A failure leaves q alone.
  NewtonStats project_position(double t, In q_free, In weights, Out s, Out q);

  // What follows is meant at this point, until the next is given. false: the constraints are dependent there.
  bool stand_at(double t, In q);
  void project_velocity(Out v);                              // v - M^-1 G^T mu with G v + g_t = 0
  void multipliers(In v, In free_acceleration, Out lambda);  // of the acceleration level, from M^-1 f

 private:
  // g(t1, q_free - M^-1 G0^T s) = 0
  class PositionSystem final : public MatrixSystem {
   public:
    PositionSystem(const MechanicalProblem& p, Acceleration& mass);
    void residual(In s, Out r) override;
    void jacobian(In, MatrixSlot& j) override;

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
  Acceleration& mass_;
  PositionSystem position_;
  Newton newton_;
  ProjectedMass projected_;
  MatrixSlot G_, matrix_;
  std::unique_ptr<LinearSolver> solver_;
  Vec q_, gv_, gt_, mu_, correction_;
  double t_ = 0;
};
}  // namespace trill
