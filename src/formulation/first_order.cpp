// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/first_order.hpp"

#include "linalg/stored_entries.hpp"

namespace trill {
FirstOrderForm::FirstOrderForm(const Problem& problem, std::string_view asker)
    : direct_(dynamic_cast<const FirstOrderProblem*>(&problem)),
      mechanical_(dynamic_cast<const MechanicalProblem*>(&problem)) {
  if (!direct_ && !mechanical_)
    throw UsageError(std::string(asker) + " needs a first-order or a mechanical system; '" + problem.name() +
                     "' is neither");
  size_ = direct_ ? problem.layout().size() : problem.layout().nq + problem.layout().nv;
  if (!mechanical_) return;
  counted_ = known_groups(*mechanical_);
  if (mechanical_->constraints())
    underlying_.emplace(*mechanical_);
  else
    accelerate_.emplace(*mechanical_);
}

void FirstOrderForm::start(const State& s) {
  if (accelerate_) accelerate_->start(s.q());
  if (underlying_) underlying_->forget();
  lambda_ = Vec::Zero(s.layout.nl);
  column_.resize(s.layout.nv);
  if (mechanical_) {
    dq_ = mechanical_->stiffness_pattern();
    dv_ = mechanical_->damping_pattern();
  }
}

bool FirstOrderForm::mechanical_rhs(double t, In y, Out dy) {
  const Index n = size_ / 2;
  dy.head(n) = y.tail(n);
  if (accelerate_) return (*accelerate_)(t, y.head(n), y.tail(n), dy.tail(n));
  return underlying_->solve(t, y.head(n), y.tail(n), dy.tail(n), lambda_);
}

void FirstOrderForm::multipliers(double t, In y, Out lambda) {
  if (!underlying_) return;
  const Index n = size_ / 2;
  if (underlying_->solve(t, y.head(n), y.segment(n, n), column_, lambda_)) lambda = lambda_;
}

MatrixSlot FirstOrderForm::jacobian_pattern() const {
  if (direct_) return direct_->jacobian_pattern();
  const MassKind kind = mechanical_->mass_kind();
  const MatrixSlot dq = mechanical_->stiffness_pattern(), dv = mechanical_->damping_pattern();
  const bool sparse =
      dq.is_sparse() && dv.is_sparse() && (kind == MassKind::identity || kind == MassKind::diagonal) && !underlying_;
  if (!sparse) return MatrixSlot::dense(size_, size_);
  const Index n = size_ / 2;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) entries.emplace_back(i, n + i, 1.0);
  each_stored(dq, [&](Index i, Index j, Index) { entries.emplace_back(n + i, j, 1.0); });
  each_stored(dv, [&](Index i, Index j, Index) { entries.emplace_back(n + i, n + j, 1.0); });
  // Always include the diagonal, so that I - gamma J has the same pattern.
  for (Index i = 0; i < size_; ++i) entries.emplace_back(i, i, 0.0);
  SpMat pattern(size_, size_);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(pattern);
}

bool FirstOrderForm::jacobian(double t, In y, MatrixSlot& j) {
  if (direct_) return direct_->jacobian(t, y, j);
  // With a position-dependent mass, or with constraints, the derivative of M^-1 f is more than M^-1 f'.
  if (underlying_ || mechanical_->mass_kind() == MassKind::of_q) return false;
  const Index n = size_ / 2;
  const auto q = y.head(n);
  if (!mechanical_->force_jacobian(all_groups, t, q, y.tail(n), dq_, dv_)) return false;
  j.set_zero();
  for (Index i = 0; i < n; ++i) j.add(i, n + i, 1);
  const auto place = [&](const MatrixSlot& d, Index offset) {
    for (Index c = 0; c < n; ++c) {
      if (d.is_sparse() && j.is_sparse()) {
        // One row at a time: the mass is diagonal here.
        for (SpMat::InnerIterator it(d.as_sparse(), c); it; ++it) {
          column_.setZero();
          column_[it.row()] = it.value();
          accelerate_->divide_by_mass(q, column_);
          j.add(n + it.row(), offset + c, column_[it.row()]);
        }
        continue;
      }
      for (Index i = 0; i < n; ++i) column_[i] = d.value(i, c);
      accelerate_->divide_by_mass(q, column_);
      for (Index i = 0; i < n; ++i) j.add(n + i, offset + c, column_[i]);
    }
  };
  place(dq_, 0);
  if (dv_.stored() > 0) place(dv_, n);
  return true;
}
}  // namespace trill
