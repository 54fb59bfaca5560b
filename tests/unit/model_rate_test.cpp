// SPDX-License-Identifier: BSD-3-Clause
// First-order models as text: y' = f(t, y).
#include "support/mentions.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
using testing::HasSubstr;

const FirstOrderProblem& first_order(const TextModel& model) {
  return model.problem->as<FirstOrderProblem>("the test");
}

Vec rhs_of(const FirstOrderProblem& p, double t, In y) {
  Vec dy(y.size());
  p.rhs(t, y, dy);
  return dy;
}

TEST(TextRates, FormulasJacobiansAndUnits) {
  const TextModel model = read_model("m.toml", R"toml(
time_unit = "s"
parameters.k = 3
[coordinates]
x = { start = 1, unit = "mol" }
vx = { start = 2, unit = "K" }
p = { point = 2, start = [3, 4] }
[rate]
vx = "x^2 - k*t"
x = "-k*x*vx"
p = ["p.y", "-p.x*x"]
[[measure]]
name = "energy"
value = "x*vx + p.x"
unit = "J"
)toml");
  const FirstOrderProblem& p = first_order(model);
  EXPECT_EQ(p.layout(), (Layout{4, 0, 0, 0}));
  EXPECT_EQ(p.components()[1].name, "vx");
  EXPECT_EQ(p.components()[1].unit, "K");
  EXPECT_EQ(p.components()[3].name, "p.y");
  EXPECT_EQ(p.time_unit(), "s");
  expect_equal(p.initial_state().y, Vec{{1, 2, 3, 4}}, "start");
  const Vec y{{2, 5, 7, 11}};
  expect_equal(rhs_of(p, 0.5, y), Vec{{-30, 4 - 1.5, 11, -14}}, "rates");
  MatrixSlot j = p.jacobian_pattern();
  ASSERT_TRUE(p.jacobian(0.5, y, j));
  expect_equal(dense(j), Mat{{-15, -6, 0, 0}, {4, 0, 0, 0}, {0, 0, 0, 1}, {-7, 0, -2, 0}}, "jacobian");
  Vec measured(1);
  p.measure(p.initial_state(), measured);
  EXPECT_EQ(measured[0], 5);
  EXPECT_EQ(p.quantities()[0].unit, "J");
}

TEST(TextRates, AClosedForm) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.a = 0.7
[coordinates]
x = { start = 1, exact = "exp(-a*t)" }
y = { start = 0, exact = "sin(t)" }
[rate]
x = "-a*x"
y = "cos(t)"
)toml");
  Vec exact(2);
  ASSERT_TRUE(model.problem->exact(1.3, exact));
  expect_equal(exact, Vec{{std::exp(-0.91), std::sin(1.3)}}, "closed form");
  for (const char* method : {"dop853", "rk4", "cvode_bdf"})
    expect_equal(last_of(run_of(model.problem->clone(), plan_with(method, 1.3, *method == 'r' ? 0.001 : 1e-10))), exact,
                 method, 1e-6);
}

// Heat conduction in a rod of 50 cells. Each of the first modes decays at its own rate.
TEST(TextRates, OverASetWithASparseJacobian) {
  const TextModel model = read_model("m.toml", R"toml(
sets.cell = { size = 50, left = "max(cell - 1, 0)", right = "min(cell + 1, 49)" }
coordinates.T = { over = "cell", start = "cos(pi*(cell + 1/2)/50) + 2" }
rate.T = "T[left] - 2*T[cell] + T[right]"
[[measure]]
name = "heat"
over = "cell"
value = "T[cell]"
)toml");
  const FirstOrderProblem& p = first_order(model);
  const MatrixSlot pattern = p.jacobian_pattern();
  EXPECT_TRUE(pattern.is_sparse());
  EXPECT_EQ(pattern.stored(), 3 * 50 - 2);
  MatrixSlot j = pattern;
  ASSERT_TRUE(p.jacobian(0, p.initial_state().y, j));
  EXPECT_EQ(j.value(0, 0), -1);  // its left neighbour is the cell itself
  EXPECT_EQ(j.value(7, 7), -2);
  EXPECT_EQ(j.value(7, 8), 1);
  const double decay = 4 * std::pow(std::sin(std::numbers::pi / 100), 2);
  for (const char* method : {"cvode_bdf", "dopri5"}) {
    const Solution s = run_of(model.problem->clone(), plan_with(method, 100, 1e-8));
    const Vec end = last_of(s);
    for (Index k = 0; k < 50; ++k)
      EXPECT_NEAR(end[k], 2 + std::exp(-100 * decay) * std::cos(std::numbers::pi * (k + 0.5) / 50), 1e-5) << method;
    EXPECT_NEAR(s.measured()(0, s.rows() - 1), 100, 1e-6);
  }
}

