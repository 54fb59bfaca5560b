// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/saddle_solver.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill {
enum class Closing { ok, singular, not_reached, non_finite };

// The manifold g(q, t) = 0, G v + g_t = 0 of a mechanical system, for hard constraints and closed stiff gaps alike. All
// that takes a state there takes the shortest way in the metric of the mass, along M^-1 G^T:
//   M (q - q0) + G^T mu = 0,  g(q) = 0;   M (v - v0) + G^T nu = 0,  G v + g_t = 0
// and the motion on it is M a + G^T lambda = f, G a + eta = 0 (PJY97 sec. 3.2). It refers to the problem and the map.
class ConstraintManifold {
 public:
  enum class Metric { mass, identity };  // identity: M = I whatever the mass
  ConstraintManifold(const MechanicalProblem& problem, const ConstraintMap& map,
                     SaddleSolver::Way way = SaddleSolver::Way::best, Metric metric = Metric::mass);

  // The point of g = 0 that is nearest to q0, with G of the last iterate: g converges quadratically, and the foot of
  // the perpendicular at a rate that is the distance over the radius of curvature. It stands there behind.
  enum class Effort {
    step,  // g to rounding, the foot to nine digits; corrections have to shrink soon
    start  // both to rounding, and more patience
  };
  Closing nearest(double t, In q0, Out q, Out mu, Effort effort = Effort::step);
  // The same from a q that is there up to a small error, with G of that q: one factorisation as long as the error is
  // at the level of rounding.
  Closing polish(double t, Out q);

  // What follows is meant at one point, until the next is given. false: the rows are dependent there, or some motion
  // that they leave has no mass.
  bool stand_at(double t, In q);
  bool stand_at(double t, In q, In v, Vec& curvature);  // the same, and the curvature of the rows
  void project_velocity(Out v, Out nu);
  void accelerate(In f, In v, Out a, Out lambda);
  // From M a + G^T lambda = f to G a + eta = 0 without asking for f: a is moved, and lambda grows by mu.
  void close_acceleration(In v, Out a, Out mu);
  void meet(In c, Out x, Out mu);  // moves x to the nearest one with G x + c = 0

  // Of the matrix itself: M x + G^T mu = r, G x + c = 0, and the smallest x with G x = c.
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
  double reciprocal_condition() const;  // of the rows in this metric, roughly; 1 where it is not known

  void choose_again();  // the way to solve, at the next point; the mass may be another
  bool has_sparse_factors() const { return saddle_.has_sparse_factors(); }
  void forget();  // pivot orders of earlier matrices; allocates

 private:
  void take_mass(In q);
  bool factorise(double t, In q);
  Closing stay_for(In q);  // another one only by rounding: the factors serve it as well

  const MechanicalProblem& problem_;
  const ConstraintMap& map_;
  bool moving_, unit_, mass_known_ = false;
  SaddleSolver saddle_;
  double t_ = 0;
  Vec q_, x_, c_, g_, work_m_;
};
}  // namespace trill
