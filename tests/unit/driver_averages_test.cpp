// SPDX-License-Identifier: BSD-3-Clause
// Averages with their random errors, distributions, and the temperature of positions.
#include "driver/averages.hpp"
#include "driver/configurational_temperature.hpp"
#include "driver/measure_rows.hpp"
#include "problem/known_law.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/base/random.hpp"
#include "trill/driver/trust.hpp"
#include "trill/problem/langevin.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill::testing_models {
namespace {
// A random sequence x_{n+1} = a x_n + sqrt(1 - a^2) r. It has variance 1 and correlation a^k, so the variance of its
// mean is (1+a)/(1-a)/N.
std::vector<double> correlated(double a, std::size_t count, std::uint64_t seed) {
  std::vector<double> x(count);
  double value = random_normal({seed, 1, 0}, 0);
  for (std::size_t k = 0; k < count; ++k) {
    x[k] = value;
    value = a * value + std::sqrt(1 - a * a) * random_normal({seed, 0, k}, 0);
  }
  return x;
}

TEST(Averages, ErrorOfACorrelatedSignal) {
  for (const double a : {0.0, 0.9, 0.99}) {
    constexpr std::size_t count = 1 << 17;
    double squares = 0, error = 0, correlation = 0;
    constexpr int runs = 12;
    for (int seed = 0; seed < runs; ++seed) {
      const Average found = average_of(correlated(a, count, static_cast<std::uint64_t>(seed + 7)), 0.5);
      squares += found.mean * found.mean / runs;
      error += found.error / runs;
      EXPECT_TRUE(found.is_settled);
      EXPECT_NEAR(found.deviation, 1, 0.15);
      EXPECT_NEAR(found.independent, 0.25 * count / found.correlation, 1e-6 * count);
      correlation += found.correlation / runs;
    }
    const double exact = std::sqrt((1 + a) / (1 - a) / count);
    EXPECT_NEAR(error / exact, 1, 0.1) << a;
    EXPECT_NEAR(correlation / (0.25 * (1 + a) / (1 - a)), 1, 0.2) << a;
    EXPECT_NEAR(std::sqrt(squares) / exact, 1, 0.6) << a;  // the root mean square of only twelve values
  }
}

// In a heat bath the exact distribution of a measure can be given in the model file. Mistakes in it are reported.
TEST(KnownLaws, AreReadFromTheModel) {
  const auto problem = make_model("butane", {{"strength", "0.5"}}).problem;
  const auto& known = dynamic_cast<const KnownLaw&>(*problem);
  const std::vector<Quantity> names = problem->quantities();
  const auto place = std::find_if(names.begin(), names.end(), [](const Quantity& q) { return q.name == "phi"; });
  const Index phi = place - names.begin();
  ASSERT_TRUE(known.law_range(phi));
  EXPECT_DOUBLE_EQ(known.law_range(phi)->high, std::numbers::pi);
  const auto energy = [](double x) {
    return 0.70552 * (1 + std::cos(x)) - 0.13551 * (1 - std::cos(2 * x)) + 1.57251 * (1 + std::cos(3 * x));
  };
  for (const double x : {-2.0, 0.4, 3.0})
    EXPECT_NEAR(known.law(phi, x), std::exp(-0.5 * energy(x) / 0.59616201), 1e-12);
  EXPECT_FALSE(known.law_range(0));
  const std::string head =
      "coordinates.x = 1\n[[potential]]\nenergy = \"x^2\"\n[heat_bath]\nfriction = 1\ntemperature = "
      "1\n[[measure]]\nname = \"u\"\nvalue = \"x\"\n";
  EXPECT_EQ(complaint(head + "law = \"exp(-u^2)\"\nrange = [-3, 3]\n"), "no error");
  EXPECT_THAT(complaint(head + "law = \"exp(-u^2)\"\n"), mentions("m.toml", "range"));
  EXPECT_THAT(complaint(head + "law = \"exp(-x^2)\"\nrange = [-3, 3]\n"), mentions("m.toml", "law"));
  EXPECT_THAT(complaint(head + "law = \"exp(-w^2)\"\nrange = [-3, 3]\n"), mentions("m.toml", "w"));
  EXPECT_THAT(complaint(head + "law = \"exp(-u^2)\"\nrange = [3, -3]\n"), mentions("m.toml", "ascend"));
}

// The rows of a run are k = 0, 1, ... with the values k and -k.
TEST(Averages, LongRunsAreThinnedOutEvenly) {
  for (const Index steps : {15, 16, 17, 100, 1000}) {
    MeasureRows rows(2, 8);
    for (Index k = 0; k < steps; ++k) {
      const auto t = static_cast<double>(k);
      const Vec values{{t, -t}};
      rows.row(t, values, values);
    }
    EXPECT_GT(rows.rows(), std::min<Index>(steps - 1, 7));
    EXPECT_LE(rows.rows(), 16);
    const double stride = std::ceil(static_cast<double>(steps) / 16);
    double expected = 0, found_stride = 0;
    rows.visit([&](double t, const double*, const double* values) {
      if (expected == 0 && t > 0) found_stride = expected = t;
      EXPECT_EQ(t, expected);
      EXPECT_EQ(values[0], t);
      EXPECT_EQ(values[1], -t);
      expected += found_stride;
    });
    EXPECT_GE(found_stride, stride);
    EXPECT_LT(found_stride, 2 * stride);
    EXPECT_GT(expected, static_cast<double>(steps - 1));
  }
}

TEST(Averages, AShortRunIsNotSettled) {
  EXPECT_FALSE(average_of(correlated(0.999, 2000, 3), 1).is_settled);
  EXPECT_TRUE(average_of(std::vector<double>(500, 2.5), 1).is_settled);
  EXPECT_FALSE(changes_slowly(average_of(correlated(0.999, 2000, 3), 1)));
  EXPECT_EQ(average_of(std::vector<double>(500, 2.5), 1).error, 0);
}

// A fast oscillation with a varying amplitude, like that of a bond, on top of a slow change of small amplitude. Means
// over short blocks show neither of them. The error of the overall mean is that of the slow part alone: its standard
// deviation times sqrt((1+a)/(1-a)/N).
std::vector<double> oscillation_on_a_slow_change(double a, std::size_t count, std::uint64_t seed) {
  const std::vector<double> strength = correlated(0.98, count, 2 * seed), slow = correlated(a, count, 2 * seed + 1);
  std::vector<double> x(count);
  for (std::size_t k = 0; k < count; ++k)
    x[k] = 3 * std::cos(0.9 * static_cast<double>(k) + 0.7) * (1 + 0.1 * strength[k]) + 0.5 * slow[k];
  return x;
}

TEST(Averages, ASlowChangeBelowAFastOscillationCounts) {
  constexpr int runs = 16;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed)
    squares += std::pow(average_of(oscillation_on_a_slow_change(0.995, 1 << 16, seed + 11), 1).error, 2) / runs;
  const double exact = 0.5 * std::sqrt(1.995 / 0.005 / (1 << 16));
  EXPECT_NEAR(std::sqrt(squares) / exact, 1, 0.15);
  // 4000 values, of which 1000 at a time are correlated: too few to know the error.
  int settled = 0, slow = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const Average found = average_of(oscillation_on_a_slow_change(0.998, 4000, seed + 11), 1);
    settled += found.is_settled;
    slow += changes_slowly(found);
  }
  EXPECT_LE(settled, runs / 2);
  EXPECT_GE(slow, runs / 4) << "many independent values, and yet too few long blocks";
}

