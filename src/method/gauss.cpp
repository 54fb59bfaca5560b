// SPDX-License-Identifier: BSD-3-Clause
// Gauss methods: P-stable, symplectic, of order 2s. On stiff mechanical systems they keep the amplitude of the fast
// oscillation with steps that suit the slow motion, up to a bound on h (JP95 sec. 3 to 5).
#include "method/implicit_rk.hpp"
#include "method/prospects.hpp"
#include "trill/method/linear_form.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Gauss final : public ImplicitRk {
 public:
  struct Options {
    int s = 5;
    void fields(OptionVisitor& v) {
      v.integer("s", s, Range::between(1, most_implicit_stages), "number of stages; the order is 2s");
    }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"s", "2"}}, {{"s", "3"}}}; }
  static MethodInfo describe(const Options& options) {
    return {.name = "gauss",
            .title = "Gauss collocation method",
            .reference = "JP95 sec. 2; PJY97 sec. 2",
            .accepts = {.first_order = true, .mechanical = true, .constrained = true},
            .order = 2 * options.s,
            .order_lambda = options.s,
            .dense_order = std::min(2 * options.s, options.s + 1),
            .dense_degree = options.s + 1,
            .implicit_step = true,
            .symmetric = true,
            .symplectic = true,
            .p_stable = true,
            .saves_memory = false,
            .constant_step = true};
  }
  // Phase error per radian at h omega = 1 with five stages. It is 1e-10 on the harmonic oscillator; on pendulums,
  // orbits and coupled nonlinear oscillators the steps needed for 1e-6 correspond to this. There a step takes six to
  // nine iterations, and its stages are solved as three systems, two of them complex.
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return equal_steps_prospect(facts, question,
                                {.order = 10,
                                 .error_constant = 5e-9,
                                 .forces = 35,
                                 .factorisations = 20,
                                 .overhead = 1.5e-6,
                                 .overhead_of_unknown = 1e-7});
  }
  static LinearForm linear_form(const Options& options) {
    return runge_kutta_form(extended_tableau(ImplicitFamily::gauss, options.s));
  }
  Gauss(const Problem& problem, const Options& options) : ImplicitRk(problem, describe(options)), options_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Gauss>(problem, options_);
  }

 private:
  ImplicitRkPlan plan(const ErrorScale&) override {
    return {.block = stage_block(gauss_tableau, options_.s),
            .fast = FastMotion::preserve,
            .alias = static_cast<double>(options_.s * (options_.s + 1))};
  }
  Options options_;
};
}  // namespace trill
TRILL_METHOD(gauss, Gauss)
