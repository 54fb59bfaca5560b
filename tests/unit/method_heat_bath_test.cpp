// SPDX-License-Identifier: BSD-3-Clause
// The methods for Langevin dynamics other than langevin_splitting. Their stationary variances for the oscillator are
// tested in the figure pjy97_langevin_variances.
#include "support/mentions.hpp"
#include "support/text_models.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
const char* const others[] = {"aboba", "obabo", "bbk", "ln"};

std::string pendulum_file() { return TRILL_SOURCE_DIR "/tests/support/pendulum_in_bath.toml"; }

TEST(HeatBath, MethodsAreFoundByTheirUsualNames) {
  const Catalogue& all = Catalogue::all();
  EXPECT_EQ(&all.method("baoab"), &all.method("langevin_splitting"));
  EXPECT_EQ(&all.method("BAOAB"), &all.method("langevin_splitting"));
  EXPECT_EQ(&all.method("g-BAOAB"), &all.method("langevin_splitting"));
  for (const char* name : others) EXPECT_EQ(all.method(name).info.name, name);
}

// Without friction each of them is one of the two forms of Verlet's method.
TEST(HeatBath, WithoutFrictionTheyAreVerlet) {
  const std::string body = R"toml(
coordinates.x = { start = 1, velocity = 0.3, mass = 2 }
coordinates.y = { start = 0.2, velocity = -0.1 }
[[potential]]
energy = "x^2/2 + y^2 + x^2*y/5"
)toml";
  const TextModel plain = read_model("m.toml", body);
  const TextModel bath = read_model("m.toml", body + "[heat_bath]\nfriction = 0\ntemperature = 3\n");
  for (const auto& [name, form] : {std::pair("aboba", "position"), std::pair("ln", "position"),
                                   std::pair("obabo", "velocity"), std::pair("bbk", "velocity")}) {
    RunPlan verlet = plan_with("verlet", 5, 0.05);
    verlet.options["form"] = form;
    const Solution a = run_of(plain.problem->clone(), verlet);
    const Solution b = run_of(bath.problem->clone(), plan_with(name, 5, 0.05));
    expect_equal(a.y(), b.y(), name, 1e-12);
  }
}

// The slow force is constant during the inner steps. So with a fast force alone the result is that of ln with a
// smaller step.
TEST(HeatBath, InnerStepsOfLn) {
  const auto model = [](const std::string& slow) {
    return read_model("m.toml", R"toml(
coordinates.x = { start = 1, velocity = 0.3 }
heat_bath = { friction = 0.7, temperature = 0 }
[[potential]]
energy = "50*x^2"
group = "fast"
)toml" + slow);
  };
  RunPlan inner = plan_with("ln", 2, 0.04);
  inner.options["inner"] = "4";
  RunPlan fine = plan_with("ln", 2, 0.01);
  fine.output = EveryStep{4};
  const TextModel fast = model("");
  expect_equal(run_of(fast.problem->clone(), inner).y(), run_of(fast.problem->clone(), fine).y(), "fast", 1e-12);

  const TextModel both = model("[[potential]]\nenergy = \"x^4\"\ngroup = \"slow\"\n");
  RunPlan one = inner;
  one.to = 0.04;
  const Solution s = run_of(both.problem->clone(), one);
  double x = 1, v = 0.3;
  const double held = -4 * std::pow(x + 0.02 * v, 3);
  for (int k = 0; k < 4; ++k) {
    x += 0.005 * v;
    v = (v + 0.01 * (-100 * x + held)) / (1 + 0.007);
    x += 0.005 * v;
  }
  EXPECT_NEAR(last_of(s)[0], x, 1e-13);
  EXPECT_NEAR(last_of(s)[1], v, 1e-13);
}

