// SPDX-License-Identifier: BSD-3-Clause
// Events of text models, compared with closed forms.
#include "support/mentions.hpp"
#include "support/solution_files.hpp"
#include "support/text_models.hpp"

#include <atomic>
#include <numbers>

namespace trill::testing_models {
namespace {
using std::numbers::pi;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_files::TemporaryDirectory;

TEST(TextEvents, ABouncingBall) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.e = 0.8
coordinates.y = 0.5
[[force]]
on = "y"
value = -1
[[event]]
name = "bounce"
when = "y"
direction = -1
then = { vy = "-e*vy" }
)toml");
  for (const char* method : {"dop853", "dopri5", "verlet"}) {
    const bool adaptive = method[0] == 'd';
    const Solution s = run_of(model.problem->clone(), plan_with(method, 6, adaptive ? 1e-11 : 0.01));
    const std::vector<double> times = times_of(s, "bounce");
    ASSERT_EQ(times.size(), 5u) << method;
    double t = 1;  // a fall from 1/2 with gravity 1
    for (std::size_t k = 0; k < times.size(); t += 2 * std::pow(0.8, ++k)) EXPECT_NEAR(times[k], t, 1e-9) << method;
  }
}

// An interpolated state does not satisfy the constraints exactly. So if the time of an event is known beforehand, a
// step ends there.
TEST(TextEvents, AStepEndsWhereTheTimeAloneDecides) {
  const TextModel model = read_model("m.toml", R"toml(
[parameters]
push = 1.0
end = 0.7
[coordinates]
x = 1
y = 0
[[force]]
on = "y"
value = "push"
[[constraint]]
equation = "x^2 + y^2 - 1"
[[event]]
when = "2*(t - end)"
then = { push = 0 }
)toml");
  EXPECT_THAT(model.problem->breakpoints(0, 2), ElementsAre(0.7));
  EXPECT_THAT(model.problem->breakpoints(0, 0.5), IsEmpty());
  for (const char* method : {"radau", "gauss"}) {
    RunPlan plan = plan_with(method, 2, 1e-4);
    if (plan.h) plan.h = 0.4;
    const Solution s = run_of(model.problem->clone(), plan);
    ASSERT_EQ(s.outcome.events.size(), 1u) << method;
    EXPECT_DOUBLE_EQ(s.outcome.events[0].t, 0.7) << method;
    // After the event no force acts, so the speed remains that at t = 0.7: v^2 = 2 y by the work of the force.
    const Vec end = last_of(s);
    double height = 0;
    for (Index r = 0; r < s.rows(); ++r)
      if (s.t[static_cast<std::size_t>(r)] <= 0.7) height = s.y()(1, r);
    EXPECT_NEAR(end.segment(2, 2).squaredNorm(), 2 * height, 1e-3) << method;
  }
}

TEST(TextEvents, ChangesAreMadeAllAtOnce) {
  const TextModel model = read_model("m.toml", R"toml(
[coordinates]
x = { start = 1, velocity = 2 }
y = { start = 3, velocity = 4 }
[[force]]
on = "x"
value = 0
[[event]]
when = "t - 1"
then = { x = "y", y = "x", vx = "vy + t", vy = "vx" }
)toml");
  const State s = model.problem->initial_state();
  State after = s;
  after.t = 0.5;
  model.problem->on_event(0, after);
  expect_equal(after.y, Vec{{3, 1, 4.5, 2}}, "after");
  EXPECT_EQ(model.problem->events()[0].name, "event 1");
}

TEST(TextEvents, EntriesOfArraysAndPoints) {
  const TextModel model = read_model("m.toml", R"toml(
sets.atom = 3
parameters.two = 2
[coordinates]
x = 1
r = { over = "atom", point = 2, start = ["atom", 0], velocity = [1, 2] }
[[force]]
on = "x"
value = 0
[[event]]
when = "r[two].y - 5"
then = { "r[1].x" = "r[two].x + 10", "vr[two].y" = "-vr[two].y/2" }
)toml");
  State s = model.problem->initial_state();
  EXPECT_DOUBLE_EQ(model.problem->event_value(0, s), -5);
  const Vec before = s.y;
  model.problem->on_event(0, s);
  Vec wanted = before;
  wanted[1 + 2] = 12;
  wanted[7 + 1 + 5] = -1;
  expect_equal(s.y, wanted, "after");
}

