// SPDX-License-Identifier: BSD-3-Clause
// Text models in a heat bath, compared with the shipped model.
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/problem/langevin.hpp"

namespace trill::testing_models {
namespace {

const char* const wells = R"toml(
[parameters]
gamma = 0.8
kT = 1.3
[sets]
particle = 40
[coordinates]
q = { over = "particle", start = 0.2 }
[[potential]]
over = "particle"
energy = "q[particle]^2/2 + q[particle]^4/4"
[heat_bath]
friction = "gamma"
temperature = "2*kT/2"
[[measure]]
name = "spread"
over = "particle"
value = "q[particle]^2"
)toml";

TEST(TextBaths, EqualTheShippedOneNumberByNumber) {
  const TextModel model = read_model("m.toml", wells, {{"kT", "1.1"}});
  EXPECT_EQ(model.info.run.method, "");
  const auto twin = ModelRegistry::all()
                        .find("langevin")
                        .make({{"gamma", "0.8"}, {"kT", "1.1"}, {"particles", "40"}, {"b", "1"}, {"q0", "0.2"}});
  const auto& a = model.problem->as<LangevinProblem>("the test");
  EXPECT_EQ(a.gamma(), 0.8);
  EXPECT_EQ(a.kT(), 1.1);
  for (const std::uint64_t seed : {1u, 77u}) {
    RunPlan plan = plan_with("langevin_splitting", 5, 0.05);
    plan.seed = seed;
    const Solution x = run_of(model.problem->clone(), plan), y = run_of(twin->clone(), plan);
    expect_equal(x.y(), y.y(), "path", 1e-9);
    expect_equal(x.measured().topRows(2), y.measured().topRows(2), "measures", 1e-9);
    const Index last = x.rows() - 1;
    EXPECT_NEAR(x.measured()(2, last), last_of(x).head(40).squaredNorm(), 1e-12);
  }
}

// In equilibrium each mass, light or heavy, has the kinetic temperature of the bath.
TEST(TextBaths, MassesShareTheTemperature) {
  const TextModel model = read_model("m.toml", R"toml(
sets.particle = 2000
coordinates.q = { over = "particle", start = 0, mass = "1 + particle/500" }
heat_bath = { friction = 2, temperature = 0.7 }
[[potential]]
over = "particle"
energy = "q[particle]^2/2"
)toml");
  RunPlan plan = plan_with("langevin_splitting", 20, 0.05);
  const Solution s = run_of(model.problem->clone(), plan);
  double sum = 0;
  const Index half = s.rows() / 2;
  for (Index row = half; row < s.rows(); ++row) sum += s.measured()(0, row);
  EXPECT_NEAR(sum / static_cast<double>(s.rows() - half), 0.7, 0.02);
}

TEST(TextBaths, EventsActInABath) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.k = 1
coordinates.x = 0
heat_bath = { friction = 1, temperature = 0 }
[[potential]]
energy = "(x - k)^2/2"
[[event]]
when = "t - 20"
then = { k = 5 }
)toml");
  const Solution s = run_of(model.problem->clone(), plan_with("langevin_splitting", 60, 0.05));
  EXPECT_NEAR(last_of(s)[0], 5, 1e-3);  // without noise it comes to rest at the new minimum
}

TEST(TextBathErrors, SayWhatIsWrong) {
  const auto bath = [](const std::string& lines, const std::string& more = "") {
    return complaint("coordinates.x = 1\n[heat_bath]\n" + lines + "\n[[potential]]\nenergy = \"x^2\"\n" + more);
  };
  EXPECT_EQ(bath("friction = 0\ntemperature = 0"), "no error");
  EXPECT_THAT(bath("friction = -1\ntemperature = 0"), tells({"m.toml:3:12", "friction", "negative", "-1"}));
  EXPECT_THAT(bath("friction = 1\ntemperature = \"-2\""), tells({"m.toml:4:16", "temperature", "negative", "-2"}));
  EXPECT_THAT(bath("friction = \"x\"\ntemperature = 1"), tells({"m.toml:3:13", "friction", "parameters"}));
  EXPECT_THAT(bath("friction = 1\ntemperature = 1", "[[kinetic]]\nenergy = \"x^2*vx^2\""),
              tells({"m.toml:3:12", "bath", "masses"}));
}
}  // namespace
}  // namespace trill::testing_models
