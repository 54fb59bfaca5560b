// SPDX-License-Identifier: BSD-3-Clause
// Events that reverse the motion, such as bounces: nothing passes through them, and a motion that comes to rest at
// them ends there.
#include "driver/event_series.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/driver/trust.hpp"

#include <fstream>
#include <sstream>

namespace trill::testing_models {
namespace {
constexpr double mars = 3.71;

std::string dropped(double floor, double restitution, const std::string& start) {
  return fmt::format(
      "coordinates.x = {}\n[[potential]]\nenergy = \"{}*x\"\n[[event]]\nname = \"bounce\"\nwhen = \"x - {}\"\n"
      "direction = -1\nthen = {{ vx = \"-{}*vx\" }}\n",
      start, mars, floor, restitution);
}
// Dropped from a height of 2: the fall takes sqrt(4/g). The first flight takes 2 e times as long, each later one e
// times as long as the one before.
double time_of_rest(double restitution) { return std::sqrt(4 / mars) * (1 + restitution) / (1 - restitution); }

Solution contact_run(const std::string& text, const std::string& method, double to, double h_or_rtol) {
  return prepare(plan_with(method, to, h_or_rtol), read_model("m.toml", text).problem).run();
}
double lowest(const Solution& s, Index row = 0) { return s.y().row(row).minCoeff(); }

struct ContactWay {
  const char* method;
  double step, accuracy;  // step is h or rtol, accuracy that of the time of rest
};
// Methods that are exact in a uniform field agree with the closed form up to rounding. CVODE restarts with order 1
// after every bounce, so the shortest flights are only as accurate as its tolerance.
constexpr ContactWay contact_ways[] = {
    {"verlet", 0.02, 1e-8}, {"rk4", 0.02, 1e-8},    {"gauss", 0.05, 1e-8}, {"generalized_alpha", 0.02, 1e-8},
    {"dopri5", 1e-7, 1e-8}, {"dop853", 1e-7, 1e-8}, {"radau", 1e-7, 1e-8}, {"cvode_bdf", 1e-9, 1e-4}};
constexpr double contact_restitutions[] = {0.05, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99};

// The numbers in that row of a table whose first number is `first`.
std::vector<double> table_row(const std::string& page, double first) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(fmt::format("| {} |", first))) continue;
    std::replace(line.begin(), line.end(), '|', ' ');
    std::istringstream numbers(line);
    return {std::istream_iterator<double>(numbers), {}};
  }
  return {};
}

TEST(Contact, EndsWhereTheSeriesOfBouncesEnds) {
  std::ostringstream page;
  page << std::ifstream(TRILL_SOURCE_DIR "/docs/guide/events.md").rdbuf();
  std::string table;
  for (const double e : contact_restitutions) {
    const double wanted = time_of_rest(e);
    const std::vector<double> shown = table_row(page.str(), e);
    EXPECT_EQ(shown.size(), 2 + std::size(contact_ways)) << "the table on the page";
    table += fmt::format("| {} | {:.5f} |", e, wanted);
    for (std::size_t i = 0; i < std::size(contact_ways); ++i) {
      const ContactWay& way = contact_ways[i];
      const Solution s = contact_run(dropped(0, e, "2"), way.method, 300, way.step);
      EXPECT_EQ(s.outcome.status, RunStatus::event) << way.method << " " << e << " " << s.outcome.message;
      EXPECT_NEAR(s.t.back(), wanted, way.accuracy * wanted) << way.method << " " << e;
      EXPECT_NEAR(last_of(s)[1], 0, 1e-6) << way.method << " " << e;
      EXPECT_GT(lowest(s), -1e-12) << way.method << " " << e;
      EXPECT_EQ(s.outcome.events.back().t, s.t.back());
      table += fmt::format(" {:.5f} |", s.t.back());
      if (i + 2 < shown.size()) {
        EXPECT_NEAR(shown[i + 2], s.t.back(), 1e-5 + 1e-5 * s.t.back()) << way.method;
      }
    }
    if (shown.size() > 1) {
      EXPECT_NEAR(shown[1], wanted, 1e-5);
    }
    table += '\n';
  }
  if (HasFailure()) std::printf("%s", table.c_str());
}

