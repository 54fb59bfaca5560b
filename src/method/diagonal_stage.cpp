// SPDX-License-Identifier: BSD-3-Clause
#include "method/diagonal_stage.hpp"

#include "trill/base/errors.hpp"

namespace trill {
namespace {
MatrixSlot diagonal_pattern(Index n) {
  SpMat identity(n, n);
  identity.setIdentity();
  return MatrixSlot::sparse(identity);
}

class FirstOrderDiagonalStage final : public DiagonalStage {
 public:
  FirstOrderDiagonalStage(const FirstOrderProblem& p, bool matrix_free)
      : DiagonalStage(union_pattern(p.jacobian_pattern(), diagonal_pattern(p.layout().size())), matrix_free),
        p_(p),
        differences_(p.jacobian_pattern()),
        j_(p.jacobian_pattern()) {}
  Groups counted_groups() const override { return 1; }
  void guess(In y, Out x) const override { x = y; }
  void residual(In x, Out r) override {
    ++evaluations;
    p_.rhs(t_, x, r);
    r = x - base_ - delta_ * r;
  }
  void jacobian(In x, MatrixSlot& j) override {
    if (!p_.jacobian(t_, x, j_)) {
      const auto rhs = [this](In y, Out f) { p_.rhs(t_, y, f); };
      differences_.evaluate(std::cref(rhs), x, j_);
    }
    j.scale_add(-delta_, j_);
    for (Index i = 0; i < size(); ++i) j.add(i, i, 1);
  }
  void stage(In x, Out y) const override { y = x; }
  void slope(In x, Out k) const override { k = (x - base_) / delta_; }
  void damp(In e, Out damped) override { correct(e, damped); }
  void newton_weights(In w, Out x_weights) const override { x_weights = w; }

 private:
  const FirstOrderProblem& p_;
  DifferenceJacobian differences_;
  MatrixSlot j_;
};

class MechanicalDiagonalStage final : public DiagonalStage {
 public:
  MechanicalDiagonalStage(const MechanicalProblem& p, bool matrix_free)
      : DiagonalStage(union_pattern(union_pattern(p.mass_pattern(), p.stiffness_pattern()), p.damping_pattern()),
                      matrix_free),
        p_(p),
        n_(p.layout().nq),
        mass_(p.mass_pattern()),
        dq_(p.stiffness_pattern()),
        dv_(p.damping_pattern()),
        q_differences_(dq_),
        v_differences_(dv_),
        q_(n_),
        a_(n_),
        product_(n_),
        counted_(known_groups(p)) {}
  Groups counted_groups() const override { return counted_; }
  void guess(In y, Out x) const override { x = y.segment(n_, n_); }
  // M(Q) (V - v) - delta f(Q, V), Q = q + delta V with (q, v) = base
  void residual(In v, Out r) override {
    ++evaluations;
    place(v);
    p_.force(all_groups, t_, q_, v, r);
    a_ = v - base_.tail(n_);
    r *= -delta_;
    if (p_.mass_kind() == MassKind::identity) {
      r += a_;
      return;
    }
    p_.mass(q_, mass_);
    mass_.multiply(a_, product_);
    r += product_;
  }
  void jacobian(In v, MatrixSlot& j) override {
    place(v);
    if (!p_.force_jacobian(all_groups, t_, q_, v, dq_, dv_)) {
      // Captured by reference: a larger function object would be allocated on the heap.
      const auto of_q = [&](In q, Out f) { p_.force(all_groups, t_, q, v, f); };
      const auto of_v = [&](In w, Out f) { p_.force(all_groups, t_, q_, w, f); };
      q_differences_.evaluate(std::cref(of_q), q_, dq_);
      if (dv_.stored() > 0) v_differences_.evaluate(std::cref(of_v), v, dv_);
    }
    if (p_.mass_kind() == MassKind::of_q) {
      a_ = v - base_.tail(n_);
      p_.mass_product_derivative(q_, a_, j);  // d(M(Q) (V - v))/dQ
      j.scale(delta_);
    }
    p_.mass(q_, mass_);
    j.scale_add(1, mass_);
    j.scale_add(-delta_ * delta_, dq_);
    if (dv_.stored() > 0) j.scale_add(-delta_, dv_);
  }
  void stage(In v, Out y) const override {
    y.head(n_) = base_.head(n_) + delta_ * v;
    y.segment(n_, n_) = v;
  }
  void slope(In v, Out k) const override {
    k.head(n_) = v;
    k.segment(n_, n_) = (v - base_.tail(n_)) / delta_;
  }
  // x_q - delta x_v = e_q and M x_v - delta (f_q x_q + f_v x_v) = M e_v, solved for x_v
  void damp(In e, Out damped) override {
    mass_.multiply(e.segment(n_, n_), a_);
    dq_.multiply(e.head(n_), product_);
    a_ += prepared.delta * product_;
    correct(a_, damped.segment(n_, n_));
    damped.head(n_) = e.head(n_) + prepared.delta * damped.segment(n_, n_);
  }
  // An error of v causes one of delta v in q: the stricter of the two tests counts.
  void newton_weights(In w, Out x_weights) const override {
    x_weights = w.segment(n_, n_).cwiseMax(std::abs(delta_) * w.head(n_));
  }

