// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/differences.hpp"
#include "problem/reactive.hpp"

#include <memory>
#include <string_view>

namespace trill {
// A mechanical system with its stiff forces as unknowns of their own (JP95 eq. 19, after Hairer):
//   q' = v,  M(q) v' = f(t, q, v) - G^T l,  0 = g(q, t) - C l
// C = 1/stiffness for gaps and 0 for hard constraints, which are the limit of ever stiffer gaps. With this scaling the
// derivative is symmetric where f has a potential, and it stays regular however large the stiffness is. A system with
// neither gaps nor constraints has no l. Forces that depend on the multipliers of hard constraints are part of f.
// Refers to the problem, which must outlive it.
class LiftedForm {
 public:
  // with_gaps = false: the forces of gaps stay in f, and only hard constraints have multipliers.
  explicit LiftedForm(const MechanicalProblem& problem, bool with_gaps = true);
  ~LiftedForm();
  const MechanicalProblem& problem() const { return problem_; }
  Index unknowns() const { return n_; }
  Index rows() const { return m_; }
  Index gaps() const { return gaps_; }           // the first rows; hard constraints follow
  bool gaps_move() const { return gaps_move_; }  // they depend on time by themselves
  const ConstraintMap* map() const { return map_; }
  const Vec& compliance() const { return compliance_; }
  Groups soft_groups() const { return soft_; }       // the groups in f
  bool leaves_gaps() const { return leaves_gaps_; }  // the model names some, and their forces stay in f
  Groups counted_groups() const { return counted_; }
  const ReactionForces* reactions() const { return reactions_; }  // nullptr: no force depends on multipliers

  // M k - f + G^T l, and g - C l.
  void residual(double t, In q, In v, In k, In l, Out balance, Out closure) {
    residual(t, q.data(), v.data(), k.data(), l.data(), balance.data(), closure.data());
  }
  void residual(double t, const double* q, const double* v, const double* k, const double* l, double* balance,
                double* closure);

  // The same at several points in one call of the model. q, v and k follow each other; l and the residuals, which are
  // balance and closure of one point after those of another, are `stride` apart. false: only point by point.
  bool residuals(Index points, const double* q, const double* v, const double* k, const double* l, Index stride,
                 double* r);

  void pull(double t, In q, In v, In l, Out force);  // f - G^T l
  void times_mass(In q, In x, Out y);                // y = M(q) x

  // Derivatives of both: mass (balance by k), slope (balance by q), -damping (balance by v), G (closure by q and its
  // transpose: balance by l, minus what reactions add for hard constraints).
  void linearise(double t, In q, In v, In k, In l);
  const MatrixSlot& mass() const { return mass_; }
  const MatrixSlot& slope() const { return slope_; }
  const MatrixSlot& damping() const { return damping_; }
  const MatrixSlot& jacobian() const { return G_; }
  const MatrixSlot& reaction_slope() const { return reaction_slopes_.by_multiplier; }

 private:
  void add_row_forces(const double* l, double* balance);
  void add_reactions(double t, In q, In v, In l, Out f);
  void find_force_derivatives(double t, In q, In v, MatrixSlot& by_velocity);
  void force_derivatives(double t, In q, In v);

  const MechanicalProblem& problem_;
  struct Rows;  // the gaps and the constraints together, and what evaluates them with the forces
  std::unique_ptr<Rows> rows_;
  const ConstraintMap* map_ = nullptr;
  bool leaves_gaps_ = false, gaps_move_ = false, few_rows_ = false;
  Index n_, m_ = 0, gaps_ = 0;
  Vec compliance_;
  Groups soft_, counted_;
  MassKind mass_kind_;
  bool mass_known_ = false;
  MatrixSlot mass_, slope_, damping_, G_, force_slope_, force_damping_, bend_;
  SlotMap force_places_, bend_places_;
  const ReactionForces* reactions_;
  ReactionForces::Patterns reaction_slopes_;
  DifferenceJacobian q_differences_, v_differences_;
  Vec product_, reaction_, several_;
};
}  // namespace trill