// If the floor is not at 0, positions near it are rounded, so the last and shortest flights cannot be computed.
TEST(Contact, OnAFloorWhoseHeightIsRounded) {
  for (const double e : {0.0, 1e-6, 0.001, 0.3, 0.85, 0.999})
    for (const auto& [method, step] :
         {std::pair{"rk4", 0.5}, {"verlet", 0.03}, {"dopri5", 1e-9}, {"generalized_alpha", 0.01}, {"gauss", 2.0}}) {
      const Solution s = contact_run(dropped(0.7, e, "2.7"), method, 4000, step);
      EXPECT_EQ(s.outcome.status, RunStatus::event) << method << " " << e << " " << s.outcome.message;
      EXPECT_NEAR(s.t.back(), time_of_rest(e), 3e-7 * time_of_rest(e)) << method << " " << e;
      EXPECT_GT(lowest(s), 0.7 - 1e-11) << method << " " << e;
    }
}

TEST(Contact, HoldsForEveryMethod) {
  int tried = 0;
  for (const MethodEntry& method : Catalogue::all().methods()) {
    const MethodInfo& info = method.info;
    if (info.delivers == Delivers::statistics) continue;
    for (const double e : {0.15, 0.6, 0.97}) {
      Solution s;
      try {
        s = contact_run(dropped(0.4, e, "2.4"), info.name, 200, info.error_order > 0 || info.owns_step ? 1e-7 : 0.02);
      } catch (const UsageError&) {  // the method does not accept this model or has no interpolant
        continue;
      }
      ++tried;
      EXPECT_EQ(s.outcome.status, RunStatus::event) << info.name << " " << e << " " << s.outcome.message;
      EXPECT_GT(lowest(s), 0.4 - 1e-9) << info.name << " " << e;
      EXPECT_NEAR(s.t.back(), time_of_rest(e), 0.03 * time_of_rest(e)) << info.name << " " << e;
    }
  }
  EXPECT_GE(tried, 45);
}

TEST(Contact, AtTheStart) {
  for (const auto& [method, step] : {std::pair{"verlet", 0.05}, {"dopri5", 1e-6}, {"radau", 1e-6}}) {
    const auto start = [&](const char* text) { return contact_run(dropped(0.3, 0.5, text), method, 20, step); };
    EXPECT_NEAR(start("0.3").t.back(), 0, 1e-7) << "at rest from the beginning";
    EXPECT_NEAR(start("{ start = 0.3, velocity = 2 }").t.back(), 8 / mars, 1e-6);
    EXPECT_NEAR(start("{ start = 0.3, velocity = -2 }").t.back(), 4 / mars, 1e-6);
    EXPECT_THROW(start("{ start = 0.2, velocity = 5 }"), UsageError);
  }
}

TEST(Contact, OfSeveralThings) {
  const std::string balls =
      "coordinates.x = {}\ncoordinates.y = {{ start = 1.5, velocity = 0.5 }}\n[[potential]]\nenergy = \"2*x + 9*y\"\n"
      "[[event]]\nwhen = \"x - 0.1\"\ndirection = -1\nthen = {{ vx = \"-0.7*vx\" }}\n"
      "[[event]]\nname = \"other\"\n{}";
  const std::string beside = "when = \"0.2 - y\"\ndirection = 1\nthen = { vy = \"-0.95*vy\" }\n";
  const std::string above =
      "when = \"y - x\"\ndirection = -1\nthen = { vx = \"(vx + vy - 0.8*(vx - vy))/2\", vy = \"(vx + vy + 0.8*(vx - "
      "vy))/2\" }\n";
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"verlet", 0.1}, {"dopri5", 1e-8}, {"radau", 1e-6}}) {
    const Solution apart = contact_run(fmt::format(fmt::runtime(balls), 1.2, beside), method, 50, step);
    EXPECT_EQ(apart.outcome.status, RunStatus::event) << method << apart.outcome.message;
    EXPECT_NEAR(apart.t.back(), std::sqrt(1.1) * 1.7 / 0.3, 1e-6) << method;
    EXPECT_GT(lowest(apart, 0), 0.1 - 1e-10) << method;
    EXPECT_GT(lowest(apart, 1), 0.2 - 1e-10) << method;
    const Solution stacked = contact_run(fmt::format(fmt::runtime(balls), 0.6, above), method, 50, step);
    EXPECT_EQ(stacked.outcome.status, RunStatus::event) << method << stacked.outcome.message;
    EXPECT_GT(lowest(stacked, 0), 0.1 - 1e-10) << method;
    EXPECT_GT((stacked.y().row(1) - stacked.y().row(0)).minCoeff(), -1e-10) << method;
  }
}