// The diagonal of this Jacobian is empty: y' of each entry depends only on the next entry.
TEST(TextRates, ImplicitMethodsDoWithoutADiagonal) {
  const TextModel model = read_model("m.toml", R"toml(
sets.ring = 40
coordinates.y = { over = "ring", start = "cos(ring*pi/20)" }
rate.y = "y[if(ring == 39, 0, ring + 1)] + 0*y[ring]"
)toml");
  // The start is a combination of the eigenvectors of the shift with the eigenvalues exp(+-i pi/20), so
  // y = Re exp(i k pi/20 + t exp(i pi/20)).
  const double angle = std::numbers::pi / 20;
  const std::complex<double> grown = std::exp(std::polar(1.0, angle));
  for (const char* method : {"cvode_bdf", "dop853"}) {
    const Vec end = last_of(run_of(model.problem->clone(), plan_with(method, 1, 1e-9)));
    for (int k = 0; k < 40; ++k) EXPECT_NEAR(end[k], (std::polar(1.0, k * angle) * grown).real(), 1e-6) << method;
  }
}

TEST(TextRates, EventsAndSwitches) {
  // A tank is filled at the rate 1. Above the level 2 it opens and loses 3 per unit of time; later a parameter ends
  // the inflow.
  const TextModel model = read_model("m.toml", R"toml(
parameters.inflow = 1
coordinates.level = 0
rate.level = "inflow"
[[event]]
name = "open"
when = "level - 2"
direction = 1
then = { inflow = -3 }
[[event]]
name = "empty"
when = "level - 1"
direction = -1
then = { inflow = 0, level = "level/2" }
)toml");
  const Solution s = run_of(model.problem->clone(), plan_with("dop853", 5, 1e-10));
  ASSERT_EQ(s.outcome.events.size(), 2u);
  EXPECT_NEAR(s.outcome.events[0].t, 2, 1e-9);
  EXPECT_NEAR(s.outcome.events[1].t, 2 + 1 / 3.0, 1e-9);
  EXPECT_NEAR(last_of(s)[0], 0.5, 1e-9);
}

TEST(TextRateErrors, SayWhatIsWrong) {
  const std::string head = "coordinates.x = 1\nrate.x = ";
  EXPECT_THAT(complaint(head + "\"vx\""), mentions("name 'vx'"));
  EXPECT_THAT(complaint(head + "\"-x\"\n[[measure]]\nname = \"a\"\nvalue = \"vx^2\""), mentions("name 'vx'"));
  EXPECT_THAT(complaint(head + "\"-x\"\n[[event]]\nwhen = \"vx\"\nstop = true"), mentions("name 'vx'"));
  EXPECT_THAT(complaint(head + "\"1/(x - 1)\""), mentions("rate is inf"));
  EXPECT_THAT(complaint(head + "\"sqrt(x - 2)\""), mentions("rate is ", "finite"));
  EXPECT_THAT(complaint("sets.a = 2\ncoordinates.y = { over = \"a\", start = 1 }\nrate.y = \"y\""),
              mentions("'y'", "'a'", "y[a]"));
}
}  // namespace
}  // namespace trill::testing_models
