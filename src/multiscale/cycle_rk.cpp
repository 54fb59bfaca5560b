// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta methods on cycle maps.
#include "multiscale/cycle_stepper.hpp"
#include "multiscale/cycle_tableau.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
class CycleRungeKutta final : public CycleStepper {
 public:
  struct Options : CycleOptions {
    CycleScheme scheme = CycleScheme::rk4;
    void fields(OptionVisitor& v) {
      v.choice("scheme", scheme,
               {{"midpoint", CycleScheme::midpoint},
                {"heun", CycleScheme::heun},
                {"rk3", CycleScheme::rk3},
                {"rk4", CycleScheme::rk4}},
               "the Runge-Kutta method, of order 2, 2, 3 or 4");
      CycleOptions::fields(v);
    }
  };
  static MethodInfo describe(const Options& o) {
    return describe_as("cycle_rk", "Explicit Runge-Kutta method on cycles", "Calvo et al. 2004, PJY97 section 5",
                       order_of(o.scheme));
  }
  static std::vector<OptionSet> variants() {
    return {{}, {{"scheme", "midpoint"}}, {{"scheme", "heun"}}, {{"scheme", "rk3"}}};
  }
  CycleRungeKutta(const Problem& map, const Options& options)
      : CycleStepper(describe(options), map, options, stages_of(options.scheme)), options_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& map) const override {
    return std::make_unique<CycleRungeKutta>(map, options_);
  }

 private:
  void allocate(const ErrorScale&) override {
    changes_ = Mat::Zero(size(), stages_of(options_.scheme) + 1);
    stage_ = Vec::Zero(size());
    cycles_ = 0;
  }

  StepStatus attempt(double cycles, Out next, Out error, const StepRequest& request) override {
    if (cycles != cycles_) tableau_ = cycle_tableau(options_.scheme, 1 / cycles);
    cycles_ = cycles;
    if (!find_change(request)) return StepStatus::outside_domain;
    const Index stages = tableau_.c.size();
    const double n = points().n(0);
    changes_.col(0) = change_here();
    for (Index i = 1; i < stages; ++i) {
      stage_ = points().value(0) + changes_.leftCols(i) * (cycles * tableau_.a.row(i).head(i).transpose());
      if (!evaluate(n + tableau_.c[i] * cycles, i, request)) return StepStatus::outside_domain;
    }
    stage_ = points().value(0) + changes_.leftCols(stages) * (cycles * tableau_.b);
    if (tableau_.error.size() > stages) {
      if (!evaluate(n + cycles, stages, request)) return StepStatus::outside_domain;
      set_next_change(changes_.col(stages));
    } else if (!map().settle(n + cycles, stage_)) {
      return StepStatus::outside_domain;
    }
    next = stage_;
    error = changes_.leftCols(tableau_.error.size()) * (cycles * tableau_.error);
    return StepStatus::ok;
  }

  bool evaluate(double n, Index i, const StepRequest& request) {
    return map().settle(n, stage_) && change(n, stage_, changes_.col(i), request);
  }

  Options options_;
  CycleTableau tableau_;
  double cycles_ = 0;  // of the tableau
  Mat changes_;
  Vec stage_;
};
}  // namespace
}  // namespace trill

TRILL_METHOD(cycle_rk, CycleRungeKutta)