 private:
  void place(In v) { q_ = base_.head(n_) + delta_ * v; }
  const MechanicalProblem& p_;
  Index n_;
  MatrixSlot mass_, dq_, dv_;
  DifferenceJacobian q_differences_, v_differences_;
  Vec q_, a_, product_;
  Groups counted_;
};
}  // namespace

DiagonalStage::DiagonalStage(const MatrixSlot& pattern, bool matrix_free)
    : MatrixSystem(matrix_free ? diagonal_pattern(pattern.rows()) : pattern) {
  if (matrix_free) krylov_.emplace(pattern.rows());
}

void DiagonalStage::begin(double t, double delta, In base) {
  t_ = t;
  delta_ = delta;
  base_ = base;
}

bool DiagonalStage::prepare(In x) {
  if (krylov_) krylov_->at(*this, x);
  prepared.valid = krylov_ || MatrixSystem::prepare(x);
  prepared.t = t_;
  prepared.delta = delta_;
  prepared.base = base_;
  prepared.x = x;
  ++preparations;
  return prepared.valid;
}

void DiagonalStage::correct(In r, Out dx) {
  if (krylov_)
    linear_iterations += krylov_->solve(r, dx).iterations;
  else
    MatrixSystem::correct(r, dx);
}

void DiagonalStage::prepare_again() {
  begin(prepared.t, prepared.delta, Vec(prepared.base));
  Vec r(size());
  residual(prepared.x, r);
  prepare(Vec(prepared.x));
}

void DiagonalStage::memory(Archive& archive) {
  archive(prepared.valid, prepared.t, prepared.delta, prepared.base, prepared.x);
  if (archive.reading() && prepared.valid && !is_matrix_free()) prepare_again();
}

std::unique_ptr<DiagonalStage> make_diagonal_stage(const Problem& problem, std::string_view asker, bool matrix_free) {
  if (const auto* first_order = dynamic_cast<const FirstOrderProblem*>(&problem))
    return std::make_unique<FirstOrderDiagonalStage>(*first_order, matrix_free);
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanical)
    throw UsageError(std::string(asker) + " needs a first-order or a mechanical system; '" + problem.name() +
                     "' is neither");
  return std::make_unique<MechanicalDiagonalStage>(*mechanical, matrix_free);
}

NewtonStats solve_diagonal_stage(Newton& newton, DiagonalStage& system, Out x, In weights, bool reuse, Counters& work) {
  const int evaluations = system.evaluations, preparations = system.preparations;
  const int linear_iterations = system.linear_iterations;
  const NewtonStats stats = newton.solve(system, x, weights, reuse);
  for (int i = evaluations; i < system.evaluations; ++i) work.count_forces(system.counted_groups());
  work.jacobians += system.preparations - preparations;
  work.linear_iterations += system.linear_iterations - linear_iterations;
  return stats;
}
}  // namespace trill
