// SPDX-License-Identifier: BSD-3-Clause
// radau with hard constraints at tolerances near rounding. The accelerations of the stages contain the rounding of the
// positions divided by h^2. If the constraints turn, this part once remained in the error of every step, however
// short.
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
// A block on a rail, a bar that hangs from it, and a second bar that hangs from the first. The motion starts from
// rest, and the masses between are small.
const char* bars_on_a_rail = R"toml(
[coordinates]
s = { start = 0.0, mass = 0.4 }
x = { start = 0.7, mass = 0.02 }
y = { start = 0.0, mass = 0.02 }
u = { start = 1.2, mass = 0.3 }
w = { start = 0.0, mass = 0.3 }
[[potential]]
energy = "9.81*(0.02*y + 0.3*w)"
[[constraint]]
equation = "((x - s)^2 + y^2 - 0.49)/2"
[[constraint]]
equation = "((u - x)^2 + (w - y)^2 - 0.25)/2"
)toml";

double distance(const Solution& a, const Solution& b, Index n) {
  return (last_of(a) - last_of(b)).head(n).cwiseAbs().maxCoeff();
}

TEST(RadauAtTightTolerances, FollowsItOnHardConstraints) {
  const TextModel model = read_model("m.toml", bars_on_a_rail);
  const Solution exact = run_of(model.problem->clone(), plan_with("dop853", 0.4, 1e-13));
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13}) {
    const Solution s = run_of(model.problem->clone(), plan_with("radau", 0.4, rtol));
    EXPECT_LT(distance(s, exact, 5), std::max(20 * rtol, 2e-11)) << rtol;
    EXPECT_LT(s.outcome.counters.steps, 300) << rtol;
  }
}

// Stiff gaps whose oscillation is followed, together with constraints.
TEST(RadauAtTightTolerances, FollowsItOnAFlexibleRod) {
  const TextModel model = make_model("slider_crank", {{"k", "3"}, {"l1", "0.1"}, {"l2", "0.4"}});
  const Solution exact = run_of(model.problem->clone(), plan_with("dop853", 0.02, 1e-13));
  for (const double rtol : {1e-6, 1e-10, 1e-11}) {
    const Solution s = run_of(model.problem->clone(), plan_with("radau", 0.02, rtol));
    EXPECT_LT(distance(s, exact, 9), std::max(rtol, 1e-11)) << rtol;
    EXPECT_LT(s.outcome.counters.steps, 5000) << rtol;
  }
}
}  // namespace
}  // namespace trill::testing_models
