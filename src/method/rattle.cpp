// SPDX-License-Identifier: BSD-3-Clause
// Rattle: Stoermer-Verlet with constraints on positions and velocities. PJY97 eq. 4.3; Andersen 1983.
#include "trill/formulation/acceleration.hpp"
#include "trill/formulation/underlying_ode.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
// G M^-1 W^T for two constraint Jacobians, dense.
class ProjectedMass {
 public:
  ProjectedMass(const MechanicalProblem& p, Acceleration& mass)
      : mass_(mass), column_(p.layout().nq), product_(p.constraints()->count()) {}
  void form(In q, const MatrixSlot& G, const MatrixSlot& W, MatrixSlot& out) {
    const Index m = G.rows();
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < column_.size(); ++i) column_[i] = W.value(j, i);
      mass_.divide_by_mass(q, column_);
      G.multiply(column_, product_);
      for (Index i = 0; i < m; ++i) out.add(i, j, product_[i]);
    }
  }

 private:
  Acceleration& mass_;
  Vec column_, product_;
};

// g(t1, q_free - M^-1 G0^T s) = 0 for s = h^2/2 lambda.
class PositionSystem final : public MatrixSystem {
 public:
  PositionSystem(const MechanicalProblem& p, Acceleration& mass)
      : MatrixSystem(MatrixSlot::dense(p.constraints()->count(), p.constraints()->count())),
        map_(*p.constraints()),
        mass_(mass),
        projected_(p, mass),
        G0(map_.pattern()),
        G1_(map_.pattern()),
        q_free(p.layout().nq),
        q1(p.layout().nq) {}
  void residual(In s, Out r) override {
    G0.multiply_transposed(s, q1);
    mass_.divide_by_mass(q_free, q1);
    q1 = q_free - q1;
    map_.value(t1, q1, r);
  }
  void jacobian(In, MatrixSlot& j) override {
    map_.jacobian(t1, q1, G1_);
    projected_.form(q1, G1_, G0, j);
    j.scale(-1);
  }

 private:
  const ConstraintMap& map_;
  Acceleration& mass_;
  ProjectedMass projected_;

 public:
  MatrixSlot G0;  // at the start of the step

 private:
  MatrixSlot G1_;

 public:
  Vec q_free, q1;
  double t1 = 0;
};
}  // namespace

