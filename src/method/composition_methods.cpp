// SPDX-License-Identifier: BSD-3-Clause
// Symmetric compositions of Stoermer-Verlet steps: composition4, composition6, composition8.
#include "method/composition.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/acceleration.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
template <int Order>
Choices schemes_of_order() {
  Choices names;
  for (const Composition& c : compositions())
    if (c.order == Order) names.emplace_back(c.name);
  return names;
}

template <int Order>
class ComposedVerlet final : public Stepper {
 public:
  struct Options {
    std::string scheme{find_composition(Order)->name};
    void fields(OptionVisitor& v) {
      v.choice("scheme", scheme, schemes_of_order<Order>(), "which published set of sub-steps");
    }
  };
  static MethodInfo describe(const Options& options) {
    return {.name = "composition" + std::to_string(Order),
            .title = "Symmetric composition of Verlet steps, order " + std::to_string(Order),
            .reference = std::string(find_composition(options.scheme)->reference),
            .accepts = {.mechanical = true},
            .order = Order,
            .dense_order = std::min(Order, 5),
            .dense_degree = 5,
            .symmetric = true,
            .symplectic = true,
            .constant_step = true,
            .componentwise = true};
  }
  static std::vector<OptionSet> variants() {
    std::vector<OptionSet> all;
    for (const std::string& name : schemes_of_order<Order>()) all.push_back({{"scheme", name}});
    return all;
  }
  // Phase errors per radian at h omega = 1, measured on the harmonic oscillator.
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    constexpr double stages = Order == 4 ? 5 : Order == 6 ? 9 : 17;
    return equal_steps_prospect(facts, question,
                                {.order = Order,
                                 .error_constant = Order == 4   ? 8.3e-4
                                                   : Order == 6 ? 4.2e-4
                                                                : 1.3e-6,
                                 .forces = stages,
                                 .overhead = 3e-8 * stages,
                                 .overhead_of_unknown = 1e-9 * stages});
  }
  static LinearForm linear_form(const Options& options) {
    LinearForm form = drift_form(0);
    for (const double gamma : find_composition(options.scheme)->gamma) form = with_step(verlet_form(), gamma) * form;
    return form;
  }

  ComposedVerlet(const Problem& problem, const Options& options)
      : info_(describe(options)),
        options_(options),
        gamma_(find_composition(options.scheme)->gamma),
        p_(problem.as<MechanicalProblem>(info_.name)),
        accelerate_(p_) {
    if (p_.constraints())
      throw UsageError(info_.name + " cannot satisfy constraints; use rattle for '" + p_.name() + "'");
    if (p_.mass_kind() == MassKind::of_q)
      throw UsageError(info_.name + " needs a constant mass matrix, not a position-dependent mass; use dop853 for '" +
                       p_.name() + "'");
    if (p_.velocity_dependent(all_groups))
      throw UsageError(info_.name + " needs forces that do not depend on velocity; use dop853 for '" + p_.name() + "'");
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    a_ = a0_ = Vec::Zero(s.layout.nq);
    y0_ = y1_ = s.y;
    accelerate_.start(s.q());
    accelerate_(s.t, s.q(), s.v(), a_);
  }

  StepResult step(State& s, const StepRequest& request) override {
    const Index n = s.layout.nq;
    double* q = s.y.data();
    double* v = q + n;
    if (request.jumped) evaluate(s, s.t, request);
    y0_ = s.y;
    a0_ = a_;
    double t = s.t;
    for (const double gamma : gamma_) {
      const double h = gamma * request.h;
      add_scaled(v, 0.5 * h, a_.data(), n);
      add_scaled(q, h, v, n);
      t += h;
      evaluate(s, t, request);
      add_scaled(v, 0.5 * h, a_.data(), n);
    }
    if (!all_finite(s.y)) {
      s.y = y0_;
      a_ = a0_;
      return {.status = StepStatus::non_finite};
    }
    h_ = request.h;
    s.t += h_;
    y1_ = s.y;
    return {.h_taken = h_};
  }

  void interpolate(double theta, Out y) override {
    const Index n = a_.size();
    hermite5(theta, h_, y0_.head(n), y0_.tail(n), a0_, y1_.head(n), y1_.tail(n), a_, y.head(n));
    hermite5_slope(theta, h_, y0_.head(n), y0_.tail(n), a0_, y1_.head(n), y1_.tail(n), a_, y.tail(n));
  }

  void memory(Archive& archive) override { archive(a_); }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<ComposedVerlet>(problem, options_);
  }

 private:
  void evaluate(const State& s, double t, const StepRequest& request) {
    accelerate_(t, s.q(), s.v(), a_);
    request.work.count_forces(accelerate_.counted_groups());
  }

  MethodInfo info_;
  Options options_;
  std::span<const double> gamma_;
  const MechanicalProblem& p_;
  Acceleration accelerate_;
  Vec a_, a0_, y0_, y1_;
  double h_ = 0;
};
}  // namespace

void register_method_composition_methods(Catalogue& catalogue) {
  add_method<ComposedVerlet<4>>(catalogue);
  add_method<ComposedVerlet<6>>(catalogue);
  add_method<ComposedVerlet<8>>(catalogue);
}
}  // namespace trill
