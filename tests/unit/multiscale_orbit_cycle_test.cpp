// SPDX-License-Identifier: BSD-3-Clause
// Revolutions of orbits as maps, and envelopes over many of them.
#include "multiscale/cycle_methods.hpp"
#include "multiscale/orbit_cycle.hpp"
#include "trill/control/advance.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double earth_mu = 398600.4418, earth_radius = 6378.1363, earth_j2 = 0.00108262668;
constexpr double half_turn = std::numbers::pi, far_away = 1e12;

std::string all_digits(double x) { return fmt::format("{:.17g}", x); }

std::unique_ptr<Problem> satellite(OptionSet given) {
  given.emplace("R", all_digits(earth_radius));
  given.emplace("J2", all_digits(earth_j2));
  given.emplace("B", "0");
  return ModelRegistry::all().find("satellite").make(given);
}

OptionSet ellipse(double a, double e, double inclination) {
  return {{"a", all_digits(a)}, {"e", all_digits(e)}, {"inclination", all_digits(inclination)},
          {"node", "0.5"},      {"perigee", "0.7"},   {"anomaly", "1"}};
}

// The orbit of the published table, which starts at the ascending node.
OptionSet tabulated_orbit() {
  return {{"inclination", all_digits(51.6 * half_turn / 180)},
          {"node", all_digits(half_turn / 6)},
          {"perigee", all_digits(40 * half_turn / 180)},
          {"anomaly", all_digits(-40 * half_turn / 180)}};
}

double kepler_period(double a) { return 2 * half_turn * std::sqrt(a * a * a / earth_mu); }

struct Followed {
  Vec z;
  std::int64_t forces, revolutions;
};

// Follows the given number of revolutions in steps of `cycles` revolutions.
Followed follow(const OrbitCycle& map, const std::string& method, OptionSet options, int cycles, int revolutions) {
  options["cycles"] = std::to_string(cycles);
  const auto stepper = cycle_methods().method(method).make(map, options);
  State s = map.initial_state();
  Advancer advancer(*stepper, AdaptiveStep{.rtol = 1e-10});
  advancer.start(s, far_away);
  for (int k = 0; k < revolutions / cycles; ++k)
    if (advancer.one(s, far_away).status != AdvanceStatus::ok) {
      ADD_FAILURE() << map.trouble();
      break;
    }
  return {s.y, map.work().most_forces(), advancer.counters().micro_steps};
}

Vec singles(const OrbitCycle& map, int revolutions) {
  Vec z = map.initial_state().y, change(6);
  for (int k = 0; k < revolutions; ++k) {
    if (!map.change(k, z, change)) {
      ADD_FAILURE() << map.trouble();
      break;
    }
    z += change;
  }
  return z;
}

// The state after a given time by ordinary integration.
State directly(const Problem& problem, double to, const std::string& method, const StepControl& control,
               std::int64_t* forces = nullptr) {
  const auto stepper = Catalogue::all().method(method).make(problem, {});
  State s = problem.initial_state();
  Advancer advancer(*stepper, control);
  advancer.start(s, to);
  while (s.t < to && advancer.one(s, to).status == AdvanceStatus::ok) {
  }
  EXPECT_EQ(s.t, to);
  if (forces) *forces = advancer.counters().most_forces();
  return s;
}

const AdaptiveStep accurate{.rtol = 1e-13, .atol = Vec::Constant(1, 1e-11)};

// From an independent program in quadruple precision (extrapolated midpoint rule with two step sizes).
const Vec3 tabulated_q(-925.80873008793, 7154.48460378493, 0);
constexpr double tabulated_t = 6213943.462476380;

struct TableRow {
  std::string method;
  OptionSet options;
  int cycles;
  double metres, milliseconds;
};

