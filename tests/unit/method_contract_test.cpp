// SPDX-License-Identifier: BSD-3-Clause
// The contract of Stepper, tested for every registered method: no allocation in a step, clones take the same steps, a
// saved stepper continues bit for bit, a failed step leaves the state unchanged, steps of symmetric methods can be
// undone.
#include "support/allocation_count.hpp"
#include "support/method_cases.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/problem/model_registry.hpp"

namespace trill::test {
namespace {
class Contract : public testing::TestWithParam<MethodCase> {
 protected:
  std::unique_ptr<Problem> make_problem(std::size_t i = 0) const {
    const auto models = smooth_models(GetParam().info);
    return make_model(models[i].model, models[i].parameters).problem;
  }
  std::unique_ptr<Stepper> make_stepper(const Problem& p) const {
    return GetParam().entry->make(p, GetParam().options);
  }
  std::size_t models() const { return smooth_models(GetParam().info).size(); }

  StepControl control() const {
    if (!GetParam().info.owns_step) return FixedStep{runs_circuits_alone(GetParam().info.accepts) ? 1e-6 : 0.01};
    AdaptiveStep adaptive;
    adaptive.rtol = 1e-6;
    return adaptive;
  }
};

TEST_P(Contract, NoAllocationInAStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (std::size_t i = 0; i < models(); ++i) {
    const auto problem = make_problem(i);
    const auto stepper = make_stepper(*problem);
    Advancer advancer(*stepper, control());
    State s = problem->initial_state();
    advancer.start(s, 1.0);
    for (int k = 0; k < 5; ++k) advancer.one(s, 1.0);
    AllocationGuard guard;
    for (int k = 0; k < 20; ++k) advancer.one(s, 1.0);
    EXPECT_EQ(guard.count(), 0u) << problem->name();
  }
}

TEST_P(Contract, NoAllocationInAnAdaptiveStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  if (GetParam().info.error_order == 0) GTEST_SKIP() << "no error estimate";
  const auto problem = make_problem();
  const auto stepper = make_stepper(*problem);
  AdaptiveStep adaptive;
  adaptive.rtol = 1e-6;
  Advancer advancer(*stepper, adaptive);
  State s = problem->initial_state();
  advancer.start(s, 50.0);
  for (int k = 0; k < 3; ++k) advancer.one(s, 50.0);
  AllocationGuard guard;
  for (int k = 0; k < 20; ++k) advancer.one(s, 50.0);
  EXPECT_EQ(guard.count(), 0u);
}

TEST_P(Contract, ClonesStepAlike) {
  for (std::size_t i = 0; i < models(); ++i) {
    const auto problem = make_problem(i);
    const auto copy = problem->clone();
    const auto stepper = make_stepper(*problem);
    const auto twin = stepper->clone(*copy);
    Advancer a(*stepper, control()), b(*twin, control());
    State s = problem->initial_state(), r = copy->initial_state();
    a.start(s, 1.0);
    b.start(r, 1.0);
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(a.one(s, 1.0).status, AdvanceStatus::ok);
      // Steps of both alternate, so that memory shared between them would show.
      ASSERT_EQ(b.one(r, 1.0).status, AdvanceStatus::ok);
      ASSERT_EQ(s.y, r.y) << problem->name();
      ASSERT_EQ(s.t, r.t);
    }
  }
}

TEST_P(Contract, SavedStepperGoesOnBitForBit) {
  for (std::size_t i = 0; i < models(); ++i) {
    const auto problem = make_problem(i);
    const auto stepper = make_stepper(*problem);
    Advancer unbroken(*stepper, control());
    State s = problem->initial_state();
    unbroken.start(s, 1.0);
    for (int k = 0; k < 7; ++k) unbroken.one(s, 1.0);
    if (!GetParam().info.saves_memory) unbroken.note_restart();
    Archive archive;
    archive(s.t, s.y, unbroken, *stepper);

    const auto other_problem = make_problem(i);
    const auto other = make_stepper(*other_problem);
    Advancer resumed(*other, control());
    State r = other_problem->initial_state();
    resumed.start(r, 1.0);
    Archive stored(archive.bytes());
    stored(r.t, r.y, resumed, *other);
    EXPECT_TRUE(stored.at_end());
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(unbroken.one(s, 1.0).status, AdvanceStatus::ok);
      ASSERT_EQ(resumed.one(r, 1.0).status, AdvanceStatus::ok);
      ASSERT_EQ(s.y, r.y) << problem->name() << ", step " << k;
      ASSERT_EQ(s.t, r.t);
    }
    EXPECT_EQ(unbroken.counters().forces, resumed.counters().forces);
  }
}

