// SPDX-License-Identifier: BSD-3-Clause
// Tests whether invariants are conserved in long runs.
#include "support/method_cases.hpp"
#include "trill/driver/plan.hpp"

namespace trill::test {
namespace {
Solution run(const MethodCase& c, const std::string& model, const OptionSet& parameters, double h, double to,
             double dt) {
  RunPlan p;
  p.model = model;
  p.parameters = parameters;
  p.method = c.info.name;
  p.options = c.options;
  p.h = h;
  p.to = to;
  p.output = Grid{dt};
  return prepare(p).run();
}

double largest_deviation(const Solution& s, const char* quantity, double from, double to) {
  const auto row = s.measured().row(s.quantity(quantity));
  double largest = 0;
  for (Index i = 0; i < s.rows(); ++i)
    if (const double t = s.t[static_cast<std::size_t>(i)]; t >= from && t <= to)
      largest = std::max(largest, std::abs(row[i] - row[0]));
  return largest;
}

class Symplectic : public testing::TestWithParam<MethodCase> {};

// The energy error of a symplectic method oscillates, and its range does not grow.
TEST_P(Symplectic, EnergyBandDoesNotGrow) {
  if (!GetParam().info.accepts.mechanical) GTEST_SKIP() << "see the constrained test";
  const double h = GetParam().info.order >= 6 ? 0.1 : 0.05;
  const Solution s = run(GetParam(), "kepler", {{"e", "0.3"}}, h, 2000, 0.5);
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  const double early = largest_deviation(s, "energy", 0, 200), late = largest_deviation(s, "energy", 1800, 2000);
  // An implicit step is solved up to rounding errors that have a bias: 2e-15 per step over 20000 steps.
  EXPECT_LT(late, 1.2 * early + (GetParam().info.implicit_step ? 5e-11 : 1e-11));
}

TEST_P(Symplectic, AngularMomentumToRounding) {
  if (!GetParam().info.accepts.mechanical) GTEST_SKIP() << "see the constrained test";
  const Solution s = run(GetParam(), "kepler", {{"e", "0.3"}}, 0.05, 500, 1);
  // Kicks along r and drifts along v conserve it exactly; the midpoint rule does up to the tolerance of Newton's
  // iteration.
  EXPECT_LT(largest_deviation(s, "angular_momentum", 0, 500), GetParam().info.implicit_step ? 1e-9 : 1e-12);
}

TEST_P(Symplectic, FermiPastaUlamKeepsItsEnergy) {
  if (!GetParam().info.accepts.mechanical) GTEST_SKIP() << "needs an unconstrained chain";
  const Solution s = run(GetParam(), "fermi_pasta_ulam", {{"omega", "10"}}, 0.02, 200, 0.25);
  ASSERT_TRUE(s.ok());
  const double early = largest_deviation(s, "energy", 0, 40), late = largest_deviation(s, "energy", 160, 200);
  EXPECT_LT(late, 1.5 * early + 1e-11);
}

TEST_P(Symplectic, ConstraintsAreKept) {
  if (!GetParam().info.accepts.constrained) GTEST_SKIP() << "no constraints";
  const Solution s = run(GetParam(), "rigid", {}, 0.02, 200, 0.5);
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  EXPECT_LT(s.measured().row(s.quantity("constraint")).maxCoeff(), 1e-10);
  EXPECT_LT(s.measured().row(s.quantity("constraint_velocity")).maxCoeff(), 1e-10);
  // Methods for unconstrained systems are projected onto the constraints. By this they lose the bounded energy error.
  if (GetParam().info.accepts.mechanical) return;
  const double early = largest_deviation(s, "energy", 0, 20), late = largest_deviation(s, "energy", 180, 200);
  EXPECT_LT(late, 1.3 * early);
}

INSTANTIATE_TEST_SUITE_P(Registry, Symplectic,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return i.symplectic; })), case_name);

// A method that is not symplectic drifts. This shows that the test of the energy band can fail.
TEST(Drift, Rk4LosesEnergySteadily) {
  const MethodEntry& rk4 = Catalogue::all().method("rk4");
  const Solution s = run({&rk4, {}, rk4.info}, "kepler", {{"e", "0.3"}}, 0.05, 2000, 0.5);
  EXPECT_GT(largest_deviation(s, "energy", 1800, 2000), 5 * largest_deviation(s, "energy", 0, 200));
}

// Published energy errors for the Kepler ellipse with e = 0.6 and h = 1e-3 at t = 50, with both forms of Verlet.
TEST(Kepler, EnergyErrorsAsPublished) {
  RunPlan p;
  p.model = "kepler";
  p.parameters = {{"e", "0.6"}};
  p.method = "verlet";
  p.h = 1e-3;
  p.to = 50;
  p.output = Times{{}};
  const auto error_at_end = [&] {
    const Solution s = prepare(p).run();
    const auto energy = s.measured().row(s.quantity("energy"));
    return energy[s.rows() - 1] - energy[0];
  };
  EXPECT_NEAR(error_at_end(), 3.2113e-6, 0.0001e-6);
  p.options["form"] = "position";
  EXPECT_NEAR(error_at_end(), -1.032118e-7, 0.00001e-7);
}

// In a heat bath the mean of v^2 is kT / m, here within four standard errors of the average over particles and
// independent times.
TEST(Langevin, TemperatureWithinItsErrorBar) {
  RunPlan p;
  p.model = "langevin";
  p.parameters = {{"kT", "0.7"}, {"gamma", "1"}, {"particles", "200"}};
  p.method = "langevin_splitting";
  p.h = 0.05;
  p.to = 420;
  p.output = Grid{3};  // three relaxation times apart, so nearly independent
  const Solution s = prepare(p).run();
  ASSERT_TRUE(s.ok());
  const Index n = s.info.layout.nq;
  double sum = 0, count = 0;
  for (Index i = 7; i < s.rows(); ++i) {
    sum += s.y().col(i).segment(n, n).squaredNorm();
    count += static_cast<double>(n);
  }
  const double error = 0.7 * std::sqrt(2.0 / count);
  EXPECT_NEAR(sum / count, 0.7, 4 * error);
}

TEST(Langevin, SameSeedSamePath) {
  RunPlan p;
  p.model = "langevin";
  p.method = "langevin_splitting";
  p.h = 0.05;
  p.to = 10;
  p.seed = 7;
  const Solution a = prepare(p).run(), b = prepare(p).run();
  EXPECT_EQ(a.y(), b.y());
  p.seed = 8;
  EXPECT_NE(a.y(), prepare(p).run().y());
}
}  // namespace
}  // namespace trill::test
