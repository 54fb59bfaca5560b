// SPDX-License-Identifier: BSD-3-Clause
// The impulse method, Verlet-I: kicks by the slow force around the motion of the fast one. SS08 sec. 2, PJY97 sec. 4.5.
#include "method/prospects.hpp"
#include "multiscale/impulse_stepper.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Impulse final : public ImpulseStepper {
 public:
  struct Options : TwoLevelOptions {
    bool refuses = true;
    void fields(OptionVisitor& v) {
      two_level_fields(v);
      resonance_field(v, refuses);
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"inner", "4"}, {"inner_order", "4"}}}; }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, where slow forces are expensive and fast ones cheap");
  }
  static MethodInfo describe(const Options&) {
    return {.name = "impulse",
            .title = "Impulse method, also called Verlet-I",
            .reference = "SS08 sec. 2; PJY97 sec. 4.5; Grubmueller, Heller, Windemuth, Schulten 1991",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .dense_degree = kept_degree,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true};
  }

  static SplitForm split_form(const Options&) { return without_filters(); }

  Impulse(const Problem& problem, const Options& options)
      : ImpulseStepper(describe(options), accepted(problem, "impulse"), plan(accepted(problem, "impulse"), options)),
        options_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Impulse>(problem, options_);
  }

 private:
  static ImpulsePlan plan(const MechanicalProblem& problem, const Options& options) {
    return {.levels = options.levels(problem, "impulse"), .refuses_resonance = options.refuses, .flow = options.flow()};
  }
  Options options_;
};
}  // namespace trill
TRILL_METHOD(impulse, Impulse)
