// SPDX-License-Identifier: BSD-3-Clause
// Rows inside radau's steps, with hard constraints and with stiff gaps, lie on the same manifold as the ends of the
// steps.
#include "support/text_models.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
// A bob of mass 1 that is released at the height of its pivot: v^2/2 = -y, and the force in the rod is v^2 - y.
const char* const pendulum = R"toml(
[coordinates]
x = 1
y = 0
[[potential]]
energy = "y"
)toml";

const char* const rod = R"toml(
[[constraint]]
equation = "sqrt(x^2 + y^2) - 1"
)toml";

Solution rows_of(const std::string& text, double rtol, double to, double dt) {
  RunPlan plan = plan_with("radau", to, rtol);
  plan.output = Grid{dt};
  const Solution found = run_of(read_model("m.toml", text).problem, plan);
  EXPECT_TRUE(found.ok());
  return found;
}

double component(const Solution& s, Index row, Index k) { return s.y()(k, row); }

TEST(RadauRows, HaveTheMultipliersOfTheirState) {
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Solution s = rows_of(std::string(pendulum) + rod, rtol, 10, 0.01);
    double off = 0;
    for (Index i = 0; i < s.rows(); ++i) off = std::max(off, std::abs(component(s, i, 4) + 3 * component(s, i, 1)));
    EXPECT_LT(off, rtol) << rtol;
    EXPECT_LT(s.outcome.counters.steps, 120);
  }
}

// The spring is stretched by the force of the rod divided by k, which is -3 y / k.
TEST(RadauRows, FollowTheSmoothMotionOfAStiffSpring) {
  const double k = 1e6, epsilon_4 = 1 / (k * k);
  const std::string text = fmt::format(R"toml(
[coordinates]
x = {:.17g}
y = 0
[[potential]]
energy = "y"
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = {:.17g}
)toml",
                                       1 - 3 * epsilon_4, k);
  for (const double rtol : {1e-4, 1e-6}) {
    const Solution s = rows_of(text, rtol, 10, 0.01);
    double along = 0, across = 0;
    for (Index i = 0; i < s.rows(); ++i) {
      const double x = component(s, i, 0), y = component(s, i, 1), vx = component(s, i, 2), vy = component(s, i, 3);
      const double r = std::hypot(x, y), turned = (x * vy - y * vx) / r;
      along = std::max(along, std::abs(turned * turned / 2 + y));
      across = std::max(across, std::abs((x * vx + y * vy) / r + 3 * vy / k));
    }
    EXPECT_LT(along, 5e-6 + rtol) << rtol;
    EXPECT_LT(across, rtol) << rtol;
  }
}

// The first step removes a radial oscillation with a speed of 0.3. Rows inside this step must not contain it either.
TEST(RadauRows, DoNotContainTheOscillationThatTheirStepRemoved) {
  const std::string text = R"toml(
[coordinates]
x = { start = 1, velocity = 0.3 }
y = { start = 0, velocity = -0.5 }
[[potential]]
energy = "y"
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = 1e8
)toml";
  RunPlan plan = plan_with("radau", 1, 1e-5);
  const Solution steps = run_of(read_model("m.toml", text).problem, plan);
  ASSERT_GT(steps.t[1], 0.005);  // 8 periods of the oscillation
  plan.output = Grid{steps.t[1] / 8};
  const Solution s = run_of(read_model("m.toml", text).problem, plan);
  double across = 0;
  for (Index i = 1; i < s.rows(); ++i)
    across =
        std::max(across, std::abs(component(s, i, 0) * component(s, i, 2) + component(s, i, 1) * component(s, i, 3)));
  EXPECT_LT(across, 1e-4);
}

}  // namespace
}  // namespace trill::testing_models
