// SPDX-License-Identifier: BSD-3-Clause
// sdirk with hard constraints at tolerances near rounding. Small deflections have tolerances relative to their own
// size, but the constraints connect them to large positions. The rounding of these once kept Newton's iteration from
// ending.
#include "support/text_models.hpp"

#include <fstream>
#include <sstream>

namespace trill::testing_models {
namespace {
// A state of the slider crank in its first turn, while the rod vibrates.
const std::pair<const char*, const char*> state[] = {
    {"phi1 = { ", R"toml(phi1 = { start = 5.2417589514923595, velocity = 8.729992587637494, unit = "rad" })toml"},
    {"phi2 = { ", R"toml(phi2 = { start = 0.44419360222030846, velocity = -2.9199980043164815, unit = "rad" })toml"},
    {"w = { ",
     R"toml(w = { over = "node", start = "if(node == 0, 1.984266123843752e-05, if(node == 1, 0.00012156554989878762, if(node == 2, 0.00033122627223433236, 0.0006089398770965028)))", velocity = "if(node == 0, 0.00858463000569389, if(node == 1, 0.028633731641841433, if(node == 2, 0.07216427377982572, 0.14280045030757937)))", unit = "m" })toml"},
    {"s = { ",
     R"toml(s = { over = "node", start = "if(node == 0, 0.0007010866778047698, if(node == 1, 0.0020890036477276513, if(node == 2, 0.0034076089125581552, 0.0038477582019313407)))", velocity = "if(node == 0, 0.20574104206456115, if(node == 1, 0.37231298818042385, if(node == 2, 0.7746143405604198, 1.1302111279251636)))" })toml"},
    {"x3 = { ",
     R"toml(x3 = { start = 0.3463740151193816, velocity = 1.4469447982428214, mass = "m3", unit = "m" })toml"},
};

std::string turned_crank() {
  std::ifstream file(TRILL_SOURCE_DIR "/models/multibody/slider_crank.toml");
  std::ostringstream text;
  for (std::string line; std::getline(file, line);) {
    for (const auto& [begin, replacement] : state)
      if (line.starts_with(begin)) line = replacement;
    text << line << '\n';
  }
  return text.str();
}

TEST(SdirkAtTightTolerances, EndsItsIterationsAtTheRoundingOfPositions) {
  const auto problem = read_model("m.toml", turned_crank()).problem;
  const double end = 5e-5;
  const Solution exact = run_of(problem->clone(), plan_with("dop853", end, 1e-13));
  const Solution s = run_of(problem->clone(), plan_with("sdirk", end, 1e-8));
  ASSERT_TRUE(s.ok());
  EXPECT_LT((last_of(s) - last_of(exact)).head(11).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE(s.outcome.counters.newton_iterations, 15 * s.outcome.counters.steps);
}
}  // namespace
}  // namespace trill::testing_models
