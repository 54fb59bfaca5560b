// SPDX-License-Identifier: BSD-3-Clause
// Stroboscopic averaging on the weakly coupled oscillators of SAT09 eq. 12: errors and work, orders, refusals.
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "trill/driver/plan.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using testing::HasSubstr;

struct Asked {
  std::string model = "weakly_coupled";
  double omega = 1000;
  OptionSet options{{"macro", "rk4"}};
  double h = 0.25, to = 10;
  Output output = EveryStep{};
};

PreparedRun prepared(const Asked& asked) {
  RunPlan plan;
  plan.model = asked.model;
  plan.parameters["omega"] = fmt::format("{}", asked.omega);
  plan.method = "sam";
  plan.options = asked.options;
  plan.h = asked.h;
  plan.to = asked.to;
  plan.output = asked.output;
  plan.native = Native::never;
  return prepare(plan);
}

double position_error(const Solution& s, const Problem& problem) {
  Vec exact(problem.layout().size());
  double most = 0;
  for (Index k = 0; k < s.rows(); ++k) {
    EXPECT_TRUE(problem.exact(s.t[static_cast<std::size_t>(k)], exact));
    most = std::max(most, (s.y().col(k).head(2) - exact.head(2)).cwiseAbs().maxCoeff());
  }
  return most;
}

// A run to about t = 10 with macro-steps of a whole number of periods, as close to h as possible.
Asked stroboscopic(double omega, double h, int micro_steps, const std::string& order) {
  const double period = 2 * std::numbers::pi / omega, step = std::round(h / period) * period;
  Asked asked;
  asked.omega = omega;
  asked.h = step;
  asked.to = std::round(10 / h) * step;
  asked.options["steps"] = fmt::format("{}", micro_steps);
  asked.options["order"] = order;
  return asked;
}

struct Known {
  double omega, h;
  int micro_steps;
  double error;  // from an independent program, with two digits
  std::int64_t forces;
};
class SamErrors : public testing::TestWithParam<Known> {};

TEST_P(SamErrors, AreThoseOfAnIndependentProgram) {
  const Known& known = GetParam();
  PreparedRun run = prepared(stroboscopic(known.omega, known.h, known.micro_steps, "2"));
  const Solution s = run.run();
  ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  const double error = position_error(s, *run.problem);
  EXPECT_LT(error, 1.5 * known.error);
  EXPECT_GT(error, known.error / 1.5);
  EXPECT_LE(s.outcome.counters.most_forces(), known.forces) << "the first force of both directions is shared";
  EXPECT_GT(s.outcome.counters.most_forces(), 0.85 * static_cast<double>(known.forces));
  EXPECT_EQ(s.outcome.counters.forces[0], 0) << "fast forces are turns in closed form";
}
INSTANTIATE_TEST_SUITE_P(WeaklyCoupled, SamErrors,
                         testing::Values(Known{1e3, 0.25, 4, 2.2e-3, 1600}, Known{1e4, 0.25, 4, 1.1e-4, 1600},
                                         Known{1e5, 0.25, 4, 1.4e-4, 1600}, Known{1e4, 0.125, 8, 4.1e-5, 5760},
                                         Known{1e5, 0.125, 8, 5.1e-6, 5760}));

// At times that are not whole periods, the remaining part of a period is integrated from the last whole one.
TEST(Sam, GivesTheMotionAtAnyTime) {
  Asked asked;
  asked.options["steps"] = "64";
  asked.h = 0.05;
  asked.output = Grid{0.0333};
  PreparedRun run = prepared(asked);
  const Solution s = run.run();
  ASSERT_GT(s.rows(), 300);
  EXPECT_LT(position_error(s, *run.problem), 3e-5);
}

// With long periods and many micro-steps, only the error of the differences remains.
TEST(Sam, OrderOfTheDifferences) {
  const auto error = [](double omega, const std::string& order) {
    PreparedRun run = prepared(stroboscopic(omega, 0.0625, 512, order));
    return position_error(run.run(), *run.problem);
  };
  const double second = error(100, "2");
  EXPECT_NEAR(std::log2(second / error(200, "2")), 2, 0.1);
  EXPECT_LT(error(100, "4"), second / 50);
}