TEST_P(Contract, SymmetricStepsCancel) {
  if (!GetParam().info.symmetric) GTEST_SKIP() << "not symmetric";
  for (std::size_t i = 0; i < models(); ++i) {
    const auto problem = make_problem(i);
    const auto stepper = make_stepper(*problem);
    State s = problem->initial_state();
    ErrorScale scale{.rtol = 1e-13, .atol = Vec::Constant(s.y.size(), 1e-15)};
    Vec weights = Vec::Constant(s.y.size(), 1e13);
    Notes notes;
    Counters work;
    stepper->start(s, scale);
    const Vec before = s.y;
    ASSERT_EQ(stepper->step(s, {0.02, scale, weights, HUGE_VAL, true, false, notes, work, {}}).status, StepStatus::ok);
    EXPECT_GT((s.y - before).cwiseAbs().maxCoeff(), 1e-4);
    ASSERT_EQ(stepper->step(s, {-0.02, scale, weights, HUGE_VAL, true, false, notes, work, {}}).status, StepStatus::ok);
    EXPECT_LT((s.y - before).head(s.layout.nq + s.layout.nv).cwiseAbs().maxCoeff(), 1e-12) << problem->name();
    EXPECT_NEAR(s.t, 0, 1e-15);
  }
}

// The interpolant inside a step meets the states at both ends.
TEST_P(Contract, InterpolantMeetsTheEnds) {
  const auto problem = make_problem();
  const auto stepper = make_stepper(*problem);
  Advancer advancer(*stepper, control());
  State s = problem->initial_state();
  advancer.start(s, 1.0);
  Vec inside(s.y.size());
  for (int k = 0; k < 5; ++k) {
    const Vec before = s.y;
    ASSERT_EQ(advancer.one(s, 1.0).status, AdvanceStatus::ok);
    const Index n = s.layout.nq + s.layout.nv;
    stepper->interpolate(0, inside);
    EXPECT_LT((inside - before).head(n).cwiseAbs().maxCoeff(), 1e-7);
    stepper->interpolate(1, inside);
    EXPECT_LT((inside - s.y).head(n).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST_P(Contract, CountsForces) {
  const auto problem = make_problem();
  const auto stepper = make_stepper(*problem);
  Advancer advancer(*stepper, control());
  State s = problem->initial_state();
  advancer.start(s, 1.0);
  for (int k = 0; k < 5; ++k) advancer.one(s, 1.0);
  EXPECT_EQ(advancer.counters().steps, 5);
  EXPECT_GE(advancer.counters().most_forces(), 5);
}

TEST_P(Contract, UnknownOptionIsNamed) {
  const auto problem = make_problem();
  try {
    GetParam().entry->make(*problem, {{"no_such_option", "1"}});
    FAIL() << "accepted";
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("no_such_option"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Contract, testing::ValuesIn(all_cases()), case_name);

// A force that is NaN beyond x = 2. Every mechanical method must report this and leave the state unchanged.
class Cliff final : public MechanicalProblem {
 public:
  std::string name() const override { return "cliff"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 1.99, 1;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Cliff>(); }
  void force(Groups, double, In q, In, Out f) const override { f[0] = q[0] > 2 ? std::nan("") : 0; }
  std::optional<double> potential(Groups, double, In q) const override { return q[0] > 2 ? std::nan("") : 0; }
};

class Failure : public testing::TestWithParam<MethodCase> {};

TEST_P(Failure, NonFiniteForceLeavesTheStateAlone) {
  const Cliff problem;
  const auto stepper = GetParam().entry->make(problem, GetParam().options);
  State s = problem.initial_state();
  ErrorScale scale{.rtol = 1e-6, .atol = Vec::Constant(2, 1e-9)};
  const Vec weights = Vec::Constant(2, 1e6);
  Notes notes;
  Counters work;
  stepper->start(s, scale);
  const Vec before = s.y;
  const StepResult result = stepper->step(s, {0.5, scale, weights, HUGE_VAL, true, false, notes, work, {}});
  const bool took_a_smaller_step = GetParam().info.owns_step && result.status == StepStatus::ok;
  if (!took_a_smaller_step) {
    EXPECT_NE(result.status, StepStatus::ok);
    EXPECT_EQ(s.y, before);
    EXPECT_EQ(s.t, 0);
  }
  EXPECT_TRUE(s.y.allFinite());
}

INSTANTIATE_TEST_SUITE_P(Registry, Failure,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return i.accepts.mechanical; })),
                         case_name);

// Every method refuses each model that it does not accept, with a sentence that names both, and runs all other models.
TEST(Fit, EveryMethodWithEveryModel) {
  for (const MethodCase& c : all_cases())
    for (const ModelEntry& model : ModelRegistry::all().entries()) {
      const auto problem = model.make({});
      try {
        const auto stepper = c.entry->make(*problem, c.options);
        State s = problem->initial_state();
        stepper->start(s, {.rtol = 1e-6, .atol = Vec::Constant(s.y.size(), 1e-9)});
      } catch (const UsageError& e) {
        EXPECT_NE(std::string(e.what()).find(c.info.name), std::string::npos) << e.what();
      }
    }
}
}  // namespace
}  // namespace trill::test
