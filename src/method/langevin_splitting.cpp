// SPDX-License-Identifier: BSD-3-Clause
// Langevin dynamics (PJY97 eq. 4.5) by symmetric splitting: kick, drift, exact Ornstein-Uhlenbeck, drift, kick
// ("BAOAB", Leimkuhler and Matthews 2013). Weakly of order 2; without friction it is Verlet.
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>

namespace trill {
class LangevinSplitting final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "langevin_splitting",
            .title = "Symmetric splitting of Langevin dynamics",
            .reference = "PJY97 eq. 4.5; Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34-56",
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
    if (p_.constraints()) throw UsageError("langevin_splitting cannot keep constraints");
    if (p_.mass_kind() != MassKind::identity && p_.mass_kind() != MassKind::diagonal)
      throw UsageError("langevin_splitting needs a diagonal mass matrix");
    if (p_.velocity_dependent(all_groups))
      throw UsageError("langevin_splitting needs forces that do not depend on velocity");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = s.layout.nq;
    a_ = a0_ = Vec::Zero(n);
    y0_ = y1_ = s.y;
    accelerate_.start(s.q());
    accelerate_(s.t, s.q(), s.v(), a_);
    // sqrt(kT / m_i)
    thermal_ = Vec::Constant(n, bath_.kT());
    accelerate_.divide_by_mass(s.q(), thermal_);
    thermal_ = thermal_.cwiseSqrt();
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    const Index n = s.layout.nq;
    double* q = s.y.data();
    double* v = q + n;
    if (request.jumped) evaluate(s, s.t, request);
    y0_ = s.y;
    a0_ = a_;
    add_scaled(v, 0.5 * h, a_.data(), n);
    add_scaled(q, 0.5 * h, v, n);
    const double decay = std::exp(-bath_.gamma() * h), noise = std::sqrt(std::max(0.0, 1 - decay * decay));
    for (Index i = 0; i < n; ++i)
      v[i] = decay * v[i] + noise * thermal_[i] * random_normal(request.random, static_cast<std::uint32_t>(i));
    add_scaled(q, 0.5 * h, v, n);
    evaluate(s, s.t + h, request);
    add_scaled(v, 0.5 * h, a_.data(), n);
    if (!all_finite(s.y)) {
      s.y = y0_;
      a_ = a0_;
      return {.status = StepStatus::non_finite};
    }
    s.t += h;
    y1_ = s.y;
    return {.h_taken = h};
  }

  // Between the ends a path of random motion is rough: linear is as good as anything.
  void interpolate(double theta, Out y) override { y = (1 - theta) * y0_ + theta * y1_; }
  void save(Archive& archive) const override { archive.write(a_); }
  void load(Archive& archive) override { archive.read(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<LangevinSplitting>(problem, Options{});
  }

 private:
  void evaluate(const State& s, double t, const StepRequest& request) {
    accelerate_(t, s.q(), s.v(), a_);
    request.work.count_forces(accelerate_.counted_groups());
  }
  MethodInfo info_;
  const LangevinProblem& bath_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  Vec a_, a0_, y0_, y1_, thermal_;
};
}  // namespace trill
TRILL_METHOD(langevin_splitting, LangevinSplitting)