// A ball on an incline of slope 3/4. Parallel to it the motion is not changed by bounces, g sin(a) t^2/2.
// Perpendicular to it the ball bounces under g cos(a) from the height 2 cos(a).
TEST(Contact, OnASlope) {
  const std::string text = fmt::format(
      "coordinates.x = 0\ncoordinates.y = 2\n[[potential]]\nenergy = \"{}*y\"\n[[event]]\nwhen = \"0.8*y - 0.6*x\"\n"
      "direction = -1\nthen = {{ vx = \"vx + 1.9*0.6*(0.8*vy - 0.6*vx)\", vy = \"vy - 1.9*0.8*(0.8*vy - 0.6*vx)\" }}\n",
      mars);
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"composition4", 0.1}, {"dopri5", 1e-8}}) {
    const Solution s = contact_run(text, method, 100, step);
    EXPECT_EQ(s.outcome.status, RunStatus::event) << method << s.outcome.message;
    const double t = time_of_rest(0.9);
    EXPECT_NEAR(s.t.back(), t, 1e-6 * t) << method;
    const Vec end = last_of(s);
    EXPECT_NEAR(0.8 * end[0] + 0.6 * end[1], 1.2 - 0.5 * mars * 0.6 * t * t, 1e-4) << method;
    EXPECT_NEAR(0.8 * end[2] + 0.6 * end[3], -mars * 0.6 * t, 1e-5) << method;
    EXPECT_NEAR(0.8 * end[3] - 0.6 * end[2], 0, 1e-5) << method;
  }
}

const char* const lifted = R"toml(
parameters.u = 0.3
coordinates.x = 2
[[potential]]
energy = "3.71*x"
[[event]]
name = "platform"
when = "x - u*t"
direction = -1
then = { vx = "NEW" }
)toml";

TEST(Contact, OnARisingPlatform) {
  const auto with = [](const std::string& change) {
    std::string text = lifted;
    return text.replace(text.find("NEW"), 3, change);
  };
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"dopri5", 1e-8}, {"gauss", 0.4}}) {
    const Solution s = contact_run(with("-0.8*(vx - u) + u"), method, 100, step);
    EXPECT_EQ(s.outcome.status, RunStatus::event) << method << s.outcome.message;
    EXPECT_NEAR(last_of(s)[1], 0.3, 1e-6) << "it goes up with the platform";
    EXPECT_NEAR(last_of(s)[0], 0.3 * s.t.back(), 1e-9) << method;
    const Solution forever = contact_run(with("-(vx - u) + u"), method, 20, step);
    EXPECT_EQ(forever.outcome.status, RunStatus::reached_end) << forever.outcome.message;
    // An event that does not take the speed of the platform into account does not turn a slow ball back.
    const Solution through = contact_run(with("-0.8*vx"), method, 100, step);
    EXPECT_EQ(through.outcome.status, RunStatus::refused);
    EXPECT_THAT(through.outcome.message, mentions("'platform'", "wrong side"));
    EXPECT_GT(last_of(through)[0], 0.3 * through.t.back() - 1e-9);
  }
}

TEST(Contact, OfAStateThatIsMovedToTheWrongSideIsAnError) {
  for (const double t : {0.4, 2.1}) {  // once before and once after the first bounce
    const std::string thrown =
        dropped(0, 0.8, "2") + fmt::format("[[event]]\nname = \"throw\"\nwhen = \"t - {}\"\nthen = {{ x = -1 }}\n", t);
    const Solution s = contact_run(thrown, "dopri5", 10, 1e-8);
    EXPECT_EQ(s.outcome.status, RunStatus::refused) << t;
    EXPECT_THAT(s.outcome.message, mentions("wrong side", "'bounce'"));
  }
}