// If the fast force is linear, linearising it changes nothing. Otherwise the difference grows with the square of the
// distance moved.
TEST(HeatBath, LinearisedForcesOfLn) {
  const auto end = [](const char* energy, const char* force, double h) {
    const TextModel model = read_model("m.toml", fmt::format(R"toml(
coordinates.x = {{ start = 1, velocity = 0.3 }}
heat_bath = {{ friction = 0.7, temperature = 0.5 }}
[[potential]]
energy = "{}"
group = "fast"
[[potential]]
energy = "x^2/10"
group = "slow"
)toml",
                                                             energy));
    RunPlan plan = plan_with("ln", 4 * h, h);
    plan.options = {{"inner", "4"}, {"fast", "fast"}, {"force", force}};
    return last_of(run_of(model.problem->clone(), plan));
  };
  EXPECT_LT((end("5*x^2", "linear", 0.04) - end("5*x^2", "direct", 0.04)).norm(), 1e-12);
  const double large = (end("x^4", "linear", 0.04) - end("x^4", "direct", 0.04)).norm();
  EXPECT_GT(large, 1e-9);
  EXPECT_LT(large, 1e-2);
}

TEST(HeatBath, ConstraintsAreKeptByAll) {
  for (const char* name : others) {
    RunPlan plan = plan_with(name, 50, 0.02);
    plan.native = Native::never;
    const Solution s = run_of(load_model(pendulum_file(), {}).problem, plan);
    ASSERT_TRUE(s.ok()) << name;
    EXPECT_LT(s.measured().row(s.quantity("constraint")).maxCoeff(), 1e-10) << name;
    EXPECT_LT(s.measured().row(s.quantity("constraint_velocity")).maxCoeff(), 1e-10) << name;
  }
}

// With small steps every method gives the mean cosine I1(x)/I0(x) of the angle, where x = m g l/kT.
TEST(HeatBath, PendulumHasItsDistributionByAll) {
  for (const char* name : others) {
    RunPlan plan = plan_with(name, 6000, 0.03);
    plan.native = Native::never;
    plan.output = EveryStep{20};
    const Solution s = run_of(load_model(pendulum_file(), {{"gamma", "1"}, {"kT", "1.5"}}).problem, plan);
    const double x = 2 * 1.7 * 1.3 / 1.5;
    const Vec cosine = s.measured().row(s.quantity("cosine"));
    EXPECT_NEAR(cosine.tail(cosine.size() * 9 / 10).mean(), std::cyl_bessel_i(1, x) / std::cyl_bessel_i(0, x), 0.02)
        << name;
  }
}

// With steps far longer than the period of the stiff spring the implicit equations are still solved, and the
// oscillation of the spring is damped out.
TEST(HeatBath, ImplicitEulerTakesLongSteps) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 1.5, velocity = 0 }
coordinates.y = { start = 0, velocity = 1 }
heat_bath = { friction = 1, temperature = 0.01 }
[[potential]]
energy = "1e6*(sqrt(x^2 + y^2) - 1)^2 + y"
)toml");
  const Solution s = run_of(model.problem->clone(), plan_with("langevin_euler", 100, 0.1));
  ASSERT_TRUE(s.ok());
  const Vec last = last_of(s);
  EXPECT_NEAR(std::hypot(last[0], last[1]), 1, 1e-5);
  EXPECT_LT(last[1], -0.9);
}

TEST(HeatBathErrors, ImplicitEulerRefusesConstraints) {
  const TextModel model = load_model(pendulum_file(), {});
  try {
    Catalogue::all().method("langevin_euler").make(*model.problem, {});
    FAIL() << "accepted";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("langevin_euler", "constraints", "langevin_splitting"));
  }
}

TEST(HeatBathErrors, LnNamesUnknownGroups) {
  const TextModel model = load_model(pendulum_file(), {});
  try {
    Catalogue::all().method("ln").make(*model.problem, {{"fast", "bondz"}});
    FAIL() << "accepted";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), mentions("ln", "bondz", "force group"));
  }
}
}  // namespace
}  // namespace trill::testing_models
