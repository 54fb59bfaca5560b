// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/solution/counters.hpp"

namespace trill {
// The point X = x + tau M^-1 F(t, X), which minimises 1/2 |X - x|_M^2 + tau U(X): the point at which the Moreau
// envelope of U takes its force (R. D. Skeel, G. Zhang, T. Schlick, SIAM J. Sci. Comput. 18 (1997) 203-222). Truncated
// Newton iteration: its linear systems are solved by conjugate gradients, preconditioned by the mass, only as
// accurately as the iteration needs, and a line search keeps it going downhill. For a constant mass and forces without
// velocity.
class EnvelopePoint {
 public:
  explicit EnvelopePoint(const MechanicalProblem& problem);
  void start(In q);  // allocates
  // X: first guess in, the point out; if it fails, X is the last iterate. `weights`: one over the size of an error.
  NewtonStats solve(double t, In x, double tau, In weights, Out X, Counters& work);
  const Vec& force() const { return force_; }  // F(X) at the point found last
  // u = M^-1 (M - tau F'(X)) w, and its inverse; false: the matrix is singular.
  void multiply_by(double t, double tau, In X, In w, Out u, Counters& work);
  bool divide(double t, double tau, In X, In u, Out w, Counters& work);

 private:
  struct Merit {
    double value = 0;  // of what is minimised; NaN: the potential is not known
    double slope = 0;  // |M^-1 gradient|_M^2
  };
  Merit look(double t, In x, double tau, In X, Counters& work);
  void multiply(double t, double tau, In X, In p, Out Hp, Counters& work);
  // Conjugate gradients for (M - tau F'(X)) d = r from d = 0, until the residual has shrunk by this factor. false: they
  // end with what they have, where a direction has no curvature, or a negative one if they are to descend.
  bool solve_linear(double t, double tau, In X, double factor, bool descend, Counters& work);
  // The step from X along the direction; false: no step leads downhill.
  bool search(double t, In x, double tau, Merit& merit, Out X, Counters& work);

  const MechanicalProblem& p_;
  Acceleration mass_;
  MatrixSlot M_;
  Vec zero_, gradient_, scaled_, force_, product_, d_, r_, z_, p_dir_, trial_, shifted_;
};
}  // namespace trill
