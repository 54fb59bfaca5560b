// SPDX-License-Identifier: BSD-3-Clause
// The equations of one stage for q and the multipliers of positions:
//   M (q - q_base - k v_base) - k d f(t, q, v) + G^T x = 0,   g(q) = 0   with v = (q - q_base) / k + correction,
// k and d the numbers of the stage equation. The rows are of one size whatever the step, since x = k d lambda.
#pragma once

#include "formulation/constraint_formulation.hpp"
#include "formulation/coordinate_split.hpp"
#include "linalg/saddle_balance.hpp"

namespace trill {
class StageEquations final : public MatrixSystem {
 public:
  // All must outlive it.
  StageEquations(LiftedForm& form, const ConstraintMap* hard, StageEquation& equation, const StageOptions& options);

  void residual(In x, Out r) override;
  void jacobian(In x, MatrixSlot& j) override;
  bool prepare(In x) override;
  void correct(In r, Out dx) override;
  void place(In x);                 // velocities and multipliers of x, as residual() does
  void filter(In e, Out filtered);  // J^-1 (M e, 0)

  bool take_split(In q);  // where there is none; false: the constraints are dependent at q
  void review_split();    // at the end of a stage, so that a checkpoint knows what the next one will do
  void drop_split() { split_chosen_ = false; }
  bool is_prepared() const;
  auto hard_multipliers(const Vec& x) const {
    return split_ ? corrected_s_.tail(s_.size()) : x.tail(s_.size());
  }  // k d lambda

  Vec correction;  // of velocities
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
  bool choose_split(double t, In q);
  void restore();            // forms the same matrix again
  void divide(In r, Out x);  // J^-1 r

  LiftedForm& form_;
  const ConstraintMap* hard_;
  StageEquation& equation_;
  ConstraintForm kind_;
  Index n_, m_, gaps_;
  SlotMap mass_places_, slope_places_, damping_places_, G_places_, transposed_places_;
  std::unique_ptr<CoordinateSplit> split_;
  bool split_chosen_ = false, split_fits_ = true;
  double split_time_ = 0;
  Vec split_point_;
  MatrixSlot hard_slope_;
  Prepared prepared_;
  Vec v_, k_, l_, product_, rhs_;
  SaddleBalance balance_;
  Vec s_, corrected_s_;  // multipliers of the last residual, and as its correction would have them
};
}  // namespace trill
