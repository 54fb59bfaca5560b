// SPDX-License-Identifier: BSD-3-Clause
// Langevin dynamics (PJY97 eq. 4.5) by symmetric splitting: kick, drift, exact Ornstein-Uhlenbeck, drift, kick
// ("BAOAB", Leimkuhler and Matthews 2013). Weak order 2; without friction it is Verlet. Constraints are kept by
// projecting each part ("g-BAOAB", Leimkuhler and Matthews 2016).
#include "method/constraint_projection.hpp"
#include "method/prospects.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>

namespace trill {
class LangevinSplitting final : public Stepper {
 public:
  static constexpr double angle_of_step = 0.3;  // h omega, for an error of about 1 % in averages
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static Prospect advise(const ProblemFacts& facts, const Question&) {
    Prospect out;
    if (facts.scales.largest > 0) {
      out.h = std::min(angle_of_step / facts.scales.largest, 0.01 * facts.span);
      out.steps = facts.span / *out.h;
    }
    out.forces = 1;
    out.overhead = 1e-7 + 2e-8 * static_cast<double>(facts.unknowns);
    out.why = "the motion is random, and averages of positions come out most accurately";
    return out;
  }
  static MethodInfo describe(const Options&) {
    return {.name = "langevin_splitting",
            .title = "Symmetric splitting of Langevin dynamics",
            .reference =
                "PJY97 eq. 4.5; Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34-56; with constraints: "
                "Leimkuhler, Matthews, Proc. R. Soc. A 472 (2016) 20160138",
            .accepts = {.langevin = true},
            .order = 2,
            .dense_order = 2,
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  LangevinSplitting(const Problem& problem, const Options& options)
      : info_(describe(options)),
        bath_(problem.as<LangevinProblem>("langevin_splitting")),
        p_(bath_.mechanics()),
        accelerate_(p_) {
    if (p_.constraints() && p_.constraints()->moving())
      throw UsageError("langevin_splitting needs constraints that do not depend on time; those of '" + p_.name() +
                       "' do");
    if (p_.mass_kind() != MassKind::identity && p_.mass_kind() != MassKind::diagonal)
      throw UsageError("langevin_splitting needs a diagonal mass matrix that does not depend on positions");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("langevin_splitting needs forces that do not depend on velocity");
    info_.implicit_step = p_.constraints() != nullptr;
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !p_.constraints() || !p_.constraints()->pattern().is_sparse();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq;
    a_ = a0_ = free_ = free_a_ = Vec::Zero(n);
    accelerate_.start(s.q());
    if (p_.constraints()) {
      projection_.emplace(p_, accelerate_);
      multiplier_ = multiplier_weights_ = Vec::Zero(s.layout.nl);
    }
    if (!stand_at(s.t, s.q()))
      throw UsageError("the constraints of '" + p_.name() + "' depend on each other at the start");
    evaluate(s.t, s.q(), s.v());
    find_multipliers(s);
    y0_ = y1_ = s.y;
    // sqrt(kT / m_i)
    thermal_ = Vec::Constant(n, bath_.kT());
    accelerate_.divide_by_mass(s.q(), thermal_);
    thermal_ = thermal_.cwiseSqrt();
  }

  StepResult step(State& s, const StepRequest& request) override {
    if ((request.jumped || request.restart) && projection_ && projection_->has_sparse_factors()) projection_->forget();
    if (request.jumped) {
      if (!stand_at(s.t, s.q())) return {.status = StepStatus::singular_matrix};
      evaluate(s.t, s.q(), s.v());
      request.work.count_forces(accelerate_.counted_groups());
    }
    y0_ = s.y;
    a0_ = a_;
    StepResult result{.h_taken = request.h};
    result.status = advance(s, request, result.newton);
    if (result.status == StepStatus::ok && !all_finite(s.y)) result.status = StepStatus::non_finite;
    if (result.status != StepStatus::ok) {
      s.y = y0_;
      a_ = a0_;
      return result;
    }
    s.t += request.h;
    y1_ = s.y;
    t1_ = s.t;
    return result;
  }

  // A random path is rough, so linear interpolation is as good as any other; it is moved onto the constraints.
  void interpolate(double theta, Out y) override {
    y = (1 - theta) * y0_ + theta * y1_;
    if (!projection_) return;
    const Index n = a_.size();
    auto q = y.head(n);
    projection_->take_directions(t1_, q);
    free_ = q;
    multiplier_.setZero();
    projection_->project_position(t1_, free_, multiplier_weights_, multiplier_, q);
    if (stand_at(t1_, q)) projection_->project_velocity(y.segment(n, n));
  }
  void memory(Archive& archive) override { archive(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<LangevinSplitting>(problem, Options{});
  }

 private:
  StepStatus advance(State& s, const StepRequest& request, NewtonStats& newton) {
    const double h = request.h, middle = s.t + 0.5 * h, end = s.t + h;
    const Index n = s.layout.nq;
    auto q = s.q();
    auto v = s.v();
    if (projection_) {
      projection_->take_directions(s.t, q);
      projection_->weigh(request.weights.head(n).minCoeff(), q, multiplier_weights_);
    }
    add_scaled(v.data(), 0.5 * h, a_.data(), n);
    if (const StepStatus status = drift(middle, 0.5 * h, q, v, newton); status != StepStatus::ok) return status;
    exchange_heat(request, v);
    if (projection_) projection_->take_directions(middle, q);
    if (const StepStatus status = drift(end, 0.5 * h, q, v, newton); status != StepStatus::ok) return status;
    evaluate(end, q, v);
    request.work.count_forces(accelerate_.counted_groups());
    add_scaled(v.data(), 0.5 * h, a_.data(), n);
    find_multipliers(s);
    return StepStatus::ok;
  }

  // With constraints this is a step of Rattle without forces, along the directions taken at its start.
  StepStatus drift(double t1, double tau, Out q, Out v, NewtonStats& newton) {
    if (!projection_) {
      add_scaled(q.data(), tau, v.data(), q.size());
      return StepStatus::ok;
    }
    free_ = q + tau * v;
    multiplier_.setZero();
    const NewtonStats stats = projection_->project_position(t1, free_, multiplier_weights_, multiplier_, q);
    newton.iterations += stats.iterations;
    newton.factorisations += stats.factorisations;
    newton.rate = std::max(newton.rate, stats.rate);
    newton.converged = stats.converged;
    if (!stats.converged) return status_of(stats);
    v += (q - free_) / tau;
    if (!stand_at(t1, q)) return StepStatus::singular_matrix;
    projection_->project_velocity(v);
    return StepStatus::ok;
  }

  // Noise that is projected orthogonally in the metric of the mass has the covariance kT P M^-1 of the tangent space,
  // so this part is exact with constraints too. The next drift would also remove the normal part, but Newton's method
  // would then start farther away.
  void exchange_heat(const StepRequest& request, Out v) {
    const double decay = std::exp(-bath_.gamma() * request.h), noise = std::sqrt(std::max(0.0, 1 - decay * decay));
    for (Index i = 0; i < v.size(); ++i)
      v[i] = decay * v[i] + noise * thermal_[i] * random_normal(request.random, static_cast<std::uint32_t>(i));
    if (projection_) projection_->project_velocity(v);
  }

  bool stand_at(double t, In q) { return !projection_ || projection_->stand_at(t, q); }

  // M^-1 f at the current point, without the part that the constraints balance.
  void evaluate(double t, In q, In v) {
    accelerate_(t, q, v, a_);
    if (!projection_) return;
    free_a_ = a_;
    projection_->project_velocity(a_);
  }

  // Multipliers of the constraint forces without noise; call evaluate() first.
  void find_multipliers(State& s) {
    if (projection_) projection_->close_acceleration(s.v(), free_a_, s.lambda());
  }

  MethodInfo info_;
  const LangevinProblem& bath_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  std::optional<ConstraintProjection> projection_;
  Vec a_, a0_, free_, free_a_, multiplier_, multiplier_weights_, y0_, y1_, thermal_;
  double t1_ = 0;
};
}  // namespace trill
TRILL_METHOD(langevin_splitting, LangevinSplitting)
