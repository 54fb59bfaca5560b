// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints are written when a given time has passed, so they come at any step, with every method. They do not
// change any number, and a run can go on from each of them.
#include "driver/checkpoint_interval.hpp"
#include "solution/timed_recorder.hpp"
#include "trill/driver/plan.hpp"

#include <gtest/gtest.h>

namespace trill::test {
namespace {
// A recorder that asks for a checkpoint after every `every` steps.
class ClockedRecorder final : public TimedRecorder {
 public:
  explicit ClockedRecorder(int every) : every_(every) {}
  void begin(const RunInfo&) override {}
  void row(double t, In y, In measured) override {
    Vec row(1 + y.size() + measured.size());
    row << t, y, measured;
    rows.push_back(std::move(row));
  }
  bool keeps_checkpoints() const override { return true; }
  bool wants_checkpoint() override { return false; }
  bool overdue() override { return every_ > 0 && ++asked_ % every_ == 0; }
  void checkpoint(const Archive& archive) override { stored.push_back({archive, rows.size()}); }
  void finish(const RunOutcome&) override {}

  struct Stored {
    Archive archive;
    std::size_t rows;
  };
  std::vector<Vec> rows;
  std::vector<Stored> stored;

 private:
  int every_, asked_ = 0;
};

struct CountedSteps final : Observer {
  void accepted(const State&, const StepResult&) override { ++steps; }
  std::int64_t steps = 0;
};

constexpr std::int64_t clocked_steps = 200, regular = 67;

PreparedRun chain(const std::string& method) {
  RunPlan plan;
  plan.model = "fermi_pasta_ulam";
  plan.parameters = {{"m", "30"}};
  plan.method = method;
  plan.to = 1000;
  plan.max_steps = clocked_steps;
  plan.checkpoint_every = regular;
  plan.output = EveryStep{3};
  return prepare(plan);
}

const char* const clocked_methods[] = {"radau",     "gauss",      "lobatto_iiic", "implicit_midpoint",
                                       "sdirk",     "newmark",    "bdf",          "dopri5",
#ifdef TRILL_HAVE_SUNDIALS
                                       "cvode_bdf", "cvode_adams"
#endif
};
class ClockedRun : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, ClockedRun, testing::ValuesIn(clocked_methods),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ClockedRun, GoesOnFromEveryCheckpointBitForBit) {
  ClockedRecorder undisturbed(0), clocked(29);
  PreparedRun whole = chain(GetParam()), stored = chain(GetParam());
  whole.options.recorder = &undisturbed;
  stored.options.recorder = &clocked;
  const Counters counters = whole.run().outcome.counters;
  ASSERT_EQ(counters.steps, clocked_steps);
  stored.run();
  ASSERT_TRUE(clocked.rows == undisturbed.rows) << "the clock changes the numbers";
  ASSERT_GE(clocked.stored.size(), 5u);
  std::int64_t at = 0;
  for (ClockedRecorder::Stored& point : clocked.stored) {
    ClockedRecorder rest(0);
    CountedSteps counted;
    PreparedRun run = chain(GetParam());
    Archive archive(point.archive.bytes());
    run.options.recorder = &rest;
    run.options.resume = &archive;
    run.options.observers = {&counted};
    const Counters resumed = run.run().outcome.counters;
    std::vector<Vec> rows(clocked.rows.begin(), clocked.rows.begin() + static_cast<std::ptrdiff_t>(point.rows));
    rows.insert(rows.end(), rest.rows.begin(), rest.rows.end());
    EXPECT_TRUE(rows == undisturbed.rows);
    EXPECT_EQ(resumed.steps, counters.steps);
    EXPECT_EQ(resumed.forces, counters.forces);
    EXPECT_EQ(resumed.newton_iterations, counters.newton_iterations);
    EXPECT_EQ(resumed.factorisations, counters.factorisations);
    EXPECT_GT(clocked_steps - counted.steps, at) << "observers are shown repeated steps";
    at = clocked_steps - counted.steps;
  }
}

// A request to stop takes effect after the current step, whatever the method.
TEST_P(ClockedRun, StopsAtOnceAndIsStored) {
  struct StopAt final : Observer {
    void accepted(const State&, const StepResult&) override { stop = ++steps == 41; }
    std::atomic<bool> stop = false;
    int steps = 0;
  } stopper;
  ClockedRecorder recorder(0);
  PreparedRun run = chain(GetParam());
  run.options.recorder = &recorder;
  run.options.observers = {&stopper};
  run.options.stop = &stopper.stop;
  const RunOutcome outcome = run.run().outcome;
  EXPECT_EQ(outcome.status, RunStatus::stopped);
  EXPECT_EQ(outcome.counters.steps, 41);
  EXPECT_EQ(recorder.stored.size(), 1u);
}

TEST(CheckpointInterval, OfMethodsThatSaveTheirMemoryIsWhatTheUserSays) {
  EXPECT_EQ(checkpoint_interval({}, 400'000, 1000), 1000);
  EXPECT_EQ(checkpoint_interval({}, 400'000, 50'000), 50'000);
}

TEST(CheckpointInterval, OfOthersFallsWithTheSizeOfTheSystem) {
  MethodInfo one_step, many_steps;
  one_step.saves_memory = many_steps.saves_memory = false;
  many_steps.owns_step = true;
  EXPECT_EQ(checkpoint_interval(one_step, 4000, 1000), 1000);
  EXPECT_EQ(checkpoint_interval(one_step, 40'000, 1000), 100);
  EXPECT_EQ(checkpoint_interval(one_step, 400'000, 1000), 10);
  EXPECT_EQ(checkpoint_interval(one_step, 40'000'000, 1000), 1);
  EXPECT_EQ(checkpoint_interval(one_step, 400'000, 5), 5);
  EXPECT_EQ(checkpoint_interval(one_step, 400'000, 2000), 2000);
  EXPECT_EQ(checkpoint_interval(many_steps, 400'000, 1000), 100);
  EXPECT_EQ(checkpoint_interval(many_steps, 20'000, 1000), 200);
}
}  // namespace
}  // namespace trill::test