TEST(TextEvents, StopAndDirection) {
  const std::string oscillator = "coordinates.x = 1\n[[potential]]\nenergy = \"x^2/2\"\n";
  const auto events = [&](const std::string& event) {
    return run_of(read_model("m.toml", oscillator + "[[event]]\nname = \"e\"\nwhen = \"x\"\n" + event).problem,
                  plan_with("dop853", 10, 1e-11));
  };
  const Solution stopped = prepare(plan_with("dop853", 10, 1e-11),
                                   read_model("m.toml", oscillator + "[[event]]\nwhen = \"x\"\nstop = true").problem)
                               .run();
  EXPECT_EQ(stopped.outcome.status, RunStatus::event);
  EXPECT_NEAR(stopped.t.back(), pi / 2, 1e-9);
  const auto near = [](double t) { return testing::DoubleNear(t, 1e-9); };
  EXPECT_THAT(times_of(events("then = { vx = \"vx\" }"), "e"),
              ElementsAre(near(pi / 2), near(3 * pi / 2), near(5 * pi / 2)));
  EXPECT_THAT(times_of(events("direction = 1\nthen = { vx = \"vx\" }"), "e"), ElementsAre(near(3 * pi / 2)));
  EXPECT_THAT(times_of(events("direction = -1\nthen = { vx = \"vx\" }"), "e"),
              ElementsAre(near(pi / 2), near(5 * pi / 2)));
}

const char* const stiffened = R"toml(
parameters.k = 1
coordinates.x = 1
[[potential]]
energy = "k*x^2/2"
[[measure]]
name = "stiffness"
value = "k"
[[event]]
name = "stiffen"
when = "t - 1"
then = { k = 4 }
)toml";

Vec stiffened_at(double t) {
  if (t < 1) return Vec{{std::cos(t), -std::sin(t)}};
  const double x = std::cos(1), v = -std::sin(1), c = std::cos(2 * (t - 1)), s = std::sin(2 * (t - 1));
  return Vec{{x * c + v / 2 * s, v * c - 2 * x * s}};
}

// After a change of a parameter no method may use what it kept from earlier steps.
TEST(TextEvents, AChangedParameterReachesEveryMethod) {
  int tried = 0;
  for (const MethodEntry& method : Catalogue::all().methods()) {
    const MethodInfo& info = method.info;
    if (info.delivers == Delivers::statistics) continue;
    RunPlan plan = plan_with(info.name, 3, info.error_order > 0 || info.owns_step ? 1e-7 : 0.01);
    Solution s;
    try {
      s = prepare(plan, read_model("m.toml", stiffened).problem).run();
    } catch (const UsageError&) {  // the method does not accept this model or has no interpolant
      continue;
    }
    ++tried;
    ASSERT_TRUE(s.ok()) << info.name << ": " << s.outcome.message;
    EXPECT_LE((last_of(s) - stiffened_at(3)).cwiseAbs().maxCoeff(), info.order == 1 ? 0.2 : 3e-3) << info.name;
    EXPECT_EQ(s.outcome.events.size(), 1u) << info.name;
  }
  EXPECT_GE(tried, 10);
}

TEST(TextEvents, MeasuresAreOfTheirMoment) {
  RunPlan plan = plan_with("dop853", 2, 1e-11);
  const Solution s = run_of(read_model("m.toml", stiffened).problem, plan);
  int before = 0, after = 0;
  for (Index row = 0; row < s.rows(); ++row) {
    const double t = s.t[static_cast<std::size_t>(row)], energy = s.measured()(0, row), k = s.measured()(1, row);
    const double x = s.y()(0, row), v = s.y()(1, row);
    EXPECT_NEAR(energy, (v * v + k * x * x) / 2, 1e-12);
    if (t < 1 - 1e-6) {
      EXPECT_EQ(k, 1) << t;
    } else if (t > 1 + 1e-6) {
      EXPECT_EQ(k, 4) << t;
    } else {
      ++(k == 1 ? before : after);
    }
  }
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
}

