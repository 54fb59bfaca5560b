// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta methods by tableau: rk4, dopri5, dop853.
#include "method/explicit_tableau.hpp"
#include "method/initial_step.hpp"
#include "method/prospects.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <array>
#include <cmath>

namespace trill {
namespace {
struct Rk4 {
  static constexpr const char* title = "Classical Runge-Kutta method, order 4";
  static const ExplicitTableau& tableau() { return rk4_tableau(); }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("it has no error control; name it, with a step size h, for equal steps");
  }
};
struct Dopri5 {
  static constexpr const char* title = "Dormand-Prince method, order 5(4)";
  static const ExplicitTableau& tableau() { return dopri5_tableau(); }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return explicit_prospect(
        facts, question,
        {.order = 5, .steps = 3, .forces = 6.6, .error = 4, .overhead = 4e-7, .overhead_of_unknown = 6e-9});
  }
};
struct Dop853 {
  static constexpr const char* title = "Dormand-Prince method, order 8(5,3)";
  static const ExplicitTableau& tableau() { return dop853_tableau(); }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return explicit_prospect(facts, question, {.forces = 13, .overhead = 1e-6, .overhead_of_unknown = 2e-8});
  }
};

class ExplicitRungeKutta : public Stepper {
 public:
  ExplicitRungeKutta(const Problem& problem, const ExplicitTableau& tableau, MethodInfo info)
      : info_(std::move(info)), tableau_(tableau), form_(problem, info_.name) {
    // A sparse factorisation depends on earlier matrices and is not saved: it starts anew at every checkpoint.
    info_.saves_memory = !form_.has_sparse_factors();
  }
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale&) override {
    const Index n = form_.size();
    form_.start(s);
    k_ = Mat::Zero(n, tableau_.all_stages());
    y0_ = y1_ = stage_ = error_ = Vec::Zero(n);
    form_.multipliers(s.t, s.y, s.lambda());
    form_.rhs(s.t, s.y.head(n), k_.col(0));
    t0_ = s.t;
    h_ = 0;
    uncounted_ = 0;
    first_known_ = true;
    last_is_first_ = false;
    extra_known_ = true;
  }

  double initial_step(const State& s, const ErrorScale& scale, double h_max, Counters& work) override {
    const auto rhs = [&](double t, In y, Out dy) {
      work.count_forces(form_.counted_groups());
      return form_.rhs(t, y, dy);
    };
    const Index n = form_.size();
    if (scale.kind == ErrorScale::Norm::max_or_atol)
      return initial_step_ode45(s.y.head(n), k_.col(0), scale, info_.error_order + 1, h_max);
    return initial_step_hairer(rhs, s.t, s.y.head(n), k_.col(0), scale, info_.error_order + 1, h_max, stage_, error_);
  }

  StepResult step(State& s, const StepRequest& request) override {
    const double h = request.h;
    const Index n = form_.size();
    if ((request.jumped || request.restart) && form_.has_sparse_factors()) form_.forget();
    for (; uncounted_ > 0; --uncounted_) request.work.count_forces(form_.counted_groups());
    if (request.jumped || !first_known_) {
      if (!evaluate(s.t, s.y.head(n), 0, request)) return {.status = StepStatus::outside_domain};
    } else if (last_is_first_) {
      // A rejected step needs its first stage again, so the last stage is moved only now.
      k_.col(0) = k_.col(tableau_.stages - 1);
    }
    last_is_first_ = false;
    first_known_ = true;
    y0_ = s.y.head(n);
    for (int i = 1; i < tableau_.trial_stages; ++i) {
      form_stage(tableau_.row(i), h);
      if (!evaluate(s.t + tableau_.c[static_cast<std::size_t>(i)] * h, stage_, i, request))
        return {.status = StepStatus::outside_domain};
    }
    // If the last stage, at y1, is one of the trial stages, y1 is already formed.
    if (tableau_.trial_stages < tableau_.stages || !tableau_.first_same_as_last)
      form_stage(tableau_.b.first(static_cast<std::size_t>(tableau_.trial_stages)), h);
    y1_ = stage_;
    // Test all stages, not only y1: a stage outside the domain of the model may have no weight in y1.
    if (!all_finite(y1_) || !all_finite(k_.data(), n * tableau_.trial_stages))
      return {.status = StepStatus::non_finite};
    StepResult result{.h_taken = h};
    if (!tableau_.error.empty()) result.error = estimate(h, request.scale);
    if (!tableau_.error.empty() && !(result.error <= request.most_error)) return result;
    t0_ = s.t;
    h_ = h;
    if (tableau_.first_same_as_last) {
      const int last = tableau_.stages - 1;
      if (last >= tableau_.trial_stages) {
        if (!evaluate(s.t + h, y1_, last, request)) return {.status = StepStatus::outside_domain};
        if (!all_finite(k_.col(last))) return {.status = StepStatus::non_finite};
      }
      last_is_first_ = true;
    } else {
      first_known_ = false;
    }
    extra_known_ = tableau_.extra_stages == 0;
    s.y.head(n) = y1_;
    s.t += h;
    if (form_.has_multipliers()) {
      form_.multipliers(s.t, s.y, s.lambda());
      request.work.count_forces(form_.counted_groups());
    }
    return result;
  }

  void interpolate(double theta, Out y) override {
    const Index n = form_.size();
    if (!extra_known_) evaluate_extra_stages();
    std::array<double, max_tableau_stages> weights;
    dense_weights(tableau_, theta, weights);
    y.head(n) = y0_;
    for (int i = 0; i < tableau_.all_stages(); ++i)
      add_scaled(y.data(), h_ * weights[static_cast<std::size_t>(i)], k_.col(i).data(), n);
    if (form_.has_multipliers()) {
      form_.multipliers(t0_ + theta * h_, y, y.tail(y.size() - n));
      ++uncounted_;
    }
  }

  void memory(Archive& archive) override { archive(k_, first_known_, last_is_first_, uncounted_); }

 private:
  bool evaluate(double t, In y, int stage, const StepRequest& request) {
    request.work.count_forces(form_.counted_groups());
    return form_.rhs(t, y, k_.col(stage));
  }

  void form_stage(std::span<const double> coefficients, double h) {
    stage_ = y0_;
    for (std::size_t j = 0; j < coefficients.size(); ++j)
      if (coefficients[j] != 0)
        add_scaled(stage_.data(), h * coefficients[j], k_.col(static_cast<Index>(j)).data(), stage_.size());
  }

  double weighted_error(std::span<const double> weights, double h, const ErrorScale& scale) {
    error_.setZero();
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (weights[j] != 0)
        add_scaled(error_.data(), h * weights[j], k_.col(static_cast<Index>(j)).data(), error_.size());
    return scale.norm(error_, y0_, y1_);
  }

  double estimate(double h, const ErrorScale& scale) {
    const double error = weighted_error(tableau_.error, h, scale);
    return tableau_.error3.empty() ? error : combined_error(error, weighted_error(tableau_.error3, h, scale));
  }

  // Needed only if somebody looks inside the step.
  void evaluate_extra_stages() {
    for (int i = tableau_.stages; i < tableau_.all_stages(); ++i) {
      form_stage(tableau_.row(i), h_);
      form_.rhs(t0_ + tableau_.c[static_cast<std::size_t>(i)] * h_, stage_, k_.col(i));
      ++uncounted_;
    }
    extra_known_ = true;
  }

  MethodInfo info_;
  const ExplicitTableau& tableau_;
  FirstOrderForm form_;
  Mat k_;
  Vec y0_, y1_, stage_, error_;
  double t0_ = 0, h_ = 0;
  int uncounted_ = 0;  // evaluations made by interpolate()
  bool first_known_ = false, last_is_first_ = false, extra_known_ = true;
};

template <class Name>
class NamedRungeKutta final : public ExplicitRungeKutta {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    const ExplicitTableau& t = Name::tableau();
    return {.name = std::string(t.name),
            .title = Name::title,
            .reference = std::string(t.reference),
            .accepts = {.first_order = true, .mechanical = true, .constrained = true},
            .order = t.order,
            .order_lambda = t.order,
            .error_order = t.error_order,
            .dense_order = t.dense_order,
            .dense_degree = t.dense_degree,
            .componentwise = t.error.empty()};
  }
  static Prospect advise(const ProblemFacts& facts, const Question& question) { return Name::advise(facts, question); }
  static LinearForm linear_form(const Options&) { return runge_kutta_form(Name::tableau()); }
  NamedRungeKutta(const Problem& problem, const Options& options)
      : ExplicitRungeKutta(problem, Name::tableau(), describe(options)) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<NamedRungeKutta>(problem, Options{});
  }
};
}  // namespace

void register_method_rk_explicit(Catalogue& catalogue) {
  add_method<NamedRungeKutta<Rk4>>(catalogue);
  add_method<NamedRungeKutta<Dopri5>>(catalogue);
  add_method<NamedRungeKutta<Dop853>>(catalogue);
}
}  // namespace trill
