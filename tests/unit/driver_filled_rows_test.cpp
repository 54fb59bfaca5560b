// SPDX-License-Identifier: BSD-3-Clause
// Rows that are filled in between the rows of a run: curves are smooth, and the work done between rows is found.
#include "driver/filled_rows.hpp"
#include "report/energy_balance.hpp"
#include "support/text_models.hpp"

#include <cmath>

namespace trill {
namespace {
const char* const swing = "[coordinates]\nx = 1\n[[potential]]\nenergy = \"x^2/2\"\n";

struct Filled {
  Solution given;
  std::unique_ptr<RowSource> rows;
  std::unique_ptr<Problem> problem;
};

Filled filled(const char* text, RunPlan plan) {
  PreparedRun run = prepare(plan, read_model("m.toml", text).problem);
  Filled found;
  found.given = run.run();
  EXPECT_TRUE(found.given.ok());
  found.rows = filled_rows(run, found.given.info, found.given.outcome, found.given);
  found.problem = run.problem->clone();
  return found;
}

RunPlan plan_of(const char* method, double to) {
  RunPlan plan;
  plan.method = method;
  plan.rtol = 1e-7;
  plan.to = to;
  return plan;
}

// The largest difference between the first component and cos t.
double largest_error(const RowSource& rows) {
  double most = 0;
  rows.visit([&](double t, const double* y, const double*) { most = std::max(most, std::abs(y[0] - std::cos(t))); });
  return most;
}

// By how much straight lines between rows would differ from the curve.
double largest_sagitta(const Solution& s) {
  double most = 0;
  for (std::size_t i = 1; i < s.t.size(); ++i) {
    const double middle = 0.5 * (s.t[i - 1] + s.t[i]), line = 0.5 * (std::cos(s.t[i - 1]) + std::cos(s.t[i]));
    most = std::max(most, std::abs(line - std::cos(middle)));
  }
  return most;
}

TEST(FilledRows, LieOnTheCurveBetweenLongSteps) {
  for (const char* method : {"dop853", "radau", "dopri5"}) {
    const Filled found = filled(swing, plan_of(method, 30));
    ASSERT_TRUE(found.rows) << method;
    EXPECT_GT(found.rows->rows(), 2 * found.given.rows()) << method;
    EXPECT_LT(largest_error(*found.rows), 1e-4) << method;
    if (std::string_view(method) == "dop853") {
      EXPECT_GT(largest_sagitta(found.given), 0.02);
    }
  }
}

TEST(FilledRows, KeepTheRowsOfTheRunAndTheOrderOfTimes) {
  const Filled found = filled(swing, plan_of("dop853", 10));
  ASSERT_TRUE(found.rows);
  double before = -1;
  std::size_t next = 0;
  found.rows->visit([&](double t, const double* y, const double*) {
    EXPECT_GT(t, before);
    before = t;
    if (next < found.given.t.size() && t == found.given.t[next]) {
      EXPECT_EQ(y[0], found.given.y()(0, static_cast<Index>(next)));
      ++next;
    }
  });
  EXPECT_EQ(next, found.given.t.size());
}

// The interpolant conserves the energy less accurately than the steps do. This must not look like an error of the run.
TEST(FilledRows, DoNotShowAnErrorOfTheEnergyThatTheRunDoesNotHave) {
  const Filled found = filled(swing, plan_of("dop853", 30));
  double most = 0;
  const Index energy = found.given.quantity("energy");
  found.rows->visit([&](double, const double*, const double* measured) {
    most = std::max(most, std::abs(measured[energy] - found.given.measured()(energy, 0)));
  });
  EXPECT_LE(most, found.given.drift("energy") * (1 + 1e-9));
}

// A ball bounces on the floor. No filled row lies below the floor, although the velocity jumps there.
TEST(FilledRows, DoNotPassThroughEvents) {
  const Filled found = filled(
      "[coordinates]\ny = 1\n[[force]]\non = \"y\"\nvalue = -9.81\n[[event]]\nwhen = \"y\"\ndirection = -1\nthen = { "
      "vy "
      "= \"-0.9*vy\" }\n",
      plan_of("dop853", 2));
  ASSERT_TRUE(found.rows);
  found.rows->visit([&](double t, const double* y, const double*) { EXPECT_GT(y[0], -1e-6) << t; });
}

// Two masses on a soft and a stiff spring. Between its rows the curve of the slow motion is where a run with rows at
// these times has it.
TEST(FilledRows, LieOnTheSlowMotionOfAFormulation) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.method = "slow";
  plan.to = 10;
  PreparedRun run = prepare(plan);
  const Solution given = run.run();
  ASSERT_TRUE(given.ok());
  const auto rows = filled_rows(run, given.info, given.outcome, given);
  ASSERT_TRUE(rows);
  EXPECT_GT(rows->rows(), 10 * given.rows());
  plan.output = Grid{0.01};
  const Solution fine = prepare(plan).run();
  double most = 0, range = 0, largest_step = 0, before = 0;
  std::size_t next = 0;
  rows->visit([&](double t, const double* y, const double*) {
    while (next + 1 < fine.t.size() && fine.t[next + 1] <= t) ++next;
    if (next + 1 == fine.t.size()) return;
    const double share = (t - fine.t[next]) / (fine.t[next + 1] - fine.t[next]);
    const double a = fine.y()(0, static_cast<Index>(next)), b = fine.y()(0, static_cast<Index>(next) + 1);
    most = std::max(most, std::abs(y[0] - ((1 - share) * a + share * b)));
    range = std::max(range, std::abs(y[0]));
    if (t > 0) largest_step = std::max(largest_step, std::abs(y[0] - before));
    before = y[0];
  });
  EXPECT_LT(most, 1e-3 * range);
  EXPECT_LT(largest_step, 0.1 * range) << "no corners";
}

TEST(FilledRows, AreNotMadeWhereTimesWereAskedForOrRowsAreEnough) {
  RunPlan named = plan_of("dop853", 10);
  named.output = Times{{1, 2, 10}};
  EXPECT_FALSE(filled(swing, named).rows);
  RunPlan fine = plan_of("verlet", 30);
  fine.rtol.reset();
  fine.h = 0.01;
  EXPECT_FALSE(filled(swing, fine).rows);
}

// A damped and driven oscillator with ten rows per period. The energy balance holds between rows as well.
TEST(FilledRows, MakeTheBalanceOfEnergyHoldWithFewRows) {
  RunPlan plan = plan_of("dop853", 40);
  plan.output = Grid{0.2 * std::acos(-1.0)};
  const Filled found = filled(
      "[coordinates]\nx = 1\n[[potential]]\nenergy = \"x^2/2\"\n[[force]]\non = \"x\"\nvalue = \"3*cos(t) - 0.6*vx\"\n",
      plan);
  ASSERT_TRUE(found.rows);
  const auto off = [&](const RowSource& rows) {
    const auto balance = energy_balance(*found.problem, found.given.info, found.given.outcome, rows);
    EXPECT_TRUE(balance);
    const auto last = static_cast<Index>(balance->info.quantities.size()) - 1;
    double most = 0;
    balance->rows->visit([&](double, const double*, const double* q) { most = std::max(most, std::abs(q[last])); });
    return most;
  };
  EXPECT_GT(off(found.given), 1e-2);
  EXPECT_LT(off(*found.rows), 1e-4);
}
// One period of a sine with a jump in the middle, as rows at uneven times. Parabolas are closer to it than straight
// lines, and they do not reach across the jump.
TEST(FilledRows, OfAPeriodAreParabolasThatKeepJumps) {
  Solution period;
  period.info.layout = {1, 0, 0, 0};
  const double turn = 2 * std::acos(-1.0);
  const auto jump = [&](double t, bool after) { return t > turn / 2 || (t == turn / 2 && after) ? 5.0 : 0.0; };
  for (int k = 0; k <= 20; ++k) {
    const double t = turn * k / 20;
    period.append(t, Vec{{std::sin(t) + jump(t, false)}}, Vec());
    if (k == 10) period.append(t, Vec{{std::sin(t) + jump(t, true)}}, Vec());
  }
  const auto rows = filled_period(period.info, period);
  ASSERT_TRUE(rows);
  EXPECT_GT(rows->rows(), 20 * period.rows());
  double inside = 0, everywhere = 0;
  rows->visit([&](double t, const double* y, const double*) {
    const double off = std::abs(y[0] - std::sin(t) - (t > turn / 2 || (t == turn / 2 && y[0] > 2.5) ? 5 : 0));
    everywhere = std::max(everywhere, off);
    if (std::abs(t - turn / 4) < 0.2) inside = std::max(inside, off);
  });
  const double sagitta = turn * turn / 400 / 8;  // the error of a straight line at the top of the sine
  EXPECT_LT(inside, sagitta / 10);
  EXPECT_LT(everywhere, 2 * sagitta) << "a parabola reaches across the jump";
}
}  // namespace
}  // namespace trill
