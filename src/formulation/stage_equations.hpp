// SPDX-License-Identifier: BSD-3-Clause
// The equations of one stage for q and the position multipliers:
//   M (q - q_base - k v_base) - k d f(t, q, v) + G^T x = 0,   g(q) = 0   with v = (q - q_base) / k + correction,
// where k and d are the coefficients of the stage equation. With x = k d lambda the rows have the same scale for all
// step sizes.
#pragma once

#include "formulation/constraint_formulation.hpp"
#include "formulation/coordinate_split.hpp"
#include "linalg/saddle_balance.hpp"

namespace trill {
class StageEquations final : public MatrixSystem {
 public:
  // All arguments must outlive it.
  StageEquations(LiftedForm& form, const ConstraintMap* hard, StageEquation& equation, const StageOptions& options);

  void residual(In x, Out r) override;
  void jacobian(In x, MatrixSlot& j) override;
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  void place(In x);                 // computes velocities and multipliers for x, as residual() does
  void filter(In e, Out filtered);  // J^-1 (M e, 0)
  void follow(In c, Out x);         // J^-1 (0, c): how q follows rows that move by c

  bool take_split(In q);  // if there is none yet; false: the constraints are dependent at q
  void review_split();    // at the end of a stage, so that a checkpoint contains what the next stage will use
  void drop_split() { split_chosen_ = false; }
  bool is_prepared() const;
  auto hard_multipliers(const Vec& x) const {
    return split_ ? corrected_s_.tail(s_.size()) : x.tail(s_.size());
  }  // k d lambda

  Vec correction;  // correction of the velocities
  // Forces that depend on multipliers see those of the velocity correction, mu, beside those of the positions. true:
  // these forces are hardly changed by it.
  bool take_reaction_shift(In mu, In x);
  int evaluations = 0, preparations = 0;

  void memory(Archive& archive);

 private:
  struct Prepared {
    bool valid = false;
    StageEquation equation;
    Vec x, correction;
  };
  double scale() const { return equation_.kinematic * equation_.dynamic; }
  const MatrixSlot& hard_slope(In q);
  void shift_reactions(In q, Out balance);
  bool choose_split(double t, In q);
  void restore();            // forms the same matrix again
  void divide(In r, Out x);  // J^-1 r

  LiftedForm& form_;
  const ConstraintMap* hard_;
  StageEquation& equation_;
  ConstraintForm kind_;
  Index n_, m_, gaps_;
  SlotMap mass_places_, slope_places_, damping_places_, G_places_, transposed_places_, reaction_places_;
  std::unique_ptr<CoordinateSplit> split_;
  bool split_chosen_ = false, split_fits_ = true;
  double split_time_ = 0;
  Vec split_point_;
  MatrixSlot hard_slope_;
  Prepared prepared_;
  Vec v_, k_, l_, product_, rhs_;
  Vec reaction_shift_, shifted_;  // empty without forces that depend on multipliers
  SaddleBalance balance_;
  Vec s_, corrected_s_;  // multipliers of the last residual, and after its correction
};
}  // namespace trill