TEST(Averages, DistributionOfANormalSignal) {
  const std::vector<double> x = correlated(0.5, 200000, 5);
  const Distribution d = distribution_of(x, average_of(x, 1), {-5, 5});
  ASSERT_EQ(d.density.size(), 40u);
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < d.density.size(); ++k) {
    const auto below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
    const double left = d.from + static_cast<double>(k) * d.width;
    const double exact = (below(left + d.width) - below(left)) / d.width;
    EXPECT_NEAR(d.density[k], exact, 6 * d.error[k] + 1e-4);
    sum += d.density[k] * d.width;
    if (d.error[k] > 0) squares += std::pow((d.density[k] - exact) / d.error[k], 2) / 40;
  }
  EXPECT_NEAR(sum, 1, 1e-4);
  EXPECT_GT(squares, 0.3);  // the errors are neither too large
  EXPECT_LT(squares, 3);    // nor too small
  EXPECT_TRUE(distribution_of(std::vector<double>{0, 1, 0, 1, 1, 0}, {}, {0, 1}).density.empty());
}

// One step of an impulse method on two springs: half a kick by the slow spring, then the exact motion under the fast
// one. The places in the step move by the golden ratio with each step.
TEST(Averages, MeasuresAreMeansOverInnerSteps) {
  const char* const springs = R"toml(
coordinates.x = { start = 1, velocity = 0.3 }
[[potential]]
energy = "x^2/2"
group = "fast"
[[potential]]
energy = "0.05*x^2"
group = "slow"
[[measure]]
name = "square"
value = "x^2"
)toml";
  RunPlan plan = plan_with("respa", 1.2, 1.2);
  plan.options = {{"levels", "slow,fast/64"}};
  plan.want = Want::statistics;
  const Solution s = run_of(read_model("m.toml", springs).problem, plan);
  double mean = 0;
  for (int k = 0; k < 8; ++k) {
    const double t = 1.2 * (k + std::numbers::phi - 1) / 8, x = std::cos(t) + (0.3 - 0.6 * 0.1) * std::sin(t);
    mean += x * x / 8;
  }
  EXPECT_NEAR(s.measured()(s.quantity("square"), 1), mean, 2e-4);
  plan.want = Want::full;
  const Solution plain = run_of(read_model("m.toml", springs).problem, plan);
  EXPECT_EQ(plain.measured()(plain.quantity("square"), 1), last_of(plain)[0] * last_of(plain)[0]);
  EXPECT_EQ(last_of(plain), last_of(s));
}

