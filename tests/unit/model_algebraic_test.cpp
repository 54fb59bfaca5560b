// SPDX-License-Identifier: BSD-3-Clause
// Text models with algebraic equations beside rates, and with rates of expressions: d/dt charge(x) = rate(t, x).
#include "support/text_models.hpp"
#include "trill/problem/circuit.hpp"

#include <algorithm>

namespace trill::testing_models {
namespace {
using testing::AllOf;
using testing::HasSubstr;

const CircuitProblem& charges(const TextModel& model) { return model.problem->as<CircuitProblem>("the test"); }

// A hidden algebraic equation: 2 (row 1) - (row 2) is 0 = sin(3 t) - y. Therefore x' = -x - 3 cos(3 t).
const char* const hidden = R"toml(
[coordinates]
x = 1.0
y = 2.0
[rate]
x = { of = "x + y", value = "-x" }
y = { of = "2*(x + y)", value = "-2*x + y - sin(3*t)" }
)toml";
double hidden_x(double t) {  // x(0) = 3: x + y keeps its initial value, but y becomes 0
  return -0.3 * std::cos(3 * t) - 0.9 * std::sin(3 * t) + 3.3 * std::exp(-t);
}

double worst(const Vec& y, const Vec& reference) {
  return ((y - reference).array() / reference.array()).abs().maxCoeff();
}

TEST(TextAlgebraic, ChargesCurrentsAndTheirJacobians) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.c = 0.5
[coordinates]
x = 1.0
p = { point = 2, start = [2, 3] }
z = 0.0
[rate]
p = { of = ["c*p.x*x", "p.y^3"], value = ["-p.x", "z*t"] }
x = "z - x"
[algebraic]
z = "z + z^3 - x*p.y"
)toml");
  const CircuitProblem& p = charges(model);
  const Vec x{{2, 3, 5, 7}};
  Vec charge(4), current(4);
  p.charge(x, charge);
  p.current(0.5, x, current);
  expect_equal(charge, Vec{{2, 3, 125, 0}}, "charge");
  expect_equal(current, Vec{{-5, 3, -3.5, -(7 + 343 - 10)}}, "current");
  MatrixSlot dcharge = p.jacobian_pattern(), dcurrent = p.jacobian_pattern();
  p.jacobians(0.5, x, dcharge, dcurrent);
  expect_equal(dense(dcharge), Mat{{1, 0, 0, 0}, {1.5, 1, 0, 0}, {0, 0, 75, 0}, {0, 0, 0, 0}}, "dcharge");
  expect_equal(dense(dcurrent), Mat{{1, 0, 0, -1}, {0, 1, 0, 0}, {0, 0, 0, -0.5}, {5, 0, 2, -148}}, "dcurrent");
}

TEST(TextAlgebraic, GivenValuesOfAlgebraicUnknownsAreGuesses) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = 2.0
z = 0.1
[rate]
x = "-z"
[algebraic]
z = "z + exp(z) - 3*x"
)toml");
  const Vec y = model.problem->initial_state().y;
  EXPECT_EQ(y[0], 2);
  EXPECT_NEAR(y[1] + std::exp(y[1]), 6, 1e-13);
}

TEST(TextAlgebraic, EquationsHiddenInDependentChargesAreFound) {
  const Vec y = read_model("m.toml", hidden).problem->initial_state().y;
  EXPECT_NEAR(y[0], 3, 1e-14);
  EXPECT_NEAR(y[1], 0, 1e-14);
}

TEST(TextAlgebraic, RadauFollowsItsTolerance) {
  double last = 1;
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    const Solution s = run_of(read_model("m.toml", hidden).problem, plan_with("radau", 4, rtol));
    const double error = std::abs(last_of(s)[0] - hidden_x(4));
    EXPECT_LT(error, 10 * rtol);
    EXPECT_LT(error, last);
    EXPECT_NEAR(last_of(s)[1], std::sin(12.0), 10 * rtol);
    last = error;
  }
}

