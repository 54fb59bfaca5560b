// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "support/mentions.hpp"
#include "support/method_cases.hpp"
#include "trill/driver/plan.hpp"
#include "trill/driver/trust.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill::test {
namespace {
using testing::HasSubstr;

class DriverOverMethods : public testing::TestWithParam<MethodCase> {
 protected:
  RunPlan plan(double to) const {
    const ModelCase m = smooth_models(GetParam().info).front();
    RunPlan p;
    p.model = m.model;
    p.parameters = m.parameters;
    p.method = GetParam().info.name;
    p.options = GetParam().options;
    p.to = to * m.to / 2;
    if (GetParam().info.owns_step)
      p.rtol = 1e-9;
    else
      p.h = runs_circuits_alone(GetParam().info.accepts) ? 1e-6 : 0.003;
    return p;
  }
};

TEST_P(DriverOverMethods, GridOutputIsComplete) {
  RunPlan p = plan(1.7);
  p.output = Grid{*p.to / 8.5};
  const Solution s = prepare(p).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  ASSERT_EQ(s.rows(), 10);  // the start, eight grid points and the end
  // A random path is not known between two steps. So the row is recorded at the end of the step in which it was due.
  const double late = GetParam().info.accepts.langevin ? *p.h : 1e-12;
  for (int i = 0; i <= 8; ++i) {
    const double due = i * std::get<Grid>(p.output).dt, t = s.t[static_cast<std::size_t>(i)];
    EXPECT_GE(t, due - 1e-12);
    EXPECT_LT(t, due + late);
  }
  EXPECT_EQ(s.t.back(), *p.to);
  EXPECT_TRUE(s.y().allFinite());
  EXPECT_TRUE(s.measured().allFinite());
}

TEST_P(DriverOverMethods, BackwardsComesHome) {
  if (GetParam().info.accepts.langevin || runs_circuits_alone(GetParam().info.accepts))
    GTEST_SKIP() << "dissipative or random: there is no way back";
  RunPlan p = plan(1);
  PreparedRun there = prepare(p);
  const Solution out = there.run();
  ASSERT_TRUE(out.ok());
  RunPlan q = p;
  q.from = *p.to;
  q.to = 0;
  PreparedRun back = prepare(q);
  back.start.y = out.y().col(out.rows() - 1);
  const Solution home = back.run();
  ASSERT_TRUE(home.ok()) << home.outcome.message;
  EXPECT_EQ(home.t.back(), 0);
  const Index n = out.info.layout.nq + out.info.layout.nv;
  const double bound = GetParam().info.order == 1 ? 0.2 : GetParam().info.order == 2 ? 1e-3 : 2e-4;
  EXPECT_LT((home.y().col(home.rows() - 1) - there.start.y).head(n).cwiseAbs().maxCoeff(), bound);
}

TEST_P(DriverOverMethods, EventIsFoundAndStopsTheRun) {
  RunPlan p = plan(2);
  PreparedRun run = prepare(p);
  const Solution whole = run.run();
  ASSERT_TRUE(whole.ok());
  // A level that the first component passes somewhere in the middle of the run.
  const auto row = whole.y().row(0);
  const double level = 0.5 * (row.minCoeff() + row.maxCoeff());
  PreparedRun again = prepare(p);
  again.options.events.push_back({"level", [level](const State& s) { return s.y[0] - level; }, 0, nullptr});
  const Solution stopped = again.run();
  ASSERT_EQ(stopped.outcome.status, RunStatus::event) << stopped.outcome.message;
  ASSERT_EQ(stopped.outcome.events.size(), 1u);
  EXPECT_EQ(stopped.outcome.events[0].name, "level");
  EXPECT_EQ(stopped.t.back(), stopped.outcome.events[0].t);
  EXPECT_LT(std::abs(stopped.y()(0, stopped.rows() - 1) - level), 1e-10 * (row.maxCoeff() - row.minCoeff()) + 1e-13);
  EXPECT_LT(stopped.t.back(), *p.to);
}

TEST_P(DriverOverMethods, TwoHalvesAreOneWhole) {
  if (GetParam().info.owns_step || GetParam().info.multistep || GetParam().info.accepts.langevin ||
      runs_circuits_alone(GetParam().info.accepts))
    GTEST_SKIP() << "restarts differ";
  RunPlan p = plan(1.2);
  const Solution whole = prepare(p).run();
  RunPlan first = p, second = p;
  // The first run takes a whole number of steps, so that both runs step to the same times.
  first.to = 200 * *p.h;
  second.from = first.to;
  const Solution a = prepare(first).run();
  PreparedRun b = prepare(second);
  b.start.y = a.y().col(a.rows() - 1);
  const Solution rest = b.run();
  EXPECT_LT((rest.y().col(rest.rows() - 1) - whole.y().col(whole.rows() - 1)).cwiseAbs().maxCoeff(), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Registry, DriverOverMethods, testing::ValuesIn(all_cases()), case_name);

RunPlan harmonic(double to, double h) {
  RunPlan p;
  p.model = "harmonic";
  p.method = "composition6";
  p.to = to;
  p.h = h;
  return p;
}

TEST(Driver, EveryStepWithStrideKeepsTheEnd) {
  RunPlan p = harmonic(1, 0.01);
  p.output = EveryStep{7};
  const Solution s = prepare(p).run();
  EXPECT_EQ(s.rows(), 1 + 14 + 1);
  EXPECT_EQ(s.t.back(), 1);
}

TEST(Driver, FixedStepsLandExactly) {
  RunPlan p = harmonic(1, 0.3);  // 1 is not a multiple of 0.3: the last step is shorter
  const Solution s = prepare(p).run();
  EXPECT_EQ(s.outcome.counters.steps, 4);
  EXPECT_EQ(s.t.back(), 1);
  RunPlan q = harmonic(10, 0.1);  // 100 steps and not 101, although 0.1 is not exact in binary
  EXPECT_EQ(prepare(q).run().outcome.counters.steps, 100);
}

TEST(Driver, EventsCountOnlyTheirDirection) {
  PreparedRun run = prepare(harmonic(20, 0.05));
  int rising = 0, falling = 0, both = 0;
  const auto q = [](const State& s) { return s.y[0]; };
  run.options.events = {{"up", q, +1, [&](State&) { return ++rising > 0; }},
                        {"down", q, -1, [&](State&) { return ++falling > 0; }},
                        {"any", q, 0, [&](State&) { return ++both > 0; }}};
  const Solution s = run.run();
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end);
  EXPECT_EQ(rising + falling, both);
  const double omega = std::stod(run.options.info.parameters.at("omega"));
  EXPECT_NEAR(both, 20 * omega / M_PI, 1.01);
  EXPECT_LE(std::abs(rising - falling), 1);
  for (std::size_t i = 1; i < s.outcome.events.size(); ++i) EXPECT_GE(s.outcome.events[i].t, s.outcome.events[i - 1].t);
}

// A ball on a floor: x'' = -1, v -> -v at x = 0. Bounces of a drop from 1/2 come at t = 1, 3, 5, ...
class Ball final : public MechanicalProblem {
 public:
  std::string name() const override { return "ball"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 0.5, 0;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Ball>(); }
  void force(Groups, double, In, In, Out f) const override { f[0] = -1; }
  std::vector<EventInfo> events() const override { return {{"bounce", -1, false}}; }
  double event_value(int, const State& s) const override { return s.y[0]; }
  void on_event(int, State& s) const override { s.y[1] = -s.y[1]; }
};

TEST(Driver, EventsOfTheModelChangeTheState) {
  for (const char* method : {"verlet", "dopri5", "dop853", "rk4", "composition4", "implicit_midpoint"}) {
    RunPlan p;
    p.method = method;
    p.to = 10;
    p.h = 0.0317;
    const Solution s = prepare(p, std::make_unique<Ball>()).run();
    ASSERT_EQ(s.outcome.events.size(), 5u) << method;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(s.outcome.events[i].t, 1 + 2.0 * static_cast<double>(i), 1e-9) << method;
    EXPECT_NEAR(s.y()(0, s.rows() - 1), 0.5, 1e-8) << method;
    EXPECT_GT(s.y().row(0).minCoeff(), -1e-9) << method << ": the ball went through the floor";
  }
}

// A problem whose force jumps at a known time.
class Switched final : public MechanicalProblem {
 public:
  std::string name() const override { return "switched"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"x", ""}, {"v", ""}}; }
  State initial_state() const override { return State(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Switched>(); }
  void force(Groups, double t, In, In, Out f) const override { f[0] = t < 0.3 ? 1 : 0; }
  std::vector<double> breakpoints(double, double) const override { return {0.3}; }
};