// For an oscillator |grad U|^2 = k^2 x^2/m and the Laplacian of U is k/m. Both numbers are exact, also for a pendulum.
TEST(ConfigurationalTemperatures, HaveTheClosedForm) {
  const TextModel model = read_model("m.toml", R"toml(
coordinates.x = { start = 0.7, mass = 4 }
[[potential]]
energy = "9*x^2/2"
[heat_bath]
friction = 1
temperature = 1
)toml");
  ConfigurationalTemperature temperature(model.problem->as<LangevinProblem>("test").mechanics());
  double curvature = 0;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    const auto sample = temperature.at(0, Vec::Constant(1, 0.7), k);
    ASSERT_TRUE(sample);
    EXPECT_NEAR(sample->slope, 81 * 0.49 / 4, 1e-9);
    curvature += sample->curvature / 4000;
  }
  EXPECT_NEAR(curvature, 9.0 / 4, 0.2);  // the mean of the squares of normally distributed numbers

  // A pendulum: U = m g l (1 - cos a), gradient m g l sin(a)/(sqrt(m) l), Laplacian m g l cos(a)/(m l^2).
  const TextModel pendulum = load_model(TRILL_SOURCE_DIR "/tests/support/pendulum_in_bath.toml", {});
  const MechanicalProblem& p = pendulum.problem->as<LangevinProblem>("test").mechanics();
  ConfigurationalTemperature on_circle(p);
  const State s = p.initial_state();
  double slope = 0;
  curvature = 0;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    const auto sample = on_circle.at(0, s.q(), k);
    ASSERT_TRUE(sample);
    slope = sample->slope;
    curvature += sample->curvature / 4000;
  }
  const double l = s.q().norm(), m = 2, g = 1.7, cosine = -s.q()[1] / l;
  EXPECT_NEAR(slope, m * g * g * (1 - cosine * cosine), 1e-9);
  EXPECT_NEAR(curvature, g / l * cosine, 0.1 * g / l);
}
}  // namespace
}  // namespace trill::testing_models
