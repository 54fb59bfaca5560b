// SPDX-License-Identifier: BSD-3-Clause
// Starts of text models that are not at t = 0.
#include "support/mentions.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {

std::string complaint_from(double begin, const std::string& text) {
  try {
    read_model("m.toml", text, {}, begin);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(TextBegin, MultipliersAreThoseOfTheTime) {
  const std::string lifted =
      "coordinates.x = 1\ncoordinates.y = { start = 8, velocity = 12 }\n"
      "[[potential]]\nenergy = \"x^2/2\"\n[[constraint]]\nequation = \"y - t^3\"\n";
  const TextModel model = read_model("m.toml", lifted, {}, 2);
  for (const auto& problem : {model.problem->clone(), model.problem->clone()->clone()}) {
    const State s = problem->initial_state();
    EXPECT_EQ(s.t, 2);
    EXPECT_NEAR(s.lambda()[0], -12, 1e-12);
  }
  EXPECT_THAT(complaint_from(0, lifted), tells({"m.toml:6:13", "start", "constraint"}));
  const Solution run = run_of(model.problem->clone(), plan_with("rattle", 3, 1e-2));
  EXPECT_EQ(run.t.front(), 2);
  EXPECT_NEAR(last_of(run)[1], 27, 1e-9);
}

TEST(TextBegin, ForcesMustBeFiniteThere) {
  const std::string grows = "coordinates.x = 1\n[[potential]]\nenergy = \"x^2/(2*t)\"\n";
  EXPECT_THAT(complaint_from(0, grows), tells({"m.toml:3:11", "energy is inf"}));
  EXPECT_EQ(complaint_from(1, grows), "");
}

TEST(TextBegin, IsATime) {
  RunPlan plan = plan_with("verlet", 1, 0.1);
  plan.model = "stiff_spring";
  plan.from = std::numeric_limits<double>::infinity();
  EXPECT_THROW(
      {
        try {
          prepare(plan);
        } catch (const UsageError& e) {
          EXPECT_THAT(e.what(), mentions("time", "finite"));
          throw;
        }
      },
      UsageError);
}

// The closed form in the file belongs to a motion from t = 0, so it must not be used for another start.
TEST(TextBegin, AClosedFormIsNotCompared) {
  const std::string oscillator =
      "coordinates.x = { start = 1, exact = \"cos(t)\" }\n[[potential]]\nenergy = \"x^2/2\"\n";
  EXPECT_EQ(complaint_from(3, oscillator), "");
}
}  // namespace
}  // namespace trill::testing_models
