// SPDX-License-Identifier: BSD-3-Clause
#include "report/energy_balance.hpp"
#include "trill/driver/plan.hpp"
#include "trill/report/report.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
struct BalancedRun {
  trill::Solution solution;
  std::unique_ptr<trill::Problem> problem;
  std::optional<trill::EnergyBalance> balance;
};

std::unique_ptr<BalancedRun> run_of(const std::string& text, double to) {
  auto run = std::make_unique<BalancedRun>();
  auto model = trill::read_model("work.toml", text);
  run->problem = model.problem->clone();
  trill::RunPlan plan;
  plan.model = "work";
  plan.method = "dop853";
  plan.rtol = 1e-9;
  plan.to = to;
  plan.output = trill::Grid{0.005};
  run->solution = trill::prepare(plan, std::move(model.problem)).run();
  run->balance = trill::energy_balance(*run->problem, run->solution.info, run->solution);
  return run;
}

// Work done, energy lost and balance at the last row, and the largest balance of all rows.
std::array<double, 4> last_of(const BalancedRun& run) {
  std::array<double, 4> found{};
  const std::size_t first = run.solution.info.quantities.size();
  run.balance->rows->visit([&](double, const double*, const double* measured) {
    std::copy_n(measured + first, 3, found.begin());
    found[3] = std::max(found[3], std::abs(measured[first + 2]));
  });
  return found;
}

// x'' = -2 d x' - w^2 x: what is lost is what is missing in the energy.
TEST(EnergyBalance, OfFrictionIsWhatIsMissing) {
  const auto run = run_of(
      "[coordinates]\nx = { start = 1, velocity = 0 }\n[[potential]]\nenergy = \"50*x^2\"\n[[force]]\non = "
      "\"x\"\nvalue = "
      "\"-0.4*vx\"\n",
      5);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  const double d = 0.2, w = std::sqrt(100 - d * d), x = std::exp(-d * 5) * (std::cos(5 * w) + d / w * std::sin(5 * w)),
               v = -100 / w * std::exp(-d * 5) * std::sin(5 * w);
  EXPECT_NEAR(given, 0, 1e-6);
  EXPECT_NEAR(lost, 50 - (50 * x * x + v * v / 2), 1e-5);
  EXPECT_LT(worst, 1e-5);
}

// A mass that is pulled by F(t) = cos t from rest: v = sin t, the work is v^2/2.
TEST(EnergyBalance, OfAnOuterForceIsItsWork) {
  const auto run =
      run_of("[coordinates]\nx = { start = 0, velocity = 0 }\n[[force]]\non = \"x\"\nvalue = \"cos(t)\"\n", 2);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  EXPECT_NEAR(given, std::pow(std::sin(2.0), 2) / 2, 1e-8);
  EXPECT_NEAR(lost, 0, 1e-12);
  EXPECT_LT(worst, 1e-8);
}

// A potential that moves does work too.
TEST(EnergyBalance, OfAMovingSpringIsBalanced) {
  const auto run =
      run_of("[coordinates]\nx = { start = 0, velocity = 0 }\n[[potential]]\nenergy = \"2*(x - sin(3*t))^2\"\n", 4);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  EXPECT_GT(std::abs(given), 0.1);
  EXPECT_NEAR(lost, 0, 1e-12);
  EXPECT_LT(worst, 1e-5);
}

TEST(EnergyBalance, IsNotShownWhereEnergyIsConserved) {
  EXPECT_FALSE(
      run_of("[coordinates]\nx = { start = 1, velocity = 0 }\n[[potential]]\nenergy = \"50*x^2\"\n", 5)->balance);
}

TEST(EnergyBalance, ReplacesTheDeviationInThePageAndInPictures) {
  const auto run =
      run_of("[coordinates]\nx = { start = 0, velocity = 0 }\n[[force]]\non = \"x\"\nvalue = \"cos(t)\"\n", 2);
  ASSERT_TRUE(run->balance);
  const trill::ReportRun shown{"", run->balance->info, run->solution.outcome, run->solution.trust, *run->balance->rows};
  std::vector<std::string> titles;
  for (const trill::Chart& chart : trill::charts_of(shown)) titles.push_back(chart.title);
  EXPECT_THAT(titles, testing::IsSupersetOf({"Energy and work", "Balance of energy and work"}));
  EXPECT_THAT(titles, testing::Not(testing::Contains("Energy, deviation from its start")));
  const std::string page = trill::report_json({"", "", "", {shown}, {}, {}});
  EXPECT_THAT(page, testing::HasSubstr("largest imbalance"));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("largest deviation of energy")));
}
}  // namespace
