// SPDX-License-Identifier: BSD-3-Clause
// The right-hand side of the slow motion of stiff gaps at single points.
#include "formulation/fixman.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/slow_models.hpp"

namespace trill::testing_models {
namespace {
struct Case {
  std::string name;
  TextModel model;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"one gap", make_model("wire", {{"omega", "60"}})});
  all.push_back({"two gaps", make_model("two_springs", {{"omega1", "60"}, {"omega2", "60"}})});
  all.push_back({"mass of q", make_model("cart", {{"omega", "60"}})});
  all.push_back({"hard row", read_model("m.toml", rod_and_spring(true))});
  return all;
}

double fast_energy(const SlowSystem& slow, double t, const Vec& q, const Vec& actions) {
  return actions.dot(linear_frequencies(slow, t, q));
}

// The gradient by central differences, extrapolated twice.
Vec gradient_of_fast_energy(const SlowSystem& slow, const State& s) {
  const Vec actions = s.x();
  Vec gradient(s.q().size());
  for (Index i = 0; i < gradient.size(); ++i) {
    const auto slope = [&](double h) {
      Vec up = s.q(), down = s.q();
      up[i] += h;
      down[i] -= h;
      return (fast_energy(slow, s.t, up, actions) - fast_energy(slow, s.t, down, actions)) / (2 * h);
    };
    const double a = slope(0.02), b = slope(0.01), c = slope(0.005);
    const double ab = (4 * b - a) / 3, bc = (4 * c - b) / 3;
    gradient[i] = (16 * bc - ab) / 15;
  }
  return gradient;
}

TEST(SlowSystem, FrequenciesAreThoseOfTheLinearisedMotion) {
  for (const Case& c : cases()) {
    const SlowSystem slow(mechanics(c.model), {FastEnergy::keep});
    const State s = slow_state(slow, shifted_start(*c.model.problem), 0.02);
    Vec dy(s.y.size());
    slow.rhs(s.t, s.y, dy);
    expect_equal(slow.modes().frequencies(), linear_frequencies(slow, s.t, s.q()), c.name, 1e-12);
  }
}

TEST(SlowSystem, FastForceIsMinusTheGradientOfTheFastEnergy) {
  for (const Case& c : cases()) {
    const SlowSystem slow(mechanics(c.model), {FastEnergy::keep});
    const State s = slow_state(slow, shifted_start(*c.model.problem), 0.02);
    const Vec with = force_behind(slow, s);
    slow.set_fast(false);
    const Vec without = force_behind(slow, s);
    const Vec gradient = gradient_of_fast_energy(slow, s);
    ASSERT_GT(gradient.cwiseAbs().maxCoeff(), 1e-2) << c.name;
    expect_equal(with - without, -gradient, c.name, 1e-8);
  }
}

TEST(SlowSystem, KnownPointsBelongToWhatWasAsked) {
  const TextModel model = make_model("wire", {{"omega", "60"}});
  const SlowSystem slow(mechanics(model), {FastEnergy::keep});
  const State s = slow_state(slow, shifted_start(*model.problem), 0.02);
  const Vec with = slow.at(s.t, s.y).a;
  slow.set_fast(false);
  const Vec without = slow.at(s.t, s.y).a;
  EXPECT_GT((with - without).norm(), 1e-2);
  slow.set_fast(true);
  EXPECT_EQ(slow.at(s.t, s.y).a, with);
  slow.set_order(1);
  EXPECT_GT((slow.at(s.t, s.y).a - with).norm(), 1e-5);
}

TEST(SlowSystem, FixmanForceIsThatOfTheActionsKTOverTheFrequencies) {
  const TextModel model = make_model("two_springs", {{"omega1", "60"}, {"omega2", "60"}});
  const SlowSystem drop(mechanics(model), {FastEnergy::drop}), keep(mechanics(model), {FastEnergy::keep});
  const State given = shifted_start(*model.problem);
  const State bare = slow_state(drop, given, 0);
  State s = slow_state(keep, given, 0);
  s.x() = 0.7 * linear_frequencies(keep, s.t, s.q()).cwiseInverse();
  FixmanForce fixman(mechanics(model), drop.map(), drop.gaps());
  ASSERT_TRUE(fixman.stand_at(bare.t, bare.q()));
  Vec force = force_behind(drop, bare);
  fixman.add(0.7, force);
  expect_equal(force, force_behind(keep, s), "force", 1e-11);
}

