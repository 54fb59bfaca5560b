// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/saddle_solver.hpp"
#include "problem/joint_terms.hpp"

namespace trill {
enum class Closing { ok, singular, not_reached, non_finite };

// The manifold g(q, t) = 0, G v + g_t = 0 of a mechanical system, for hard constraints and for closed stiff gaps.
// States are always moved to it by the shortest way in the metric of the mass, along M^-1 G^T:
//   M (q - q0) + G^T mu = 0,  g(q) = 0;   M (v - v0) + G^T nu = 0,  G v + g_t = 0
// and the motion on it is M a + G^T lambda = f, G a + eta = 0 (PJY97 sec. 3.2). Refers to the problem and the map.
class ConstraintManifold {
 public:
  enum class Metric { mass, identity };  // identity: M = I, whatever the mass is
  ConstraintManifold(const MechanicalProblem& problem, const ConstraintMap& map,
                     SaddleSolver::Way way = SaddleSolver::Way::best, Metric metric = Metric::mass);

  // The point of g = 0 that is nearest to q0, using G of the last iterate: g converges quadratically, and the foot of
  // the perpendicular linearly at the rate distance / radius of curvature. Afterwards the manifold stands at that
  // point.
  enum class Effort {
    step,  // g to rounding accuracy, the foot to nine digits; gives up soon if corrections do not shrink
    start  // both to rounding accuracy, with more iterations
  };
  Closing nearest(double t, In q0, Out q, Out mu, Effort effort = Effort::step);
  // The same for a q that is already on g = 0 up to a small error, using G at that q: one factorisation is enough as
  // long as the error is at rounding level.
  Closing polish(double t, Out q);

  // The functions below refer to one point until another is given. false: the rows are dependent there, or some motion
  // that they allow has no mass.
  bool stand_at(double t, In q);
  bool stand_at(double t, In q, In v, Vec& curvature);  // the same, and also the curvature of the rows
  // The same, and also the forces there.
  bool stand_at(double t, In q, In v, const JointTerms& terms, Vec& force, Vec& curvature);
  void project_velocity(Out v, Out nu);
  void accelerate(In f, In v, Out a, Out lambda);
  // Moves a from M a + G^T lambda = f to G a + eta = 0 without evaluating f again; lambda grows by mu.
  void close_acceleration(In v, Out a, Out mu);
  void meet(In c, Out x, Out mu);  // moves x to the nearest one with G x + c = 0

  // Solutions with the matrix itself: M x + G^T mu = r, G x + c = 0, and the smallest x with G x = c.
  void solve(In r, In c, Out x, Out mu) { saddle_.solve(r, c, x, mu); }
  void smallest(In c, Out x, Out mu) { saddle_.smallest(c, x, mu); }
  void smallest(In c, Out x) { saddle_.smallest(c, x, work_m_); }
  void slope(In x, Out c) const { saddle_.rows().multiply(x, c); }

  Index unknowns() const { return x_.size(); }
  Index rows() const { return c_.size(); }
  const MatrixSlot& jacobian() const { return saddle_.rows(); }
  const MatrixSlot& mass() const { return saddle_.mass(); }
  SchurComplement& schur() { return saddle_.schur(); }  // with Way::schur_only
  const SchurComplement& schur() const { return saddle_.schur(); }
  double reciprocal_condition() const;  // rough value for the rows in this metric; 1 where it is not known

  void choose_again();  // choose how to solve at the next point; the mass may have changed
  bool has_sparse_factors() const { return saddle_.has_sparse_factors(); }
  void forget();  // drops pivot orders of earlier matrices; allocates

 private:
  void take_mass(In q);
  bool factorise(double t, In q);
  Closing stay_for(In q);  // q differs only by rounding from the last point: its factors are used

  const MechanicalProblem& problem_;
  const ConstraintMap& map_;
  bool moving_, unit_, mass_known_ = false;
  SaddleSolver saddle_;
  double t_ = 0;
  Vec q_, x_, c_, g_, work_m_;
};
}  // namespace trill