TEST(Driver, StepsLandOnBreakpoints) {
  RunPlan p;
  p.method = "dopri5";
  p.to = 1;
  p.rtol = 1e-3;
  const Solution s = prepare(p, std::make_unique<Switched>()).run();
  EXPECT_NE(std::find(s.t.begin(), s.t.end(), 0.3), s.t.end());
  // v = 0.3 after the switch. The method is not exact here, because the last stage of the step that ends at the switch
  // may have used the force of either side.
  EXPECT_NEAR(s.y()(1, s.rows() - 1), 0.3, 2e-2);
}

TEST(Driver, DenseOutputIsTheInterpolant) {
  for (const char* method : {"verlet", "dopri5", "dop853", "composition8", "rk4"}) {
    RunPlan p = harmonic(3, 0.05);
    p.method = method;
    PreparedRun run = prepare(p);
    run.options.dense = true;
    const Solution dense = run.run();
    RunPlan q = p;
    q.output = Times{{0.123, 0.777, 1.5001, 2.9999}};
    const Solution at = prepare(q).run();
    Vec y(2);
    for (Index i = 1; i <= 4; ++i) {
      dense.evaluate(at.t[static_cast<std::size_t>(i)], y);
      EXPECT_LT((y - at.y().col(i)).cwiseAbs().maxCoeff(), 1e-13) << method;
    }
    EXPECT_THROW(dense.evaluate(3.1, y), UsageError);
  }
}

