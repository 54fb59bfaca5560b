// SPDX-License-Identifier: BSD-3-Clause
// Steady states of the netlists in examples/circuits, compared with those of an independent program, and the work they
// take.
#include "support/netlists.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill::testing_netlists {
namespace {
struct SteadyClaim {
  SteadyState state;
  Solution solution;
  double at_start(const std::string& name) const { return solution.y()(solution.component(name), 0); }
};

// A rectifier that feeds a ladder of resistors and capacitors.
std::string ladder_of(int sections) {
  std::string text =
      "v1 in 0 sin(0 12 50)\nrs in a 1\nd1 a n0 dm\nc0 n0 0 1000u ic=0\n.model dm d(is=1e-9 n=1)\n"
      ".tran 100u 10 0 100u uic\n";
  for (int k = 1; k <= sections; ++k)
    text +=
        fmt::format("r{0} n{1} n{0} 2\nc{0} n{0} 0 {2}u ic=0\n", k, k - 1, sections == 60 ? 166.667 : 1e4 / sections);
  return text + fmt::format("rload n{} 0 200\n", sections);
}

TextModel model_of(const std::string& name) {
  if (name == "ladder60") return netlist(ladder_of(60));
  return load_model(std::filesystem::path(TRILL_SOURCE_DIR) / "examples/circuits" / (name + ".cir"));
}

SteadyClaim steady_example(const std::string& name) {
  TextModel model = model_of(name);
  RunPlan plan;
  plan.want = Want::steady;
  PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
  SteadyClaim claim;
  claim.solution = run.run();
  EXPECT_TRUE(claim.solution.ok()) << claim.solution.outcome.message;
  if (run.steady_state) claim.state = *run.steady_state;
  return claim;
}

void expect_multipliers(const SteadyState& state, const std::vector<double>& sizes) {
  ASSERT_GE(state.multipliers.size(), sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) EXPECT_NEAR(std::abs(state.multipliers[k]), sizes[k], 1e-4) << k;
}

TEST(SteadyClaims, BuckConverter) {
  const SteadyClaim buck = steady_example("buck");
  EXPECT_NEAR(buck.at_start("v(o2)"), 5.69016113, 1e-6 * 5.69);
  EXPECT_NEAR(buck.at_start("i(l1)"), 1.10484645, 1e-6 * 1.10);
  expect_multipliers(buck.state, {0.998947, 0.998947});
  EXPECT_LE(buck.state.cycles, 8);
  EXPECT_LT(buck.state.residual, 1e-10);
  ASSERT_TRUE(buck.state.efficiency);
  // Power into the load divided by power from the supply, by definition.
  double input = 0, output = 0;
  for (const SteadySignal& s : buck.state.signals) {
    if (s.name == "i(vin)") input = -12 * s.mean;
    if (s.name == "v(o2)") output = s.rms * s.rms / 5;
  }
  EXPECT_NEAR(*buck.state.efficiency, output / input, 1e-3);
}

TEST(SteadyClaims, BoostConverter) {
  const SteadyClaim boost = steady_example("boost");
  EXPECT_NEAR(boost.at_start("v(o2)"), 9.41880149, 1e-6 * 9.42);
  EXPECT_NEAR(boost.at_start("i(l1)"), 0.884778923, 1e-6 * 0.88);
  expect_multipliers(boost.state, {0.9987, 0.9987});
  EXPECT_LE(boost.state.cycles, 8);
}

TEST(SteadyClaims, Rectifier) {
  const SteadyClaim rectifier = steady_example("rectifier");
  EXPECT_NEAR(rectifier.at_start("v(b)"), 11.20935, 1e-6 * 11.2);
  EXPECT_NEAR(rectifier.at_start("v(c)"), 10.23844, 1e-6 * 10.2);
  expect_multipliers(rectifier.state, {0.98144, 0.256268});
  EXPECT_LE(rectifier.state.cycles, 8);
}

// Computed without the matrix of the derivative. The voltages of the other program are accurate to 2e-6 here. Those of
// trill change by 2e-8 between the tolerances 1e-7 and 1e-9, and the last test confirms them by another method.
TEST(SteadyClaims, LadderOfSixtySections) {
  const SteadyClaim ladder = steady_example("ladder60");
  EXPECT_NEAR(ladder.at_start("v(n60)"), 6.77838326, 3e-6 * 6.78);
  EXPECT_NEAR(ladder.at_start("v(n0)"), 10.7100838, 3e-6 * 10.7);
  expect_multipliers(ladder.state, {0.953396, 0.739361, 0.454926, 0.223195, 0.0843994, 0.0236708});
  EXPECT_LE(ladder.state.cycles, 8);
  EXPECT_GT(ladder.state.products, 0);
  EXPECT_LE(ladder.state.products, 50);
}

// The other program found the multiplier 1.00004 where theory gives 1, so its frequency has an error of this size.
TEST(SteadyClaims, ColpittsOscillator) {
  const SteadyClaim colpitts = steady_example("colpitts");
  EXPECT_NEAR(1 / colpitts.state.period, 1593899.7, 4e-6 * 1593899.7);
  for (const SteadySignal& s : colpitts.state.signals)
    if (s.name == "v(c)") {
      EXPECT_NEAR(s.max, 8.5567, 1e-4 * 8.56);
      EXPECT_NEAR(s.min, 1.1145, 2e-4 * 8.56);
    }
  expect_multipliers(colpitts.state, {1.0, 0.97688});
  EXPECT_NEAR(std::abs(colpitts.state.multipliers.at(2)), 0.55302, 2e-4);
  EXPECT_LE(colpitts.state.cycles, 25);
  EXPECT_GT(colpitts.state.transient, 0);
}

// A run with another method that starts where the period starts must come back there. The distance by which it misses
// the start, divided by the distance of the largest multiplier from 1, is the error of the steady state.
TEST(SteadyClaims, AnotherMethodComesBackToTheStart) {
  for (const char* name : {"buck", "rectifier", "ladder", "ladder60"}) {
    const SteadyClaim steady = steady_example(name);
    TextModel model = model_of(name);
    RunPlan plan;
    plan.method = "radau";
    plan.rtol = 1e-10;
    plan.to = steady.state.period;
    PreparedRun run = prepare(plan, std::move(model.problem), model.info.run);
    run.start.y = steady.solution.y().col(0);
    const Solution period = run.run();
    ASSERT_TRUE(period.ok()) << period.outcome.message;
    const Vec miss = period.y().col(period.rows() - 1) - steady.solution.y().col(0);
    const Vec largest = steady.solution.y().cwiseAbs().rowwise().maxCoeff();
    for (Index k = 0; k < miss.size(); ++k) EXPECT_LE(std::abs(miss[k]), 1e-8 * largest[k]) << name << " " << k;
  }
}
}  // namespace
}  // namespace trill::testing_netlists
