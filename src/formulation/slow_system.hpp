// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/gap_modes.hpp"
#include "formulation/joined_map.hpp"

#include <optional>

namespace trill {
// What the oscillation does to the slow motion: nothing; the force of constant actions J_k (adiabatic), -sum J_k grad
// Omega_k; or that of modes in equilibrium at one temperature (Fixman), -kT sum grad log Omega_k.
enum class FastEnergy { drop, keep, thermal };

// The slow motion of M q'' = f - G^T K g by itself: stiff gaps g follow the multipliers lam of the rigid system,
// K g = lam, and their oscillation with actions J adds the force -sum J_k grad Omega_k.
//   order 0:  g = 0                                       error of order epsilon^2
//   order 1:  g = K^-1 lam, where g'' = K^-1 lam''        error of order epsilon^4 without fast energy
// Unknowns: q, v, the actions J if they are kept, and the phases if they are requested.
class SlowSystem final : public FirstOrderProblem {
 public:
  struct Choice {
    FastEnergy energy = FastEnergy::keep;
    bool phases = false;
  };
  // Refers to the stiff problem, which must outlive it.
  SlowSystem(const MechanicalProblem& stiff, const Choice& choice);
  std::string name() const override { return stiff_.name() + " (slow motion)"; }
  Layout layout() const override;
  std::vector<Quantity> components() const override;
  State initial_state() const override;  // that of the stiff system with closed gaps
  std::unique_ptr<Problem> clone() const override;
  void rhs(double t, In y, Out dy) const override;

  // Values at one point (t, q, v, ...). They stay valid until the next point is evaluated.
  struct Point {
    double t = 0;
    Vec y;
    int order = -1;
    bool fast = false;
    bool regular = false;
    Vec g, lambda, lambda1, lambda2;  // gaps; multipliers of the rigid flow and their time derivatives (order 1)
    Vec reaction;  // the multipliers that act: lambda minus the part for the acceleration of the gaps
    Vec a;
  };
  const Point& at(double t, In y) const;  // evaluates unless it is the last point

  void forget() const { point_.order = -1; }  // call it when parameters may have changed
  void set_order(int order) const { order_ = order; }
  int order() const { return order_; }
  bool can_be_of_order_1() const;
  void set_fast(bool on) const { fast_ = on; }  // false: all actions are zero, and their force is left out
  bool fast() const { return fast_; }
  void set_kT(double kT) const { kT_ = kT; }  // of thermal modes
  double kT() const { return kT_; }

  // One Newton step onto the slow manifold in the metric of the mass; returns how far the gaps were off it.
  double project(State& s) const;
  // K^-1 c, zero for hard rows.
  void soften(In c, Out gap) const;

  void times_mass(In x, Out y) const;  // M x at the point evaluated last
  double kinetic_energy(In v) const;   // also at the point evaluated last
  double slowest_gap_alone() const;    // lowest frequency if gaps were not coupled; also at that point

  const MechanicalProblem& stiff() const { return stiff_; }
  const ConstraintMap& map() const { return map_; }
  Groups soft_groups() const { return soft_; }
  Index unknowns() const { return n_; }
  Index gaps() const { return gaps_; }
  Index rows() const { return m_; }
  const Vec& stiffness() const { return stiff_.strong_potential()->stiffness; }
  Drag drag() const { return drag_; }
  ConstraintManifold& manifold() const { return manifold_; }  // manifold of closed gaps and hard constraints
  GapModes& modes() const { return *modes_; }                 // only where fast energy is not dropped
  bool has_modes() const { return modes_.has_value(); }
  const Choice& choice() const { return choice_; }

  // Velocity derivative f_v of the forces at a point. It contains the inertial forces of a position-dependent mass;
  // damping_rates takes their part b^T (dM along v) b out. Call damping_at first.
  void damping_at(double t, In q, In v) const;
  void damp(In w, Out f) const { damping_.multiply(w, f); }
  // -u_k^T f_v u_k for every mode, at the point of damping_at and with the modes computed last.
  void damping_rates(In q, In v, Out c) const;
  // (Hess g . s) dq, and with a position-dependent mass the covector x^T (dM/dq_i) z.
  void bend(double t, In q, In dq, In s, Out covector) const;
  // What gaps that move by themselves add when time passes: covector += (dG/dt)^T s at fixed q. As if time were one
  // more coordinate, with the velocity 1 and an infinite mass.
  void add_bend_in_time(double t, In q, In s, Out covector) const;
  void add_mass_along(In q, In x, In dq, Out y) const;  // y += (dM along dq) x
  void add_mass_covector(In q, In x, In z, double factor, Out covector) const;

 private:
  bool evaluate(double t) const;  // at the state of the point
  bool second_order(double t, In q, In v) const;
  void rates(int k, const Motion& motion, In lambda1, Out derivative) const;
  void soft_force_difference(int k, const Motion& motion, Out derivative) const;
  void add_fast_force(double t, In q, In J, Out f) const;
  void average_drag(double t, In q, In v, In J, Out f) const;
  void inertial_force(In q, In w, Out f) const;
  void actions_rate(double t, In q, In v, In J, Out dJ) const;

  std::shared_ptr<const Problem> owned_;  // set in a clone, which owns its problem
  const MechanicalProblem& stiff_;
  Choice choice_;
  std::optional<JoinedMap> joined_;
  const ConstraintMap& map_;
  Groups soft_;
  Drag drag_;
  Index n_, gaps_, m_;
  Vec inverse_stiffness_;  // 0 for hard rows
  mutable int order_ = 0;
  mutable bool fast_ = true;
  mutable double kT_ = 0;
  mutable ConstraintManifold manifold_;
  mutable std::optional<GapModes> modes_;
  mutable Point point_;
  mutable Vec f_, f1_, r_, c_, a1_, zero_, s_, weights_, averaged_, moved_, action_rate_;
  // Some of these vectors, and those of the point, as arguments: made once, since for short vectors making them costs
  // as much as what is done with them.
  struct Arguments {
    Eigen::Ref<const Vec> q, v, J, f, c, f1, s, weights, lambda, lambda1, lambda2;
  };
  std::optional<Arguments> as_;
  mutable MatrixSlot mass1_, mass2_, product_, stiffness_slot_, damping_;
  mutable MatrixSlot G_in_time_;       // only where gaps move
  std::unique_ptr<JointTerms> terms_;  // soft forces and the rows of the map
};
}  // namespace trill
