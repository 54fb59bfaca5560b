// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/stage_equations.hpp"

#include "linalg/saddle_pattern.hpp"
#include "linalg/stored_entries.hpp"
#include "trill/linalg/kernels.hpp"

#include <limits>

namespace trill {
namespace {
// The pattern of a sparse matrix as part of a larger one, from this column on.
MatrixSlot moved_pattern(const MatrixSlot& a, Index column, Index size) {
  std::vector<Eigen::Triplet<double>> entries;
  each_stored(a, [&](Index i, Index j, Index) { entries.emplace_back(i, column + j, 1.0); });
  SpMat moved(size, size);
  moved.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(moved));
}

MatrixSlot newton_pattern(const LiftedForm& form) {
  const MatrixSlot a = union_pattern(union_pattern(form.mass(), form.slope()), form.damping());
  MatrixSlot saddle = saddle_pattern(a, form.jacobian(), form.gaps());
  if (!form.reactions() || !saddle.is_sparse()) return saddle;
  const Index size = saddle.rows();
  if (!form.reaction_slope().is_sparse()) return MatrixSlot::dense(size, size);
  return union_pattern(saddle, moved_pattern(form.reaction_slope(), form.unknowns() + form.gaps(), size));
}

bool is_split(ConstraintForm kind) { return kind == ConstraintForm::cs || kind == ConstraintForm::cm; }
}  // namespace

StageEquations::StageEquations(LiftedForm& form, const ConstraintMap* hard, StageEquation& equation,
                               const StageOptions& options)
    : MatrixSystem(newton_pattern(form)),
      correction(Vec::Zero(form.unknowns())),
      form_(form),
      hard_(hard),
      equation_(equation),
      kind_(options.form),
      n_(form.unknowns()),
      m_(form.rows()),
      gaps_(form.gaps()),
      mass_places_(matrix(), form.mass()),
      slope_places_(matrix(), form.slope()),
      damping_places_(matrix(), form.damping()),
      v_(n_),
      k_(n_),
      l_(m_),
      product_(n_),
      rhs_(n_ + m_),
      balance_(matrix(), n_) {
  if (m_ > 0) {
    G_places_ = SlotMap(matrix(), form.jacobian(), n_, 0);
    transposed_places_ = SlotMap::transposed(matrix(), form.jacobian(), 0, n_);
  }
  if (form.reactions()) reaction_places_ = SlotMap(matrix(), form.reaction_slope(), 0, n_ + gaps_);
  if (!hard_) return;
  s_ = corrected_s_ = Vec::Zero(hard_->count());
  if (form.reactions()) reaction_shift_ = shifted_ = s_;
  hard_slope_ = hard_->pattern();
  if (is_split(kind_))
    split_ = std::make_unique<CoordinateSplit>(hard_slope_, options.split_by_qr ? SplitBy::qr : SplitBy::lu);
}

void StageEquations::place(In x) {
  const auto q = x.head(n_);
  const StageEquation& e = equation_;
  v_ = (q - e.q_base) / e.kinematic + correction;
  k_ = (q - e.q_base - e.kinematic * e.v_base) / scale();
  // In the metric of the mass a multiplier takes care of the velocity correction; otherwise it enters the equation
  // here.
  if (kind_ == ConstraintForm::ggl) k_ += correction / e.dynamic;
  l_ = x.tail(m_) / scale();
  if (split_) l_.tail(s_.size()).setZero();
}