TEST(TextEvents, ClonesHaveParametersOfTheirOwn) {
  const TextModel model = read_model("m.toml", stiffened);
  const MechanicalProblem& p = mechanics(model);
  State changed = p.initial_state();
  p.on_event(0, changed);
  const auto before = p.clone();
  ProblemSession session(p, Formulas::of_each_state);
  session.enter(changed);
  const auto after = p.clone();
  const Vec q{{1}}, v{{0}};
  EXPECT_EQ(force_of(p, 0, q, v)[0], -4);
  EXPECT_EQ(dense(jacobians_of(p, 0, q, v).by_position)(0, 0), -4);
  EXPECT_EQ(*p.potential(all_groups, 0, q), 2);
  EXPECT_EQ(force_of(mechanics(*before), 0, q, v)[0], -1);
  EXPECT_EQ(force_of(mechanics(*after), 0, q, v)[0], -1);
  ProblemSession session_of_clone(*after, Formulas::of_each_state);
  session_of_clone.enter(changed);
  EXPECT_EQ(force_of(mechanics(*after), 0, q, v)[0], -4);
  session.enter(p.initial_state());
  EXPECT_EQ(force_of(p, 0, q, v)[0], -1);
  EXPECT_EQ(dense(jacobians_of(p, 0, q, v).by_position)(0, 0), -1);
}

// An event moves the wall to the other side of the mass. The sign of x - wall changes, but the motion has not crossed
// it.
TEST(TextEvents, AParameterThatJumpsPastAnEventDoesNotMakeIt) {
  const TextModel model = read_model("m.toml", R"toml(
parameters.wall = 10
coordinates.x = { start = 0, velocity = 1 }
[[force]]
on = "x"
value = 0
[[event]]
name = "move"
when = "t - 1"
then = { wall = 0.5 }
[[event]]
name = "hit"
when = "x - wall"
then = { vx = "-vx" }
)toml");
  const Solution s = run_of(model.problem->clone(), plan_with("dopri5", 2, 1e-8));
  EXPECT_THAT(times_of(s, "hit"), IsEmpty());
  EXPECT_NEAR(last_of(s)[0], 2, 1e-9);
}

TEST(TextEvents, AreSavedAndGoneOnWith) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "m.toml") << R"toml(
[parameters]
k = 1
drag = 0
[coordinates]
x = 1
y = { start = 0.2, velocity = 0.7 }
[[potential]]
energy = "k*x^2/2 + y^2 + x*y/3"
[[force]]
on = "y"
value = "drag*x + if(y < 0, 0.3, -0.2)"
[[event]]
when = "t - 1.5"
then = { k = 4 }
[[event]]
when = "t - 4.2"
then = { k = 2, drag = 0.5 }
[[event]]
when = "x"
direction = -1
then = { vx = "0.9*vx" }
)toml";
  class Interrupter final : public Observer {
   public:
    void accepted(const State&, const StepResult&) override { stop = --left_ == 0; }
    std::atomic<bool> stop = false;

   private:
    int left_ = 47;
  };
  for (const char* method : {"verlet", "dopri5", "implicit_midpoint"}) {
    RunPlan plan = plan_with(method, 8, std::string(method) == "dopri5" ? 1e-8 : 0.05);
    plan.model = (folder / "m.toml").string();
    plan.checkpoint_every = 10;
    const auto part = [&](const TemporaryDirectory& at, bool stops) {
      auto point = find_resume_point(at / "run.csv");
      std::optional<SegmentRecorder> recorder;
      if (point)
        recorder.emplace(*point, 0);
      else
        recorder.emplace(at / "run.csv", 0);
      PreparedRun run = prepare(plan);
      run.options.checkpoint_every = 10;
      Interrupter interrupter;
      if (stops) run.options.observers.push_back(&interrupter);
      run.options.stop = &interrupter.stop;
      run.options.recorder = &*recorder;
      if (point && !point->from_start) run.options.resume = &point->archive;
      const bool ended = run.run().outcome.status != RunStatus::stopped;
      if (ended) recorder->publish({});
      return ended;
    };
    const TemporaryDirectory once, again;
    ASSERT_TRUE(part(once, false));
    int parts = 1;
    while (!part(again, true)) ASSERT_LT(++parts, 40) << method;
    EXPECT_GT(parts, 2) << method;
    const SolutionFile whole(once / "run.csv"), resumed(again / "run.csv");
    EXPECT_EQ(testing_files::bits_of(resumed), testing_files::bits_of(whole)) << method;
    ASSERT_EQ(resumed.outcome().events.size(), whole.outcome().events.size()) << method;
    EXPECT_GE(whole.outcome().events.size(), 5u);
  }
}

