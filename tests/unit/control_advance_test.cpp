// SPDX-License-Identifier: BSD-3-Clause
// What the step control tries before it gives up a run.
#include "support/small_problems.hpp"
#include "trill/control/advance.hpp"

#include <gtest/gtest.h>

namespace trill::test {
namespace {
// A method whose results (error, step taken) are a given formula of the requested step.
class FormulaStepper final : public Stepper {
 public:
  using Formula = std::function<StepResult(const StepRequest&)>;
  explicit FormulaStepper(Formula formula) : formula_(std::move(formula)) {
    info_.name = "formula";
    info_.error_order = 2;
  }
  const MethodInfo& info() const override { return info_; }
  void start(State&, const ErrorScale&) override {}
  StepResult step(State& s, const StepRequest& request) override {
    StepResult result = formula_(request);
    if (result.status == StepStatus::ok && result.error <= request.most_error) s.t += request.h;
    return result;
  }
  void interpolate(double, Out) override {}
  void memory(Archive&) override {}
  std::unique_ptr<Stepper> clone(const Problem&) const override { return std::make_unique<FormulaStepper>(formula_); }

 private:
  MethodInfo info_;
  Formula formula_;
};

State at_rest() { return State(Layout{1, 0, 0, 0}); }

// The truncation error 1e6 h^3 falls with h while the rounding error 0.02/h grows. Their sum is never below 2.9 and so
// never reaches the allowed 1. The step must be accepted anyway.
TEST(Advancer, TakesAStepWhoseErrorIsRounding) {
  FormulaStepper stepper(
      [](const StepRequest& r) { return StepResult{.error = 1e6 * std::pow(r.h, 3) + 0.02 / r.h, .h_taken = r.h}; });
  Advancer advancer(stepper, AdaptiveStep{.h0 = 0.1});
  State s = at_rest();
  advancer.start(s, 1);
  const AdvanceResult result = advancer.one(s, 1);
  ASSERT_EQ(result.status, AdvanceStatus::ok);
  EXPECT_LT(result.step.error, 100);
  EXPECT_GT(result.h_tried, 1e-3);
  EXPECT_TRUE(has_note(advancer.notes(), "rounding"));
}

// As long as the error falls with h, steps are shortened further, however slowly it falls.
TEST(Advancer, DoesNotTakeAnErrorThatFallsForRounding) {
  FormulaStepper stepper(
      [](const StepRequest& r) { return StepResult{.error = 100 * std::sqrt(r.h), .h_taken = r.h}; });
  Advancer advancer(stepper, AdaptiveStep{.h0 = 0.1});
  State s = at_rest();
  advancer.start(s, 1);
  const AdvanceResult result = advancer.one(s, 1);
  ASSERT_EQ(result.status, AdvanceStatus::ok);
  EXPECT_LE(result.step.error, 1);
  EXPECT_FALSE(has_note(advancer.notes(), "rounding"));
}

TEST(Advancer, GivesUpWhereNoErrorIsNearTheTolerance) {
  FormulaStepper stepper([](const StepRequest& r) { return StepResult{.error = 1e9, .h_taken = r.h}; });
  Advancer advancer(stepper, AdaptiveStep{.h0 = 0.1});
  State s = at_rest();
  advancer.start(s, 1);
  EXPECT_EQ(advancer.one(s, 1).status, AdvanceStatus::step_too_small);
}

// Newton's iteration may fail because of what a method keeps from earlier steps. So this is dropped before the run is
// given up.
TEST(Advancer, DropsWhatAMethodKeepsBeforeItGivesUp) {
  const auto formula = [](const StepRequest& r) {
    StepResult result{.error = 0.5, .h_taken = r.h};
    if (!r.restart) result.status = StepStatus::newton_diverged;
    return result;
  };
  FormulaStepper stepper(formula);
  for (const StepControl& control : {StepControl(AdaptiveStep{.h0 = 0.1}), StepControl(FixedStep{0.1})}) {
    Advancer advancer(stepper, control);
    State s = at_rest();
    advancer.start(s, 1);
    const AdvanceResult result = advancer.one(s, 1);
    EXPECT_EQ(result.status, AdvanceStatus::ok);
    EXPECT_NEAR(result.h_tried, 0.1, 1e-12) << "the step need not be shorter for it";
  }
}

TEST(Advancer, GivesUpWhereNewtonAlwaysFails) {
  FormulaStepper stepper([](const StepRequest&) { return StepResult{.status = StepStatus::newton_diverged}; });
  for (const StepControl& control : {StepControl(AdaptiveStep{.h0 = 0.1}), StepControl(FixedStep{0.1})}) {
    Advancer advancer(stepper, control);
    State s = at_rest();
    advancer.start(s, 1);
    EXPECT_EQ(advancer.one(s, 1).status, AdvanceStatus::newton_failed);
  }
}

// y' = y^2 has no solution beyond t = 1. CVODE fails there, with steps much shorter than what remained of the run.
TEST(Advancer, AFailureOfCvodeNamesTheStepThatFailed) {
  if (!Catalogue::all().find_method("cvode_bdf")) GTEST_SKIP() << "built without SUNDIALS";
  const FormulaRate problem(Vec::Ones(1), [](double, In y, Out dy) { dy[0] = y[0] * y[0]; });
  const auto stepper = Catalogue::all().method("cvode_bdf").make(problem, {});
  Advancer advancer(*stepper, AdaptiveStep{.rtol = 1e-6});
  State s = problem.initial_state();
  advancer.start(s, 50);
  AdvanceResult result;
  for (int i = 0; i < 100'000 && result.status == AdvanceStatus::ok; ++i) result = advancer.one(s, 50);
  ASSERT_NE(result.status, AdvanceStatus::ok);
  EXPECT_NEAR(s.t, 1, 1e-3);
  EXPECT_LT(result.h_tried, 1e-3);
  EXPECT_GT(result.h_tried, 0);
}
}  // namespace
}  // namespace trill::test
