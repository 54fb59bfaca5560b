// SPDX-License-Identifier: BSD-3-Clause
// Soft constraints and adiabatic energies (PJY97 sec. 4.3) compared with the full motion. The example is a pendulum on
// a spring of stiffness 1/epsilon^2, released from the horizontal. The length of a rigid pendulum is off by 3
// epsilon^2. The soft constraint with the velocity term leaves an error of fourth order, 3.50e-6 at epsilon = 0.025 by
// an independent computation.
#include "support/text_models.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
Solution motion(const std::string& text, const OptionSet& parameters, const std::string& method,
                const OptionSet& options, double to) {
  RunPlan plan = plan_with("dop853", to, 1e-11);
  if (method == "slow") plan.formulation = method;
  plan.options = options;
  plan.native = Native::never;
  Times times;
  for (int k = 1; k <= 1000; ++k) times.t.push_back(to * k / 1000);
  plan.output = times;
  return run_of(read_model("m.toml", text, parameters).problem, plan);
}

double farthest(const Solution& a, const Solution& b, const std::function<double(In)>& of) {
  double most = 0;
  EXPECT_EQ(a.rows(), b.rows());
  for (Index k = 0; k < a.rows(); ++k) most = std::max(most, std::abs(of(a.y().col(k)) - of(b.y().col(k))));
  return most;
}

TEST(SoftConstraints, PendulumOnASpring) {
  const char* const pendulum = R"toml(
parameters.eps = 0.1
[coordinates]
x = { start = 1 }
y = { start = 0 }
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = "1/eps^2"
[[potential]]
energy = "y"
)toml";
  const auto length = [](In y) { return std::hypot(y[0], y[1]); };
  const double expected[] = {8.7e-4, 5.5e-5, 3.503e-6}, tolerance[] = {1e-4, 4e-6, 2e-7};
  for (int k = 0; k < 3; ++k) {
    const double eps = 0.1 / (1 << k);
    const OptionSet parameters{{"eps", fmt::format("{}", eps)}};
    const Solution full = motion(pendulum, parameters, "dop853", {}, 5);
    EXPECT_NEAR(farthest(full, motion(pendulum, parameters, "slow", {{"order", "0"}}, 5), length) / (eps * eps), 3,
                0.02);
    EXPECT_NEAR(farthest(full, motion(pendulum, parameters, "slow", {{"order", "1"}}, 5), length), expected[k],
                tolerance[k]);
  }
}

// H = (px^2 + py^2)/2 + x^2/2 + (1 + x^2) y^2/(2 eps^2) with an energy of 1 in the fast oscillation. With the adiabatic
// energy J omega(x) the slow motion is right to 1e-4; without this energy the motion is a different one.
TEST(SoftConstraints, AdiabaticEnergyOfAFastOscillation) {
  const char* const oscillator = R"toml(
parameters.eps = 0.01
[coordinates]
x = { start = 1 }
y = { start = "eps" }
[[stiff]]
gap = "sqrt(1 + x^2)*y"
stiffness = "1/eps^2"
[[potential]]
energy = "x^2/2"
)toml";
  const auto slow = [](In y) { return y[0]; };
  const Solution full = motion(oscillator, {}, "dop853", {}, 10);
  EXPECT_LT(farthest(full, motion(oscillator, {}, "slow", {{"fast_energy", "keep"}}, 10), slow), 1e-4);
  EXPECT_GT(farthest(full, motion(oscillator, {}, "slow", {{"fast_energy", "drop"}}, 10), slow), 1);
}
}  // namespace
}  // namespace trill::testing_models
