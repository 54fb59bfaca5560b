// SPDX-License-Identifier: BSD-3-Clause
// Variable steps by a transformation of time. Their errors on an eccentric orbit are tested in the figure
// pjy97_time_transform.
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
Solution orbit(const std::string& method, const OptionSet& options, double to) {
  RunPlan plan;
  plan.model = "kepler";
  plan.parameters = {{"e", "0.8"}};
  plan.method = method;
  plan.options = options;
  plan.to = to;
  plan.native = Native::never;
  return prepare(plan).run();
}

const char* const names[] = {"time_transform", "adaptive_verlet", "logarithmic"};
OptionSet with_step(const std::string& name, double step) {
  OptionSet options{{"step", std::to_string(step)}};
  if (name != "logarithmic") options["scale"] = "(x^2 + y^2)^0.75";
  return options;
}

// The last step is shortened so that the run ends at the given time. Values inside steps are accurate as well.
TEST(TimeTransform, EndsInTimeWithSecondOrder) {
  RunPlan exact;
  exact.model = "kepler";
  exact.parameters = {{"e", "0.8"}};
  exact.method = "dop853";
  exact.rtol = 1e-12;
  exact.to = 7;
  const Vec reference = last_of(prepare(exact).run());
  for (const char* name : names) {
    const auto error = [&](double step) {
      const Solution s = orbit(name, with_step(name, step), 7);
      EXPECT_TRUE(s.ok()) << s.outcome.message;
      EXPECT_EQ(s.t.back(), 7);
      return (last_of(s) - reference).norm();
    };
    EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 2, 0.25) << name;
  }
}

// The scale makes steps short near the centre.
TEST(TimeTransform, StepsFollowTheScale) {
  for (const char* name : names) {
    const Solution s = orbit(name, with_step(name, 0.02), 12);
    const Vec h = s.measured().row(s.quantity("h"));
    EXPECT_GT(h.segment(1, h.size() - 2).maxCoeff() / h.segment(1, h.size() - 2).minCoeff(), 8) << name;
  }
}

// With a constant scale of 1 both methods are Verlet's method.
TEST(TimeTransform, WithoutAScaleItIsVerlet) {
  RunPlan plan = plan_with("verlet", 2, 0.01);
  plan.model = "kepler";
  plan.parameters = {{"e", "0.8"}};
  const Vec verlet = last_of(prepare(plan).run());
  for (const char* name : {"time_transform", "adaptive_verlet"})
    EXPECT_LT((last_of(orbit(name, {{"step", "0.01"}}, 2)) - verlet).norm(), 1e-9) << name;
}

std::string refusal(const std::string& method, const OptionSet& options, const std::string& text) {
  try {
    Catalogue::all().method(method).make(*read_model("m.toml", text).problem, options);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(TimeTransformErrors, SayWhatIsWrong) {
  const std::string well = "coordinates.x = 1\n[[potential]]\nenergy = \"x^2\"\n";
  EXPECT_THAT(refusal("time_transform", {{"scale", "y + 1"}}, well), mentions("time_transform", "y"));
  EXPECT_THAT(refusal("time_transform", {{"scale", "1 +"}}, well), mentions("time_transform"));
  EXPECT_THAT(refusal("time_transform", {{"scale", "1 + t^2"}}, well), mentions("scale", "depend on t"));
  for (const char* name : names) {
    EXPECT_THAT(refusal(name, {}, "coordinates.x = 1\n[[force]]\non = \"x\"\nvalue = \"-vx\"\n"),
                mentions(name, "velocity"));
    EXPECT_THAT(refusal(name, {}, well + "[[constraint]]\nequation = \"x - 1\"\n"), mentions(name, "constraints"));
  }
  RunPlan plan;
  plan.method = "adaptive_verlet";
  plan.options = {{"scale", "-x"}};
  plan.to = 1;
  EXPECT_THROW(prepare(plan, read_model("m.toml", well).problem).run(), UsageError);
}
}  // namespace
}  // namespace trill::testing_models