// With differences of order 4 and 100 periods per macro-step, only the error of the micro-steps remains.
TEST(Sam, OrderOfTheMicroSteps) {
  const auto error = [](int steps, const std::string& micro) {
    Asked asked = stroboscopic(1000, 0.02, steps, "4");
    asked.options["micro"] = micro;
    PreparedRun run = prepared(asked);
    return position_error(run.run(), *run.problem);
  };
  EXPECT_NEAR(std::log2(error(8, "2") / error(16, "2")), 2, 0.1);
  EXPECT_NEAR(std::log2(error(8, "4") / error(16, "4")), 4, 0.2);
  EXPECT_LT(error(8, "4"), error(16, "2") / 10);
}

TEST(Sam, EstimatesItsError) {
  for (const double omega : {300.0, 1000.0, 5000.0}) {
    PreparedRun run = prepared(stroboscopic(omega, 0.05, 4, "2"));
    const Solution s = run.run();
    const double error = position_error(s, *run.problem), estimate = run.reformulation->model_error();
    EXPECT_GT(estimate, error / 2) << omega;
    EXPECT_LT(estimate, 20 * error) << omega;
  }
}

// No other combination of orders and micro-steps with as small an estimated error takes much less work than the chosen
// one.
TEST(Sam, ChoosesTheCheapestWay) {
  const auto run_with = [](const std::string& model, double omega, double rtol, const OptionSet& options) {
    RunPlan plan;
    plan.model = model;
    plan.parameters["omega"] = fmt::format("{}", omega);
    plan.method = "sam";
    plan.native = Native::never;
    plan.rtol = rtol;
    plan.options = options;
    return prepare(plan);
  };
  struct Asked {
    std::string model;
    double omega, rtol;
  };
  for (const auto& [model, omega, rtol] :
       {Asked{"weakly_coupled", 1000, 1e-4}, Asked{"weakly_coupled", 3000, 1e-3}, Asked{"weakly_coupled", 8000, 1e-5},
        Asked{"weakly_coupled_quartic", 700, 1e-4}}) {
    PreparedRun chosen = run_with(model, omega, rtol, {});
    const auto forces = chosen.run().outcome.counters.most_forces();
    const double error = chosen.reformulation->model_error();
    EXPECT_LT(error, rtol) << model << " " << omega;
    for (const char* order : {"2", "4"})
      for (const char* micro : {"2", "4"})
        for (const int steps : {4, 6, 8, 12, 16, 24, 32, 48}) {
          PreparedRun other =
              run_with(model, omega, rtol, {{"order", order}, {"micro", micro}, {"steps", fmt::format("{}", steps)}});
          const auto others = other.run().outcome.counters.most_forces();
          if (other.reformulation->model_error() <= 1.05 * error) {
            EXPECT_LT(static_cast<double>(forces), 1.25 * static_cast<double>(others))
                << model << " " << omega << ": order " << order << ", " << steps << " micro-steps of order " << micro;
          }
        }
  }
}

TEST(Sam, ChoosesMicroStepsByTheTolerance) {
  RunPlan plan;
  plan.model = "weakly_coupled";
  plan.method = "sam";
  plan.native = Native::never;
  double last = 1;
  for (const double rtol : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    plan.rtol = rtol;
    PreparedRun run = prepare(plan);
    const Solution s = run.run();
    ASSERT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
    const double error = position_error(s, *run.problem);
    EXPECT_LT(error, 5 * rtol);
    EXPECT_LT(error, last);
    last = error;
  }
}

std::unique_ptr<Problem> model(const std::string& text) { return read_model("m.toml", text).problem; }

Solution solve(std::unique_ptr<Problem> problem, OptionSet options = {}, const std::string& method = "sam",
               double rtol = 1e-4, double to = 5) {
  RunPlan plan;
  plan.model = "test";
  plan.method = method;
  plan.options = std::move(options);
  plan.rtol = rtol;
  plan.to = to;
  plan.output = Grid{0.5};
  plan.native = Native::never;
  return prepare(plan, std::move(problem)).run();
}

double largest_difference(const Solution& a, const Solution& b) {
  const Index n = a.y().rows() / 2;
  return (a.y().topRows(n) - b.y().topRows(n)).cwiseAbs().maxCoeff();
}

