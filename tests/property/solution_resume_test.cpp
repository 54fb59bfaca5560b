// SPDX-License-Identifier: BSD-3-Clause
// Every method on every model that it can run is stopped several times and resumed from checkpoints. The published run
// has exactly the numbers of an uninterrupted one.
#include "support/solution_files.hpp"
#include "trill/driver/plan.hpp"

#include <atomic>
#include <set>

namespace trill::testing_files {
namespace {
struct Case {
  std::string model, method;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model << " with " << c.method; }

// After a number of steps, sets the flag that a signal would set.
class Interrupter final : public Observer {
 public:
  explicit Interrupter(int steps) : left_(steps) {}
  void accepted(const State&, const StepResult&) override {
    if (--left_ == 0) stop = true;
  }
  std::atomic<bool> stop = false;

 private:
  int left_;
};

constexpr int steps = 600;

PreparedRun prepared(const Case& c) {
  RunPlan plan;
  plan.model = c.model;
  plan.method = c.method;
  plan.checkpoint_every = 37;
  plan.max_steps = steps;
  if (Catalogue::all().find_formulation(c.method)) plan.to = 300;  // steps of formulations are long
  PreparedRun run = prepare(plan);
  run.options.max_steps = steps;
  run.options.checkpoint_every = 37;
  return run;
}

std::vector<Case> cases() {
  std::vector<Case> fitting;
  for (const char* model :
       {"stiff_spring", "rigid", "kepler", "rectifier", "langevin", "forced", "transistor_amplifier",
        "friction_pendulum", TRILL_SOURCE_DIR "/tests/support/pendulum_in_bath.toml",
        TRILL_SOURCE_DIR "/tests/support/bouncing_ball.toml"})
    for (const MethodEntry& method : Catalogue::all().methods()) {
      const Case c{model, method.info.name};
      try {
        prepared(c);
        fitting.push_back(c);
      } catch (const UsageError&) {  // the method does not accept this model
      }
    }
  for (const char* model : {"wire", "cart", "two_springs"}) fitting.push_back({model, "slow"});
  for (const char* model : {"wire", "two_springs", "two_stiff_springs"}) fitting.push_back({model, "hmm"});
  fitting.push_back({"weakly_coupled", "sam"});
  return fitting;
}

TEST(Resumed, CoversEveryMethod) {
  std::set<std::string> covered;
  for (const Case& c : cases()) covered.insert(c.method);
  for (const MethodEntry& method : Catalogue::all().methods())
    EXPECT_TRUE(covered.contains(method.info.name)) << method.info.name << " runs none of the models tried here";
}

class ResumedRun : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(EveryMethod, ResumedRun, testing::ValuesIn(cases()), [](const auto& info) {
  return fs::path(info.param.model).stem().string() + "_" + info.param.method;
});

// One part of the run, as with `trill run --resume run.h5`. Returns false if it was stopped again.
bool one_part(const Case& c, const fs::path& path, int stop_after) {
  auto point = find_resume_point(path);
  std::optional<SegmentRecorder> recorder;
  if (point)
    recorder.emplace(*point, 0);
  else
    recorder.emplace(path, 0);
  PreparedRun run = prepared(c);
  Interrupter interrupter(stop_after);
  run.options.observers.push_back(&interrupter);
  run.options.stop = &interrupter.stop;
  run.options.recorder = &*recorder;
  if (point && !point->from_start) run.options.resume = &point->archive;
  if (run.run().outcome.status == RunStatus::stopped) return false;
  recorder->publish({});
  return true;
}

TEST_P(ResumedRun, EqualsTheUnbrokenRun) {
  const TemporaryDirectory whole_dir, dir;
  // Has checkpoints too, since they change the numbers of some methods.
  ASSERT_TRUE(one_part(GetParam(), whole_dir / "run.csv", -1));
  const SolutionFile whole(whole_dir / "run.csv");
  int parts = 1;
  while (!one_part(GetParam(), dir / "run.csv", 130)) ASSERT_LT(++parts, 12);
  const SolutionFile resumed(dir / "run.csv");
  EXPECT_EQ(resumed.rows(), whole.rows());
  EXPECT_EQ(bits_of(resumed), bits_of(whole));
  EXPECT_EQ(resumed.outcome().status, whole.outcome().status);
  EXPECT_EQ(resumed.outcome().counters.steps, whole.outcome().counters.steps);
  EXPECT_EQ(resumed.outcome().counters.rejected, whole.outcome().counters.rejected);
  EXPECT_EQ(resumed.outcome().counters.forces, whole.outcome().counters.forces);
  EXPECT_EQ(resumed.outcome().counters.micro_steps, whole.outcome().counters.micro_steps);
  EXPECT_EQ(resumed.outcome().events.size(), whole.outcome().events.size());
  if (whole.outcome().counters.steps > 300) {
    EXPECT_GT(parts, 2);
  }
}
}  // namespace
}  // namespace trill::testing_files
