// SPDX-License-Identifier: BSD-3-Clause
// sdirk with hard constraints at tolerances near rounding. Small deflections are tested by their own size, but follow
// from large positions through the constraints, whose rounding once kept Newton's iteration from ending.
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
TEST(SdirkAtTightTolerances, EndsItsIterationsAtTheRoundingOfPositions) {
  const TextModel model = make_model("slider_crank", {{"k", "3"}, {"l1", "0.1"}, {"l2", "0.4"}});
  const double end = 5e-4;
  const Solution exact = run_of(model.problem->clone(), plan_with("dop853", end, 1e-13));
  for (const double rtol : {1e-7, 1e-8, 1e-9}) {
    const Solution s = run_of(model.problem->clone(), plan_with("sdirk", end, rtol));
    ASSERT_TRUE(s.ok()) << rtol;
    const Index n = model.problem->layout().nq;
    EXPECT_LT((last_of(s) - last_of(exact)).head(n).cwiseAbs().maxCoeff(), rtol) << rtol;
    EXPECT_LE(s.outcome.counters.newton_iterations, 9 * s.outcome.counters.steps) << rtol;
    EXPECT_LE(s.outcome.counters.rejected, s.outcome.counters.steps / 10) << rtol;
  }
}
}  // namespace
}  // namespace trill::testing_models
