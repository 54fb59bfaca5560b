// SPDX-License-Identifier: BSD-3-Clause
// Long chains of bodies, whose matrices are sparse. The cost of a step is proportional to the number of links, and
// runs resume bit by bit.
#include "support/allocation_count.hpp"
#include "support/small_problems.hpp"
#include "support/text_models.hpp"

#include <fmt/format.h>

namespace trill::test {
namespace {
using testing_models::plan_with;

class Chains : public testing::TestWithParam<std::string> {};

// If the factors had too many entries (fill-in), this would show in the memory that they need.
TEST_P(Chains, AStepCostsInProportionToTheLinks) {
  const auto bytes_of_run = [](int links) {
    RunPlan plan = plan_with(GetParam(), 4e-3, GetParam() == "rattle" ? 1e-4 : 1e-3);
    plan.model = "link_chain";
    plan.parameters = {{"n", fmt::format("{}", links)}};
    plan.native = Native::never;
    PreparedRun run = prepare(plan);
    return heap_bytes([&] {
      const Solution s = run.run();
      EXPECT_TRUE(s.ok()) << s.outcome.message;
    });
  };
  EXPECT_LE(bytes_of_run(800), 4 * 2 * bytes_of_run(200));
}

// The second stepper has never factorised the matrices from before the checkpoint.
TEST_P(Chains, ResumeBitByBit) {
  const TextModel model = make_model("link_chain", {{"n", "80"}});
  Walk whole(*model.problem, GetParam()), resumed(*model.problem, GetParam());
  EXPECT_FALSE(whole.stepper->info().saves_memory);
  for (Walk* w : {&whole, &resumed}) w->weights.setConstant(1e9);
  const auto step = [](Walk& w, bool restart) {
    const StepRequest request{1e-3, w.scale, w.weights, HUGE_VAL, w.jumped, restart, w.notes, w.work, {}};
    w.jumped = false;
    return w.stepper->step(w.s, request).status;
  };
  for (int k = 0; k < 20; ++k) ASSERT_EQ(step(whole, false), StepStatus::ok);
  Archive archive;
  whole.stepper->memory(archive);
  Archive stored(archive.bytes());
  resumed.stepper->memory(stored);
  resumed.s = whole.s;
  resumed.jumped = false;
  for (int k = 0; k < 5; ++k) {
    ASSERT_EQ(step(whole, k == 0), StepStatus::ok);
    ASSERT_EQ(step(resumed, k == 0), StepStatus::ok);
    ASSERT_EQ(whole.s.y, resumed.s.y) << k;
  }
}

// Bobs on rods of nearly zero mass move like bobs on massless rods, and the light rods must not force short steps.
TEST_P(Chains, LightRodsHoldNoStepsDown) {
  if (GetParam() == "sdirk" || GetParam() == "rattle") GTEST_SKIP() << "takes steps of its own";
  const TextModel model = read_model("light.toml", R"toml(
[sets]
link = 40
pin = 39
[bodies.rod]
over = "link"
mass = 1e-11
inertia = 1e-14
start = ["(link + 1/2)/40", 0]
points = { left = ["-1/80", 0], right = ["1/80", 0] }
[bodies.bob]
over = "link"
mass = "1/40"
inertia = 1e-5
start = ["(link + 1)/40", 0]
[gravity]
acceleration = [0, -9.81]
[[joint]]
kind = "revolute"
to = "rod[0].left"
[[joint]]
over = "link"
kind = "revolute"
from = "rod[link].right"
to = "bob[link]"
[[joint]]
over = "pin"
kind = "revolute"
from = "bob[pin]"
to = "rod[pin + 1].left"
)toml");
  const Solution s = testing_models::run_of(model.problem->clone(), plan_with(GetParam(), 0.02, 1e-5));
  EXPECT_LT(s.outcome.counters.steps, 100);
}

INSTANTIATE_TEST_SUITE_P(All, Chains, testing::Values("generalized_alpha", "bdf", "sdirk", "radau", "dop853", "rattle"),
                         [](const auto& info) { return info.param; });
}  // namespace
}  // namespace trill::test
