// SPDX-License-Identifier: BSD-3-Clause
// In chaotic motions errors grow exponentially, so a run is accepted as right up to the time at which they become
// visible. A pulse makes the error jump at once. This must not be mistaken for chaos.
#include "driver/check_compare.hpp"
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
Comparison errors_of(int rows, const std::function<double(double)>& error) {
  Comparison made;
  double worst = 0;
  for (int k = 0; k <= rows; ++k) {
    made.t.push_back(3 + 40.0 * k / rows);
    made.worst.push_back(worst = std::max(worst, error(40.0 * k / rows)));
    made.moved.push_back(1);
  }
  return made;
}

TEST(GrowthOfErrors, IsExponentialWhereItGoesOn) {
  for (const int rows : {30, 300, 3000}) {
    const auto time = folding_time(errors_of(rows, [](double t) { return 1e-12 * std::exp(t / 2); }));
    ASSERT_TRUE(time) << rows;
    EXPECT_NEAR(*time, 2, 0.2) << rows;
  }
}

TEST(GrowthOfErrors, GoesOnInBursts) {
  std::mt19937_64 random(7);
  for (int sample = 0; sample < 20; ++sample) {
    std::bernoulli_distribution burst(0.3);
    double level = std::log(1e-11), next = 0;
    const auto error = [&](double t) {
      for (; next <= t; next += 1) level += burst(random) ? 2 : 0;
      return std::exp(level);
    };
    EXPECT_TRUE(folding_time(errors_of(400, error))) << sample;
  }
}

TEST(GrowthOfErrors, IsNotWhatAPulseDoes) {
  for (const double at : {12., 19., 21., 27., 33., 38.})
    for (const double width : {1e-3, 0.1, 2.})
      for (const int rows : {30, 300, 3000}) {
        const auto error = [&](double t) { return 1e-13 * (1 + t) + 4e-3 * std::clamp((t - at) / width, 0., 1.); };
        EXPECT_FALSE(folding_time(errors_of(rows, error))) << at << " " << width << " " << rows;
      }
}

TEST(GrowthOfErrors, FollowsNoPowerLaw) {
  for (const int power : {1, 2, 3})
    EXPECT_FALSE(folding_time(errors_of(300, [&](double t) { return 1e-9 * std::pow(t, power); }))) << power;
}

TEST(GrowthOfErrors, IsNotThatOfTheMotionItself) {
  Comparison made = errors_of(300, [](double t) { return 1e-12 * std::exp(t / 2); });
  EXPECT_TRUE(folding_time(made));
  for (std::size_t k = 0; k < made.t.size(); ++k) made.moved[k] = 1e3 * made.worst[k];
  EXPECT_FALSE(folding_time(made));
}

// An oscillator at rest is hit by a pulse, and the rows may begin after the pulse. The error does not grow
// exponentially here, so the run must be red.
TEST(GrowthOfErrors, DoesNotExcuseARunBehindAPulse) {
  const struct {
    std::string force;
    double first_row;
  } cases[] = {{"5*max(0, 1 - abs(t - 49.1)/0.26)", 70}, {"0.1/cosh((t - 76.1)/0.4)", 0}};
  for (const auto& [force, first_row] : cases) {
    const std::string text = fmt::format(R"toml(
coordinates.x = {{ start = 0 }}
coordinates.y = {{ start = 0 }}
[[force]]
on = "x"
value = "-0.135*x + {}"
[[force]]
on = "y"
value = "-10*(y - x) - 0.1*vy"
)toml",
                                         force);
    for (const char* method : {"generalized_alpha", "newmark"}) {
      RunPlan plan = plan_with(method, 100, 1e-3);
      Times rows;
      for (int k = 0; k <= 30; ++k) rows.t.push_back(first_row + (100 - first_row) * k / 30);
      plan.output = rows;
      PreparedRun run = prepare(plan, read_model("m.toml", text).problem);
      const Solution s = run.run();
      ASSERT_TRUE(s.ok());
      const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
      EXPECT_EQ(trust.verdict, Verdict::red) << method << ", " << force << ": " << trust.headline;
      EXPECT_GT(trust.error, 0.05) << method << ", " << force;
    }
  }
}
}  // namespace
}  // namespace trill::testing_models
