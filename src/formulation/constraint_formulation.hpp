// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/constraint_manifold.hpp"
#include "formulation/lifted_form.hpp"
#include "formulation/reactive_acceleration.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"
#include "trill/base/options.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/newton.hpp"
#include "trill/solution/counters.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// The equations that a time discretisation leaves to be solved for q and v at t, before constraints are added:
//   q = q_base + kinematic v,   M(q) (v - v_base) = dynamic f(t, q, v)
// An alpha method, a BDF formula and a stage of a diagonally implicit Runge-Kutta method all have this form.
struct StageEquation {
  double t = 0, kinematic = 0, dynamic = 0;
  Vec q_base, v_base;
};

// How constraints g(q, t) = 0 and G v + g_t = 0 are added to a stage.
enum class ConstraintForm {
  index2,  // multipliers for both, in the metric of the mass: YPR98 eq. 3.3
  cs,      // premultiplied by P(q), which eliminates the multipliers: YPR98 eq. 3.6 and 3.7
  cm,      // cs without the derivative of P in the Newton matrix: YPR98 sec. 3.1
  ggl,     // q' = v - G^T mu without a mass: Gear, Gupta and Leimkuhler 1985
  index3   // positions only; the velocities follow from the formula
};
struct ConstraintFormInfo {
  ConstraintForm form;
  std::string name, title, reference;
};
const std::vector<ConstraintFormInfo>& constraint_forms();
const std::vector<std::string>& constraint_form_names();
ConstraintForm constraint_form(std::string_view name);  // UsageError for an unknown one
// The choices for an option of a method. with_velocities: only forms that also enforce constraints on velocities.
NamedValues<ConstraintForm> constraint_form_choices(bool with_velocities = false);

class StageEquations;

struct StageOptions {
  ConstraintForm form = ConstraintForm::index2;
  bool split_by_qr = false;  // for cs and cm
  bool lift_gaps = false;    // forces of stiff gaps are multipliers with a compliance, as in JP95 eq. 19
  int max_iterations = 10;
  int jacobian_every = 0;
};

// Solves stages of a mechanical system, with constraints in one of these forms or without any. Refers to the problem,
// which must outlive it.
//
// Newton's unknowns are q and the position multipliers, n + m in all. The velocities follow from q up to a small
// correction along the constraints, which is computed once q is known; where forces depend on velocities this is
// repeated until the correction no longer changes. The forms differ only in the multipliers used in the Newton matrix
// (index2: its own unknowns, cs: s of the present q, cm: none) and in the metric of the velocity correction (ggl).
class ConstrainedStage {
 public:
  ConstrainedStage(const MechanicalProblem& problem, const StageOptions& options);
  ~ConstrainedStage();

  Index constraints() const { return hard_; }
  Index gaps() const { return form_.gaps(); }  // the lifted ones
  void set_tolerance(double tolerance);        // tolerance of the Newton iteration, in the given weights
  void start(double t, In q);                  // UsageError if constraints are dependent or the mass is singular

  StageEquation equation;
  // q: a guess on input, the solution on output. v: the solution. lambda: a guess on input, on output the multipliers
  // that the stage itself gives. weights: for q and v, in the Newton norm. reuse: matrices of an earlier stage may be
  // used again.
  NewtonStats solve(Out q, Out v, Out lambda, In weights, bool reuse, Counters& work);
  // The same with y = (q, v, lambda), on input the last state: starts from this guess of q and, if that fails, from the
  // last positions.
  NewtonStats solve_from(In guess, Out y, In weights, bool reuse, Counters& work);
  // v of the last stage once more, from its forces, where the rounding of q would show in (q - q_base)/kinematic. At
  // the cost of one evaluation of the forces.
  void refine_velocity(In q, Out v, In weights, Counters& work);
  bool is_prepared() const;  // for the coefficients of the present equation
  bool has_sparse_factors() const;
  void forget();  // drops pivot orders and corrections of earlier stages; allocates
  // J^-1 M e: how a disturbance M e of the last stage changes q. Stiff modes hardly respond to it. Where J is singular
  // at the stage's solution, the result is e itself.
  void filter(In e, Out filtered, Counters& work);
  // Adds the part of e along M^-1 G^T unfiltered: motion prescribed by constraints is not a mode that is damped.
  void add_prescribed(In e, Out filtered);
  // The same for gaps that move by themselves, with the change of their acceleration between two points. Along gaps e
  // may contain nothing but an oscillation.
  void add_moving_gaps(double t0, In q0, double t1, In q1, Out filtered);

  // The functions below refer to one point until another is given; solve() leaves it at its solution.
  bool stand_at(double t, In q);  // false: constraints dependent or mass singular
  void accelerate(In q, In v, Out a, Out lambda, Counters& work);
  // Moves a and lambda of M a + G^T lambda = f to the acceleration level G a + curvature = 0 without evaluating f
  // again: residuals that Newton's iteration leaves in stiff directions do not get into a.
  void close_acceleration(In v, Out a, Out lambda);
  bool settle(double t, Out q, Out v, Out lambda);  // project(), then the multipliers of that state; counts no work
  bool project(double t, Out q, Out v);  // onto the constraints, in the metric of the mass; ends at that point

  // Adds a note of severity "doubt" where the constraints are much closer to dependence here than elsewhere before:
  // beyond a singular position a mechanism may continue in more than one way. Dense systems only.
  void watch_dependence(double t, Notes& notes);

  Groups counted_groups() const { return form_.counted_groups(); }
  void memory(Archive& archive);

 private:
  void take_reactions();
  Closing close_positions(double t, Out q);
  bool stand_in_unit_metric(double t, In q);
  Closing finish(Out q, Out v);
  void take_multipliers(Out lambda);
  void take_weights(In weights);
  void take_tolerance(double tolerance);
  double rounding_of(In q) const;

  const MechanicalProblem& problem_;
  StageOptions options_;
  LiftedForm form_;
  const ConstraintMap* map_;  // hard constraints; nullptr: none
  Index n_, hard_;
  bool repeats_;  // the correction of velocities affects q, so that stages are repeated
  std::unique_ptr<StageEquations> system_;
  Newton newton_;
  double tolerance_ = newton_.options().tolerance;
  std::unique_ptr<ConstraintManifold> manifold_, unit_;  // in the metric of the mass, and in the unit metric for ggl
  std::unique_ptr<Acceleration> free_;                   // used where there are no constraints
  std::optional<ReactiveAcceleration> reactive_;         // used where forces depend on multipliers
  Vec q_here_;
  Vec last_, x_, weights_, correction_, step_, gaps_before_, gaps_after_, mu_, force_, gap_lambda_, pulled_;
  double t_here_ = 0, most_independent_ = 0;
  bool guessed_ = false;  // the matrix was formed in the last solve(), before its solution was known
};
}  // namespace trill