class Rattle final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "rattle",
            .title = "Rattle: Verlet with constraints",
            .reference = "PJY97 eq. 4.3; Andersen, J. Comput. Phys. 52 (1983) 24-34",
            .accepts = {.constrained = true},
            .order = 2,
            .order_lambda = 2,
            .dense_order = 2,
            .implicit_step = true,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true};
  }

  Rattle(const Problem& problem, const Options& options)
      : info_(describe(options)), p_(constrained(problem)), map_(*p_.constraints()), accelerate_(p_), underlying_(p_) {
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError("rattle needs a constant mass matrix; use dop853 for '" + p_.name() + "'");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("rattle needs forces that do not depend on velocity; use dop853 for '" + p_.name() + "'");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq, m = map_.count();
    a_ = work_ = correction_ = Vec::Zero(n);
    gv_ = gt_ = s_ = s_weights_ = mu_ = lambda_ = Vec::Zero(m);
    y0_ = y1_ = trial_ = s.y;
    G_ = map_.pattern();
    accelerate_.start(s.q());
    position_.emplace(p_, accelerate_);
    projected_.emplace(p_, accelerate_);
    velocity_matrix_ = MatrixSlot::dense(m, m);
    velocity_solver_ = make_linear_solver(velocity_matrix_);
    velocity_solver_->analyse(velocity_matrix_);
    newton_.emplace(m, NewtonOptions{.tolerance = 0.1, .max_iterations = 20, .jacobian_every = 1});
    accelerate_(s.t, s.q(), s.v(), a_);
    if (!underlying_.solve(s.t, s.q(), s.v(), work_, lambda_))
      throw UsageError("the constraints of '" + p_.name() + "' are dependent at the start");
    s.lambda() = lambda_;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h, t1 = s.t + h;
    const Index n = s.layout.nq;
    if (request.jumped) {
      accelerate_(s.t, s.q(), s.v(), a_);
      request.work.count_forces(accelerate_.counted_groups());
    }
    trial_ = s.y;
    auto q = trial_.head(n);
    auto v = trial_.segment(n, n);
    map_.jacobian(s.t, s.q(), position_->G0);
    kick(v, 0.5 * h, a_);
    position_->q_free = q + h * v;
    position_->t1 = t1;
    // Multipliers of the last step as a first guess; their size is measured by what they do to q.
    s_ = 0.5 * h * h * s.lambda();
    s_weights_.setConstant(request.weights.head(n).maxCoeff());
    StepResult result{.h_taken = h};
    result.newton = newton_->solve(*position_, s_, s_weights_);
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return result;
    position_->residual(s_, gv_);
    v += (position_->q1 - position_->q_free) / h;
    q = position_->q1;

    accelerate_(t1, q, v, work_);
    request.work.count_forces(accelerate_.counted_groups());
    kick(v, 0.5 * h, work_);
    if (!project_velocity(t1, q, v)) {
      result.status = StepStatus::singular_matrix;
      return result;
    }
    if (!all_finite(trial_)) return {.status = StepStatus::non_finite};
    // The multiplier at the acceleration level is of order 2, that of the velocity projection need not be.
    if (!underlying_.solve(t1, q, v, correction_, lambda_)) return {.status = StepStatus::singular_matrix};
    request.work.count_forces(accelerate_.counted_groups());
    y0_ = s.y;
    a_ = work_;
    s.y = trial_;
    s.lambda() = lambda_;
    s.t = t1;
    y1_ = s.y;
    t1_ = t1;
    h_ = h;
    return result;
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    y = (1 - theta) * y0_ + theta * y1_;
    hermite(theta, h_, y0_.head(n), y0_.segment(n, n), y1_.head(n), y1_.segment(n, n), y.head(n));
    underlying_.solve(t1_ - (1 - theta) * h_, y.head(n), y.segment(n, n), correction_, y.tail(lambda_.size()));
  }

  void save(Archive& archive) const override { archive.write(a_); }
  void load(Archive& archive) override { archive.read(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Rattle>(problem, Options{});
  }

 private:
  static const MechanicalProblem& constrained(const Problem& problem) {
    const auto& p = problem.as<MechanicalProblem>("rattle");
    if (!p.constraints()) throw UsageError("rattle is for constrained systems; use verlet for '" + p.name() + "'");
    return p;
  }

  // v - M^-1 G^T mu with G v + g_t = 0
  bool project_velocity(double t, In q, Out v) {
    map_.jacobian(t, q, G_);
    map_.time_derivative(t, q, gt_);
    G_.multiply(v, gv_);
    gv_ += gt_;
    velocity_matrix_.set_zero();
    projected_->form(q, G_, G_, velocity_matrix_);
    if (!velocity_solver_->factorise(velocity_matrix_)) return false;
    velocity_solver_->solve(gv_, mu_);
    G_.multiply_transposed(mu_, correction_);
    accelerate_.divide_by_mass(q, correction_);
    v -= correction_;
    return true;
  }

  MethodInfo info_;
  const MechanicalProblem& p_;
  const ConstraintMap& map_;
  Acceleration accelerate_;
  UnderlyingOde underlying_;
  std::optional<PositionSystem> position_;
  std::optional<ProjectedMass> projected_;
  std::optional<Newton> newton_;
  MatrixSlot G_, velocity_matrix_;
  std::unique_ptr<LinearSolver> velocity_solver_;
  Vec a_, work_, correction_, gv_, gt_, s_, s_weights_, mu_, lambda_, y0_, y1_, trial_;
  double h_ = 0, t1_ = 0;
};
}  // namespace trill
TRILL_METHOD(rattle, Rattle)
