// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "formulation/lifted_form.hpp"
#include "formulation/reactive_acceleration.hpp"
#include "trill/linalg/kernels.hpp"

#include <optional>

namespace trill {
// The point of the slow manifold g = 0, G v = -g_t (JP95 eq. 18) that is nearest to a state in the metric of the mass,
// with what the smooth motion through it needs:
//   M (q - q0) + G^T mu = 0, g(q) = 0;   M (v - v0) + G^T nu = 0, G v + g_t = 0
//   (G M^-1 G^T) lambda = G M^-1 f + v^T H v + ...,   M a = f - G^T lambda
class SlowPoint {
 public:
  explicit SlowPoint(const LiftedForm& form);  // the form must have rows

  using Status = Closing;
  Status find(double t, In q0, In v0);
  // Uses M^-1 G^T, G and S at the point found last.
  void make_tangential(Out x);  // x - M^-1 G^T S^-1 G x

  // Energy in the gaps beyond the smooth motion: nu^T S nu / 2 and (g - C lambda)^T K (g - C lambda) / 2 (gaps only).
  double fast_energy() const { return fast_energy_; }
  double slowest_frequency() const { return slowest_; }  // from each gap by itself: K_i S_ii; infinite without gaps
  double fastest_frequency() const { return fastest_; }
  // Between two points of one system: the relative difference of K^1/2 S K^1/2, whose eigenvalues are the squared
  // frequencies. Hard constraints are eliminated first, since they can make frequencies vary that are constant without
  // them.
  double frequencies_differ(const SlowPoint& other) const;
  // How fast the directions of the gaps turn, from the velocity and, where the system is at rest, from the
  // acceleration.
  double turning_rate();
  double turned_speed(In v0) {
    return turning(v0, false) * max_abs(open);
  }  // of the open gaps, by which they turn at v0

  // |v| / |q| + (|a| / |q|)^1/2: how fast the slow motion moves by its own size. Gaps that move may be about to begin.
  double pace() const;
  // The first two derivatives in time of lambda along the rigid motion, by differences on the side of t to which
  // `direction` leads, since forces may jump at t. `beside` is a point to use for that. false: it found no slow point.
  bool multiplier_rates(double direction, SlowPoint& beside, Out first, Out second);

  Vec q, v, mu, nu, lambda, a;
  Vec open;                                 // displacement of q0 from the smooth motion, where the gaps are C lambda
  void closed_rate(In lambda_rate, Out x);  // the matching velocity across the manifold where gaps are closed
  void across(In c, Out x) { manifold_.smallest(c, x); }  // the smallest displacement with G x = c
  // The smooth motion itself, g = C lambda and G v + g_t = C lambda' to first order in C. Both hold at q_smooth: from
  // closed gaps to there G changes, and by that v changes as much as by C lambda'.
  void settle(In lambda_rate, Out q_smooth, Out v_smooth);
  // What settle() omits: the displacement M^-1 G^T S^-1 C S^-1 C lambda''.
  void beyond_first_order(In lambda_curve, Out x);
  // Computes the derivatives at this state on the smooth motion instead of at the nearby point with closed gaps.
  bool move_to(double t, In q_smooth, In v_smooth);
  // Only a and lambda, at these positions; the velocity is projected.
  bool accelerate_at(double t, In at, In velocity);

 private:
  bool find_derivatives(double t);
  void find_open(double t, In q0);
  void measure(double t, In q0);
  double entries_differ(const SlowPoint& other) const;
  void respond(In probe, Out response) const;
  double turning(In along, bool in_time);
  double mass_turning(In along);

  const LiftedForm& form_;
  const ConstraintMap& map_;
  mutable ConstraintManifold manifold_;  // solving with its factors does not change the point
  std::optional<ReactiveAcceleration> reactive_;
  Index n_, m_;
  double t_ = 0, fast_energy_ = 0, slowest_ = 0, fastest_ = 0;
  double turning_rate_ = -1;  // at this point; negative: not computed yet
  Vec g_, c_, x_, f_, lifted_;
  mutable Vec probe_, response_, other_response_;  // space for frequencies_differ()
  MatrixSlot turned_, turned_mass_;
};
}  // namespace trill