void StageEquations::residual(In x, Out r) {
  ++evaluations;
  place(x);
  form_.residual(equation_.t, x.head(n_), v_, k_, l_, r.head(n_), r.tail(m_));
  if (form_.reactions()) shift_reactions(x.head(n_), r.head(n_));
  r.head(n_) *= scale();
  if (!split_) return;
  const MatrixSlot& G = hard_slope(x.head(n_));
  split_fits_ = split_->stand_at(G);
  if (!split_fits_) {
    r.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  split_->multipliers(r.head(n_), s_);
  G.multiply_transposed(s_, product_);
  r.head(n_) += product_;
}

void StageEquations::shift_reactions(In q, Out balance) {
  const ReactionForces& forces = *form_.reactions();
  forces.reaction_force(equation_.t, q, v_, l_.tail(s_.size()), product_);
  balance += product_;
  shifted_ = l_.tail(s_.size()) + reaction_shift_;
  forces.reaction_force(equation_.t, q, v_, shifted_, product_);
  balance -= product_;
}

bool StageEquations::take_reaction_shift(In mu, In x) {
  constexpr double hardly = 1e-9;  // relative to the multipliers
  if (!form_.reactions() || kind_ == ConstraintForm::ggl) return true;
  shifted_ = mu / equation_.dynamic;
  const double change = max_abs(shifted_ - reaction_shift_);
  reaction_shift_ = shifted_;
  shifted_ += x.tail(s_.size()) / scale();
  return change <= hardly * max_abs(shifted_);
}

// With s of the present q, P r = 0 and G dq = -g have the same solution as this matrix after eliminating the changes of
// the multipliers, so P never has to be formed. YPR98 eq. 3.7.
void StageEquations::jacobian(In x, MatrixSlot& j) {
  if (kind_ == ConstraintForm::cs) l_.tail(s_.size()) = s_ / scale();
  form_.linearise(equation_.t, x.head(n_), v_, k_, l_);
  j.scale_add(1, form_.mass(), mass_places_);
  j.scale_add(scale(), form_.slope(), slope_places_);
  if (form_.damping().stored() > 0) j.scale_add(-equation_.dynamic, form_.damping(), damping_places_);
  if (m_ == 0) return;
  j.scale_add(1, form_.jacobian(), G_places_);
  j.scale_add(1, form_.jacobian(), transposed_places_);
  if (form_.reactions()) j.scale_add(-1, form_.reaction_slope(), reaction_places_);
  for (Index i = 0; i < gaps_; ++i) j.add(n_ + i, n_ + i, -form_.compliance()[i] / scale());
  balance_.find(j.values());
  balance_.apply(j.values());
}

void StageEquations::divide(In r, Out x) {
  x = r;
  balance_.scale(x.data());
  MatrixSystem::correct(x, x);
  balance_.scale(x.data());
}

bool StageEquations::prepare(In x) {
  ++preparations;
  prepared_.valid = MatrixSystem::prepare(x);
  prepared_.equation = equation_;
  prepared_.x = x;
  prepared_.correction = correction;
  return prepared_.valid;
}

void StageEquations::correct(In r, Out dx) {
  divide(r, dx);
  if (!split_) return;
  corrected_s_ = s_ - dx.tail(s_.size());
  dx.tail(s_.size()).setZero();
}

void StageEquations::filter(In e, Out filtered) {
  form_.mass().multiply(e, product_);
  rhs_.head(n_) = product_;
  rhs_.tail(m_).setZero();
  divide(rhs_, rhs_);
  filtered = rhs_.head(n_);
}

void StageEquations::follow(In c, Out x) {
  rhs_.head(n_).setZero();
  rhs_.tail(m_) = c;
  divide(rhs_, rhs_);
  x = rhs_.head(n_);
}

bool StageEquations::is_prepared() const {
  return prepared_.valid && prepared_.equation.kinematic == equation_.kinematic &&
         prepared_.equation.dynamic == equation_.dynamic;
}

const MatrixSlot& StageEquations::hard_slope(In q) {
  if (gaps_ == 0) return form_.jacobian();  // the residual has just computed it
  hard_->jacobian(equation_.t, q, hard_slope_);
  return hard_slope_;
}

bool StageEquations::choose_split(double t, In q) {
  hard_->jacobian(t, q, hard_slope_);
  split_chosen_ = split_->choose(hard_slope_);
  split_fits_ = true;
  split_time_ = t;
  split_point_ = q;
  return split_chosen_;
}

bool StageEquations::take_split(In q) { return !split_ || split_chosen_ || choose_split(equation_.t, q); }

void StageEquations::review_split() {
  if (split_ && split_chosen_) split_chosen_ = split_fits_ && !split_->is_worn();
}

void StageEquations::memory(Archive& archive) {
  StageEquation& e = prepared_.equation;
  Vec last = correction;
  archive(last, prepared_.valid, split_chosen_);
  if (form_.reactions()) archive(reaction_shift_);
  if (split_chosen_) archive(split_time_, split_point_);
  if (prepared_.valid) archive(e.t, e.kinematic, e.dynamic, e.q_base, e.v_base, prepared_.x, prepared_.correction);
  if (archive.reading()) {
    restore();
    correction = last;
  }
}

void StageEquations::restore() {
  if (split_chosen_) choose_split(split_time_, Vec(split_point_));
  if (!prepared_.valid) return;
  equation_ = prepared_.equation;
  correction = prepared_.correction;
  Vec r(size());
  residual(prepared_.x, r);
  prepare(Vec(prepared_.x));
}
}  // namespace trill