TEST(Driver, FailureKeepsWhatWasComputed) {
  RunPlan p;
  p.model = "kepler";
  p.method = "dopri5";
  p.parameters = {{"e", "0.9"}};
  p.to = 10;
  p.rtol = 1e-6;
  p.max_steps = 20;
  const Solution s = prepare(p).run();
  EXPECT_EQ(s.outcome.status, RunStatus::step_limit);
  EXPECT_FALSE(s.ok());
  EXPECT_EQ(s.rows(), 21);
  EXPECT_THAT(s.outcome.message, mentions("20 steps"));
}

TEST(Driver, UnstableRunSaysWhereAndWhatToTry) {
  RunPlan p;
  p.model = "stiff_spring";
  p.method = "verlet";
  p.h = 0.5;
  p.to = 1e5;
  p.output = EveryStep{1000};
  const Solution s = prepare(p).run();
  if (s.ok()) GTEST_SKIP() << "bounded by luck";
  EXPECT_EQ(s.outcome.status, RunStatus::non_finite);
  EXPECT_THAT(s.outcome.message, mentions("at t = "));
  EXPECT_THAT(s.outcome.message, mentions("smaller h"));
  EXPECT_TRUE(s.y().allFinite());
}

TEST(Driver, MisuseIsRefusedBeforeTheFirstStep) {
  PreparedRun run = prepare(harmonic(1, 0.1));
  State bad = run.start;
  bad.y[1] = std::nan("");
  try {
    integrate(*run.problem, *run.stepper, bad, 1, run.options);
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("finite"));
  }
  EXPECT_THROW(integrate(*run.problem, *run.stepper, State(Layout{2, 2, 0, 0}), 1, run.options), UsageError);
}

