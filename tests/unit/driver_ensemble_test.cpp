// SPDX-License-Identifier: BSD-3-Clause
#include "driver/ensemble.hpp"
#include "solution/run_json.hpp"
#include "support/method_cases.hpp"
#include "trill/problem/mechanical.hpp"
#include "trill/solution/recorder.hpp"

#include <cstring>

namespace trill::test {
namespace {
RunPlan plan_of(const MethodCase& method, const std::string& model, const OptionSet& parameters) {
  RunPlan plan;
  plan.model = model;
  plan.parameters = parameters;
  plan.method = method.info.name;
  plan.options = method.options;
  plan.h = 0.003;
  plan.to = 1;
  return plan;
}

std::vector<Solution> joined(std::vector<PreparedRun>& runs) {
  std::vector<PreparedRun*> pointers;
  for (PreparedRun& run : runs) pointers.push_back(&run);
  return run_joined(pointers);
}

bool same_bits(const Mat& a, const Mat& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void expect_same(const Solution& joined, const Solution& alone) {
  ASSERT_EQ(joined.t, alone.t);
  EXPECT_TRUE(same_bits(joined.y(), alone.y()));
  EXPECT_TRUE(same_bits(joined.measured(), alone.measured()));
  EXPECT_EQ(joined.outcome.status, alone.outcome.status);
  EXPECT_EQ(joined.outcome.message, alone.outcome.message);
  EXPECT_EQ(joined.outcome.counters.steps, alone.outcome.counters.steps);
  EXPECT_EQ(joined.outcome.counters.forces, alone.outcome.counters.forces);
  EXPECT_EQ(difference(joined.info, alone.info), std::nullopt);
}

std::vector<PreparedRun> copies_of(RunPlan plan, const std::string& parameter, int count) {
  std::vector<PreparedRun> runs;
  for (int i = 0; i < count; ++i) {
    plan.parameters[parameter] = std::to_string(10 + i);
    runs.push_back(prepare(plan));
  }
  return runs;
}

class Componentwise : public testing::TestWithParam<MethodCase> {};

TEST_P(Componentwise, JoinedRunsAreThoseOneByOneBitByBit) {
  for (const Output& output : std::initializer_list<Output>{EveryStep{}, EveryStep{7}, Grid{0.0501}, Times{{}}})
    for (const int count : {2, 3, 17}) {
      RunPlan plan = plan_of(GetParam(), "two_springs", {});
      plan.output = output;
      std::vector<PreparedRun> runs = copies_of(plan, "omega2", count);
      ASSERT_TRUE(can_join(runs.front(), runs.back()));
      const auto together = joined(runs);
      ASSERT_EQ(together.size(), runs.size());
      for (std::size_t i = 0; i < runs.size(); ++i) expect_same(together[i], runs[i].run());
      EXPECT_NE(together.front().y()(0, together.front().rows() - 1),
                together.back().y()(0, together.back().rows() - 1));
    }
}

TEST_P(Componentwise, BackwardsAndUpToALimit) {
  RunPlan plan = plan_of(GetParam(), "fermi_pasta_ulam", {});
  plan.from = 0.5;
  plan.to = -0.5;
  plan.max_steps = 200;
  std::vector<PreparedRun> runs = copies_of(plan, "omega", 5);
  const auto together = joined(runs);
  ASSERT_EQ(together.size(), runs.size());
  EXPECT_EQ(together[0].outcome.status, RunStatus::step_limit);
  for (std::size_t i = 0; i < runs.size(); ++i) expect_same(together[i], runs[i].run());
}

INSTANTIATE_TEST_SUITE_P(AllMethods, Componentwise,
                         testing::ValuesIn(cases_where([](const MethodInfo& m) { return m.componentwise; })),
                         case_name);

TEST(Ensemble, TheClaimedMethodsAreThere) {
  for (const char* name : {"verlet", "composition4", "composition6", "composition8", "rk4"})
    EXPECT_TRUE(Catalogue::all().method(name).info.componentwise) << name;
  EXPECT_FALSE(Catalogue::all().method("dopri5").info.componentwise);
}

// The equation m q'' = -k q + sin(t), in which each copy has its own mass and spring.
class Forced final : public MechanicalProblem {
 public:
  Forced(double k, double m) : k_(k), m_(m) {}
  std::string name() const override { return "forced"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"q", ""}, {"v", ""}}; }
  State initial_state() const override {
    State s(layout());
    s.y << 1, 0;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Forced>(*this); }
  MassKind mass_kind() const override { return MassKind::diagonal; }
  void mass(In, MatrixSlot& m) const override { *m.entry(0, 0) = m_; }
  void force(Groups, double t, In q, In, Out f) const override { f[0] = -k_ * q[0] + std::sin(t); }
  std::unique_ptr<ForceBlock> join(std::span<const MechanicalProblem* const> copies) const override;

  static inline int joined_calls = 0;

