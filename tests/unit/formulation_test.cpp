// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/inspection.hpp"
#include "formulation/frequencies.hpp"
#include "formulation/rigid_limit.hpp"
#include "support/allocation_count.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/method/hermite.hpp"
#include "trill/method/registry.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/model_registry.hpp"

namespace trill {
namespace {
std::unique_ptr<Problem> model(const char* name, const OptionSet& parameters = {}) {
  return ModelRegistry::all().find(name).make(parameters);
}

TEST(Hermite, ReproducesItsPolynomials) {
  // The cubic is tested with y = 1 - 2 t + t^3 on [0, 0.7], the quintic with t^5.
  const double h = 0.7;
  Vec out(1);
  const auto v = [](double x) { return Vec::Constant(1, x); };
  for (const double theta : {0.0, 0.3, 0.8, 1.0}) {
    const double t = theta * h;
    hermite(theta, h, v(1), v(-2), v(1 - 2 * h + h * h * h), v(-2 + 3 * h * h), out);
    EXPECT_NEAR(out[0], 1 - 2 * t + t * t * t, 1e-15);
    const double h3 = h * h * h;
    hermite5(theta, h, v(0), v(0), v(0), v(h3 * h * h), v(5 * h3 * h), v(20 * h3), out);
    EXPECT_NEAR(out[0], std::pow(t, 5), 1e-15);
    hermite5_slope(theta, h, v(0), v(0), v(0), v(h3 * h * h), v(5 * h3 * h), v(20 * h3), out);
    EXPECT_NEAR(out[0], 5 * std::pow(t, 4), 1e-14);
  }
}

// On the unit pendulum the acceleration is the tangential part of gravity minus the centripetal part. The multiplier of
// g = r - 1 is lambda = v^2 + y.
TEST(UnderlyingOde, GivesAccelerationAndMultiplierOfThePendulum) {
  const auto rigid = model("rigid");
  UnderlyingOde ode(rigid->as<MechanicalProblem>("test"));
  const double angle = 0.4, omega = 1.3;
  Vec q(2), v(2), a(2), lambda(1);
  q << std::cos(angle), std::sin(angle);
  v << -omega * q[1], omega * q[0];
  ASSERT_TRUE(ode.solve(0, q, v, a, lambda));
  EXPECT_NEAR(lambda[0], omega * omega + q[1], 1e-14);
  EXPECT_NEAR(a[0], -lambda[0] * q[0], 1e-14);
  EXPECT_NEAR(a[1], 1 - lambda[0] * q[1], 1e-14);
}

TEST(FirstOrderForm, JacobianIsTheDerivativeOfItsRightHandSide) {
  for (const auto& [name, parameters] :
       std::vector<std::pair<const char*, OptionSet>>{{"stiff_spring", {}},
                                                      {"two_springs", {{"omega2", "20"}}},
                                                      {"beam", {{"elements", "3"}}},
                                                      {"fermi_pasta_ulam", {{"m", "15"}}}}) {
    const auto problem = model(name, parameters);
    FirstOrderForm form(*problem, "test");
    const State s = problem->initial_state();
    form.start(s);
    MatrixSlot j = form.jacobian_pattern();
    ASSERT_TRUE(form.jacobian(0, s.y, j)) << name;
    const Index n = form.size();
    Vec up(n), down(n);
    for (Index c = 0; c < n; ++c) {
      Vec y = s.y;
      const double step = 1e-6;
      y[c] += step;
      form.rhs(0, y, up);
      y[c] -= 2 * step;
      form.rhs(0, y, down);
      const Vec column = (up - down) / (2 * step);
      for (Index r = 0; r < n; ++r)
        EXPECT_NEAR(j.value(r, c), column[r], 1e-6 * (1 + column.cwiseAbs().maxCoeff()))
            << name << " " << r << " " << c;
    }
  }
}

TEST(Frequencies, OfTheFermiPastaUlamChainBySizeAlike) {
  // The stiff springs alone have the frequency omega. The quartic ones have no stiffness at rest, and little at the
  // small stretch of the start.
  const auto small = model("fermi_pasta_ulam", {{"m", "10"}}), large = model("fermi_pasta_ulam", {{"m", "300"}});
  EXPECT_NEAR(fastest_frequency(*small, small->initial_state()), 50, 0.2);
  EXPECT_NEAR(fastest_frequency(*large, large->initial_state()), 50, 0.2);
}

// A bar hangs from its end: omega^2 = m g (l/2) / (m l^2/3). If a driver turns the bar, nothing is left that
// oscillates.
TEST(Frequencies, AreThoseOfMotionsAlongTheConstraints) {
  const std::string bar = R"toml(
[bodies]
bar = { mass = 2, inertia = "2/12", start = { pin = [0, 0] }, angle = "-pi/2", points = { pin = [-0.5, 0] } }
[gravity]
acceleration = [0, -9.81]
[[joint]]
kind = "revolute"
to = "bar.pin"
)toml";
  const auto eigenvalues_of = [](const std::string& text) {
    const TextModel model = read_model("m.toml", text);
    return local_eigenvalues(*model.problem, model.problem->initial_state());
  };
  const auto found = eigenvalues_of(bar);
  ASSERT_EQ(found.size(), 2u);
  for (const auto& value : found) {
    EXPECT_NEAR(std::abs(value.imag()), std::sqrt(1.5 * 9.81), 1e-6);
    EXPECT_NEAR(value.real(), 0, 1e-6);
  }
  EXPECT_TRUE(eigenvalues_of(bar + "[[driver]]\nof = \"bar.angle\"\nvalue = \"t^2 - pi/2\"\n").empty());
}

TEST(RigidLimit, ProjectsAndRefuses) {
  const auto soft = model("stiff_spring");
  const RigidLimit rigid(soft->as<MechanicalProblem>("test"));
  const State s = rigid.initial_state();
  EXPECT_NEAR(s.q().norm(), 1, 1e-14);
  EXPECT_NEAR(s.q().dot(s.v()), 0, 1e-14);
  Vec f(2);
  rigid.force(all_groups, 0, s.q(), s.v(), f);
  EXPECT_NEAR(f[0], 0, 1e-10);
  EXPECT_NEAR(f[1], 1, 1e-10);
  EXPECT_THROW(Catalogue::all().formulation("rigid_limit").make(*model("kepler"), {}), UsageError);
  EXPECT_THROW(Catalogue::all().formulation("rigid_limits").make(*soft, {}), UsageError);
}

std::string recommended(const std::string& name, const OptionSet& parameters = {}) {
  const TextModel made = make_model(name, parameters);
  const Inspection in = inspect_problem({}, *made.problem, made.info.run);
  const Way& way = in.advice.ranked.front().way;
  return way.formulation ? way.formulation->name : way.method->info.name;
}

TEST(Inspection, TellsFastFromSlow) {
  const auto springs = model("two_springs", {{"omega2", "1000"}});
  const Inspection in = inspect_problem({}, *springs, {});
  ASSERT_FALSE(in.modes.empty());
  // Two unit masses on one spring have the frequency omega2 sqrt(2).
  EXPECT_NEAR(in.modes.front().omega, 1000 * std::sqrt(2.0), 2);
  EXPECT_TRUE(in.modes.front().fast);
  EXPECT_FALSE(in.modes.back().fast);
  EXPECT_GT(in.gap, 100);
}

TEST(Inspection, RecommendsWhatSuitsTheKindOfProblem) {
  RunPlan plan;
  plan.want = Want::slow;
  const TextModel springs = make_model("two_springs", {{"omega2", "20000"}});
  EXPECT_EQ(inspect_problem(plan, *springs.problem, springs.info.run).advice.ranked.front().way.formulation->name,
            "slow");
  EXPECT_EQ(recommended("hires"), "radau");
  // Methods are compared by predicted times. They are made for programs without a sanitizer.
  if (counts_allocations()) {
    EXPECT_FALSE(Catalogue::all().method(recommended("pleiades")).info.implicit_step);
  }
  EXPECT_EQ(recommended("langevin"), "langevin_splitting");
  EXPECT_EQ(recommended("bridge_rectifier"), "radau");
}

TEST(Inspection, TakesNoForceForConservativeThatHasNoPotential) {
  const TextModel turning = read_model("m.toml",
                                       "coordinates.x = 1\ncoordinates.y = 0\n"
                                       "[[force]]\non = \"x\"\nvalue = \"-0.5*y\"\n"
                                       "[[force]]\non = \"y\"\nvalue = \"0.5*x\"\n");
  EXPECT_FALSE(inspect_problem({}, *turning.problem, {}).facts.conservative());
}
}  // namespace
}  // namespace trill
