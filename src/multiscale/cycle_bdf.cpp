// SPDX-License-Identifier: BSD-3-Clause
// Backward differentiation on cycle maps: the polynomial through earlier points and the start of the last cycle of the
// step meets the end of that cycle.
#include "multiscale/cycle_equations.hpp"
#include "multiscale/cycle_stepper.hpp"
#include "multiscale/cycle_sums.hpp"
#include "trill/method/registry.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr int most_bdf_order = 5;

class CycleBdf final : public CycleStepper {
 public:
  struct Options : CycleOptions {
    int order = 0;
    CycleSolver solver = CycleSolver::automatic;
    void fields(OptionVisitor& v) {
      v.integer("order", order, Range::between(0, most_bdf_order),
                "order of the method; 0: the one that allows the longest steps");
      list_solver(v, solver);
      CycleOptions::fields(v);
    }
  };
  static MethodInfo describe(const Options& o) {
    MethodInfo info = describe_as("cycle_bdf", "Backward differentiation on cycles",
                                  "PJY97 section 5, White and Leeb 1991", highest(o));
    info.implicit_step = true;
    return info;
  }
  static std::vector<OptionSet> variants() {
    return {{{"order", "2"}}, {{"order", "1"}}, {{"order", "3"}}, {{"order", "4"}}, {}};
  }
  CycleBdf(const Problem& map, const Options& options)
      : CycleStepper(describe(options), map, options, 1, highest(options) - 1),
        options_(options),
        equations_(CycleStepper::map(), 1, options.solver) {}
  std::unique_ptr<Stepper> clone(const Problem& map) const override {
    return std::make_unique<CycleBdf>(map, options_);
  }

 private:
  static int highest(const Options& o) { return o.order > 0 ? o.order : most_bdf_order; }
  bool varies() const { return options_.order == 0 && !fixed_cycles(); }

  void allocate(const ErrorScale&) override {
    last_ = base_ = Mat::Zero(size(), 1);
    weights_ = next_ = difference_ = Vec::Zero(size());
    forget();
  }
  void forget() override {
    equations_.forget();
    order_ = highest(options_);  // the single cycles at the start give it its past
    steps_ = 0;
  }
  void more_memory(Archive& archive) override { archive(equations_, order_, steps_); }
  int order() const override { return order_; }
  void leave_out(Out error) const override { equations_.leave_out_indifferent(error); }

  StepStatus attempt(double cycles, Out next, Out error, const StepRequest& request) override {
    if (cycles <= 1) return one_cycle(next, request);
    const int past = std::min(order_, points().count());
    const double end = points().n(0) + cycles;
    Vec nodes(past + 1);
    nodes[0] = end - 1;
    for (int k = 0; k < past; ++k) nodes[k + 1] = points().n(k);
    const Vec weights = value_weights(nodes, end);
    base_.setZero();
    for (int k = 0; k < past; ++k) base_.col(0) -= weights[k + 1] / (weights[0] - 1) * points().value(k);
    points().extrapolate(end - 1, std::min(order_ + 1, points().count()), last_.col(0));
    request.scale.weights(error_sizes(), weights_);
    equations_.pose(Mat::Constant(1, 1, 1 / (weights[0] - 1)), base_, Vec::Constant(1, end - 1), request.work);
    const NewtonStats newton = equations_.solve(last_, weights_);
    request.work.newton_iterations += newton.iterations;
    request.work.factorisations += newton.factorisations;
    if (!newton.converged) return status_of(newton);
    note_effort(equations_.effort());
    next = last_.col(0) + equations_.change(0);
    compare_with_past(cycles, next, error, order_);
    next_ = next;
    cycles_ = cycles;
    return StepStatus::ok;
  }

  StepStatus one_cycle(Out next, const StepRequest& request) {
    if (!find_change(request)) return StepStatus::outside_domain;
    next = points().value(0) + change_here();
    next_ = next;
    cycles_ = 1;
    return StepStatus::ok;
  }

  // A change of order needs some steps with the present one, so that the differences of earlier points are those of
  // the motion and not of the changes.
  Outlook outlook(double error, const StepRequest& request) override {
    Outlook best{order_, error};
    ++steps_;
    if (!varies() || steps_ <= order_) return best;
    for (const int order : {order_ - 1, order_ + 1}) {
      if (order < 1 || order > most_bdf_order || order + 1 > points().count()) continue;
      compare_with_past(cycles_, next_, difference_, order);
      leave_out(difference_);
      const double there = request.scale.norm(difference_, error_sizes(), error_sizes());
      if (growth(there, order) > growth(best.error, best.order)) best = {order, there};
    }
    if (best.order != order_) steps_ = 0;
    order_ = best.order;
    return best;
  }
  static double growth(double error, int order) { return std::pow(std::max(error, 1e-10), -1.0 / (order + 1)); }

  Options options_;
  CycleEquations equations_;
  Mat last_, base_;
  Vec weights_, next_, difference_;
  double cycles_ = 0;
  int order_ = 1, steps_ = 0;  // steps: made with this order
};
}  // namespace
}  // namespace trill

TRILL_METHOD(cycle_bdf, CycleBdf)
