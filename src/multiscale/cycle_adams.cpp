// SPDX-License-Identifier: BSD-3-Clause
// Adams methods on cycle maps, one cycle for each step: explicit, or with a correction that is not evaluated again
// (PEC). The correction uses all changes that the prediction used and the new one, so it has one order more.
#include "multiscale/cycle_stepper.hpp"
#include "multiscale/cycle_sums.hpp"
#include "multiscale/cycle_tableau.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>
#include <array>

namespace trill {
namespace {
constexpr int most_adams_order = 6;
constexpr double most_single_cycles = 8;  // as many as two steps of order 4 have stages

class CycleAdams final : public CycleStepper {
 public:
  struct Options : CycleOptions {
    int order = 6;
    bool corrected = true;
    void fields(OptionVisitor& v) {
      v.integer("order", order, Range::between(2, most_adams_order), "order of the method");
      v.choice("corrector", corrected, {{"pec", true}, {"none", false}},
               "pec: predict, evaluate, correct; none: explicit formulas alone");
      CycleOptions::fields(v);
    }
  };
  static MethodInfo describe(const Options& o) {
    return describe_as("cycle_adams", "Adams method on cycles", "Graff and Bettis 1975, PJY97 section 5", o.order);
  }
  static std::vector<OptionSet> variants() {
    return {{}, {{"order", "2"}}, {{"order", "4"}}, {{"order", "3"}, {"corrector", "none"}}};
  }
  CycleAdams(const Problem& map, const Options& options)
      : CycleStepper(describe(options), map, options, 1), options_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& map) const override {
    return std::make_unique<CycleAdams>(map, options_);
  }

 private:
  void allocate(const ErrorScale&) override {
    past_ = CycleHistory(size(), most_adams_order);
    recent_errors_.fill(0);
    changes_ = Mat::Zero(size(), 4);
    predicted_ = predicted_change_ = Vec::Zero(size());
  }
  void forget() override {
    past_.clear();
    recent_errors_.fill(0);
  }
  void more_memory(Archive& archive) override { archive(past_, recent_errors_); }

  // Errors of smooth motions change their sign. Where one passes through zero, a longer step would be rejected next.
  Outlook outlook(double error, const StepRequest&) override {
    std::rotate(recent_errors_.rbegin(), recent_errors_.rbegin() + 1, recent_errors_.rend());
    recent_errors_[0] = error;
    return {info().order, *std::max_element(recent_errors_.begin(), recent_errors_.end())};
  }

  // The change at the newest point, which becomes part of the past. In PEC mode it is the one at the predicted value.
  bool note_change(const StepRequest& request) {
    if (past_.count() > 0 && past_.n(0) == points().n(0)) return true;
    if (!find_change(request)) return false;
    past_.push(points().n(0), change_here());
    return true;
  }

  StepStatus attempt(double cycles, Out next, Out error, const StepRequest& request) override {
    if (!note_change(request)) return StepStatus::outside_domain;
    if (past_.count() < options_.order && fixed_cycles()) return start_up(cycles, next, request);
    const int order = std::min(options_.order, past_.count());
    const double n = points().n(0);
    // Explicit formulas take one value more for their error.
    predict(cycles, options_.corrected ? order : std::max(order - 1, 1), predicted_);
    if (options_.corrected) {
      if (!map().settle(n + cycles, predicted_)) return StepStatus::outside_domain;
      if (!change(n + cycles, predicted_, predicted_change_, request)) return StepStatus::outside_domain;
      correct(cycles, order + 1, next);
      set_next_change(predicted_change_);
    } else {
      predict(cycles, order, next);
    }
    error = next - predicted_;
    return map().settle(n + cycles, next) ? StepStatus::ok : StepStatus::outside_domain;
  }

  void predict(double cycles, int order, Out z) const {
    Vec nodes(order);
    for (int k = 0; k < order; ++k) nodes[k] = (past_.n(k) - past_.n(0)) / cycles;
    add(nodes, 0, cycles, z);
  }

  void correct(double cycles, int order, Out z) const {
    Vec nodes(order);
    nodes[0] = 1;
    for (int k = 1; k < order; ++k) nodes[k] = (past_.n(k - 1) - past_.n(0)) / cycles;
    add(nodes, 1, cycles, z);
  }

  // The sum over the step of the polynomial through changes, the first `ahead` of which is at the predicted value.
  void add(const Vec& nodes, int ahead, double cycles, Out z) const {
    const Vec weights = sum_weights(nodes, 1, 1 / cycles);
    z = points().value(0);
    for (int k = 0; k < nodes.size(); ++k)
      z += cycles * weights[k] * (k < ahead ? predicted_change_ : past_.value(k - ahead));
  }

  // Steps of equal length need a past of equal spacing. A step of order 4 is made of two halves: the few steps of the
  // start would otherwise dominate the error of the whole run.
  StepStatus start_up(double cycles, Out next, const StepRequest& request) {
    next = points().value(0);
    const double n = points().n(0);
    if (cycles <= most_single_cycles) {
      for (double k = 0; k < cycles; ++k) {
        if (k == 0)
          changes_.col(0) = past_.value(0);
        else if (!change(n + k, next, changes_.col(0), request))
          return StepStatus::outside_domain;
        next += changes_.col(0);
      }
      return StepStatus::ok;
    }
    changes_.col(0) = past_.value(0);
    if (!rk4_step(n, cycles / 2, next, request)) return StepStatus::outside_domain;
    if (!change(n + cycles / 2, next, changes_.col(0), request)) return StepStatus::outside_domain;
    return rk4_step(n + cycles / 2, cycles / 2, next, request) ? StepStatus::ok : StepStatus::outside_domain;
  }

  // The change at z is in the first column of changes_.
  bool rk4_step(double n, double cycles, Out z, const StepRequest& request) {
    const CycleTableau t = cycle_tableau(CycleScheme::rk4, 1 / cycles);
    for (Index i = 1; i < 4; ++i) {
      predicted_ = z + changes_.leftCols(i) * (cycles * t.a.row(i).head(i).transpose());
      const double at = n + t.c[i] * cycles;
      if (!map().settle(at, predicted_) || !change(at, predicted_, changes_.col(i), request)) return false;
    }
    z += changes_ * (cycles * t.b);
    return map().settle(n + cycles, z);
  }

  void took(double cycles) override {
    if (cycles == 1 && has_change() && (past_.count() == 0 || past_.n(0) != points().n(0)))
      past_.push(points().n(0), change_here());
  }

  Options options_;
  CycleHistory past_;                      // changes
  std::array<double, 3> recent_errors_{};  // of accepted steps
  Mat changes_;
  Vec predicted_, predicted_change_;
};
}  // namespace
}  // namespace trill

TRILL_METHOD(cycle_adams, CycleAdams)
