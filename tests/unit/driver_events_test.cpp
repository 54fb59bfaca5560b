// SPDX-License-Identifier: BSD-3-Clause
// Combinations of events, outputs and checkpoints. Each of these once went wrong.
#include "support/mentions.hpp"
#include "trill/driver/plan.hpp"
#include "trill/driver/trust.hpp"
#include "trill/problem/circuit.hpp"
#include "trill/problem/mechanical.hpp"

namespace trill::test {
namespace {
using testing::HasSubstr;

// Balls above a floor at 0, with gravity 1; each bounces with the given coefficient of restitution.
class Balls final : public MechanicalProblem {
 public:
  Balls(std::vector<double> heights, double restitution) : heights_(std::move(heights)), restitution_(restitution) {}
  std::string name() const override { return "balls"; }
  Layout layout() const override { return {n(), n(), 0, 0}; }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> all;
    for (Index i = 0; i < 2 * n(); ++i) all.push_back({fmt::format("y{}", i), ""});
    return all;
  }
  State initial_state() const override {
    State s(layout());
    for (Index i = 0; i < n(); ++i) s.y[i] = heights_[static_cast<std::size_t>(i)];
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Balls>(*this); }
  void force(Groups, double, In, In, Out f) const override { f.setConstant(-1); }
  std::vector<EventInfo> events() const override {
    return std::vector<EventInfo>(heights_.size(), EventInfo{"floor", -1, false});
  }
  double event_value(int event, const State& s) const override { return s.y[event]; }
  void on_event(int event, State& s) const override { s.y[n() + event] *= -restitution_; }

