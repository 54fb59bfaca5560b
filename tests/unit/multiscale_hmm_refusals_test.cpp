// SPDX-License-Identifier: BSD-3-Clause
// When the heterogeneous multiscale method refuses a problem, and its warnings.
#include "support/hmm_models.hpp"
#include "support/mentions.hpp"
#include "support/multiscale_runs.hpp"
#include "trill/problem/mechanical.hpp"

#include <gmock/gmock.h>

namespace trill {
namespace {
using namespace hmm_models;
using namespace multiscale_runs;
using testing::HasSubstr;

std::string complaint(const std::string& text, double omega, OptionSet options = {}, double rtol = 1e-6) {
  try {
    const auto p = model(text, omega);
    const Solution s = solve(*p, "hmm", {.to = 5, .rtol = rtol, .options = std::move(options)});
    return s.outcome.message;
  } catch (const UsageError& e) {
    return e.what();
  }
}

// A stiff spring with a force that is switched on at a known time.
class SwitchedOn final : public MechanicalProblem {
 public:
  std::string name() const override { return "switched on"; }
  Layout layout() const override { return {2, 2, 0, 0}; }
  std::vector<Quantity> components() const override { return std::vector<Quantity>(4); }
  State initial_state() const override {
    State s(layout());
    s.q() << 1, 0;
    s.v() << 0, 0.5;
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<SwitchedOn>(*this); }
  std::vector<double> breakpoints(double, double) const override { return {1.0}; }
  void force(Groups, double t, In q, In, Out f) const override {
    const double r = q.norm();
    f = -1e6 * (r - 1) / r * q;
    if (t >= 1) f[1] += 1;
  }
};

TEST(HmmRefuses, MotionWithoutAGap) { EXPECT_THAT(complaint(cart(0), 20), mentions("separate", "30 times")); }

TEST(HmmRefuses, NonlinearDragOfAnOscillation) {
  const std::string drag = R"~([[force]]
on = "X"
value = "-0.2*vX*abs(vX)"
)~";
  EXPECT_THAT(complaint(cart(1, drag), 1000), mentions("drag", "not linear", "use slow"));
  EXPECT_EQ(complaint(cart(0, drag), 1000, {}, 1e-4), "") << "nothing oscillates there";
}

// The slow motion makes first one spring and then the other the stiffer one.
TEST(HmmRefuses, FrequenciesThatCross) {
  const std::string crossing = R"~([parameters]
omega = 1000
[coordinates]
s = { start = 0, velocity = 1 }
a = { start = 0, velocity = 0.5 }
b = { start = 0, velocity = 0.4 }
[[stiff]]
gap = "a*(1 + 0.3*s) + 0.02*b"
stiffness = "omega^2"
[[stiff]]
gap = "b*(1.5 - 0.2*s)"
stiffness = "omega^2"
)~";
  EXPECT_THAT(complaint(crossing, 1000), mentions("two fast frequencies", "fast_energy=drop"));
}

// The same within a short part of the way, after long steps.
TEST(HmmRefuses, FrequenciesThatCrossSuddenly) {
  const std::string crossing = R"~([parameters]
omega = 20000
[coordinates]
s = { start = -0.5, velocity = 1 }
a = { start = 0, velocity = 0.05 }
b = { start = 0, velocity = 0.04 }
[[stiff]]
gap = "a*(3 + 0.9*tanh(200*s))"
stiffness = "omega^2"
[[stiff]]
gap = "3*b"
stiffness = "omega^2"
)~";
  EXPECT_THAT(complaint(crossing, 20000, {}, 1e-3), mentions("two fast frequencies", "fast_energy=drop"));
}

TEST(HmmRefuses, AMassThatDependsOnThePosition) {
  const auto p = make_model("cart").problem;
  EXPECT_THROW(solve(*p, "hmm", {.rtol = 1e-6}), UsageError);
}

TEST(HmmWarns, OfEnergyThatIsLeftOut) {
  const auto p = model(cart(1), 1000);
  const Solution s = solve(*p, "hmm", {.to = 5, .rtol = 1e-6, .options = {{"fast_energy", "drop"}}});
  EXPECT_EQ(code_of(s, "fast_energy_left_out"), 1);
}

