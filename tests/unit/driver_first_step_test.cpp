// SPDX-License-Identifier: BSD-3-Clause
// The first step of a run that starts at rest. At the start nothing moves and no force acts, but a force will act
// soon.
#include "support/text_models.hpp"

#include <numbers>

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
constexpr double turn = 2 * std::numbers::pi;

std::vector<std::string> adaptive_methods() {
  std::vector<std::string> names{
      "generalized_alpha", "newmark",   "hht",        "wbz", "bdf", "sdirk", "radau", "dopri5", "dop853",
      "multirate",         "cvode_bdf", "cvode_adams"};
  std::erase_if(names, [](const std::string& name) { return !Catalogue::all().find_method(name); });
  return names;
}

// x'' = w^2 (1 - cos(W t) + more) - 4 w^2 x with W = 0.7 w. So w only sets the unit of time.
struct Swing {
  double w = 1, more = 0;
  static constexpr double drive = 0.7;
  std::unique_ptr<Problem> problem() const {
    const std::string force = fmt::format("{0:.17g}*(1 - cos({1:.17g}*t) - 4*x + {2:.17g})", w * w, drive * w, more);
    return read_model("m.toml", "[coordinates]\nx = 0\n[[force]]\non = \"x\"\nvalue = \"" + force + "\"\n").problem;
  }
  double position(double t) const {
    const double forced = std::cos(drive * w * t), own = std::cos(2 * w * t);
    return (1 + more) * (1 - own) / 4 - (forced - own) / (4 - drive * drive);
  }
};

class FromRest : public testing::TestWithParam<std::string> {};

// The run lasts for one period of the force, so at its end the force is the same as at its start.
TEST_P(FromRest, AForceThatBeginsToActIsNotSteppedOver) {
  for (const Swing& swing : {Swing{}, Swing{1, 1e-16}, Swing{1, -6e-17}, Swing{1e9}, Swing{1e-6}}) {
    const double to = turn / Swing::drive / swing.w;
    const Solution s = run_of(swing.problem(), plan_with(GetParam(), to, 1e-5));
    EXPECT_NEAR(last_of(s)[0], swing.position(to), 5e-3) << swing.w << " " << swing.more;
    EXPECT_GT(s.outcome.counters.steps, 5) << swing.w << " " << swing.more;
  }
}
INSTANTIATE_TEST_SUITE_P(All, FromRest, testing::ValuesIn(adaptive_methods()),
                         [](const auto& info) { return info.param; });

// The same with a constraint: a pendulum hangs still until the force begins to act.
TEST(AtRest, APendulumIsPushedBeforeItMoves) {
  const auto pendulum = [] {
    return read_model("m.toml", R"toml([coordinates]
x = 0
y = -1
[[force]]
on = "x"
value = "0.3*(1 - cos(1.1*t))"
[[force]]
on = "y"
value = -1
[[constraint]]
equation = "x^2 + y^2 - 1"
)toml")
        .problem;
  };
  const double to = turn / 1.1;
  const Vec exact = last_of(run_of(pendulum(), plan_with("dop853", to, 1e-11)));
  EXPECT_GT(std::abs(exact[0]), 0.1);
  for (const char* method : {"generalized_alpha", "newmark", "bdf", "sdirk", "radau"}) {
    const Solution s = run_of(pendulum(), plan_with(method, to, 1e-5));
    EXPECT_NEAR(last_of(s)[0], exact[0], 5e-3) << method;
  }
}

// A first step is at most a tenth of the run, whatever the forces at the start say.
TEST(AtRest, TheFirstStepIsShortAgainstTheRun) {
  for (const std::string& method : adaptive_methods()) {
    if (method.starts_with("cvode")) continue;  // CVODE chooses its own first step
    const Solution s =
        run_of(read_model("m.toml", "[coordinates]\nx = 1\n[[force]]\non = \"x\"\nvalue = \"1e-30*x\"\n").problem,
               plan_with(method, 40, 1e-4));
    EXPECT_LE(s.t[1], 4.0) << method;
  }
}
}  // namespace
}  // namespace trill::testing_models
