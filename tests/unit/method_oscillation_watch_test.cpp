// SPDX-License-Identifier: BSD-3-Clause
// Warnings about fast oscillations are given if their energy matters, and not for what rounding or a smooth start
// leaves.
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
bool said(const Solution& s, const std::string& code) {
  return std::any_of(s.outcome.notices.begin(), s.outcome.notices.end(),
                     [&](const Notice& n) { return n.code == code; });
}

RunPlan plan_of(const std::string& method, double to, std::optional<double> rtol, std::optional<double> h = {}) {
  RunPlan plan;
  plan.method = method;
  plan.to = to;
  plan.rtol = rtol;
  plan.h = h;
  return plan;
}

// A bead on a circle, along which the frequency is constant. `open` is the relative opening of the gap at the start.
std::string circle(double stiffness, double open) {
  return fmt::format(R"toml(
[coordinates]
x = {{ start = {:.17g}, velocity = -0.3 }}
y = {{ start = {:.17g}, velocity = 0.4 }}
[[stiff]]
gap = "sqrt(x^2 + y^2) - 1"
stiffness = {}
group = "rod"
[[potential]]
energy = "y"
group = "weight"
)toml",
                     0.8 * (1 + open), 0.6 * (1 + open), stiffness);
}

double angle_at_end(const Solution& s) { return std::atan2(last_of(s)[1], last_of(s)[0]); }

TEST(OscillationWatch, LobattoIsRightWithoutOscillation) {
  for (const double stiffness : {1e6, 1e9}) {
    const auto problem = [&](double open) { return read_model("m.toml", circle(stiffness, open)).problem; };
    const Solution smooth = run_of(problem(0), plan_of("lobatto_iiia", 3, {}, 0.01));
    EXPECT_NEAR(angle_at_end(smooth), angle_at_end(run_of(problem(0), plan_of("slow", 3, 1e-9))), 1e-6) << stiffness;
    EXPECT_FALSE(said(smooth, "lobatto_oscillation")) << stiffness;
    const double open = 0.5 / std::sqrt(stiffness);
    EXPECT_TRUE(said(run_of(problem(open), plan_of("lobatto_iiia", 3, {}, 0.01)), "lobatto_oscillation")) << stiffness;
  }
}

// For the small values of `across` the energy perpendicular to the wire is at most 5e-7 of that along it, and the
// error of the slow motion is of the same size.
TEST(OscillationWatch, RadauIsGreenWithHardlyAnyFastEnergy) {
  const auto bead = [](double across) {
    return read_model("m.toml", fmt::format(R"toml(
[coordinates]
x = {{ start = 0.9, velocity = 0.2 }}
y = {{ start = 0.567, velocity = {} }}
[[stiff]]
gap = "y - 0.7*x^2"
stiffness = 4e6
group = "wire"
[[potential]]
energy = "0.8*y + 0.1*x^2"
group = "weight"
)toml",
                                            0.252 + across))
        .problem;
  };
  for (const double across : {1e-7, 1e-3, 0.3}) {
    PreparedRun run = prepare(plan_of("radau", 6, 1e-8), bead(across));
    const Solution s = run.run();
    const double off = std::abs(last_of(s)[0] - last_of(run_of(bead(across), plan_of("slow", 6, 1e-9)))[0]);
    const bool wrong = across == 0.3;
    EXPECT_EQ(check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL}).verdict != Verdict::green, wrong) << across;
    EXPECT_EQ(said(s, "fast_energy_with_varying_frequencies"), wrong) << across;
    EXPECT_EQ(off > 1e-3, wrong) << across << ": " << off;
  }
}

// Two springs pass a resonance, in which about 1 % of an action is lost.
TEST(OscillationWatch, AResonanceIsAWarningIfItMattersForTheTolerance) {
  for (const double rtol : {0.05, 1e-4}) {
    RunPlan plan = plan_of("slow", 1.5, rtol);
    plan.model = "two_stiff_springs";
    const Solution s = prepare(plan).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    EXPECT_EQ(said(s, "resonance"), rtol < 0.01) << rtol;
  }
}
}  // namespace
}  // namespace trill::testing_models
