// SPDX-License-Identifier: BSD-3-Clause
// Runs with few rows whose forces switch at some time. The largest deviation at any row has to be reported, even if
// the deviations at the neighbouring rows, half a second away, are much smaller.
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <algorithm>
#include <cmath>

namespace trill::testing_models {
namespace {
const char* const struck = R"toml(
coordinates.x = { start = 0 }
coordinates.y = { start = 0 }
[[force]]
on = "x"
value = "-400*x - 0.6*vx + if(t > 4.56, if(t < 4.6, 30, 0), 0)"
[[force]]
on = "y"
value = "-(y - x)"
)toml";

const char* const struck_by_rates = R"toml(
coordinates.x = { start = 0 }
coordinates.v = { start = 0 }
[rate]
x = "v"
v = "-400*x - 0.6*v + if(t > 4.56, if(t < 4.6, 30, 0), 0)"
)toml";

double stated_for(const Trust& trust, const std::string& name) {
  const auto row = std::find_if(trust.rows.begin(), trust.rows.end(), [&](const auto& r) { return r.name == name; });
  return row == trust.rows.end() ? -1 : row->deviation;
}

void expect_largest_deviations(const char* text, const char* method, double rtol) {
  const auto problem = read_model("m.toml", text).problem;
  RunPlan plan = plan_with("dop853", 12, 1e-11);
  Times rows;
  for (int k = 1; k <= 24; ++k) rows.t.push_back(0.5 * k);
  plan.output = rows;
  const Solution exact = run_of(problem->clone(), plan);
  plan.method = method;
  plan.rtol = rtol;
  PreparedRun run = prepare(plan, problem->clone());
  const Solution s = run.run();
  ASSERT_TRUE(s.ok() && s.rows() == exact.rows());
  const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
  const auto names = problem->components();
  for (Index i = 0; i < s.y().rows(); ++i) {
    const double largest = (s.y().row(i) - exact.y().row(i)).cwiseAbs().maxCoeff();
    const std::string& name = names[static_cast<std::size_t>(i)].name;
    EXPECT_NEAR(stated_for(trust, name), largest, 0.02 * largest) << name << " with " << method;
  }
}

TEST(RowsBesideSwitches, ShowTheLargestDeviationOfMotions) {
  expect_largest_deviations(struck, "generalized_alpha", 1e-3);
  expect_largest_deviations(struck, "newmark", 1e-4);
}
TEST(RowsBesideSwitches, ShowTheLargestDeviationOfRates) { expect_largest_deviations(struck_by_rates, "dopri5", 1e-2); }
}  // namespace
}  // namespace trill::testing_models