TEST(Contact, WithAFirstOrderModel) {
  const std::string text =
      "coordinates.x = 2\ncoordinates.w = 0\n[rate]\nx = \"w\"\nw = -3.71\n[[event]]\nname = \"bounce\"\nwhen = \"x\"\n"
      "direction = -1\nthen = { w = \"-0.9*w\" }\n";
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"radau", 1e-7}, {"sdirk", 1e-7}, {"gauss", 0.3}}) {
    const Solution s = contact_run(text, method, 100, step);
    EXPECT_EQ(s.outcome.status, RunStatus::event) << method << s.outcome.message;
    EXPECT_NEAR(s.t.back(), time_of_rest(0.9), 1e-5) << method;
    EXPECT_GT(lowest(s), -1e-10) << method;
  }
}

TEST(Contact, BesideAlgebraicEquations) {
  const std::string text =
      "coordinates.x = 2.3\ncoordinates.w = 0\ncoordinates.a = 1\n[rate]\nx = \"w\"\nw = \"a\"\n[algebraic]\n"
      "a = \"a + 3.71\"\n[[event]]\nwhen = \"x - 0.3\"\ndirection = -1\nthen = { w = \"-0.85*w\" }\n";
  // After every bounce the trapezoidal rule begins with an implicit Euler step, which loses height.
  for (const ContactWay& way : {ContactWay{"radau", 1e-7, 1e-6}, {"circuit_trapezoidal", 0.002, 0.05}}) {
    const Solution s = contact_run(text, way.method, 100, way.step);
    EXPECT_EQ(s.outcome.status, RunStatus::event) << way.method << s.outcome.message;
    EXPECT_NEAR(s.t.back(), time_of_rest(0.85), way.accuracy * time_of_rest(0.85)) << way.method;
    EXPECT_GT(lowest(s), 0.3 - 1e-9) << way.method;
  }
}

// There is one event for each side of a plate. A motion may start on either side and stays there.
TEST(Contact, OnBothSidesOfAPlate) {
  for (const int side : {-1, 1})
    for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"verlet", 0.5}, {"dopri5", 1e-8}, {"radau", 1e-6}}) {
      const std::string text = fmt::format(
          "coordinates.x = {}\n[[potential]]\nenergy = \"{}*x\"\n[[event]]\nwhen = \"x - 0.1\"\ndirection = -1\n"
          "then = {{ vx = \"-0.6*vx\" }}\n[[event]]\nwhen = \"x - 0.1\"\ndirection = 1\nthen = {{ vx = \"-0.6*vx\" "
          "}}\n",
          0.1 + 2 * side, mars * side);
      const Solution s = contact_run(text, method, 100, step);
      EXPECT_EQ(s.outcome.status, RunStatus::event) << method << side << s.outcome.message;
      EXPECT_NEAR(s.t.back(), time_of_rest(0.6), 1e-6) << method << side;
      EXPECT_GT((side * (s.y().row(0).array() - 0.1)).minCoeff(), -1e-10) << method << side;
    }
}

// x = cos t meets a wall just before its lowest point. Without the wall it would be behind it for a time of only 0.09,
// a small part of a step.
TEST(Contact, IsFoundBetweenTheValuesThatAStepLooksAt) {
  const std::string text =
      "coordinates.x = 1\n[[potential]]\nenergy = \"x^2/2\"\n[[event]]\nname = \"wall\"\nwhen = \"x + 0.999\"\n"
      "direction = -1\nthen = { vx = \"-vx\" }\n";
  const double first = std::acos(-0.999);
  for (const double h : {0.7, 1.0, 1.3}) {
    const Solution s = contact_run(text, "gauss", 40, h);
    const std::vector<double> times = times_of(s, "wall");
    ASSERT_EQ(times.size(), 6u) << h;
    for (std::size_t k = 0; k < times.size(); ++k)
      EXPECT_NEAR(times[k], first * static_cast<double>(2 * k + 1), 5e-3) << h;
  }
}

