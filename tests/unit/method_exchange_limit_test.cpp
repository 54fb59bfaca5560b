// SPDX-License-Identifier: BSD-3-Clause
// The warning of long implicit steps, at 0.3 sqrt(eps) on a spring pendulum: Ascher and Reich 1999; PJY97 sec. 4.1.
#include "support/text_models.hpp"

#include <algorithm>
#include <cmath>

namespace trill::testing_models {
namespace {
constexpr double eps = 1e-3;

bool is_warned(const char* method, double share_of_root, const char* speed_of_spring, double steps = 20,
               const char* model = "stiff_spring") {
  RunPlan plan;
  plan.model = model;
  if (plan.model == "stiff_spring")
    plan.parameters = {{"epsilon", "1e-3"}, {"x0", "1"}, {"y0", "0"}, {"u0", speed_of_spring}};
  plan.method = method;
  plan.h = share_of_root * std::sqrt(eps);
  plan.to = steps * *plan.h;
  const RunOutcome outcome = prepare(plan).run().outcome;
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return std::ranges::any_of(outcome.notices, [](const Notice& n) { return n.code == "energy_exchange"; });
}

TEST(ExchangeLimit, IsThreeTenthsOfTheRootOfEpsilon) {
  for (const char* method : {"implicit_midpoint", "envelope_verlet"}) {
    EXPECT_TRUE(is_warned(method, 0.31, "1")) << method;
    EXPECT_FALSE(is_warned(method, 0.29, "1")) << method;
  }
}

// With a shorter last step too.
TEST(ExchangeLimit, KnowsTheLongestStep) { EXPECT_TRUE(is_warned("implicit_midpoint", 0.31, "1", 20.4)); }

TEST(ExchangeLimit, LeavesASlowStartAlone) { EXPECT_FALSE(is_warned("implicit_midpoint", 0.6, "0")); }

// Linear gaps keep their energy whatever the step.
TEST(ExchangeLimit, LeavesLinearGapsAlone) {
  EXPECT_FALSE(is_warned("implicit_midpoint", 3, "0", 20, "fermi_pasta_ulam"));
}
}  // namespace
}  // namespace trill::testing_models
