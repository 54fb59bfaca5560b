// SPDX-License-Identifier: BSD-3-Clause
// Radau IIA (JP95 sec. 5, fig. 4) with error control on the slow manifold. On stiff mechanical systems its steps suit
// the slow motion, and it damps the fast oscillation; on first-order systems it is a stiff solver.
#include "method/implicit_rk.hpp"
#include "method/prospects.hpp"
#include "trill/method/linear_form.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class Radau final : public ImplicitRk {
 public:
  struct Options {
    int s = 0;  // 0: auto
    FastMotion fast = FastMotion::damp;
    void fields(OptionVisitor& v) {
      NamedValues<int> stages{{"auto", 0}};
      for (int k = 1; k <= most_implicit_stages; ++k) stages.emplace_back(std::to_string(k), k);
      v.choice("s", s, stages,
               "number of stages; auto: 3, 5 or 7 by the tolerance, 5 with fixed steps; --rtol needs an odd number");
      v.choice("fast", fast,
               {{"damp", FastMotion::damp}, {"preserve", FastMotion::preserve}, {"resolve", FastMotion::resolve}},
               "what to do with the oscillation of stiff gaps: damp it, preserve its amplitude (by Gauss steps), or "
               "resolve it with small steps");
    }
    int stages() const { return s == 0 ? 5 : s; }
    bool takes_gauss_steps() const { return fast == FastMotion::preserve; }
  };
  static std::vector<OptionSet> variants() { return {{}, {{"s", "2"}}, {{"s", "3"}}, {{"fast", "preserve"}}}; }
  static MethodInfo describe(const Options& options) { return describe(options, options.stages()); }

  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    Prospect loose = implicit_prospect(facts, question, three_stages),
             fine = implicit_prospect(facts, question, {.skips_gaps = true});
    const bool resolves = facts.gaps > 0 && question.wanted == Delivers::full;
    Prospect& taken = loose.error <= question.accuracy && !question.rtol && !resolves ? loose : fine;
    if (facts.gaps > 0 || facts.constraints > 0) taken.overhead += overhead_of_manifolds;
    if (resolves) {
      taken.options = {{"fast", "resolve"}};
      taken.steps = std::max(taken.steps, facts.span * facts.scales.largest / resolved_phase);
    }
    if (facts.gaps > 0 && question.wanted != Delivers::full) {
      taken.loses = "the energy of the fast motion";
      taken.steps *= steps_beside_gaps;
    }
    return taken;
  }
  static LinearForm linear_form(const Options& options) {
    const auto family = options.takes_gauss_steps() ? ImplicitFamily::gauss : ImplicitFamily::radau_iia;
    return runge_kutta_form(extended_tableau(family, options.stages()));
  }

  Radau(const Problem& problem, const Options& options) : ImplicitRk(problem, describe(options)), options_(options) {
    mark_what_it_delivers();
  }
  // Only with the same stages does a repetition that takes no more steps show that something else limited them.
  void refine() override { repeats_ = true; }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Radau>(problem, options_);
  }

 private:
  // Seconds of a step in which it finds the smooth motion beside gaps and constraints: measured on small mechanisms.
  static constexpr double overhead_of_manifolds = 1.5e-5;
  static constexpr double steps_beside_gaps = 2.5;  // measured over predicted, where the fast motion is damped
  // At tolerances above 1e-4 it takes three stages instead of five, beside which the pilot was flown.
  static constexpr ImplicitBehaviour three_stages{
      .order = 4, .steps = 0.8, .forces = 10, .error = 60, .overhead = 1.5e-6, .loosest = 3e-3, .skips_gaps = true};

  static MethodInfo describe(const Options& options, int s) {
    const bool gauss = options.takes_gauss_steps();
    const int order = gauss ? 2 * s : 2 * s - 1;
    return {.name = "radau",
            .title = "Radau IIA method; its error test looks at the slow motion of stiff gaps",
            .reference = "JP95 sec. 4 and 5",
            .accepts = {.first_order = true, .mechanical = true, .constrained = true, .circuit = !gauss},
            .order = order,
            .order_lambda = gauss ? s : order,
            .error_order = s % 2 == 1 ? s : 0,
            .dense_order = std::min(order, s + 1),
            .dense_degree = gauss ? s + 1 : s,
            .implicit_step = true,
            .symmetric = gauss,
            .symplectic = gauss,
            .p_stable = gauss,
            .saves_memory = false,
            .constant_step = gauss};
  }

  void mark_what_it_delivers() {
    if (options_.fast == FastMotion::damp && mechanics() && has_slow_motion(*mechanics()))
      info_.delivers = Delivers::slow;
  }

  // Gaps and constraints together leave some motion free.
  static bool has_slow_motion(const MechanicalProblem& problem) {
    const StrongPotential* strong = problem.strong_potential();
    const ConstraintMap* hard = problem.constraints();
    return strong && strong->map->count() + (hard ? hard->count() : 0) < problem.layout().nq;
  }

  int stages_for(const ErrorScale& scale) const {
    if (options_.s != 0 || !scale.controlled || options_.takes_gauss_steps()) return options_.stages();
    const double rtol = repeats_ ? refinement * scale.rtol * (1 - 1e-9) : scale.rtol;
    return rtol > 1e-4 ? 3 : rtol > 1e-9 ? 5 : 7;
  }

  ImplicitRkPlan plan(const ErrorScale& scale) override {
    const int s = stages_for(scale);
    info_ = describe(options_, s);
    mark_what_it_delivers();
    if (options_.takes_gauss_steps())
      return {.block = stage_block(gauss_tableau, s),
              .fast = options_.fast,
              .alias = static_cast<double>(s * (s + 1)),
              .estimates = s % 2 == 1};
    return {.block = stage_block(radau_iia_tableau, s),
            .fast = options_.fast,
            .damps = true,
            .estimates = s % 2 == 1,
            .known_to = repeats_ ? refinement : 1};
  }
  static constexpr double refinement = 10;
  Options options_;
  bool repeats_ = false;  // the run at a tenth of the tolerance that tells how accurate another one was
};
}  // namespace trill
TRILL_METHOD(radau, Radau)
