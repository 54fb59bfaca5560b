// SPDX-License-Identifier: BSD-3-Clause
// The time between checkpoints and the number of looks at the clock, tested with an artificial clock.
#include "solution/checkpoint_pacing.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
double pacing_time = 0;
std::int64_t pacing_looks = 0;
double pacing_clock() {
  ++pacing_looks;
  return pacing_time;
}

struct PacedRun {
  double step, writing;         // seconds
  double largest_gap = 0;       // between two checkpoints
  double share_of_writing = 0;  // relative to the time of the run
  std::int64_t checkpoints = 0, looks = 0;

  PacedRun& go(double seconds, double between = 1) {
    pacing_time = pacing_looks = 0;
    CheckpointPacing pacing(between, pacing_clock);
    pacing.begin();
    double last = 0;
    while (pacing_time < seconds) {
      pacing_time += step;
      if (!pacing.due_after_step()) continue;
      largest_gap = std::max(largest_gap, pacing_time - last);
      pacing.time([&] { pacing_time += writing; });
      last = pacing_time;
      ++checkpoints;
    }
    share_of_writing = static_cast<double>(checkpoints) * writing / pacing_time;
    looks = pacing_looks;
    return *this;
  }
};

TEST(CheckpointPacing, SlowStepsAreStoredWithinTwoSeconds) {
  for (const double step : {0.01, 0.07, 0.4, 0.9}) {
    const PacedRun run = PacedRun{step, 0.02}.go(600);
    EXPECT_LT(run.largest_gap, 2) << step;
    EXPECT_GE(run.largest_gap, step < 0.6 ? 1 : step) << step;
    EXPECT_GT(run.checkpoints, 250) << step;
  }
}

// Every third step takes 1.4 times as long as the others, as when a step is repeated.
TEST(CheckpointPacing, StepsThatVaryAreStoredWithinTwoSeconds) {
  pacing_time = 0;
  CheckpointPacing pacing(1, pacing_clock);
  pacing.begin();
  double last = 0, longest = 0;
  for (int number = 0; number < 300; ++number) {
    pacing_time += number % 3 == 2 ? 1.33 : 0.95;
    if (!pacing.due_after_step()) continue;
    pacing.time([] { pacing_time += 0.02; });
    longest = std::max(longest, pacing_time - last);
    last = pacing_time;
  }
  EXPECT_LT(longest, 2);
}

// The longest time between two checkpoints on disk, if checkpoint `number` takes writing(number) to write.
double longest_between(double step, double (*writing)(int)) {
  pacing_time = 0;
  CheckpointPacing pacing(1, pacing_clock);
  pacing.begin();
  double last = 0, longest = 0;
  for (int number = 0; number < 40; ++number) {
    do pacing_time += step;
    while (!pacing.due_after_step());
    pacing.time([&] { pacing_time += writing(number); });
    longest = std::max(longest, pacing_time - last);
    last = pacing_time;
  }
  return longest;
}

TEST(CheckpointPacing, OneMoreStepMayBeTooMuch) {
  EXPECT_LT(longest_between(0.98, [](int) { return 0.09; }), 2);
}

TEST(CheckpointPacing, ACheckpointThatHadToWaitDoesNotDelayTheNext) {
  EXPECT_LT(longest_between(0.1, [](int number) { return number % 7 == 0 ? 0.6 : 0.03; }), 2);
}

TEST(CheckpointPacing, FastStepsHardlyEverLookAtTheClock) {
  const PacedRun run = PacedRun{1e-6, 0.002}.go(5);
  EXPECT_LT(run.looks, 5'000'000 / 200);
  EXPECT_EQ(run.checkpoints, 4);
  EXPECT_LT(run.largest_gap, 1.01);
}

TEST(CheckpointPacing, StepsThatSuddenlyTakeLongAreSeen) {
  pacing_time = 0;
  CheckpointPacing pacing(1, pacing_clock);
  pacing.begin();
  for (int i = 0; i < 100'000; ++i) {
    pacing_time += 2e-6;
    EXPECT_FALSE(pacing.due_after_step());
  }
  int steps = 0;
  do {
    pacing_time += 0.005;
    ++steps;
  } while (!pacing.due_after_step());
  EXPECT_LE(steps, 256 + 1);
}

TEST(CheckpointPacing, WritingTakesAtMostATenthOfTheTime) {
  for (const double writing : {0.05, 0.3, 4.0}) {
    const PacedRun run = PacedRun{0.01, writing}.go(1000);
    EXPECT_LT(run.share_of_writing, 0.1) << writing;
    EXPECT_GT(run.checkpoints, 10) << writing;
  }
}

TEST(CheckpointPacing, ADayHasThousandsNotTensOfThousands) {
  const PacedRun run = PacedRun{0.05, 0.005}.go(86400);
  EXPECT_LE(run.largest_gap, 60.1);
  EXPECT_LT(run.checkpoints, 7000);
}

TEST(CheckpointPacing, ZeroSecondsMeansAtEveryRegularPointAndNowhereElse) {
  const PacedRun run = PacedRun{1, 0.005}.go(100, 0);
  EXPECT_EQ(run.checkpoints, 0);
  EXPECT_TRUE(CheckpointPacing(0, pacing_clock).due());
}
}  // namespace
}  // namespace trill::test
