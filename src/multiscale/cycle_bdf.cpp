// SPDX-License-Identifier: BSD-3-Clause
// Backward differentiation on cycle maps: the polynomial through earlier points and the start of the last cycle of the
// step meets the end of that cycle.
#include "multiscale/cycle_equations.hpp"
#include "multiscale/cycle_stepper.hpp"
#include "multiscale/cycle_sums.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
class CycleBdf final : public CycleStepper {
 public:
  struct Options : CycleOptions {
    int order = 2;
    void fields(OptionVisitor& v) {
      v.integer("order", order, Range::between(1, 4), "order of the method");
      CycleOptions::fields(v);
    }
  };
  static MethodInfo describe(const Options& o) {
    MethodInfo info =
        describe_as("cycle_bdf", "Backward differentiation on cycles", "PJY97 section 5, White and Leeb 1991", o.order);
    info.implicit_step = true;
    return info;
  }
  static std::vector<OptionSet> variants() { return {{}, {{"order", "1"}}, {{"order", "3"}}, {{"order", "4"}}}; }
  CycleBdf(const Problem& map, const Options& options)
      : CycleStepper(describe(options), map, options, 1, options.order - 1),
        options_(options),
        equations_(CycleStepper::map(), 1) {}
  std::unique_ptr<Stepper> clone(const Problem& map) const override {
    return std::make_unique<CycleBdf>(map, options_);
  }

 private:
  void allocate(const ErrorScale&) override {
    last_ = base_ = Mat::Zero(size(), 1);
    weights_ = Vec::Zero(size());
    forget();
  }
  void forget() override { equations_.forget(); }
  void more_memory(Archive& archive) override { archive(equations_); }

  StepStatus attempt(double cycles, Out next, Out error, const StepRequest& request) override {
    const int past = std::min(options_.order, points().count());
    const double end = points().n(0) + cycles;
    Vec nodes(past + 1);
    nodes[0] = end - 1;
    for (int k = 0; k < past; ++k) nodes[k + 1] = points().n(k);
    const Vec weights = value_weights(nodes, end);
    base_.setZero();
    for (int k = 0; k < past; ++k) base_.col(0) -= weights[k + 1] / (weights[0] - 1) * points().value(k);
    points().extrapolate(end - 1, std::min(options_.order + 1, points().count()), last_.col(0));
    request.scale.weights(largest(), weights_);
    equations_.pose(Mat::Constant(1, 1, 1 / (weights[0] - 1)), base_, Vec::Constant(1, end - 1), request.work);
    const NewtonStats newton = equations_.solve(last_, weights_);
    request.work.newton_iterations += newton.iterations;
    request.work.factorisations += newton.factorisations;
    if (!newton.converged) return status_of(newton);
    next = last_.col(0) + equations_.change(0);
    compare_with_past(cycles, next, error);
    return StepStatus::ok;
  }

  Options options_;
  CycleEquations equations_;
  Mat last_, base_;
  Vec weights_;
};
}  // namespace
}  // namespace trill

TRILL_METHOD(cycle_bdf, CycleBdf)