TEST(OrbitEnvelopes, HaveTheErrorsOfThePublishedTable) {
  const auto problem = satellite(tabulated_orbit());
  // Both the reference of the table and its own revolutions have errors of 1.2 ms.
  const double uncertain = 2.4;
  const std::vector<TableRow> rows{{"cycle_rk", {{"scheme", "rk4"}}, 64, 12.5, 24 + uncertain},
                                   {"cycle_adams", {{"order", "4"}}, 16, 0.14, 3.3 + uncertain},
                                   {"cycle_adams", {{"order", "6"}}, 32, 0.031, 1.4}};
  for (const TableRow& row : rows) {
    const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 1e-12});
    const Followed end = follow(map, row.method, row.options, row.cycles, 1024);
    State s;
    ASSERT_TRUE(map.state_at(end.z, s));
    EXPECT_LT(1e3 * (Vec3(s.q()) - tabulated_q).norm(), row.metres) << row.method << row.cycles;
    EXPECT_LT(1e3 * std::abs(s.t - tabulated_t), row.milliseconds) << row.method << row.cycles;
  }
}

TEST(OrbitEnvelopes, NeedTwelveTimesFewerForcesThanDirectIntegration) {
  const auto problem = satellite(tabulated_orbit());
  const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 2e-11});
  const Followed end = follow(map, "cycle_adams", {}, 32, 1024);
  const double late = std::abs(end.z[5] - tabulated_t);
  std::int64_t forces = 0;
  // The largest step with which dop853 is at least as accurate.
  const State s = directly(*problem, tabulated_t, "dop853", FixedStep{160}, &forces);
  const double direct_late = (Vec3(s.q()) - tabulated_q).norm() / s.v().norm();
  EXPECT_LT(late, 1.05 * direct_late);
  EXPECT_LT(late, 1.4e-3);
  EXPECT_GT(forces, 12 * end.forces) << forces << " " << end.forces;
}

TEST(OrbitCycles, OfAnEllipseChangeNothingButTheTime) {
  struct Case {
    double e, inclination;
    OrbitPlace place;
  };
  for (const Case& c :
       {Case{0.02, 0.9, OrbitPlace::node}, Case{0.7, 0.9, OrbitPlace::apogee}, Case{0.3, 0.001, OrbitPlace::apogee},
        Case{0.001, 0, OrbitPlace::longitude}, Case{0, half_turn, OrbitPlace::longitude},
        Case{0.5, 2.9, OrbitPlace::apogee}, Case{0.02, 2.9, OrbitPlace::node}}) {
    OptionSet given = ellipse(26000, c.e, c.inclination);
    given["J2"] = "0";
    const auto problem = satellite(given);
    const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 1e-13});
    EXPECT_EQ(map.section().place(), c.place) << map.section().reason();
    const Vec z = map.initial_state().y;
    Vec change(6), sizes(6);
    map.sizes(z, z, sizes);
    ASSERT_TRUE(map.change(0, z, change)) << map.trouble();
    EXPECT_NEAR(change[5] / kepler_period(26000), 1, 1e-12) << c.e << " " << c.inclination;
    change[5] = 0;
    EXPECT_LT(change.cwiseQuotient(sizes).cwiseAbs().maxCoeff(), 2e-11) << c.e << " " << c.inclination;
  }
}

TEST(OrbitCycles, BeginWhereTheOrbitReachesTheSection) {
  for (const OrbitPlace place : {OrbitPlace::node, OrbitPlace::apogee, OrbitPlace::longitude}) {
    const auto problem = satellite(ellipse(9000, 0.1, 0.6));
    const OrbitCycle map(*problem, problem->initial_state(), {.place = place, .rtol = 1e-13});
    const State first = map.initial_state();
    State s;
    ASSERT_TRUE(map.state_at(first.y, s));
    if (place == OrbitPlace::node) {
      EXPECT_NEAR(s.q()[2], 0, 1e-9);
    }
    if (place == OrbitPlace::apogee) {
      EXPECT_NEAR(s.q().dot(s.v()), 0, 1e-8);
    }
    if (place == OrbitPlace::longitude) {
      EXPECT_NEAR(s.t, 0, 1e-9);
    }
    EXPECT_GE(s.t, -1e-9);
    EXPECT_LT(s.t, kepler_period(9000));
    if (s.t > 1) {
      EXPECT_LT((directly(*problem, s.t, "dop853", accurate).y - s.y).norm(), 1e-7);
    }
    // The last revolution may be followed in part.
    ASSERT_TRUE(map.state_at(first.y, first.t + 4321, s)) << map.trouble();
    EXPECT_LT((directly(*problem, first.t + 4321, "dop853", accurate).y - s.y).norm(), 1e-7);
  }
}

