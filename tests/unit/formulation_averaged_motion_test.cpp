// SPDX-License-Identifier: BSD-3-Clause
// What slow, hmm and sam have in common: the names of what they record, and how they state the energy of the
// oscillation.
#include "formulation/energy_share.hpp"
#include "formulation/rk4_kernel.hpp"
#include "support/multiscale_runs.hpp"
#include "trill/model/text_problem.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace trill {
namespace {
using multiscale_runs::solve;
using testing::HasSubstr;

// Two masses on a stiff rod in a bowl around (0, 2). At the start the oscillation has 60 % of the total energy. `more`
// is appended to the model.
std::string rod_in_a_bowl(const std::string& more = "") {
  return R"~([parameters]
omega = 800
[coordinates]
x1 = { start = -0.5, velocity = -0.6 }
y1 = { start = 2.3, velocity = 0.2 }
x2 = { start = 0.5, velocity = 0.7 }
y2 = { start = 2.3, velocity = 0.2 }
[[stiff]]
gap = "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1"
stiffness = "omega^2"
[[potential]]
energy = "0.4*(x1^2 + (y1 - 2)^2) + 0.3*(x2^2 + (y2 - 2)^2)"
)~" + more;
}

std::unique_ptr<Problem> model(const std::string& text) { return read_model("m.toml", text).problem; }

std::string summary_of(const Solution& s) {
  for (const Notice& n : s.outcome.notices)
    if (n.code == "summary") return n.text;
  return "";
}

double at_start(const Solution& s, const char* name) { return s.measured()(s.quantity(name), 0); }

TEST(AveragedMotion, NamesOfTheModelStayItsOwn) {
  const auto p = model(rod_in_a_bowl("[[measure]]\nname = \"drift\"\nvalue = \"x1*y2\"\n"));
  for (const char* method : {"slow", "hmm"}) {
    const Solution s = solve(*p, method, {.to = 1, .rtol = 1e-5});
    std::multiset<std::string> names;
    for (const Quantity& q : s.info.quantities) names.insert(q.name);
    EXPECT_EQ(names.count("drift"), 1u) << method;
    EXPECT_EQ(names.count(std::string(method) + "_drift"), 1u) << method;
    EXPECT_NEAR(at_start(s, "drift"), -0.5 * 2.3, 1e-2) << method;
  }
}

TEST(AveragedMotion, TheShareThatIsToldIsThatOfTheRecordedEnergies) {
  const auto p = model(rod_in_a_bowl());
  const Solution s = solve(*p, "slow", {.to = 1, .rtol = 1e-6});
  const double share = at_start(s, "fast_energy") / at_start(s, "total_energy");
  EXPECT_NEAR(share, 0.5 * 0.5 * 1.3 * 1.3 / (0.5 * (0.36 + 0.04 + 0.49 + 0.04) + 0.7 * 0.09 + 0.7 * 0.25), 0.01);
  const std::string told = fmt::format("{:.2g} of the total energy at the start", share);
  EXPECT_THAT(summary_of(s), HasSubstr(told));
  EXPECT_THAT(summary_of(solve(*p, "hmm", {.to = 1, .rtol = 1e-6})), HasSubstr(told));
}

// The constant of this potential makes the total energy negative, so a share of it means nothing.
TEST(AveragedMotion, WithoutAZeroToCompareWithTheShareIsAnEstimateAndSaysSo) {
  const auto p = model(rod_in_a_bowl("[[potential]]\nenergy = \"-50 + 0*x1\"\n"));
  for (const char* method : {"slow", "hmm"})
    EXPECT_THAT(summary_of(solve(*p, method, {.to = 1, .rtol = 1e-6})),
                HasSubstr("of the energy at the start (estimated from slow velocities and forces)"))
        << method;
}

TEST(AnEnergyShare, IsNothingWithoutAnOscillation) {
  EXPECT_EQ(EnergyShare{}.value(), 0);
  EXPECT_EQ((EnergyShare{.fast = 1, .estimated_slow = 3, .total = 2}).value(), 0.5);
  EXPECT_EQ((EnergyShare{.fast = 1, .estimated_slow = 3, .total = 0.5}).value(), 0.25) << "the part exceeds the total";
}

// The error of rk4 for y' = -2 t y, y(0) = 1, whose solution is exp(-t^2).
double rk4_error(int steps) {
  Rk4Kernel kernel;
  kernel.start(1);
  Vec y = Vec::Ones(1), slope(1);
  const double h = 1.0 / steps;
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    slope = -2 * t * y;
    const auto slope_at = [&](double share, In at, Out f) {
      f = -2 * (t + share * h) * at;
      return true;
    };
    EXPECT_TRUE(kernel.step(h, y, slope, slope_at));
    y += kernel.increment;
  }
  return std::abs(y[0] - std::exp(-1.0));
}

TEST(Rk4, HasOrderFour) { EXPECT_NEAR(std::log2(rk4_error(20) / rk4_error(40)), 4, 0.1); }

TEST(Rk4, EndsWhereASlopeDoesNotExist) {
  Rk4Kernel kernel;
  kernel.start(1);
  int asked = 0;
  const auto none = [&](double, In, Out) { return ++asked < 2; };
  EXPECT_FALSE(kernel.step(0.1, Vec::Ones(1), Vec::Ones(1), none));
  EXPECT_EQ(asked, 2);
}
}  // namespace
}  // namespace trill