 private:
  Index n() const { return static_cast<Index>(heights_.size()); }
  std::vector<double> heights_;
  double restitution_;
};

RunPlan plan_with(const char* method, double to) {
  RunPlan p;
  p.method = method;
  p.to = to;
  const bool adaptive = Catalogue::all().method(method).info.error_order > 0;
  if (adaptive)
    p.rtol = 1e-6;
  else
    p.h = 0.01;
  return p;
}

TEST(Events, AtTheSameMomentAllHappen) {
  for (const char* method : {"verlet", "rk4", "dopri5"}) {
    const Solution s = prepare(plan_with(method, 20), std::make_unique<Balls>(std::vector<double>{1, 1}, 1)).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    EXPECT_GT(s.y().topRows(2).minCoeff(), -1e-8) << method;
    EXPECT_LT((s.y().row(0) - s.y().row(1)).cwiseAbs()(0, s.rows() - 1), 1e-8) << method;
  }
}

TEST(Events, RecurSoonAfterTheyActed) {
  // After a fall from 1/2 the ball bounces at t = 1, 3, 5, .... By the tolerance alone, steps would be longer than the
  // time between two bounces.
  for (const char* method : {"dopri5", "dop853", "rk4"}) {
    const Solution s = prepare(plan_with(method, 22), std::make_unique<Balls>(std::vector<double>{0.5}, 1)).run();
    ASSERT_EQ(s.outcome.events.size(), 11u) << method;
    EXPECT_NEAR(s.outcome.events.back().t, 21, 1e-7) << method;
  }
}

TEST(Events, ThatAccumulateEndTheRun) {
  // With restitution 1/2 the bounces accumulate at t = 3: the times add up as 1 + 2/2 + 2/4 + ....
  const Solution s = prepare(plan_with("verlet", 10), std::make_unique<Balls>(std::vector<double>{0.5}, 0.5)).run();
  EXPECT_EQ(s.outcome.status, RunStatus::event);
  EXPECT_THAT(s.outcome.message, mentions("at t = 3", "'" + s.outcome.events.back().name + "'"));
  EXPECT_NEAR(s.t.back(), 3, 1e-9);
  EXPECT_GT(s.y().row(0).minCoeff(), -1e-8);
}

TEST(Events, LeaveNoRowFromBeyondThem) {
  RunPlan p = plan_with("rk4", 1.1);
  p.h = 0.5;
  p.output = Grid{0.1};
  const Solution s = prepare(p, std::make_unique<Balls>(std::vector<double>{0.5}, 1)).run();
  for (Index i = 1; i < s.rows(); ++i)
    EXPECT_GE(s.t[static_cast<std::size_t>(i)], s.t[static_cast<std::size_t>(i) - 1]);
  EXPECT_NEAR(s.y()(0, s.rows() - 1), 0.1 - 0.005, 1e-9);
  EXPECT_GT(s.y().row(0).minCoeff(), -1e-9);
}

TEST(Events, CutTheDenseOutputToo) {
  RunPlan p = plan_with("rk4", 3);
  p.h = 0.4;
  PreparedRun run = prepare(p, std::make_unique<Balls>(std::vector<double>{0.5}, 1));
  run.options.dense = true;
  const Solution s = run.run();
  Vec y(2);
  for (const double t : {0.9, 0.99, 1.01, 1.1, 1.19, 1.5}) {
    s.evaluate(t, y);
    const double flight = t < 1 ? t : 2 - t;
    EXPECT_NEAR(y[0], 0.5 - 0.5 * flight * flight, 1e-9) << t;
  }
}

RunPlan harmonic(double to, double h) {
  RunPlan p;
  p.model = "harmonic";
  p.method = "verlet";
  p.to = to;
  p.h = h;
  return p;
}

TEST(Output, GivenTimesAreAllThere) {
  RunPlan p = harmonic(1, 0.01);
  p.output = Times{{0.1, 0.25, 0.3}};
  const Solution s = prepare(p).run();
  EXPECT_THAT(s.t, testing::ElementsAre(0, 0.1, 0.25, 0.3, 1));
  p.output = Times{{0.3, 0.1, 0.25, 0.1}};  // the times of a plan may come in any order
  EXPECT_EQ(prepare(p).run().t, s.t);
  p.output = Times{{0.3, 1.1}};
  EXPECT_THROW(prepare(p), UsageError);
}

// Taking steps in batches only saves time. The rows are the same, bit for bit, as when an observer looks at every
// step.
TEST(Output, BatchesChangeNoBit) {
  class Idle final : public Observer {
   public:
    void accepted(const State&, const StepResult&) override {}
  } idle;
  for (const auto& [h, dt] :
       std::vector<std::pair<double, double>>{{0.01, 0.07}, {0.01, 0.1}, {1e-3, 0.1}, {0.003, 0.05}}) {
    RunPlan p = harmonic(20, h);
    p.output = Grid{dt};
    const Solution fast = prepare(p).run();
    PreparedRun watched = prepare(p);
    watched.options.observers = {&idle};
    const Solution slow = watched.run();
    EXPECT_EQ(fast.t, slow.t) << h << " " << dt;
    EXPECT_EQ(fast.y(), slow.y()) << h << " " << dt;
  }
}

TEST(Output, TheStepLimitKeepsItsLastState) {
  RunPlan p = harmonic(10, 0.01);
  p.output = Grid{1};
  p.max_steps = 250;
  const Solution s = prepare(p).run();
  EXPECT_EQ(s.outcome.status, RunStatus::step_limit);
  EXPECT_NEAR(s.t.back(), 2.5, 1e-12);
}

TEST(Output, CvodeLandsExactly) {
  for (int i = 1; i < 60; ++i) {
    RunPlan p = harmonic(0.1 * i + 1e-3 / i, 0);
    p.h.reset();
    p.rtol = 1e-5;
    p.method = "cvode_adams";
    p.output = Times{{}};
    EXPECT_EQ(prepare(p).run().t.back(), *p.to);
  }
}

TEST(Output, MultipliersInsideStepsAreThoseOfTheState) {
  for (const char* method : {"dop853", "dopri5", "cvode_adams", "rattle"}) {
    RunPlan p;
    p.model = "rigid";
    p.method = method;
    p.to = 3;
    const bool fixed = std::string(method) == "rattle";
    if (fixed)
      p.h = 0.01;
    else
      p.rtol = 1e-9;
    p.output = Grid{0.0371};
    const Solution s = prepare(p).run();
    // With unit mass and length and gravity along y, the constraint g = r - 1 has the multiplier lambda = v^2 + y.
    for (Index i = 0; i < s.rows(); ++i) {
      const auto y = s.y().col(i);
      EXPECT_NEAR(y[4], y.segment(2, 2).squaredNorm() + y[1], fixed ? 1e-3 : 1e-6) << method;
    }
  }
}

TEST(Start, OffTheConstraintsIsRefused) {
  RunPlan p;
  p.model = "rigid";
  p.method = "dopri5";
  p.rtol = 1e-6;
  PreparedRun run = prepare(p);
  run.start.y[0] += 0.1;
  EXPECT_THROW(run.run(), UsageError);
  PreparedRun moving = prepare(p);
  moving.start.y.segment(2, 2) = 0.5 * moving.start.y.head(2);
  EXPECT_THROW(moving.run(), UsageError);
}

TEST(Start, OptionsThatWouldBeIgnoredAreRefused) {
  RunPlan p = harmonic(1, 0.1);
  p.h_max = 0.01;
  EXPECT_THROW(prepare(p), UsageError);
  p.h_max.reset();
  p.options["control"] = "ode45";
  EXPECT_THROW(prepare(p), UsageError);
  RunPlan q = harmonic(1, 0.1);
  q.h.reset();
  q.method = "cvode_adams";
  q.h_max = 0.01;
  EXPECT_THROW(prepare(q), UsageError);
}

TEST(Trust, IsNotFooledByALargestStep) {
  RunPlan p = harmonic(300, 0);
  p.h.reset();
  p.method = "dopri5";
  p.rtol = 0.5;
  p.atol = 0.5;
  p.h_max = 0.9;
  PreparedRun run = prepare(p);
  const Solution s = run.run();
  EXPECT_NE(check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL}).verdict, Verdict::green);
}