const std::string oscillators = R"model([parameters]
w = 400
[coordinates]
a = { start = 1 }
b = { start = 0.3, velocity = 100 }
c = { start = 0.5, velocity = 0.2 }
[[potential]]
energy = "w^2/2*(a^2 + b^2)"
group = "fast"
)model";
const std::string slow = R"model([[potential]]
energy = "w/2*(a - b)^2*(1 + 0.3*sin(t)) + c^2/2"
group = "coupling"
)model";

// Some coordinates have no fast force, and slow forces depend on time and velocity.
TEST(Sam, FollowsSlowForcesOfAllKinds) {
  const std::string drag = R"model([[force]]
on = "a"
value = "-0.2*va - 0.1*va^3/w^2"
group = "coupling"
[[force]]
on = "c"
value = "-0.1*vc"
group = "coupling"
)model";
  const Solution sam = solve(model(oscillators + slow + drag), {{"steps", "32"}});
  ASSERT_EQ(sam.outcome.status, RunStatus::reached_end) << sam.outcome.message;
  const Solution direct = solve(model(oscillators + slow + drag), {}, "dop853", 1e-10);
  EXPECT_LT(largest_difference(sam, direct), 1e-3);
}

// Springs with a rest length, and a mass matrix. The second frequency is twice the first.
TEST(Sam, FollowsCommensurateFrequenciesAboutAnotherPlace) {
  const std::string text = R"model([parameters]
w = 500
[coordinates]
a = { start = 2.5, mass = 2 }
b = { start = -0.5, mass = 0.5 }
[[potential]]
energy = "w^2*(a - 2)^2 + w^2*(b + 1)^2"
group = "fast"
[[potential]]
energy = "w*(a - 2)^2*(b + 1)"
group = "coupling"
)model";
  const Solution sam = solve(model(text), {{"steps", "64"}});
  ASSERT_EQ(sam.outcome.status, RunStatus::reached_end) << sam.outcome.message;
  EXPECT_LT(largest_difference(sam, solve(model(text), {}, "dop853", 1e-10)), 1e-3);
}

// Random masses and stiffnesses, chosen such that all frequencies are equal or some are three times as large, with
// random couplings of third and fourth degree.
TEST(Sam, FollowsRandomOscillators) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> between(-1, 1);
  for (int system = 0; system < 6; ++system) {
    const int n = 2 + system % 3;
    std::string coordinates = "[coordinates]\n", fast = "0", coupling = "0";
    for (int i = 0; i < n; ++i) {
      const double mass = 1 + 0.5 * between(random), times = system >= 3 && i == 0 ? 9 : 1;
      coordinates += fmt::format("q{} = {{ start = {}, velocity = {}, mass = {} }}\n", i, between(random),
                                 300 * between(random), mass);
      fast += fmt::format(" + {}*300^2/2*q{}^2", mass * times, i);
      for (int j = 0; j < i; ++j)
        coupling += fmt::format(" + 300*({}*q{}*q{} + {}*q{}^2*q{} + {}*(q{} - q{})^4)", between(random), i, j,
                                between(random), i, j, 0.2 * between(random), i, j);
    }
    const std::string text = coordinates + "[[potential]]\nenergy = \"" + fast + "\"\ngroup = \"fast\"\n" +
                             "[[potential]]\nenergy = \"" + coupling + "\"\ngroup = \"coupling\"\n";
    const Solution sam = solve(model(text), {}, "sam", 1e-4, 2);
    ASSERT_EQ(sam.outcome.status, RunStatus::reached_end) << sam.outcome.message << text;
    EXPECT_LT(largest_difference(sam, solve(model(text), {}, "dop853", 1e-10, 2)), 1e-2) << text;
  }
}

// Independent copies of one system, with more unknowns than a dense eigenvalue problem is solved for.
TEST(Sam, TakesManyUnknownsInSmallBlocks) {
  const auto pairs = [](int copies) {
    return fmt::format(R"model([sets]
copy = "{}"
[coordinates]
a = {{ over = "copy", start = 0.8, velocity = 100, mass = 2 }}
b = {{ over = "copy", start = -0.3, velocity = 200 }}
[[potential]]
over = "copy"
energy = "400^2/2*(2*a[copy]^2 + b[copy]^2)"
group = "fast"
[[potential]]
over = "copy"
energy = "400*(a[copy]*b[copy] + 0.4*a[copy]^2*b[copy]^2)"
group = "coupling"
)model",
                       copies);
  };
  const Solution many = solve(model(pairs(600)), {}, "sam", 1e-4, 1), one = solve(model(pairs(1)), {}, "sam", 1e-4, 1);
  ASSERT_EQ(many.outcome.status, RunStatus::reached_end) << many.outcome.message;
  EXPECT_EQ(many.outcome.counters.most_forces(), one.outcome.counters.most_forces());
  const Vec all = many.y().col(many.rows() - 1), expected = one.y().col(one.rows() - 1);
  for (const Index i : {0, 1, 299, 599})
    for (const Index part : {0, 1, 2, 3})
      EXPECT_NEAR(all[600 * part + i], expected[part], 1e-9 * (1 + std::abs(expected[part]))) << i << ' ' << part;
}