TEST(SlowSystem, HardRowIsTheLimitOfAStiffOne) {
  const TextModel hard = read_model("m.toml", rod_and_spring(true)), soft = read_model("m.toml", rod_and_spring(false));
  for (const int order : {0, 1})
    for (const FastEnergy energy : {FastEnergy::drop, FastEnergy::keep}) {
      const SlowSystem a(mechanics(hard), {energy}), b(mechanics(soft), {energy});
      a.set_order(order);
      b.set_order(order);
      const State given = hard.problem->initial_state();
      State at_hard = slow_state(a, given, 0.3), at_soft = slow_state(b, given, 0);
      // Modes are sorted by frequency, so the softer one is the first.
      if (energy == FastEnergy::keep) at_soft.x()[0] = 0.3;
      Vec da(at_hard.y.size()), db(at_soft.y.size());
      a.rhs(0, at_hard.y, da);
      b.rhs(0, at_soft.y, db);
      expect_equal(da.head(8), db.head(8), "order " + std::to_string(order), 1e-8);
      expect_equal(a.at(0, at_hard.y).lambda, b.at(0, at_soft.y).lambda, "multipliers", 1e-8);
    }
}

// For a spring without oscillation under gravity every term that order 1 adds is known in closed form; lambda''
// follows from the equation of the pendulum.
TEST(SlowSystem, SecondOrderOfThePendulumInClosedForm) {
  const TextModel model = make_model("stiff_spring", {{"epsilon", "0.05"}});
  const SlowSystem slow(mechanics(model), {FastEnergy::drop});
  slow.set_order(1);
  const double angle = 0.4, w = 1.3;
  State s(slow.layout(), 0);
  s.q() << std::cos(angle), std::sin(angle);
  s.v() << -w * std::sin(angle), w * std::cos(angle);
  // lambda = w^2 + sin and w' = cos, therefore lambda' = 3 w cos and lambda'' = 3 cos^2 - 3 w^2 sin.
  const SlowSystem::Point& point = slow.at(0, s.y);
  EXPECT_NEAR(point.lambda[0], w * w + std::sin(angle), 1e-14);
  EXPECT_NEAR(point.lambda1[0], 3 * w * std::cos(angle), 1e-13);
  EXPECT_NEAR(point.lambda2[0], 3 * std::pow(std::cos(angle), 2) - 3 * w * w * std::sin(angle), 1e-13);
  EXPECT_NEAR(point.reaction[0], point.lambda[0] - 0.0025 * point.lambda2[0], 1e-14);
}

// A drag along x alone. The action of a mode with direction u decays at the rate drag u_x^2.
constexpr const char* dragged_wire = R"(
parameters.drag = 0.7
coordinates.x = 1
coordinates.y = { start = "0.3*x0", velocity = 0.3 }
parameters.x0 = 1
derived.gap = "y - 0.3*x^2"
[[stiff]]
gap = "gap"
stiffness = 1e4
group = "stiff"
[[force]]
on = "x"
value = "-drag*vx"
group = "drag"
)";

TEST(SlowSystem, LinearDragDampsActionsByWhatItDoesToTheirMode) {
  const TextModel model = read_model("m.toml", dragged_wire);
  const SlowSystem slow(mechanics(model), {FastEnergy::keep});
  EXPECT_EQ(slow.drag(), Drag::linear);
  const State s = slow_state(slow, shifted_start(*model.problem), 0.2);
  Vec dy(s.y.size());
  slow.rhs(s.t, s.y, dy);
  const double slope = 0.6 * s.q()[0], along = slope * slope / (1 + slope * slope);
  EXPECT_NEAR(dy[4], -0.7 * along * 0.2, 1e-14);
}

// The drag f = -k |v|^2 v is averaged over velocities v + u w, where u is perpendicular to v, w = a cos and a^2 = 2 J
// Omega. The mean force is -k (v^2 + J Omega) v, and J' = -k (v^2 J + 3/2 J^2 Omega).
TEST(SlowSystem, CubicDragIsAveragedOverThePhase) {
  const double k = 0.4, J = 0.03;
  const OptionSet with{{"omega", "60"}, {"cubic_drag", "0.4"}}, without{{"omega", "60"}};
  const TextModel model = make_model("wire", with), free = make_model("wire", without);
  const SlowSystem slow(mechanics(model), {FastEnergy::keep}), undamped(mechanics(free), {FastEnergy::keep});
  EXPECT_EQ(slow.drag(), Drag::nonlinear);
  State s = slow_state(slow, model.problem->initial_state(), J);
  const double slope = 0.78 * std::sin(1.3 * s.q()[0]);
  s.v() << 0.9, 0.9 * slope;  // parallel to the wire
  Vec dy(s.y.size());
  slow.rhs(0, s.y, dy);
  const double omega = slow.modes().frequencies()[0], square = s.v().squaredNorm();
  EXPECT_NEAR(omega, 60 * std::sqrt(1 + slope * slope), 1e-11);
  EXPECT_NEAR(dy[4], -k * (square * J + 1.5 * J * J * omega), 1e-13);
  expect_equal(force_behind(slow, s) - force_behind(undamped, s), -k * (square + J * omega) * s.v(), "force", 1e-11);
}