TEST(Trust, OfARunThatEndsAtAnEvent) {
  RunPlan p = harmonic(100, 0.002);
  PreparedRun run = prepare(p);
  int count = 0;
  const auto level = [](const State& s) { return s.y[0] - 0.3; };
  run.options.events = {{"level", level, 1, [&count](State&) { return ++count % 5 != 0; }}};
  const Solution s = run.run();
  ASSERT_EQ(s.outcome.status, RunStatus::event);
  const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
  EXPECT_EQ(trust.verdict, Verdict::green) << trust.headline;
  EXPECT_EQ(trust.rows.back().name, "time of level");
}

// An LC circuit with a sparse matrix, so that its factorisation is dropped at checkpoints and made again.
class SparseCircuit final : public CircuitProblem {
 public:
  std::string name() const override { return "sparse LC circuit"; }
  Layout layout() const override { return {30, 0, 0, 0}; }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> all;
    for (int i = 0; i < 30; ++i) all.push_back({fmt::format("x{}", i), ""});
    return all;
  }
  State initial_state() const override {
    State s(layout());
    s.y[0] = 1;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<SparseCircuit>(); }
  void charge(In x, Out c) const override { c = x; }
  void current(double, In x, Out i) const override {
    for (Index k = 0; k < 30; k += 2) {
      i[k] = -x[k + 1];
      i[k + 1] = x[k];
    }
  }
  MatrixSlot jacobian_pattern() const override {
    SpMat p(30, 30);
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < 30; k += 2)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) entries.emplace_back(k + a, k + b, 1);
    p.setFromTriplets(entries.begin(), entries.end());
    return MatrixSlot::sparse(p);
  }
  void jacobians(double, In, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override {
    dcharge.set_zero();
    dcurrent.set_zero();
    for (Index k = 0; k < 30; k += 2) {
      dcharge.add(k, k, 1);
      dcharge.add(k + 1, k + 1, 1);
      dcurrent.add(k, k + 1, -1);
      dcurrent.add(k + 1, k, 1);
    }
  }
};

TEST(Checkpoints, DoNotChangeTheMethod) {
  class Keeper final : public Recorder {
   public:
    void begin(const RunInfo&) override {}
    void row(double, In y, In) override { last = y; }
    bool keeps_checkpoints() const override { return true; }
    void finish(const RunOutcome&) override {}
    Vec last;
  } keeper;
  RunPlan p;
  p.method = "circuit_trapezoidal";
  p.to = 100;
  p.h = 0.01;
  p.checkpoint_every = 100;
  p.output = Times{{}};
  const Solution plain = prepare(p, std::make_unique<SparseCircuit>()).run();
  PreparedRun run = prepare(p, std::make_unique<SparseCircuit>());
  run.options.recorder = &keeper;
  run.run();
  EXPECT_LT((keeper.last - plain.y().col(plain.rows() - 1)).cwiseAbs().maxCoeff(), 1e-9);
}
}  // namespace
}  // namespace trill::test