std::string refusal(const std::string& text, OptionSet options = {}) {
  try {
    solve(model(text), std::move(options));
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Sam, RefusesManyUnknownsThatHangTogether) {
  const std::string chain = R"model([sets]
mass = "1100"
link = "1099"
[coordinates]
a = { over = "mass", start = "sin(mass)" }
[[potential]]
over = "link"
energy = "400^2/2*(a[link + 1] - a[link])^2"
group = "fast"
)model";
  EXPECT_THAT(refusal(chain), mentions("1000", "8", "1100"));
}

TEST(Sam, RefusesWhatHasNoCommonPeriod) {
  const std::string text = R"model([coordinates]
a = { start = 1 }
b = { start = 1 }
[[potential]]
energy = "500^2/2*a^2 + 707.1^2/2*b^2"
group = "fast"
)model";
  EXPECT_THAT(refusal(text), mentions("500, 707.1", "common period", "8 turns"));
}

TEST(Sam, RefusesAFastForceThatIsNotLinear) {
  EXPECT_THAT(refusal("[coordinates]\na = 1\n[[potential]]\nenergy = \"500^2/2*a^2 + 1000*a^4\"\n"),
              mentions("sam", "linear", "'m'"));
  EXPECT_THAT(refusal("[coordinates]\na = 1\n[[potential]]\nenergy = \"(500 + t)^2/2*a^2\"\n"),
              mentions("sam", "linear", "'m'"));
}

TEST(Sam, RefusesAWrongPeriod) {
  EXPECT_THAT(refusal(oscillators + slow, {{"period", "0.0159"}}), mentions("0.0159", "turns", "0.0768"));
  EXPECT_EQ(refusal(oscillators + slow, {{"period", "0.015708"}}), "");
}

TEST(Sam, RefusesWhereNothingIsSlow) {
  const std::string strong = R"model([[potential]]
energy = "w^2/4*(a - b)^2"
group = "coupling"
)model";
  EXPECT_THAT(refusal(oscillators + strong), mentions("fast period", "0.3"));
  const std::string driven = R"model([[potential]]
energy = "-w*cos(w*t)*a"
group = "drive"
)model";
  EXPECT_THAT(refusal(oscillators + driven), mentions("slow forces", "in time"));
}

TEST(Sam, RefusesEventsAndConstraints) {
  EXPECT_THAT(refusal(oscillators + "[[event]]\nname = \"zero\"\nwhen = \"a\"\nstop = true\n"),
              mentions("events", "'m'"));
  EXPECT_THAT(refusal(oscillators + "[[constraint]]\nequation = \"a - 1\"\n"), mentions("hard constraints", "'m'"));
}

TEST(Sam, AllocatesNothingOnTheWay) {
  PreparedRun run = prepared({});
  const auto& inner = run.reformulation->inner().as<FirstOrderProblem>("test");
  Vec y = inner.initial_state().y, dy(y.size());
  inner.rhs(0, y, dy);
  y[0] += 0.1;
  const AllocationGuard guard;
  inner.rhs(0, y, dy);
  EXPECT_EQ(guard.count(), 0u);
}

TEST(Sam, KeepsItsChoicesInACheckpoint) {
  PreparedRun whole = prepared({});
  whole.run();
  Archive archive;
  whole.reformulation->memory(archive);
  PreparedRun again = prepared({});
  const auto choices = [](const PreparedRun& run) {
    return run.reformulation->summary().substr(0, run.reformulation->summary().find("; estimated"));
  };
  EXPECT_NE(choices(again), choices(whole));
  Archive stored(archive.bytes());
  again.reformulation->memory(stored);
  EXPECT_EQ(choices(again), choices(whole));
}
}  // namespace
}  // namespace trill
