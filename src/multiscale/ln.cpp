// SPDX-License-Identifier: BSD-3-Clause
// LN: Langevin dynamics with slow forces that are held over a step, and inner steps for the fast ones. PJY97 sec. 4.4
// and 4.5; Barth, Schlick 1998. The fast forces are evaluated directly, or linearised as in the published method.
#include "method/heat_bath_stepper.hpp"
#include "method/inner_states.hpp"
#include "method/prospects.hpp"
#include "multiscale/force_levels.hpp"
#include "multiscale/force_products.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
class Ln final : public HeatBathStepper, public KeptInnerStates {
 public:
  struct Options {
    std::string fast;
    int inner = 1;
    bool linear = false;
    void fields(OptionVisitor& v) {
      v.text("fast", fast, "names of force groups, such as bonds+angles",
             "groups of fast forces, which every inner step evaluates; empty: those that the model marks as fast");
      v.integer("inner", inner, Range::between(1, 1000000), "number of inner steps in a step");
      v.choice("force", linear, NamedValues<bool>{{"direct", false}, {"linear", true}},
               "how inner steps find the fast forces: evaluated, or linearised about the middle of the step");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"inner", "3"}}, {{"inner", "3"}, {"force", "linear"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with inner steps, where slow forces are expensive and the friction is not small");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "ln",
            .title = "LN: Langevin dynamics with slow forces that stay constant over inner steps",
            .reference = "PJY97 sec. 4.5; Barth, Schlick, J. Chem. Phys. 109 (1998) 1617-1632",
            .accepts = {.langevin = true},
            .order = 1,
            .dense_order = 1,
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  Ln(const Problem& problem, const Options& options)
      : HeatBathStepper(describe(options), problem),
        options_(options),
        fast_groups_(options.fast.empty() ? fast_groups(mechanics()) : named_groups(mechanics(), options.fast, "ln")),
        slow_groups_(known_groups(mechanics()) & ~fast_groups_),
        fast_(mechanics(), fast_groups_),
        slow_(mechanics(), slow_groups_),
        products_(mechanics(), fast_groups_) {
    // With all forces in one group the step is the inner step, and nothing is held.
    held_.resize(options.inner > 1 && slow_groups_ != 0 ? mechanics().layout().nq : 0);
  }
  void start(State& s, const ErrorScale& scale) override {
    fast_.start(s.q());
    slow_.start(s.q());
    products_.start(s.q());
    middle_ = fast_middle_ = moved_ = s.q();
    in_step_ = false;
    expect_inner_states(s.layout.nq, options_.inner);
    HeatBathStepper::start(s, scale);
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Ln>(problem, options_);
  }

 private:
  void find_acceleration(double t, In q, In v, const StepRequest* request, Out a) override {
    if (!in_step_ || (held_.size() == 0 && !options_.linear))
      return HeatBathStepper::find_acceleration(t, q, v, request, a);
    if (options_.linear) {
      // M^-1 (f(q_r) + f'(q_r) (q - q_r))
      moved_ = q - middle_;
      products_(t, middle_, moved_, a, request->work);
      fast_.divide_by_mass(middle_, a);
      a += fast_middle_;
    } else {
      fast_(t, q, v, a);
      if (request) request->work.count_forces(fast_.counted_groups());
    }
    if (held_.size() > 0) a += held_;
  }

  // The slow forces are those at the point q_r that the motion without forces reaches in half a step.
  void hold_forces(const Moving& now) {
    const double half = 0.5 * now.request.h;
    middle_ = now.q + half * now.v;
    if (held_.size() > 0) {
      slow_(now.t + half, middle_, now.v, held_);
      now.request.work.count_forces(slow_.counted_groups());
    }
    if (!options_.linear) return;
    fast_(now.t + half, middle_, now.v, fast_middle_);
    now.request.work.count_forces(fast_.counted_groups());
  }

  StepStatus advance(Moving& now) override {
    if (held_.size() > 0 || options_.linear) hold_forces(now);
    in_step_ = true;
    forget_inner_states();
    StepStatus status = StepStatus::ok;
    for (int k = 0; k < options_.inner && status == StepStatus::ok; ++k) {
      status = inner_step(now, now.request.h / options_.inner, static_cast<std::uint32_t>(k));
      keep_inner_state(now.q, now.v);
    }
    in_step_ = false;
    return status;
  }

  // q += tau/2 v;  v = (v + tau (M^-1 f + R))/(1 + gamma tau);  q += tau/2 v,  where R has the variance
  // 2 gamma kT/(m tau)
  StepStatus inner_step(Moving& now, double tau, std::uint32_t draw) {
    if (const StepStatus status = drift(now, 0.5 * tau); status != StepStatus::ok) return status;
    kick(now, tau);
    add_noise(now, std::sqrt(2 * gamma() * tau), now.request.random, draw);
    now.v /= 1 + gamma() * tau;
    return drift(now, 0.5 * tau);
  }

  Options options_;
  Groups fast_groups_, slow_groups_;
  Acceleration fast_, slow_;
  ForceProducts products_;
  Vec held_, middle_, fast_middle_, moved_;
  bool in_step_ = false;
};
}  // namespace trill
TRILL_METHOD(ln, Ln)
