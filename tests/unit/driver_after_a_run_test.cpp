// SPDX-License-Identifier: BSD-3-Clause
// A run leaves nothing behind in its problem, however it ended.
#include "support/text_models.hpp"
#include "trill/problem/langevin.hpp"

namespace trill::testing_models {
namespace {
// The motion comes from the left and crosses the switch at x = 0. At t = 0.5 an event makes the force on the right
// twice as large.
const char* const switched = R"toml(
coordinates.x = { start = -1, velocity = 1 }
parameters.push = 10
[[force]]
on = "x"
value = "if(x > 0, -push, 1)"
[[event]]
when = "t - 0.5"
then = { push = 20 }
)toml";

const char* const switched_rate = R"toml(
coordinates.x = -1
parameters.push = 10
[rate]
x = "if(x > 0, -push, 1)"
[[event]]
when = "t - 0.5"
then = { push = 20 }
)toml";

double force_at_2(const Problem& p) { return force_of(mechanics(p), 0, Vec{{2}}, Vec{{0}})[0]; }

double rate_at_2(const Problem& p) {
  Vec dy(1);
  p.as<FirstOrderProblem>("the test").rhs(0, Vec{{2}}, dy);
  return dy[0];
}

Event that_throws_at(double t) {
  return {.name = "loud",
          .root = [t](const State& s) { return s.t - t; },
          .action = [](State&) -> bool { throw std::runtime_error("thrown by the user's event"); }};
}

class Impatient final : public Observer {
 public:
  explicit Impatient(double until) : until_(until) {}
  void accepted(const State& s, const StepResult&) override {
    if (s.t > until_) throw std::runtime_error("thrown by the user's observer");
  }

 private:
  double until_;
};

void expect_same_rows(const Solution& a, const Solution& b, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  EXPECT_EQ(a.t, b.t) << what;
  EXPECT_TRUE((a.y().array() == b.y().array()).all()) << what;
  EXPECT_TRUE((a.measured().array() == b.measured().array()).all()) << what;
}

template <class P>
concept AnybodyMayEnter = requires(const P& p, const State& s) {
  p.enter(s, Formulas::held);
};
template <class P>
concept AnybodyMayLeave = requires(const P& p) {
  p.leave();
};
static_assert(!AnybodyMayEnter<Problem> && !AnybodyMayLeave<Problem>);
static_assert(!std::is_copy_constructible_v<ProblemSession> && !std::is_move_constructible_v<ProblemSession>);

TEST(AfterARun, ABathHoldsTheFormulasOfItsMechanics) {
  const TextModel model = read_model("m.toml", std::string(switched) + "[heat_bath]\nfriction = 1\ntemperature = 1\n");
  const MechanicalProblem& mechanics = *mechanics_of(*model.problem);
  {
    ProblemSession session(*model.problem, Formulas::held);
    session.enter(model.problem->initial_state());
    EXPECT_EQ(force_at_2(mechanics), 1);
  }
  EXPECT_EQ(force_at_2(mechanics), -10);
}

TEST(AfterARun, AThrowingEventLeavesNoFormulaHeld) {
  const TextModel model = read_model("m.toml", switched);
  for (const double t : {0.25, 0.75}) {
    PreparedRun run = prepare(plan_with("dopri5", 3, 1e-6), model.problem->clone());
    run.options.events = {that_throws_at(t)};
    EXPECT_THROW(run.run(), std::runtime_error);
    EXPECT_EQ(force_at_2(*run.problem), -10) << t;
  }
}

TEST(AfterARun, AThrowingEventLeavesNoRateHeld) {
  PreparedRun run = prepare(plan_with("dopri5", 3, 1e-6), read_model("m.toml", switched_rate).problem);
  run.options.events = {that_throws_at(0.25)};
  EXPECT_THROW(run.run(), std::runtime_error);
  EXPECT_EQ(rate_at_2(*run.problem), -10);
}

TEST(AfterARun, ParametersAreThoseOfTheModel) {
  PreparedRun run = prepare(plan_with("dopri5", 3, 1e-6), read_model("m.toml", switched).problem);
  EXPECT_TRUE(run.run().ok());
  EXPECT_EQ(force_at_2(*run.problem), -10);
  PreparedRun rates = prepare(plan_with("dopri5", 0.9, 1e-6), read_model("m.toml", switched_rate).problem);
  EXPECT_TRUE(rates.run().ok());
  EXPECT_EQ(rate_at_2(*rates.problem), -10);
}

TEST(AfterARun, AnotherOneIsLikeTheFirst) {
  const TextModel model = read_model("m.toml", switched);
  for (const char* method : {"verlet", "rk4", "dopri5", "dop853", "generalized_alpha", "bdf", "sdirk", "radau"}) {
    const RunPlan plan = plan_with(method, 3, 1e-3);
    const Solution fresh = prepare(plan, model.problem->clone()).run();
    PreparedRun run = prepare(plan, model.problem->clone());
    Impatient observer(0.7);
    run.options.observers = {&observer};
    EXPECT_THROW(run.run(), std::runtime_error) << method;
    run.options.observers.clear();
    expect_same_rows(run.run(), fresh, method);
    expect_same_rows(run.run(), fresh, method);
  }
}

// A formulation keeps data of its run, but a second run makes a new formulation.
TEST(AfterARun, AnotherOneWithAFormulationIsLikeTheFirst) {
  for (const auto& [model, method] : {std::pair{"stiff_spring", "slow"}, std::pair{"wire", "hmm"},
                                      std::pair{"stiff_spring", "dopri5"}, std::pair{"varying_frequency", "slow"}}) {
    RunPlan plan;
    plan.model = model;
    plan.method = method;
    if (plan.method == "dopri5") plan.formulation = "rigid_limit";
    plan.to = 0.5;
    plan.rtol = 1e-4;
    const Solution fresh = prepare(plan).run();
    ASSERT_TRUE(fresh.ok()) << model << ": " << fresh.outcome.message;
    PreparedRun run = prepare(plan);
    Impatient observer(0.2);
    run.options.observers = {&observer};
    EXPECT_THROW(run.run(), std::runtime_error) << model;
    run.options.observers.clear();
    expect_same_rows(run.run(), fresh, model);
    expect_same_rows(run.run(), fresh, model);
  }
}

// An event may change parameters in the constraints on which the start has to lie. The next run starts with the
// original ones.
TEST(AfterARun, AnotherOneStartsOnTheConstraintsOfTheModel) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0.1 }
coordinates.y = 0
parameters.drift = 0
[[constraint]]
equation = "y - drift * (t - 0.5)"
[[event]]
when = "t - 0.5"
then = { drift = 0.2, vy = 0.2 }
)toml");
  const RunPlan plan = plan_with("rattle", 1, 1e-2);
  const Solution fresh = prepare(plan, model.problem->clone()).run();
  ASSERT_TRUE(fresh.ok()) << fresh.outcome.message;
  PreparedRun run = prepare(plan, model.problem->clone());
  run.run();
  expect_same_rows(run.run(), fresh, "rattle");
}
}  // namespace
}  // namespace trill::testing_models