TEST(TextAlgebraic, TheTrapezoidalRuleHasOrderTwo) {
  double errors[2];
  for (const int k : {0, 1}) {
    const Solution s =
        run_of(read_model("m.toml", hidden).problem, plan_with("circuit_trapezoidal", 2, 0.01 / (1 + k)));
    errors[k] = std::abs(last_of(s)[0] - hidden_x(2));
  }
  EXPECT_LT(errors[0], 1e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
}

TEST(TextAlgebraic, AChargeThatIsNotLinear) {  // (v + v^3)' = -v, so log v + 3/2 v^2 + t is constant
  const char* const text = "[coordinates]\nv = 1.5\n[rate]\nv = { of = \"v + v^3\", value = \"-v\" }\n";
  const Solution s = run_of(read_model("m.toml", text).problem, plan_with("radau", 5, 1e-9));
  const double v = last_of(s)[0];
  EXPECT_NEAR(std::log(v) + 1.5 * v * v + 5, std::log(1.5) + 1.5 * 1.5 * 1.5, 1e-7);
}

// The problem 'transamp' of the test set for initial value problems at t = 0.2. Written as an ordinary differential
// equation for its five charges and solved by SciPy's Radau at rtol = 1e-12, it gives the same 12 digits.
TEST(TextAlgebraic, TheTransistorAmplifierAgreesWithTheTestSet) {
  const Vec reference{{-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
                       0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1}};
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Solution s =
        run_of(ModelRegistry::all().find("transistor_amplifier").make({}), plan_with("radau", 0.2, rtol));
    EXPECT_LT(worst(last_of(s), reference), 0.02 * rtol) << rtol;
  }
}

// The problem 'rober' of the test set for initial value problems at t = 1e11.
TEST(TextAlgebraic, RobertsonAgreesWithTheTestSet) {
  const Vec reference{{0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}};
  RunPlan plan = plan_with("radau", 1e11, 1e-8);
  plan.atol = 1e-20;
  EXPECT_LT(worst(last_of(run_of(ModelRegistry::all().find("robertson").make({}), plan)), reference), 1e-6);
}

// Between two steps the algebraic unknowns are computed from their equations, not from the polynomial of the step.
TEST(TextAlgebraic, EveryRowSatisfiesTheAlgebraicEquations) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = 1.0
z = 0.0
[rate]
x = "-0.1*x"
[algebraic]
z = "z - x*exp(-300*(t - 5)^2)"
)toml");
  RunPlan plan = plan_with("radau", 10, 1e-6);
  plan.output = Grid{0.01};
  const Solution s = run_of(model.problem->clone(), plan);
  for (Index k = 0; k < s.rows(); ++k) {
    const double t = s.t[static_cast<std::size_t>(k)], d = t - 5;
    EXPECT_NEAR(s.y()(1, k), s.y()(0, k) * std::exp(-300 * d * d), 1e-12) << t;
  }
}

TEST(TextAlgebraic, EventsAreFollowedByConsistentValues) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.gain = 2
[coordinates]
x = 1.0
z = 0.0
[rate]
x = "-z"
[algebraic]
z = "z - gain*x"
[[event]]
name = "switch"
when = "x - 0.5"
then = { gain = 5, x = 0.4 }
)toml");
  const Solution s = run_of(model.problem->clone(), plan_with("radau", 1, 1e-8));
  const double t = times_of(s, "switch").at(0);
  EXPECT_NEAR(t, std::log(2.0) / 2, 1e-7);
  EXPECT_NEAR(last_of(s)[0], 0.4 * std::exp(-5 * (1 - t)), 1e-7);
  for (Index k = 0; k < s.rows(); ++k) {
    const double ratio = s.y()(1, k) / s.y()(0, k);
    EXPECT_NEAR(ratio, ratio > 3 ? 5 : 2, 1e-6);
  }
  EXPECT_EQ(std::count(s.t.begin(), s.t.end(), t), 2);
}

// A ring of nodes with capacitors (v) and nodes without (w), joined by resistors. It gives the same result as the
// ordinary differential equations that remain when w is eliminated.
TEST(TextAlgebraic, UnknownsOverASet) {
  const auto ladder = [](const char* middle) {
    return std::string(
               "parameters.n = 40\n[sets]\nnode = \"n\"\n[coordinates]\nv = { over = \"node\", start = "
               "\"cos(node)\" }\n") +
           middle;
  };
  const std::string with = ladder(
      "w = { over = \"node\", start = 0 }\n[rate]\nv = { of = \"0.1*v[node]\", value = \"w[node] - v[node] + "
      "w[if(node == 0, n - 1, node - 1)] - v[node]\" }\n[algebraic]\nw = \"v[node] + v[if(node == n - 1, 0, node + 1)] "
      "- "
      "2*w[node]\"\n");
  const std::string without =
      ladder("[rate]\nv = \"5*(v[if(node == n - 1, 0, node + 1)] + v[if(node == 0, n - 1, node - 1)] - 2*v[node])\"\n");
  const Vec a = last_of(run_of(read_model("m.toml", with).problem, plan_with("radau", 0.3, 1e-9)));
  const Vec b = last_of(run_of(read_model("m.toml", without).problem, plan_with("dop853", 0.3, 1e-11)));
  EXPECT_LT((a.head(40) - b).cwiseAbs().maxCoeff(), 1e-8);
}

