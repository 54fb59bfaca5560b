// SPDX-License-Identifier: BSD-3-Clause
// The reversible reference system propagator: impulses nested to any depth, each level with its own step. PJY97
// sec. 4.5; Tuckerman, Berne, Martyna 1992.
#include "method/prospects.hpp"
#include "multiscale/impulse_stepper.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Respa final : public ImpulseStepper {
 public:
  using Options = NestedOptions;
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, where slow forces are expensive and fast ones cheap");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "respa",
            .title = "r-RESPA: impulses nested in several levels, each with its own step size",
            .reference = "PJY97 sec. 4.5; Tuckerman, Berne, Martyna, J. Chem. Phys. 97 (1992) 1990-2001",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .dense_degree = kept_degree,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true};
  }

  static SplitForm split_form(const Options&) { return without_filters(); }

  Respa(const Problem& problem, const Options& options)
      : ImpulseStepper(describe(options), accepted(problem, "respa"), plan(accepted(problem, "respa"), options)),
        options_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Respa>(problem, options_);
  }

 private:
  static ImpulsePlan plan(const MechanicalProblem& problem, const Options& options) {
    return {.levels = read_levels(problem, options.levels, "respa"),
            .kicks_only = true,
            .refuses_resonance = options.refuses};
  }
  Options options_;
};
}  // namespace trill
TRILL_METHOD(respa, Respa)
