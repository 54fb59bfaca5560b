// SPDX-License-Identifier: BSD-3-Clause
// The option of rattle that solves the constraints one after the other in sweeps, as SHAKE does.
#include "support/text_models.hpp"

#include <cmath>

namespace trill::testing_models {
namespace {
// A chain of rods between masses of different sizes that falls from the horizontal.
const char* const rods = R"toml(
[sets]
mass = 6
rod = 5

[coordinates.r]
over = "mass"
point = 2
start = ["mass + 1", 0]
velocity = [0, 0]
mass = "1 + mass/3"

[[constraint]]
equation = "sqrt(r[0].x^2 + r[0].y^2) - 1"

[[constraint]]
over = "rod"
equation = "distance(r[rod], r[rod + 1]) - 1"

[[potential]]
over = "mass"
energy = "(1 + mass/3)*9.81*r[mass].y"
)toml";

Solution fall(const OptionSet& options, double h) {
  RunPlan plan = plan_with("rattle", 1, h);
  plan.options = options;
  return run_of(read_model("m.toml", rods).problem, plan);
}

OptionSet sweeps(const char* relaxation, const char* tolerance) {
  return {{"constraint_solver", "gauss_seidel"}, {"relaxation", relaxation}, {"constraint_tolerance", tolerance}};
}

double mean_work(const Solution& s) {
  return s.measured().row(s.quantity("newton_iterations")).tail(s.rows() - 1).mean();
}

TEST(Sweeps, EndWhereNewtonsMethodEnds) {
  const Solution newton = fall({}, 0.01), plain = fall(sweeps("1", "1e-13"), 0.01),
                 relaxed = fall(sweeps("1.4", "1e-13"), 0.01);
  for (const Solution* s : {&plain, &relaxed}) {
    EXPECT_LT((last_of(*s).head(24) - last_of(newton).head(24)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT(s->measured().row(s->quantity("constraint")).maxCoeff(), 2e-13);
  }
  EXPECT_GT(mean_work(plain), 4 * mean_work(newton));
  EXPECT_LT(mean_work(relaxed), mean_work(plain));
}

TEST(Sweeps, HaveSecondOrder) {
  const Vec fine = last_of(fall({}, 0.01 / 16)).head(24);
  const auto error = [&](double h) { return (last_of(fall(sweeps("1", "1e-12"), h)).head(24) - fine).norm(); };
  EXPECT_NEAR(std::log2(error(0.01) / error(0.005)), 2, 0.1);
}

// With a loose tolerance the constraints are violated by about this tolerance.
TEST(Sweeps, StopAtTheirTolerance) {
  const Solution loose = fall(sweeps("1", "1e-5"), 0.01);
  const double open = loose.measured().row(loose.quantity("constraint")).maxCoeff();
  EXPECT_LE(open, 1.0000001e-5);
  EXPECT_GT(open, 1e-7);
}
}  // namespace
}  // namespace trill::testing_models