// Two tanks are filled by a pipe that switches between them. The contents shrink by a constant factor from switch to
// switch, so the switching times accumulate.
TEST(Contact, SwitchingAccumulatesToo) {
  const std::string text =
      "parameters.first = 1\ncoordinates.a = 1\ncoordinates.b = 2\n[rate]\na = \"1.6*first - 1\"\n"
      "b = \"1.6*(1 - first) - 1\"\n[[event]]\nwhen = \"b\"\ndirection = -1\nthen = { first = 0 }\n"
      "[[event]]\nwhen = \"a\"\ndirection = -1\nthen = { first = 1 }\n";
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"dopri5", 1e-8}}) {
    const Solution s = contact_run(text, method, 100, step);
    EXPECT_EQ(s.outcome.status, RunStatus::event) << method << s.outcome.message;
    EXPECT_NEAR(s.t.back(), 3 / 0.4, 1e-6) << "together they lose 0.4 in a unit of time";
  }
}

// Events that are frequent, or that change the motion, but whose times do not accumulate.
TEST(Contact, IsNotSeenWhereThereIsNone) {
  const auto end = [](const std::string& text, const char* method, double to, double step) {
    const Solution s = contact_run(text, method, to, step);
    EXPECT_EQ(s.outcome.status, RunStatus::reached_end) << s.outcome.message;
    return s.outcome.events.size();
  };
  // A heater with two switching temperatures. The start may be colder than both of them.
  const std::string room =
      "parameters.heat = 1\ncoordinates.T = 5\n[rate]\nT = \"(10 - T)/10 + 2*heat\"\n[[event]]\nwhen = \"T - 18\"\n"
      "direction = -1\nthen = { heat = 1 }\n[[event]]\nwhen = \"T - 22\"\ndirection = 1\nthen = { heat = 0 }\n";
  EXPECT_GT(end(room, "dopri5", 200, 1e-6), 20u);
  // The rate of events first grows, up to 10^4 per unit of time, and then falls again.
  const std::string neuron =
      "coordinates.x = 0\n[rate]\nx = \"1 + 1e4*exp(-(t - 3)^2*8)\"\n[[event]]\nwhen = \"x - 1\"\ndirection = 1\n"
      "then = { x = 0 }\n";
  EXPECT_GT(end(neuron, "rk4", 6, 0.01), 5000u);
  // A parachute slows the fall down but does not reverse it. The fall may also start below the height at which it
  // opens.
  const std::string parachute =
      "coordinates.x = HEIGHT\n[[force]]\non = \"x\"\nvalue = -10\n[[event]]\nwhen = \"x - 50\"\ndirection = -1\n"
      "then = { vx = \"0.1*vx\" }\n";
  for (const auto& [height, events] : {std::pair{"100", 1u}, {"20", 0u}}) {
    std::string text = parachute;
    EXPECT_EQ(end(text.replace(text.find("HEIGHT"), 6, height), "verlet", 10, 0.1), events);
  }
  // A mass between two walls, without losses.
  const std::string walls =
      "coordinates.x = { start = 0.1, velocity = 50 }\n[[force]]\non = \"x\"\nvalue = 0\n[[event]]\nwhen = \"x\"\n"
      "direction = -1\nthen = { vx = \"-vx\" }\n[[event]]\nwhen = \"x - 0.3\"\nthen = { vx = \"-vx\" }\n";
  EXPECT_EQ(end(walls, "verlet", 3, 0.05), 500u);
}

// Two events at the same place undo each other, so that time would not advance.
TEST(Contact, OfEventsThatUndoEachOtherIsRefused) {
  const std::string text =
      "parameters.heat = 1\ncoordinates.T = 5\n[rate]\nT = \"(10 - T)/10 + 2*heat\"\n[[event]]\nname = \"on\"\nwhen = "
      "\"T - 18\"\ndirection = -1\nthen = { heat = 1 }\n[[event]]\nname = \"off\"\nwhen = \"T - 18\"\ndirection = 1\n"
      "then = { heat = 0 }\n";
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"dopri5", 1e-8}, {"radau", 1e-5}}) {
    const Solution s = contact_run(text, method, 50, step);
    EXPECT_EQ(s.outcome.status, RunStatus::refused) << method;
    EXPECT_NEAR(s.t.back(), 10 * std::log(25.0 / 12), 1e-3) << method;
  }
}

