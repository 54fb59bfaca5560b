// SPDX-License-Identifier: BSD-3-Clause
// sdirk with a tolerance on a mechanism whose whole motion is prescribed.
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
// A crank is driven through ten turns and moves a rod. Nothing is free, so every step ends at the right place whatever
// its length, unless it is so long that the rod goes to the other of its two possible positions.
TEST(Sdirk, FollowsAMechanismThatIsDrivenThroughout) {
  const char* const text = R"toml(
[bodies]
crank = { mass = 1, inertia = 0.02, points = { hub = [0, 0], pin = [0.1, 0] }, angular_velocity = 62.83185307179586 }
rod = { mass = 0.4, inertia = 0.01, start = { left = [0.1, 0] }, points = { left = [-0.2, 0], right = [0.2, 0] } }
[[joint]]
kind = "revolute"
to = "crank.hub"
[[joint]]
kind = "revolute"
from = "crank.pin"
to = "rod.left"
[[joint]]
kind = "point_on_line"
to = "rod.right"
[[driver]]
of = "crank.angle"
value = "20*pi*t"
)toml";
  for (const double rtol : {1e-3, 1e-4}) {
    RunPlan plan = plan_with("sdirk", 0.97, rtol);
    plan.output = Grid{0.01};
    const Solution s = run_of(read_model("m.toml", text).problem, plan);
    ASSERT_TRUE(s.ok());
    for (Index i = 0; i < s.rows(); ++i) {
      const double turned = 20 * std::acos(-1.0) * s.t[static_cast<std::size_t>(i)];
      EXPECT_NEAR(s.y()(5, i), -std::asin(0.25 * std::sin(turned)), 1e-3) << s.t[static_cast<std::size_t>(i)];
    }
  }
}
}  // namespace
}  // namespace trill::testing_models
