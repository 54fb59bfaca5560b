// SPDX-License-Identifier: BSD-3-Clause
// The slow motion of stiff gaps along whole runs.
#include "support/slow_models.hpp"
#include "trill/control/advance.hpp"

#include <fmt/format.h>

namespace trill::testing_models {
namespace {
using AfterStep = std::function<void(State&)>;

// The states at ten equally spaced times up to `to`, one in each column.
Mat follow(const Problem& problem, State s, double to, double rtol, const AfterStep& after = {}) {
  constexpr int samples = 10;
  const auto stepper = Catalogue::all().method("dop853").make(problem, {});
  AdaptiveStep control;
  control.rtol = rtol;
  control.atol = Vec::Constant(1, rtol / 100);
  Advancer advancer(*stepper, control);
  advancer.start(s, to);
  Mat states(s.y.size(), samples);
  for (int k = 1; k <= samples; ++k) {
    while (s.t < to * k / samples) {
      const AdvanceResult result = advancer.one(s, to * k / samples);
      EXPECT_EQ(result.status, AdvanceStatus::ok) << problem.name() << " at " << s.t;
      if (result.status != AdvanceStatus::ok) return states;
      if (after) after(s);
    }
    states.col(k - 1) = s.y;
  }
  return states;
}

State from(const SlowSystem& slow, const MatchedStart& start) {
  State s(slow.layout(), 0);
  s.q() = start.q;
  s.v() = start.v;
  if (slow.layout().nx > 0) s.x() = start.actions;
  return s;
}

double largest(const Mat& m) { return m.cwiseAbs().maxCoeff(); }

// The errors of order 0 and of order 1 for a stiff motion that starts on the slow manifold.
std::array<double, 2> errors_of_smooth_motion(const TextModel& model) {
  const MechanicalProblem& p = mechanics(model);
  const Index n = p.layout().nq;
  const SlowSystem slow(p, {FastEnergy::drop});
  slow.set_order(1);
  State given = p.initial_state();
  const State on_manifold = from(slow, project_start(slow, given));
  given.q() = on_manifold.q();
  given.v() = on_manifold.v();
  const Mat stiff = follow(p, given, 5, 1e-12);
  std::array<double, 2> errors{};
  for (const int order : {0, 1}) {
    slow.set_order(order);
    const State start = order == 0 ? from(slow, project_start(slow, given)) : on_manifold;
    const Mat found = follow(slow, start, 5, 1e-11, [&](State& s) { slow.project(s); });
    errors[static_cast<std::size_t>(order)] = largest(found.topRows(n) - stiff.topRows(n));
  }
  return errors;
}

TEST(SlowMotion, IsOfItsOrderWithoutFastEnergy) {
  const auto wire = [](double omega) { return make_model("wire", {{"omega", std::to_string(omega)}}); };
  const auto cart = [](double omega) { return make_model("cart", {{"omega", std::to_string(omega)}}); };
  for (const std::function<TextModel(double)>& make : {std::function<TextModel(double)>(wire), {cart}}) {
    const auto coarse = errors_of_smooth_motion(make(60)), fine = errors_of_smooth_motion(make(180));
    EXPECT_NEAR(std::log(coarse[0] / fine[0]) / std::log(3), 2, 0.2) << make(60).problem->name();
    EXPECT_NEAR(std::log(coarse[1] / fine[1]) / std::log(3), 4, 0.2) << make(60).problem->name();
    EXPECT_LT(fine[1], 1e-6);
  }
}

double energy(const SlowSystem& slow, const Vec& y) {
  const MechanicalProblem& p = slow.stiff();
  const Index n = slow.unknowns();
  const Vec q = y.head(n), v = y.segment(n, n);
  MatrixSlot mass = p.mass_pattern();
  p.mass(q, mass);
  const double potential = p.potential(slow.soft_groups(), 0, q).value();
  return potential + 0.5 * v.dot(dense(mass) * v) + y.tail(slow.gaps()).dot(linear_frequencies(slow, 0, q));
}

TEST(SlowMotion, KeepsItsEnergyWithThatOfTheModes) {
  std::vector<TextModel> models;
  models.push_back(make_model("wire"));
  models.push_back(make_model("cart"));
  models.push_back(make_model("two_springs", {{"omega1", "1000"}, {"omega2", "1000"}}));
  models.push_back(make_model("planar_chain", {{"second", "1.7"}}));
  models.push_back(read_model("m.toml", rod_and_spring(true)));
  for (const TextModel& model : models) {
    const SlowSystem slow(mechanics(model), {FastEnergy::keep});
    State start = from(slow, match_start(slow, model.problem->initial_state()));
    start.x().array() += 0.5 / linear_frequencies(slow, 0, start.q())[0];
    const Mat states = follow(slow, start, 10, 1e-11, [&](State& s) { slow.project(s); });
    const double before = energy(slow, start.y);
    Vec g(slow.rows());
    double moved = 0;
    for (Index k = 0; k < states.cols(); ++k) {
      EXPECT_NEAR(energy(slow, states.col(k)), before, 2e-9) << model.problem->name();
      slow.map().value(0, states.col(k).head(slow.unknowns()), g);
      EXPECT_LT(largest(g), 1e-12) << model.problem->name();
      moved = std::max(moved, largest(linear_frequencies(slow, 0, states.col(k).head(slow.unknowns())) -
                                      linear_frequencies(slow, 0, start.q())));
    }
    EXPECT_GT(moved, 0.1) << model.problem->name();
  }
}

TEST(SlowMotion, LinearDragDampsTheActions) {
  const TextModel model = make_model("wire", {{"drag", "0.2"}});
  const SlowSystem slow(mechanics(model), {FastEnergy::keep});
  const MatchedStart start = match_start(slow, model.problem->initial_state());
  const Mat states = follow(slow, from(slow, start), 10, 1e-11, [&](State& s) { slow.project(s); });
  ASSERT_GT(start.actions[0], 1e-5);
  // The drag is the same in all directions, so every mode of unit mass loses the same part of its action.
  for (Index k = 0; k < states.cols(); ++k)
    EXPECT_NEAR(states(4, k) / start.actions[0], std::exp(-0.2 * static_cast<double>(k + 1)), 1e-10);
}

// A pendulum is released at rest from the horizontal. At first there is no force in its spring. This must not be taken
// for a soft spring.
TEST(SlowMotion, TakesAPendulumFromRest) {
  for (const char* start : {"matched", "projected"}) {
    RunPlan plan;
    plan.model = "stiff_spring";
    plan.parameters = {{"epsilon", "0.02"}, {"x0", "1"}, {"y0", "0"}};
    plan.method = "slow";
    plan.options = {{"order", "1"}, {"fast_energy", "keep"}, {"start", start}};
    plan.rtol = 1e-8;
    const Solution solution = prepare(plan).run();
    EXPECT_TRUE(solution.ok()) << start << ": " << solution.outcome.message;
  }
}

// The start of a slow state with a mode of known action and phase on top of it. The matched start must find all of
// them.
TEST(MatchedStart, FindsActionPhaseAndSlowStateOfAStraightGap) {
  const TextModel model = read_model("m.toml",
                                     "coordinates.x = { start = 0.4, velocity = -0.7 }\n"
                                     "coordinates.y = { start = 0.003, velocity = 0.25, mass = 4 }\n"
                                     "[[stiff]]\ngap = \"y\"\nstiffness = 1e4\n"
                                     "[[potential]]\nenergy = \"x^2/2\"\ngroup = \"soft\"\n");
  const SlowSystem slow(mechanics(model), {FastEnergy::keep});
  const MatchedStart start = match_start(slow, model.problem->initial_state());
  const double omega = 50, fast = 0.5 * 1e4 * 0.003 * 0.003 + 0.5 * 4 * 0.25 * 0.25;
  EXPECT_NEAR(start.frequencies[0], omega, 1e-12);
  EXPECT_NEAR(start.actions[0], fast / omega, 1e-15);
  EXPECT_NEAR(start.phases[0], std::atan2(omega * 0.003, 0.25), 1e-14);
  EXPECT_NEAR(start.q[0], 0.4, 1e-15);
  EXPECT_NEAR(start.q[1], 0, 1e-15);
  EXPECT_NEAR(start.v[0], -0.7, 1e-15);
  EXPECT_NEAR(start.v[1], 0, 1e-15);
  EXPECT_NEAR(start.balance, 1, 1e-12);
  EXPECT_TRUE(start.balanced);
}

// The gap oscillates around y = force/stiffness. The force consists of the weight and of the drag on the slow
// velocity, in whichever groups these are. One of the drags is 0/0 at rest.
TEST(MatchedStart, KnowsTheForcesThatShareAGroupWithDrag) {
  struct Drag {
    const char *on, *value;
    double across;
  };
  for (const char* group : {"soft", "drag"})
    for (const Drag& drag : {Drag{"y", "-0.6*vx - 0.2*vy", 0.6 * 0.9}, {"x", "-0.3*vx/sqrt(vx^2 + vy^2)", 0}}) {
      const TextModel model = read_model("m.toml", fmt::format(R"toml(
[coordinates]
x = {{ start = 0.4, velocity = 0.9 }}
y = 0.0025
[[stiff]]
gap = "y"
stiffness = 1.6e5
group = "gap"
[[potential]]
energy = "x^2/2 + 3*y"
group = "soft"
[[force]]
on = "{}"
value = "{}"
group = "{}"
)toml",
                                                               drag.on, drag.value, group));
      const SlowSystem slow(mechanics(model), {FastEnergy::keep});
      const MatchedStart start = match_start(slow, model.problem->initial_state());
      const double around = -(3 + drag.across) / 1.6e5;
      EXPECT_NEAR(start.actions[0] * start.frequencies[0], 0.5 * 1.6e5 * std::pow(0.0025 - around, 2), 1e-6)
          << group << " " << drag.value;
    }
}

// With energy in the oscillation and with drag the error is of order epsilon^2, whether the drag has a group of its
// own or not. The compared positions are projected to the nearest point with a closed gap.
TEST(MatchedStart, OfADampedMotionIsOfSecondOrder) {
  struct Drag {
    const char *on_x, *on_y;
  };
  const auto text = [](double omega, const Drag& drag, const char* group) {
    return fmt::format(R"toml(
[coordinates]
x = {{ start = 0.7, velocity = 0.4 }}
y = {{ start = {}, velocity = 0.8 }}
[[stiff]]
gap = "y - 0.5*x^2"
stiffness = {}
group = "gap"
[[potential]]
energy = "y + 0.3*sin(3*y) + 0.2*x^2"
group = "soft"
[[force]]
on = "x"
value = "{}"
group = "{}"
[[force]]
on = "y"
value = "{}"
group = "{}"
)toml",
                       0.245 + 0.6 / omega, omega * omega, drag.on_x, group, drag.on_y, group);
  };
  const auto foot = [](const Vec& end) {
    double x = end[0];
    for (int k = 0; k < 30; ++k) x -= ((x - end[0]) + (0.5 * x * x - end[1]) * x) / (1 + 1.5 * x * x - end[1]);
    return x;
  };
  const std::vector<Drag> drags{
      {"-0.25*vx", "-0.25*vy"}, {"-0.5*vx", "0*vy"}, {"-0.4*vx - 0.3*vy", "-0.3*vx - 0.6*vy"}, {"0.5*vy", "-0.5*vx"}};
  for (const Drag& drag : drags)
    for (const double omega : {400.0, 1200.0}) {
      const auto end = [&](const char* group, const char* method, double rtol) {
        RunPlan plan;
        plan.method = method;
        plan.to = 4;
        plan.rtol = rtol;
        return foot(last_of(run_of(read_model("m.toml", text(omega, drag, group)).problem, plan)));
      };
      const double truth = end("drag", "dop853", 1e-11);
      for (const char* group : {"soft", "drag"})
        EXPECT_NEAR(end(group, "slow", 1e-9), truth, 6 / (omega * omega)) << drag.on_x << " " << group << " " << omega;
    }
}
}  // namespace
}  // namespace trill::testing_models
