// SPDX-License-Identifier: BSD-3-Clause
// Langevin dynamics by Verlet's method with friction and noise in the kicks: Bruenger, Brooks, Karplus 1984.
#include "method/heat_bath_stepper.hpp"
#include "method/prospects.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
class Bbk final : public HeatBathStepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name(
        "langevin_splitting has more accurate averages of positions; name it to compare with codes that use it");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "bbk",
            .title = "BBK: Verlet's method with friction and noise in its kicks",
            .reference = "Bruenger, Brooks, Karplus, Chem. Phys. Lett. 105 (1984) 495-500; PJY97 sec. 4.4",
            .accepts = {.langevin = true},
            .order = 2,
            .order_of_averages = 1,
            .dense_order = 2,
            .delivers = Delivers::statistics,
            .constant_step = true};
  }

  Bbk(const Problem& problem, const Options& options) : HeatBathStepper(describe(options), problem) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Bbk>(problem, Options{});
  }

 private:
  // The random force R_n acts in both half kicks around t_n: at the end of one step and at the beginning of the next.
  // Two independent halves would be another scheme.
  StepStatus advance(Moving& now) override {
    const double h = now.request.h, half = 0.5 * gamma() * h;
    // h/2 R_n with the variance 2 gamma kT/(m h) of R_n
    const double size = std::sqrt(half);
    RandomKey key = now.request.random;
    now.v *= 1 - half;
    kick(now, 0.5 * h);
    add_noise(now, size, key, 0);
    if (const StepStatus status = drift(now, h); status != StepStatus::ok) return status;
    kick(now, 0.5 * h);
    ++key.step;
    add_noise(now, size, key, 0);
    now.v /= 1 + half;
    return StepStatus::ok;
  }
};
}  // namespace trill
TRILL_METHOD(bbk, Bbk)
