// SPDX-License-Identifier: BSD-3-Clause
// Rattle: Stoermer-Verlet with constraints on positions and velocities. PJY97 eq. 4.3; Andersen 1983.
#include "method/constraint_projection.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/underlying_ode.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Rattle final : public Stepper {
 public:
  struct Options {
    PositionSolver solver;
    void fields(OptionVisitor& v) {
      v.choice("constraint_solver", solver.sweeps, NamedValues<bool>{{"newton", false}, {"gauss_seidel", true}},
               "how positions are moved onto the constraints: all at once, or one after the other, as SHAKE does");
      v.number("relaxation", solver.relaxation, Range::between(0.1, 1.95),
               "with gauss_seidel: factor by which every correction is multiplied");
      v.number("constraint_tolerance", solver.tolerance, Range::positive(),
               "with gauss_seidel: how far from zero constraints may remain");
    }
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
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name(
        "it has no error control; name it, with a step size h, to keep constraints and energy over long runs");
  }
  static LinearForm linear_form(const Options&) { return verlet_form(); }

  Rattle(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        p_(constrained(problem)),
        map_(*p_.constraints()),
        accelerate_(p_),
        underlying_(p_) {
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError("rattle needs a constant mass matrix, not a position-dependent mass; use dop853 for '" +
                       p_.name() + "'");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("rattle needs forces that do not depend on velocity; use dop853 for '" + p_.name() + "'");
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !underlying_.has_sparse_factors();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq, m = map_.count();
    a_ = work_ = free_ = force_ = acceleration_ = Vec::Zero(n);
    s_ = s_weights_ = lambda_ = Vec::Zero(m);
    y0_ = y1_ = trial_ = s.y;
    accelerate_.start(s.q());
    projection_.emplace(p_, accelerate_, options_.solver);
    accelerate_(s.t, s.q(), s.v(), a_);
    if (!underlying_.solve(s.t, s.q(), s.v(), work_, lambda_))
      throw UsageError("the constraints of '" + p_.name() + "' depend on each other at the start");
    s.lambda() = lambda_;
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h, t1 = s.t + h;
    const Index n = s.layout.nq;
    if ((request.jumped || request.restart) && underlying_.has_sparse_factors()) {
      underlying_.forget();
      projection_->forget();
    }
    if (request.jumped) {
      accelerate_(s.t, s.q(), s.v(), a_);
      request.work.count_forces(accelerate_.counted_groups());
    }
    trial_ = s.y;
    auto q = trial_.head(n);
    auto v = trial_.segment(n, n);
    projection_->take_directions(s.t, s.q());
    kick(v, 0.5 * h, a_);
    free_ = q + h * v;
    // First guess: multipliers of the last step. Their size is measured by how far they move q.
    s_ = 0.5 * h * h * s.lambda();
    projection_->weigh(request.weights.head(n).maxCoeff(), s.q(), s_weights_);
    StepResult result{.h_taken = h};
    result.newton = projection_->project_position(t1, free_, s_weights_, s_, q);
    result.status = status_of(result.newton);
    if (result.status != StepStatus::ok) return result;
    v += (q - free_) / h;

    accelerate_(t1, q, v, work_);
    request.work.count_forces(accelerate_.counted_groups());
    kick(v, 0.5 * h, work_);
    if (!projection_->stand_at(t1, q)) {
      result.status = StepStatus::singular_matrix;
      return result;
    }
    projection_->project_velocity(v);
    if (!all_finite(trial_)) return {.status = StepStatus::non_finite};
    // The multiplier from the accelerations is of order 2; that of the velocity projection need not be.
    p_.force(all_groups, t1, q, v, force_);
    projection_->accelerate(force_, v, acceleration_, lambda_);
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
    underlying_.solve(t1_ - (1 - theta) * h_, y.head(n), y.segment(n, n), acceleration_, y.tail(lambda_.size()));
  }

  void memory(Archive& archive) override { archive(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Rattle>(problem, options_);
  }

 private:
  static const MechanicalProblem& constrained(const Problem& problem) {
    const auto& p = problem.as<MechanicalProblem>("rattle");
    if (!p.constraints()) throw UsageError("rattle is for models with constraints; use verlet for '" + p.name() + "'");
    return p;
  }

  MethodInfo info_;
  Options options_;
  const MechanicalProblem& p_;
  const ConstraintMap& map_;
  Acceleration accelerate_;
  UnderlyingOde underlying_;
  std::optional<ConstraintProjection> projection_;
  Vec a_, work_, free_, force_, acceleration_, s_, s_weights_, lambda_, y0_, y1_, trial_;
  double h_ = 0, t1_ = 0;
};
}  // namespace trill
TRILL_METHOD(rattle, Rattle)