TEST(TextEvents, OfTheRigidLimit) {
  const std::string head = R"toml(
[parameters]
gravity = 1
L = 1
[coordinates]
x = 1
y = 0
)toml";
  const std::string stiff = "[[stiff]]\ngap = \"sqrt(x^2 + y^2) - L\"\nstiffness = 1e6\n";
  const std::string tail = R"toml(
[[potential]]
energy = "gravity*y"
[[event]]
when = "t - 0.7"
then = { gravity = 3 }
[[event]]
name = "wall"
when = "x"
then = { vx = "-vx", vy = "-vy" }
)toml";
  RunPlan plan = plan_with("dopri5", 2, 1e-9);
  const Solution rigid =
      run_of(read_model("m.toml", head + "[[constraint]]\nequation = \"sqrt(x^2 + y^2) - L\"\n" + tail).problem, plan);
  plan.formulation = "rigid_limit";
  const Solution limit = run_of(read_model("m.toml", head + stiff + tail).problem, plan);
  expect_equal(last_of(limit).head(4), last_of(rigid).head(4), "end", 1e-6);
  ASSERT_EQ(limit.outcome.events.size(), rigid.outcome.events.size());
  EXPECT_EQ(times_of(limit, "wall").size(), 1u);

  // If an event changes the length itself, the motion continues with the new length.
  const Solution longer =
      run_of(read_model("m.toml", head + stiff + "[[event]]\nwhen = \"t - 0.5\"\nthen = { L = 1.25 }\n").problem, plan);
  EXPECT_NEAR(last_of(longer).head(2).norm(), 1.25, 1e-9);
}

TEST(TextEvents, MayNotLeaveTheConstraints) {
  const auto model = [](const std::string& then) {
    return "parameters.L = 1\ncoordinates.r = { point = 2, start = [1, 0] }\n"
           "[[potential]]\nenergy = \"r.y\"\n[[constraint]]\nequation = \"norm(r) - L\"\n"
           "[[event]]\nname = \"kick\"\nwhen = \"t - 0.2\"\nthen = { " +
           then + " }\n";
  };
  for (const char* method : {"rattle", "dopri5"}) {
    const double step = *method == 'r' ? 0.01 : 1e-8;
    for (const auto& [then, violates] : {std::pair{"L = 1.5", "positions"}, std::pair{"\"vr.x\" = 1", "velocities"}}) {
      const Solution s = prepare(plan_with(method, 1, step), read_model("m.toml", model(then)).problem).run();
      EXPECT_EQ(s.outcome.status, RunStatus::refused) << then;
      EXPECT_THAT(s.outcome.message, mentions("at t = 0.2", "event 'kick': the " + std::string(violates), "(m.toml:6)"))
          << then;
    }
    const Solution s = run_of(read_model("m.toml", model("\"vr.x\" = \"-vr.x\", \"vr.y\" = \"-vr.y\"")).problem,
                              plan_with(method, 1, step));
    EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
  }
}
}  // namespace
}  // namespace trill::testing_models
