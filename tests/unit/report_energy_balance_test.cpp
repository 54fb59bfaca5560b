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

std::unique_ptr<BalancedRun> run_of(const std::string& text, double to, bool every_step = false) {
  auto run = std::make_unique<BalancedRun>();
  auto model = trill::read_model("work.toml", text);
  run->problem = model.problem->clone();
  trill::RunPlan plan;
  plan.model = "work";
  plan.method = "dop853";
  plan.rtol = 1e-9;
  plan.to = to;
  if (every_step)
    plan.h_max = 0.01;
  else
    plan.output = trill::Grid{0.005};
  run->solution = trill::prepare(plan, std::move(model.problem)).run();
  run->balance = trill::energy_balance(*run->problem, run->solution.info, run->solution.outcome, run->solution);
  return run;
}

// The work done, the energy lost and the balance in the last row, and the largest balance of all rows.
std::array<double, 4> last_of(const BalancedRun& run) {
  std::array<double, 4> found{};
  const std::size_t first = run.solution.info.quantities.size();
  run.balance->rows->visit([&](double, const double*, const double* measured) {
    std::copy_n(measured + first, 3, found.begin());
    found[3] = std::max(found[3], std::abs(measured[first + 2]));
  });
  return found;
}

// For x'' = -2 d x' - w^2 x the loss by friction is the decrease of the energy.
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

// A mass is pulled from rest by F(t) = cos t. Then v = sin t, and the work is v^2/2.
TEST(EnergyBalance, OfAnOuterForceIsItsWork) {
  const auto run =
      run_of("[coordinates]\nx = { start = 0, velocity = 0 }\n[[force]]\non = \"x\"\nvalue = \"cos(t)\"\n", 2);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  EXPECT_NEAR(given, std::pow(std::sin(2.0), 2) / 2, 1e-8);
  EXPECT_NEAR(lost, 0, 1e-12);
  EXPECT_LT(worst, 1e-8);
}

// A potential that depends on time does work too.
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

// A ball falls from 1 m and keeps 0.64 of its energy at each of two impacts. The losses have a closed form.
TEST(EnergyBalance, OfImpactsIsWhatTheyTake) {
  const auto run = run_of(
      "[coordinates]\ny = { start = 1, velocity = 0 }\n[[potential]]\nenergy = \"9.81*y\"\n[[event]]\nname = "
      "\"bounce\"\nwhen = \"y\"\ndirection = -1\nthen = { vy = \"-0.8*vy\" }\n",
      1.3, true);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  EXPECT_NEAR(given, 0, 1e-6);
  EXPECT_NEAR(lost, 9.81 * (1 - 0.64 * 0.64), 1e-6);
  EXPECT_LT(worst, 1e-6);
}

// The same until the ball comes to rest on the floor. This is the last event, which has only a single row.
TEST(EnergyBalance, OfImpactsUntilTheMotionComesToRest) {
  const auto run = run_of(
      "[coordinates]\ny = { start = 1, velocity = 0 }\n[[potential]]\nenergy = \"9.81*y\"\n[[event]]\nname = "
      "\"bounce\"\nwhen = \"y\"\ndirection = -1\nthen = { vy = \"-0.5*vy\" }\n",
      5, true);
  ASSERT_EQ(run->solution.outcome.status, trill::RunStatus::event);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  EXPECT_NEAR(given, 0, 1e-6);
  EXPECT_NEAR(lost, 9.81, 1e-3);
  EXPECT_LT(worst, 1e-3);
}

// An event sets a parameter and so ends the force. x = t^2 until t = 1, hence the work is 2 times 1.
TEST(EnergyBalance, KnowsWhatEventsChangeInTheModel) {
  const auto run = run_of(
      "[parameters]\nf = 2\n[coordinates]\nx = { start = 0, velocity = 0 }\n[[force]]\non = \"x\"\nvalue = "
      "\"f\"\n[[event]]\nname = \"off\"\nwhen = \"t - 1\"\nthen = { f = 0 }\n",
      2, true);
  ASSERT_TRUE(run->balance);
  const auto [given, lost, balance, worst] = last_of(*run);
  EXPECT_NEAR(given, 2, 1e-6);
  EXPECT_NEAR(lost, 0, 1e-6);
  EXPECT_LT(worst, 1e-6);
}

// If the rows just before and after an impact are not recorded, there is no balance.
TEST(EnergyBalance, IsNotGuessedWhereRowsOfEventsAreMissing) {
  auto run = run_of(
      "[coordinates]\nx = { start = 1, velocity = 0 }\n[[potential]]\nenergy = \"50*x^2\"\n[[force]]\non "
      "= \"x\"\nvalue = \"-0.4*vx\"\n[[event]]\nname = \"kick\"\nwhen = \"t - 1\"\nthen = { vx = 1 }\n",
      2, true);
  ASSERT_TRUE(run->balance);
  run->solution.outcome.events.front().t = 1.0001;
  EXPECT_FALSE(trill::energy_balance(*run->problem, run->solution.info, run->solution.outcome, run->solution));
}

// Dry friction in a pin depends on the force in it. The loss is still the decrease of the energy.
TEST(EnergyBalance, CountsFrictionThatDependsOnForcesOfJoints) {
  trill::RunPlan plan;
  plan.model = "friction_pendulum";
  plan.to = 2;
  plan.rtol = 1e-8;
  trill::PreparedRun prepared = trill::prepare(plan);
  const trill::Solution solution = prepared.run();
  const auto balance = trill::energy_balance(*prepared.problem, solution.info, solution.outcome, solution);
  ASSERT_TRUE(balance);
  const std::size_t first = solution.info.quantities.size();
  double lost = 0, worst = 0, energy = 0;
  balance->rows->visit([&](double, const double*, const double* q) {
    energy = q[0];
    lost = q[first + 1];
    worst = std::max(worst, std::abs(q[first + 2]));
  });
  EXPECT_GT(lost, 0.5);
  EXPECT_NEAR(lost, -energy, 2e-3);  // it starts from rest, with the energy 0
  EXPECT_LT(worst, 2e-3);
}
}  // namespace