TEST(HmmWarns, OfAFrequencyThatVaries) {
  const std::string text = R"~([parameters]
omega = 1000
[coordinates]
x = { start = 0, velocity = 1 }
y = { start = 0, velocity = 1 }
[[potential]]
energy = "0.5*omega^2*(1 + 0.2*(1 + tanh(5*(x - 3))))*y^2"
)~";
  const auto p = model(text, 1000);
  const Solution s = solve(*p, "hmm", {.to = 5, .rtol = 1e-6});
  EXPECT_EQ(code_of(s, "frequency_varies"), 1) << s.outcome.message;
}

TEST(HmmRefuses, ForcesAsFastAsTheWindows) {
  const std::string driven = R"~([parameters]
omega = 500
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "y"
stiffness = "omega^2"
[[potential]]
energy = "x^2/2 - x*cos(100*t)"
)~";
  EXPECT_THAT(complaint(driven, 500), mentions("forces", "in time"));
}

TEST(HmmRefuses, ASlowMotionThatBecomesFast) {
  const std::string text = R"~([parameters]
omega = 500
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = 0.5 }
[[stiff]]
gap = "y"
stiffness = "omega^2"
[[potential]]
energy = "0.5*(1 + t^4)*x^2"
)~";
  EXPECT_THAT(complaint(text, 500), mentions("separate", "30 times"));
}

TEST(HmmRefuses, FrequenciesTooFarApart) {
  const std::string apart = R"~([parameters]
omega = 400
[coordinates]
x = { start = 1, velocity = 0.1 }
y = { start = 0, velocity = 1 }
z = { start = 0, velocity = 1 }
[[stiff]]
gap = "y - 0.1*x^2"
stiffness = "omega^2"
[[stiff]]
gap = "z - 0.1*x"
stiffness = "(2000*omega)^2"
[[potential]]
energy = "x^2/2"
)~";
  EXPECT_THAT(complaint(apart, 400), mentions("too far apart", "8.04e+05"));
}

TEST(HmmRefuses, ALargeOscillation) {
  const auto p = make_model("two_springs", {{"stretch2", "200"}}).problem;
  EXPECT_THROW(solve(*p, "hmm", {.rtol = 1e-6}), UsageError);
  const auto q = make_model("two_springs", {{"stretch2", "50"}}).problem;
  const Solution s = solve(*q, "hmm", {.rtol = 1e-6});
  const Vec estimate = s.measured().row(s.quantity("model_error")).transpose();
  EXPECT_GT(estimate[estimate.size() - 1], 7e-3);  // the true error of the centre of mass
}

TEST(HmmWarns, OfPublishedWindowsThatDoNotFit) {
  const auto p = make_model("two_springs", {{"omega2", "50"}}).problem;
  const Solution s = solve(*p, "hmm", {.rtol = 1e-6, .options = {{"mode", "paper"}}});
  EXPECT_EQ(code_of(s, "long_window"), 1);
  const Solution t = solve(*p, "hmm", {.rtol = 1e-6, .options = {{"mode", "paper"}, {"omega", "1e5"}}});
  EXPECT_EQ(code_of(t, "leak"), 1);
}

TEST(HmmWarns, OfForcesThatJump) {
  const Solution s = solve(SwitchedOn(), "hmm", {.to = 2, .rtol = 1e-5});
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_EQ(code_of(s, "jumps"), 1);
}

TEST(HmmWarns, AndPutsAMotionBackThatLeftTheSlowManifold) {
  const auto p = make_model("two_springs", {{"omega1", "500"}, {"omega2", "500"}, {"stretch2", "0"}}).problem;
  const Solution s = solve(*p, "hmm", {.rtol = 1e-3, .options = {{"stages", "plain"}, {"fast_energy", "drop"}}});
  EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  EXPECT_EQ(code_of(s, "reprojected"), 1);
}
}  // namespace
}  // namespace trill
