// SPDX-License-Identifier: BSD-3-Clause
// Langevin dynamics by the implicit Euler method. PJY97 sec. 4.4; Peskin, Schlick 1989.
#include "method/envelope_point.hpp"
#include "method/heat_bath_stepper.hpp"
#include "method/prospects.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
class LangevinEuler final : public HeatBathStepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("it damps the fast motion, which is then much colder than the heat bath");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "langevin_euler",
            .title = "Implicit Euler method for Langevin dynamics, which damps fast motion",
            .reference = "PJY97 sec. 4.4; Peskin, Schlick, Comm. Pure Appl. Math. 42 (1989) 1001-1031",
            .accepts = {.langevin = true},
            .order = 1,
            .dense_order = 1,
            .implicit_step = true,
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  LangevinEuler(const Problem& problem, const Options& options)
      : HeatBathStepper(describe(options), problem), point_(mechanics()) {
    if (mechanics().constraints())
      throw UsageError("langevin_euler cannot satisfy constraints; use langevin_splitting for '" + problem.name() +
                       "'");
  }
  void start(State& s, const ErrorScale& scale) override {
    HeatBathStepper::start(s, scale);
    point_.start(s.q());
    free_ = next_ = s.q();
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<LangevinEuler>(problem, Options{});
  }

 private:
  // v1 = (v + h (M^-1 f(q1) + R))/(1 + gamma h),  q1 = q + h v1,  where R has the variance 2 gamma kT/(m h): q1 is the
  // envelope point of q + h (v + h R)/(1 + gamma h) for tau = h^2/(1 + gamma h).
  StepStatus advance(Moving& now) override {
    const double h = now.request.h, slowed = 1 + gamma() * h, tau = h * h / slowed;
    add_noise(now, std::sqrt(2 * gamma() * h), now.request.random, 0);
    free_ = now.q + h / slowed * now.v;
    next_ = free_ + tau * acceleration();
    now.t += h;
    now.newton = point_.solve(now.t, free_, tau, now.request.weights.head(now.q.size()), next_, now.request.work);
    if (!now.newton.converged) return status_of(now.newton);
    acceleration() = (next_ - free_) / tau;
    now.v = (next_ - now.q) / h;
    now.q = next_;
    return StepStatus::ok;
  }

  EnvelopePoint point_;
  Vec free_, next_;
};
}  // namespace trill
TRILL_METHOD(langevin_euler, LangevinEuler)