TEST(Contact, RowsGoUpToTheTimeOfRest) {
  RunPlan plan = plan_with("rk4", 100, 0.02);
  plan.output = Grid{0.5};
  const Solution s = prepare(plan, read_model("m.toml", dropped(0.3, 0.8, "2.3")).problem).run();
  ASSERT_EQ(s.outcome.status, RunStatus::event);
  std::size_t on_grid = 0;
  for (const double t : s.t) on_grid += t == 0.5 * std::round(2 * t);
  EXPECT_EQ(on_grid, 1 + static_cast<std::size_t>(2 * time_of_rest(0.8)));
  EXPECT_TRUE(std::is_sorted(s.t.begin(), s.t.end()));
}

TEST(Contact, IsTrustedWhereARepetitionComesToRestThere) {
  for (const auto& [method, step] : {std::pair{"rk4", 0.02}, {"cvode_bdf", 1e-9}, {"sdirk", 1e-7}}) {
    PreparedRun run = prepare(plan_with(method, 100, step), read_model("m.toml", dropped(0, 0.7, "2")).problem);
    const Solution s = run.run();
    const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
    EXPECT_EQ(trust.verdict, Verdict::green) << method << trust.headline;
    EXPECT_EQ(trust.rows.back().name, "time of bounce");
  }
}

// An event function changes its sign for a very short time. This falls between the times at which the run looks for
// events, but not between those of the repetition. The event changes nothing, so only the number of events shows that
// it was missed.
TEST(Contact, AnEventThatWasMissedIsNotTrusted) {
  RunPlan plan = plan_with("verlet", 3, 0.1);
  PreparedRun run = prepare(plan, read_model("m.toml", dropped(-100, 0.7, "2")).problem);
  const auto blip = [](const State& s) { return std::abs(s.t - 1.0375) - 0.004; };
  run.options.events = {{"blip", blip, 0, [](State&) { return true; }}};
  const Solution s = run.run();
  EXPECT_TRUE(s.outcome.events.empty());
  const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = HUGE_VAL});
  EXPECT_EQ(trust.verdict, Verdict::amber) << trust.headline;
  EXPECT_THAT(trust.headline, mentions("'blip'"));
}

State after_hit(double t) {
  State s({1, 1, 0, 0}, t);
  return s;
}

TEST(EventSeries, FindsTheSumOfEveryGeometricSeries) {
  for (const double factor : {0.01, 0.3, 0.9, 0.999}) {
    EventSeries series;
    double t = 5, interval = 2;
    for (std::int64_t k = 0; interval > 1e-7; ++k) {
      series.add(after_hit(t), k, 1);
      interval *= factor;
      t += interval;
    }
    ASSERT_TRUE(series.limit()) << factor;
    EXPECT_NEAR(*series.limit(), 5 + 2 * factor / (1 - factor), 1e-9 / (1 - factor)) << factor;
    EXPECT_FALSE(series.piles_up(10));
  }
}

TEST(EventSeries, TellsOtherSeriesApart) {
  EventSeries steady, quadratic;
  double t = 0;
  bool piles_up = false;
  for (std::int64_t k = 1; k < 300'000; ++k) {
    steady.add(after_hit(1e-7 * static_cast<double>(k)), k, 1);
    EXPECT_FALSE(steady.limit() || steady.piles_up(1));
    t += 1 / std::pow(static_cast<double>(k), 2);
    quadratic.add(after_hit(t), k, 1);
    EXPECT_FALSE(quadratic.limit());
    piles_up = quadratic.piles_up(t) || piles_up;
  }
  EXPECT_TRUE(piles_up);
}
}  // namespace
}  // namespace trill::testing_models