std::string refusal(const std::string& text, bool matched) {
  const TextModel model = read_model("m.toml", text);
  try {
    const SlowSystem slow(mechanics(model), {FastEnergy::keep});
    const State given = model.problem->initial_state();
    matched ? match_start(slow, given) : project_start(slow, given);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(SlowSystem, RefusesWhatHasNoSlowMotion) {
  const std::string plane = "coordinates.x = 1\ncoordinates.y = 0.5\n";
  const std::string twice = "[[stiff]]\ngap = \"x - 1\"\nstiffness = 1e4\n";
  EXPECT_THAT(refusal(plane + "[[potential]]\nenergy = \"x^2\"\n", true), mentions("stiff gaps"));
  for (const bool matched : {true, false}) {
    EXPECT_THAT(refusal(plane + twice + twice, matched), mentions("gaps depend"));
    EXPECT_THAT(refusal(plane + "[[stiff]]\ngap = \"x^2 + y^2 + 1\"\nstiffness = 1e4\n", matched),
                mentions("closed gaps"));
    EXPECT_EQ(refusal(plane + twice, matched), "no error");
  }
}

TEST(SlowSystem, EvaluatesWithoutAllocating) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  std::vector<Case> all = cases();
  all.push_back({"linear drag", make_model("wire", {{"drag", "0.2"}})});
  all.push_back({"cubic drag", make_model("wire", {{"cubic_drag", "0.2"}})});
  all.push_back({"sparse", read_model("m.toml", many_chains, {{"chains", "50"}})});
  for (const Case& c : all) {
    const SlowSystem slow(mechanics(c.model), {FastEnergy::keep, true});
    State s = slow_state(slow, c.model.problem->initial_state(), 0.02);
    Vec dy(s.y.size());
    for (const int order : {0, 1}) {
      slow.set_order(order);
      slow.rhs(0, s.y, dy);
      slow.project(s);
      ASSERT_TRUE(dy.allFinite()) << c.name;
      const AllocationGuard guard;
      slow.rhs(0, s.y, dy);
      slow.project(s);
      slow.project(s);
      EXPECT_EQ(guard.count(), 0u) << c.name << " order " << order;
    }
  }
}

TEST(SlowSystem, ManyChainsAtOnceMoveAsEachAlone) {
  const TextModel many = read_model("m.toml", many_chains, {{"chains", "50"}});
  const TextModel one = read_model("m.toml", many_chains);
  ASSERT_TRUE(mechanics(many).strong_potential()->map->pattern().is_sparse());
  ASSERT_FALSE(mechanics(one).strong_potential()->map->pattern().is_sparse());
  for (const int order : {0, 1}) {
    const SlowSystem wide(mechanics(many), {FastEnergy::keep, true}), narrow(mechanics(one), {FastEnergy::keep, true});
    EXPECT_EQ(wide.modes().layers(), 2);
    wide.set_order(order);
    narrow.set_order(order);
    State s = slow_state(wide, shifted_start(*many.problem, 0.1), 0.01);
    Vec dy(s.y.size());
    wide.rhs(s.t, s.y, dy);
    State projected = s;
    wide.project(projected);
    for (Index chain = 0; chain < 50; ++chain) {
      const auto part = [chain](const Vec& all) {
        Vec y(20);
        for (Index mass = 0; mass < 8; ++mass) y.segment(2 * mass, 2) = all.segment(100 * mass + 2 * chain, 2);
        for (Index kind = 0; kind < 2; ++kind)
          y.segment(16 + 2 * kind, 2) = all.segment(800 + 100 * kind + 2 * chain, 2);
        return y;
      };
      State single(narrow.layout(), s.t);
      single.y = part(s.y);
      Vec slope(20);
      narrow.rhs(s.t, single.y, slope);
      expect_equal(part(dy), slope, "right-hand side of chain " + std::to_string(chain), 1e-12);
      narrow.project(single);
      expect_equal(part(projected.y), single.y, "projected chain " + std::to_string(chain), 1e-12);
    }
  }
}
}  // namespace
}  // namespace trill::testing_models