 private:
  double k_, m_;
};

class ForcedBlock final : public ForceBlock {
 public:
  explicit ForcedBlock(std::vector<double> k) : k_(std::move(k)) {}
  void force(Groups, double t, const double* q, const double*, double* f) const override {
    ++Forced::joined_calls;
    for (std::size_t i = 0; i < k_.size(); ++i) f[i] = -k_[i] * q[i] + std::sin(t);
  }

 private:
  std::vector<double> k_;
};

std::unique_ptr<ForceBlock> Forced::join(std::span<const MechanicalProblem* const> copies) const {
  std::vector<double> k;
  for (const MechanicalProblem* copy : copies) k.push_back(dynamic_cast<const Forced&>(*copy).k_);
  return std::make_unique<ForcedBlock>(k);
}

std::vector<PreparedRun> forced_runs(const MethodCase& method, int count) {
  std::vector<PreparedRun> runs;
  for (int i = 0; i < count; ++i)
    runs.push_back(prepare(plan_of(method, "forced", {}), std::make_unique<Forced>(100 + i, 1 + 0.1 * i)));
  return runs;
}

TEST_P(Componentwise, AModelMayJoinItsForcesItself) {
  std::vector<PreparedRun> runs = forced_runs(GetParam(), 9);
  Forced::joined_calls = 0;
  const auto together = joined(runs);
  ASSERT_EQ(together.size(), runs.size());
  // The joined force is evaluated once for all copies together. One evaluation before the first step is not counted.
  const auto uncounted = Forced::joined_calls - together[0].outcome.counters.most_forces();
  EXPECT_TRUE(uncounted == 0 || uncounted == 1) << uncounted;
  for (std::size_t i = 0; i < runs.size(); ++i) expect_same(together[i], runs[i].run());
}

TEST(Ensemble, OneThatFailsShowsInTheEmptyAnswer) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = "verlet";
  plan.h = 0.01;
  plan.to = 10;
  std::vector<PreparedRun> runs;
  for (const char* omega2 : {"10", "20", "9000"}) {  // h omega = 90: far beyond the stability limit 2
    plan.parameters["omega2"] = omega2;
    runs.push_back(prepare(plan));
  }
  ASSERT_TRUE(can_join(runs[0], runs[2]));
  ASSERT_EQ(runs[2].run().outcome.status, RunStatus::non_finite);
  EXPECT_TRUE(joined(runs).empty());
}

TEST(Ensemble, AStopEndsAll) {
  std::atomic<bool> stop{true};
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = "verlet";
  plan.h = 0.001;
  std::vector<PreparedRun> runs = copies_of(plan, "omega2", 4);
  for (PreparedRun& run : runs) run.options.stop = &stop;
  const auto together = joined(runs);
  ASSERT_EQ(together.size(), 4u);
  for (const Solution& s : together) EXPECT_EQ(s.outcome.status, RunStatus::stopped);
}

TEST(Ensemble, WhatDiffersIsNotJoined) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = "verlet";
  plan.h = 0.001;
  const PreparedRun base = prepare(plan);
  const auto joins = [&](auto change) {
    RunPlan other = plan;
    change(other);
    return can_join(base, prepare(other));
  };
  EXPECT_TRUE(joins([](RunPlan& p) { p.parameters["omega1"] = "2"; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.h = 0.002; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.to = 3; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.from = 1; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.method = "rk4"; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.options["form"] = "position"; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.output = Grid{0.1}; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.max_steps = 5; }));
  EXPECT_FALSE(joins([](RunPlan& p) { p.model = "stiff_spring"; }));
  EXPECT_FALSE(joins([](RunPlan& p) {
    p.model = "fermi_pasta_ulam";
    p.parameters["m"] = "4";
  }));
}

TEST(Ensemble, WhatDependsOnMoreThanForcesIsNotJoined) {
  const auto joins = [](RunPlan plan) { return can_join(prepare(plan), prepare(plan)); };
  RunPlan plan;
  plan.h = 0.001;
  plan.method = "dopri5";
  plan.model = "two_springs";
  EXPECT_FALSE(joins(plan));
  plan.method = "rk4";
  plan.model = "rigid";
  EXPECT_FALSE(joins(plan));
  plan.model = "stiff_spring_polar";  // the mass depends on q
  EXPECT_FALSE(joins(plan));
  plan.model = "beam";
  EXPECT_FALSE(joins(plan));
  plan.method = "implicit_midpoint";
  plan.model = "two_springs";
  EXPECT_FALSE(joins(plan));
}

TEST(Ensemble, ReplayIsWhatARecorderGetsFromTheRun) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = "verlet";
  plan.h = 0.001;
  PreparedRun run = prepare(plan);
  const Solution solution = run.run();
  Solution again;
  MemoryRecorder recorder(again);
  replay(solution, recorder);
  expect_same(again, solution);
  EXPECT_EQ(again.rows(), 10001);
}
}  // namespace
}  // namespace trill::test