// The rates are known to first order in J2 (Kozai 1959). There are so many revolutions that the node turns more than
// once.
TEST(OrbitCycles, TurnNodeAndPerigeeAtTheRatesOfTheory) {
  const double a = 7800, e = 0.11, i = 0.3, p = a * (1 - e * e), k = std::pow(earth_radius / p, 2);
  const auto problem = satellite(ellipse(a, e, i));
  const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 1e-10});
  ASSERT_EQ(map.section().place(), OrbitPlace::apogee);
  const Vec z = map.initial_state().y;
  const Followed end = follow(map, "cycle_adams", {}, 32, 1024);
  const double turn = 2 * half_turn * 1024 * earth_j2 * k;
  EXPECT_LT(end.z[3] - z[3], -2 * half_turn);
  EXPECT_NEAR((end.z[3] - z[3]) / (-1.5 * turn * std::cos(i)), 1, 0.01);
  EXPECT_NEAR((end.z[4] - z[4]) / (0.75 * turn * (4 - 5 * std::pow(std::sin(i), 2))), 1, 0.01);
}

TEST(OrbitEnvelopes, AgreeWithSingleRevolutionsOnEverySection) {
  struct Case {
    OptionSet given;
    std::optional<OrbitPlace> place;
  };
  OptionSet drag = ellipse(9000, 0.25, 0.9), moon = ellipse(12000, 0.3, 1.1);
  drag["B"] = "0.2";
  drag["altitude0"] = "380";
  drag["rho0"] = "4e-12";
  moon["mu3"] = "4902.8";
  for (const Case& c :
       {Case{drag, {}}, Case{moon, {}}, Case{ellipse(8000, 0.001, 0), {}},
        Case{ellipse(8000, 0.002, 1), OrbitPlace::apogee}, Case{ellipse(8000, 0.05, 1), OrbitPlace::apogee},
        Case{ellipse(8000, 0.05, 1), OrbitPlace::node}}) {
    const auto problem = satellite(c.given);
    const OrbitCycle map(*problem, problem->initial_state(), {.place = c.place, .rtol = 1e-12});
    const Vec direct = singles(map, 160);
    const Followed end = follow(map, "cycle_adams", {}, 4, 160);
    Vec sizes(6);
    map.sizes(direct, direct, sizes);
    EXPECT_LT((end.z - direct).cwiseQuotient(sizes).cwiseAbs().maxCoeff(), 2e-7) << map.section().reason();
  }
}

// The tide of the Moon repeats after half a month, about 90 revolutions of this orbit. With steps of about a tenth of
// that, the error is that of the method and falls with the sixth to seventh power of the step. Without the Moon there
// is no error at all. The eccentricity is compared, because the error in time happens to change its sign between 8 and
// 10 revolutions.
TEST(OrbitEnvelopes, FollowTheTideOfTheMoonWithTheOrderOfTheirMethod) {
  const auto error_of = [](const char* mu3, int cycles) {
    OptionSet given = ellipse(12000, 0.3, 1.1);
    given["mu3"] = mu3;
    const auto problem = satellite(given);
    const OrbitCycle map(*problem, problem->initial_state(), {.place = {}, .rtol = 1e-12});
    return std::abs(follow(map, "cycle_adams", {{"order", "6"}}, cycles, 160).z[1] - singles(map, 160)[1]);
  };
  EXPECT_LT(error_of("0", 10), 1e-12);
  const double four = error_of("4902.8", 4), eight = error_of("4902.8", 8), ten = error_of("4902.8", 10);
  EXPECT_NEAR(std::log2(eight / four), 7, 1);
  EXPECT_NEAR(std::log2(ten / eight) / std::log2(10.0 / 8), 6.5, 1);
}

