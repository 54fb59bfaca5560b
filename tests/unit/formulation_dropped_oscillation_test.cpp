// SPDX-License-Identifier: BSD-3-Clause
// Some runs leave out the energy of the fast gaps. They say so where this energy would push the slow motion, and only
// there.
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
struct Judged {
  Solution solution;
  Trust trust;
  const Notice* left_out = nullptr;
};

// A bead on a stiff wire in the shape of a parabola (shape != 0) or of a straight line, along which the frequency is
// constant.
std::string bead(double shape, double across, const std::string& group = "gap") {
  return fmt::format(R"toml(
[coordinates]
x = {{ start = 0.9, velocity = 0.2 }}
y = {{ start = {}, velocity = {} }}
[[stiff]]
gap = "y - {} * x^2"
stiffness = 4e6
group = "{}"
[[potential]]
energy = "0.8*y + 0.1*x^2"
group = "soft"
)toml",
                     shape * 0.81, 0.36 * shape + across, shape, group);
}

double end_of(const Solution& s) { return s.y()(0, s.rows() - 1); }

struct Case {
  const char* method;
  double h_or_rtol;
  OptionSet options;
  const char* formulation;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"rattle", 0.01, {}, "rigid_limit"},
                                     {"radau", 1e-6, {}, "rigid_limit"},
                                     {"generalized_alpha", 1e-6, {{"start", "slow"}}, ""},
                                     {"generalized_alpha", 0.01, {}, ""},
                                     {"hht", 1e-6, {{"start", "slow"}}, ""},
                                     {"newmark", 1e-6, {{"start", "slow"}}, ""},
                                     {"bdf", 1e-6, {{"start", "slow"}}, ""}};
  return all;
}

Judged judge(const std::string& text, const Case& c) {
  RunPlan plan = plan_with(c.method, 6, c.h_or_rtol);
  const bool fixed = c.h_or_rtol == 0.01;
  plan.h = fixed ? std::optional(c.h_or_rtol) : std::nullopt;
  plan.rtol = fixed ? std::nullopt : std::optional(c.h_or_rtol);
  plan.options = c.options;
  plan.formulation = c.formulation;
  PreparedRun run = prepare(plan, read_model("m.toml", text).problem);
  Judged judged{run.run(), {}};
  EXPECT_TRUE(judged.solution.ok()) << judged.solution.outcome.message;
  judged.trust = check_trust(run, judged.solution.outcome, judged.solution, {.most_seconds = HUGE_VAL});
  for (const Notice& n : judged.solution.outcome.notices)
    if (n.code == "fast_energy_left_out") judged.left_out = &n;
  return judged;
}

TEST(DroppedOscillation, CastsDoubtWhereItPushesTheSlowMotion) {
  const std::string text = bead(0.7, 1.2);
  RunPlan plan;
  plan.method = "slow";
  plan.to = 6;
  plan.rtol = 1e-7;
  const double truth = end_of(run_of(read_model("m.toml", text).problem, plan));
  RunPlan direct = plan_with("dop853", 6, 1e-9);
  // Confirmed by a method other than slow.
  EXPECT_NEAR(end_of(run_of(read_model("m.toml", text).problem, direct)), truth, 2e-3);
  for (const Case& c : cases()) {
    const Judged judged = judge(text, c);
    EXPECT_GT(std::abs(end_of(judged.solution) - truth), 0.05) << c.method;
    ASSERT_TRUE(judged.left_out) << c.method;
    EXPECT_EQ(judged.left_out->severity, Severity::doubt) << c.method;
    EXPECT_GT(judged.trust.verdict, Verdict::green) << c.method;
  }
}

TEST(DroppedOscillation, IsNotMentionedWhereItDoesNothing) {
  for (const std::string& text : {bead(0, 1.2), bead(0.7, 0), bead(0.7, 1e-4)})
    for (const Case& c : cases()) {
      const Judged judged = judge(text, c);
      EXPECT_FALSE(judged.left_out && judged.left_out->severity == Severity::doubt) << c.method << text;
    }
}

// The error is larger than the tolerance, but too small to be seen in a plot.
TEST(DroppedOscillation, OfLittleEnergyIsAWarningOnly) {
  const Judged judged = judge(bead(0.7, 3e-3), {"radau", 1e-8, {}, "rigid_limit"});
  ASSERT_TRUE(judged.left_out);
  EXPECT_EQ(judged.left_out->severity, Severity::warning);
  EXPECT_EQ(judged.trust.verdict, Verdict::green) << judged.trust.headline;
}

// In the rigid system nothing moves at all. In the true one the oscillation moves the position by a third of its
// value.
TEST(DroppedOscillation, MayBeAllThatMoves) {
  const char* const text = R"toml(
[coordinates]
x = 1
y = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "y*sqrt(1 + x^2)"
stiffness = 1e6
group = "gap"
)toml";
  const double truth = end_of(run_of(read_model("m.toml", text).problem, plan_with("dop853", 6, 1e-9)));
  EXPECT_LT(truth, 0.7);
  const Judged judged = judge(text, {"rattle", 0.01, {}, "rigid_limit"});
  EXPECT_EQ(end_of(judged.solution), 1);
  ASSERT_TRUE(judged.left_out);
  EXPECT_EQ(judged.left_out->severity, Severity::doubt);
}

// A weight on a spring over a road. The rigid limit leaves out that the spring is compressed by m (g + a)/k.
TEST(RigidLimit, SaysHowFarItsGapsWouldOpen) {
  const std::string text = R"toml(
[parameters]
k = 2e4
[coordinates]
z = { start = 0, mass = 30 }
[[stiff]]
gap = "z - 0.01*(1 - cos(2*t))"
stiffness = "k"
[[potential]]
energy = "30*9.81*z"
)toml";
  for (const double k : {2e4, 2e8}) {
    RunPlan plan = plan_with("radau", 6, 1e-6);
    plan.formulation = "rigid_limit";
    PreparedRun run = prepare(plan, read_model("m.toml", text, {{"k", std::to_string(k)}}).problem);
    const Solution s = run.run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    const double gives_way = 30 * (9.81 + 0.04) / k / 0.02;
    EXPECT_NEAR(run.reformulation->model_error(), gives_way, 0.01 * gives_way);
    EXPECT_EQ(check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL}).verdict,
              k > 1e6 ? Verdict::green : Verdict::red);
  }
}

// The gaps share their group with other forces. Then it is not known how the frequencies vary along the motion.
TEST(DroppedOscillation, OfGapsThatShareAGroupIsDoubtedByItsEnergy) {
  const Case rigid{"radau", 1e-6, {}, "rigid_limit"};
  const Judged judged = judge(bead(0.7, 1.2, "soft"), rigid);
  ASSERT_TRUE(judged.left_out);
  EXPECT_EQ(judged.left_out->severity, Severity::doubt);
  EXPECT_FALSE(judge(bead(0.7, 0, "soft"), rigid).left_out);
}
}  // namespace
}  // namespace trill::testing_models