TEST(Driver, StopFlagEndsTheRun) {
  PreparedRun run = prepare(harmonic(1e9, 0.1));
  std::atomic<bool> stop{false};
  run.options.stop = &stop;
  run.options.output = EveryStep{100000};
  run.options.progress = [&](double) { stop = true; };
  EXPECT_EQ(run.run().outcome.status, RunStatus::stopped);
}

TEST(Driver, ObserversSeeEveryAcceptedStep) {
  class Count final : public Observer {
   public:
    void accepted(const State& s, const StepResult&) override {
      ++steps;
      EXPECT_GT(s.t, last);
      last = s.t;
    }
    void end(const RunOutcome&) override { ended = true; }
    int steps = 0;
    double last = 0;
    bool ended = false;
  } count;
  PreparedRun run = prepare(harmonic(1, 0.01));
  run.options.observers = {&count};
  run.run();
  EXPECT_EQ(count.steps, 100);
  EXPECT_TRUE(count.ended);
}

TEST(Driver, RigidLimitShowsTheUsersState) {
  RunPlan p;
  p.model = "stiff_spring";
  p.method = "rattle";
  p.formulation = "rigid_limit";
  p.h = 0.001;
  p.to = 2;
  const Solution s = prepare(p).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  EXPECT_EQ(s.info.layout, (Layout{2, 2, 0, 0}));
  for (Index i = 1; i < s.rows(); ++i) ASSERT_NEAR(s.y().col(i).head(2).norm(), 1, 1e-10);
  // The rigid pendulum from the same angle, computed by another method.
  RunPlan rigid;
  rigid.model = "rigid";
  rigid.parameters = {{"theta0", format_number(std::atan2(0.1, 0.9))}};
  rigid.method = "dop853";
  rigid.rtol = 1e-12;
  rigid.to = 2;
  const Solution r = prepare(rigid).run();
  EXPECT_LT((s.y().col(s.rows() - 1) - r.y().col(r.rows() - 1).head(4)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Trust, GreenOnAGoodRunRedOnAWrongOne) {
  RunPlan good;
  good.model = "stiff_spring";
  good.method = "dop853";
  good.rtol = 1e-9;
  PreparedRun run = prepare(good);
  Solution s = run.run();
  EXPECT_EQ(check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL}).verdict, Verdict::green);

  RunPlan wrong;
  wrong.model = "stiff_spring";
  wrong.method = "verlet";
  wrong.h = 0.05;  // h omega = 1.6: stable, and far from the truth
  PreparedRun bad = prepare(wrong);
  s = bad.run();
  ASSERT_TRUE(s.ok());
  const Trust trust = check_trust(bad, s.outcome, s, {.most_seconds = HUGE_VAL});
  EXPECT_EQ(trust.verdict, Verdict::red);
  EXPECT_EQ(trust.rows.size(), 4u + bad.problem->quantities().size());
}

TEST(Trust, DeviationIsTheRealError) {
  RunPlan p = harmonic(20, 0.2);
  p.method = "verlet";
  PreparedRun run = prepare(p);
  const Solution s = run.run();
  const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
  double error = 0;
  Vec exact(2);
  for (Index i = 0; i < s.rows(); ++i) {
    ASSERT_TRUE(run.problem->exact(s.t[static_cast<std::size_t>(i)], exact));
    error = std::max(error, std::abs(s.y()(0, i) - exact[0]));
  }
  EXPECT_NEAR(trust.rows[0].deviation / error, 1, 1e-3);
}

TEST(Trust, SaysWhenItTookTooLong) {
  RunPlan p = harmonic(2e3, 0.01);
  p.output = EveryStep{100};
  PreparedRun run = prepare(p);
  const Solution s = run.run();
  TrustOptions options;
  options.most_seconds = 0;
  const Trust trust = check_trust(run, s.outcome, s, options);
  EXPECT_EQ(trust.verdict, Verdict::none);
  EXPECT_THAT(trust.headline, mentions("no check fits into its time"));
}
}  // namespace
}  // namespace trill::test