TEST(OrbitEnvelopes, LoseEnergyByDrag) {
  OptionSet given = ellipse(6800, 0.001, 0.9);
  given["B"] = "0.01";
  given["J2"] = "0";
  given["rho0"] = "4e-12";
  given["altitude0"] = all_digits(6800 - earth_radius);
  const auto problem = satellite(given);
  const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 1e-11});
  const Vec z = map.initial_state().y, end = singles(map, 20);
  // On a circular orbit a' = -B rho sqrt(mu a). The density depends on the altitude, hence the tolerance of 5 %.
  const double fall = 1e3 * 0.01 * 4e-12 * std::sqrt(earth_mu * 6800) * (end[5] - z[5]);
  State from, to;
  ASSERT_TRUE(map.state_at(z, from) && map.state_at(end, to));
  const auto axis = [](const State& s) { return 1 / (2 / s.q().norm() - s.v().squaredNorm() / earth_mu); };
  EXPECT_NEAR((axis(from) - axis(to)) / fall, 1, 0.05);
}

TEST(OrbitSections, SayWhyTheyWereChosen) {
  const auto reason = [](const OptionSet& given, std::optional<OrbitPlace> place) {
    const auto problem = satellite(given);
    return OrbitCycle(*problem, problem->initial_state(), {.place = place}).section().reason();
  };
  EXPECT_EQ(reason(ellipse(8000, 0.02, 1), {}),
            "Revolutions begin at the ascending node, because the orbit with e = 0.02 is nearly circular.");
  EXPECT_EQ(reason(ellipse(20000, 0.5, 1), {}),
            "Revolutions begin at the apogee, because e = 0.5 is large; the orbit is described by classical elements.");
  EXPECT_EQ(
      reason(ellipse(8000, 0.001, 1), OrbitPlace::apogee),
      "Revolutions begin at a fixed longitude, because with e = 0.001 the apogee is not well defined; the orbit is "
      "described by equinoctial elements.");
}

TEST(OrbitCycles, RefuseWhatIsNoOrbit) {
  for (const char* model : {"kepler", "two_springs", "hires"}) {
    const auto problem = ModelRegistry::all().find(model).make({});
    EXPECT_FALSE(why_no_orbit(*problem, problem->initial_state()).empty()) << model;
    EXPECT_THROW(OrbitCycle(*problem, problem->initial_state(), {}), UsageError) << model;
  }
  const auto problem = satellite(tabulated_orbit());
  State s = problem->initial_state();
  EXPECT_EQ(why_no_orbit(*problem, s), "");
  s.v() *= 1.5;  // faster than the escape speed
  EXPECT_THROW(OrbitCycle(*problem, s, {}), UsageError);
  const auto equator = satellite(ellipse(8000, 0.02, 0));
  EXPECT_THROW(OrbitCycle(*equator, equator->initial_state(), {.place = OrbitPlace::node}), UsageError);
}

TEST(OrbitCycles, NameTheGroundAndTheTime) {
  // The orbit starts above the ground, but its perigee lies below.
  OptionSet given = ellipse(8000, 0.25, 0.9);
  given["anomaly"] = all_digits(half_turn);
  const auto problem = satellite(given);
  const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 1e-12});
  Vec change(6);
  const Vec z = map.initial_state().y;
  EXPECT_FALSE(map.change(0, z, change));
  ASSERT_EQ(map.trouble().substr(0, 38), "the event 'ground' ends the orbit at t") << map.trouble();
  const double at = std::stod(map.trouble().substr(map.trouble().find('=') + 1));
  EXPECT_NEAR(directly(*problem, at, "dop853", accurate).q().norm(), earth_radius, 1e-3);
}

TEST(OrbitCycles, CountTheTimeThatIsLeft) {
  const auto problem = satellite(tabulated_orbit());
  const OrbitCycle map(*problem, problem->initial_state(), {.rtol = 1e-10});
  const Vec z = map.initial_state().y;
  Vec change(6), end(6);
  ASSERT_TRUE(map.change(0, z, change));
  EXPECT_EQ(map.cycles_until(10.5 * change[5], 0, z), 10);
  EXPECT_EQ(map.cycles_until(0.5 * change[5], 0, z), 0);
  ASSERT_TRUE(map.part(0, z, 0.5 * change[5], end));
  EXPECT_EQ(end, z);
  // The first revolution determines the steps of all later ones.
  ASSERT_TRUE(map.change(0, z, change));
  const std::unique_ptr<Problem> copy = map.clone();
  Vec again(6);
  ASSERT_TRUE(dynamic_cast<const OrbitCycle&>(*copy).change(0, z, again));
  EXPECT_EQ(again, change);
}
}  // namespace
}  // namespace trill::test