// The reference is the differential equation for the voltage of the capacitor alone, in which the potentials of both
// ends of the source were eliminated. It was solved by SciPy with LSODA and rtol = 1e-9.
TEST(TextAlgebraic, ABridgeRectifierChargesItsCapacitor) {
  const auto voltage_at = [](double t) {
    return last_of(run_of(ModelRegistry::all().find("bridge_rectifier").make({}), plan_with("radau", t, 1e-8)))[2];
  };
  EXPECT_NEAR(voltage_at(0.013), 9.125376192849847, 1e-6);
  EXPECT_NEAR(voltage_at(0.03), 9.461247917116093, 1e-6);
}

TEST(TextAlgebraic, Mistakes) {
  const auto said = [](const std::string& equations) {
    return complaint("[coordinates]\nx = 1.0\nz = 1.0\n" + equations);
  };
  EXPECT_THAT(said("[rate]\nx = \"z\"\n"), AllOf(HasSubstr("m.toml:3:"), HasSubstr("'z' has no rate")));
  EXPECT_THAT(said("[rate]\nx = \"z\"\nz = \"x\"\n[algebraic]\nz = \"x - z\"\n"),
              AllOf(HasSubstr("m.toml:8:"), HasSubstr("already has a rate")));
  EXPECT_THAT(said("[algebraic]\nx = \"x - z\"\nz = \"x - t\"\n"), AllOf(HasSubstr("m.toml:5:"), HasSubstr("[rate]")));
  EXPECT_THAT(said("[rate]\nx = { of = \"x*t\", value = \"z\" }\n[algebraic]\nz = \"x - z\"\n"),
              AllOf(HasSubstr("m.toml:5:"), HasSubstr("may not depend on t")));
  EXPECT_THAT(said("[rate]\nx = { off = \"x\", value = \"z\" }\n[algebraic]\nz = \"x - z\"\n"),
              AllOf(HasSubstr("m.toml:5:"), HasSubstr("off")));
  EXPECT_THAT(said("[rate]\nx = \"z\"\n[algebraic]\nz = \"x - y\"\n"),
              AllOf(HasSubstr("m.toml:7:"), HasSubstr("unknown name 'y'")));
  EXPECT_THAT(said("[rate]\nx = \"z\"\n[algebraic]\nz = \"x - z\"\n[[force]]\non = \"x\"\nvalue = 1\n"),
              AllOf(HasSubstr("m.toml:9:"), HasSubstr("[[force]]"), HasSubstr("[rate]")));
}

TEST(TextAlgebraic, AStartWithoutSolutionNamesTheEquation) {
  const std::string said = complaint(R"toml(
[coordinates]
x = 1.0
y = 0.5
z = 0.5
[rate]
x = "z"
[algebraic]
y = "y - x"
z = "z^2 + 1 + x"
)toml");
  EXPECT_THAT(said, AllOf(HasSubstr("m.toml:10:"), HasSubstr("'z'")));
}

TEST(TextAlgebraic, AnIndexAboveOneIsRefused) {  // z does not occur in its own equation
  const std::string said = complaint(R"toml(
[coordinates]
x = 1.0
z = 0.5
[rate]
x = "z"
[algebraic]
z = "x - cos(t)"
)toml");
  EXPECT_THAT(said, AllOf(HasSubstr("m.toml:"), HasSubstr("index")));
}

TEST(TextAlgebraic, OtherMethodsSayWhatToUse) {
  for (const char* method : {"dopri5", "gauss", "cvode_bdf", "verlet", "bdf", "sdirk"}) {
    std::string said;
    try {
      RunPlan plan;
      plan.method = method;
      prepare(plan, read_model("m.toml", hidden).problem, {});
    } catch (const UsageError& e) {
      said = e.what();
    }
    EXPECT_THAT(said, AllOf(HasSubstr(method), HasSubstr("radau"), HasSubstr("circuit_trapezoidal"))) << method;
  }
}
}  // namespace
}  // namespace trill::testing_models
