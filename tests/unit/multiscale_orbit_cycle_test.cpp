// SPDX-License-Identifier: BSD-3-Clause
// Revolutions of orbits as maps, and envelopes over many of them.
#include "multiscale/cycle_methods.hpp"
#include "multiscale/orbit_cycle.hpp"
#include "trill/driver/driver.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double mu = 398600.4418, radius = 6378.1363, j2 = 0.00108262668, pi = std::numbers::pi, far = 1e12;

std::string number(double x) { return fmt::format("{:.17g}", x); }

std::unique_ptr<Problem> satellite(const OptionSet& given) { return ModelRegistry::all().find("satellite").make(given); }

OptionSet sphere(double a, double e) { return {{"J2", "0"}, {"B", "0"}, {"a", number(a)}, {"e", number(e)}}; }

// The orbit of the published table, which starts at its ascending node.
OptionSet oblate_orbit() {
  return {{"R", number(radius)},          {"J2", number(j2)},          {"B", "0"},
          {"inclination", number(51.6 * pi / 180)}, {"node", number(pi / 6)}, {"perigee", number(40 * pi / 180)},
          {"anomaly", number(-40 * pi / 180)}};
}

double kepler_period(double a) { return 2 * pi * std::sqrt(a * a * a / mu); }

Vec one_change(const OrbitCycle& map, const Vec& z) {
  Vec change(6);
  EXPECT_TRUE(map.change(0, z, change)) << map.trouble();
  return change;
}

struct Followed {
  Vec z;
  std::int64_t forces, revolutions;
};

// So many revolutions, in steps of so many.
Followed follow(const OrbitCycle& map, const std::string& method, OptionSet options, int cycles, int revolutions) {
  options["cycles"] = std::to_string(cycles);
  const auto stepper = cycle_methods().method(method).make(map, options);
  State s = map.initial_state();
  Advancer advancer(*stepper, AdaptiveStep{.rtol = 1e-10});
  advancer.start(s, far);
  for (int k = 0; k < revolutions / cycles; ++k) {
    EXPECT_EQ(advancer.one(s, far).status, AdvanceStatus::ok) << map.trouble();
    if (testing::Test::HasFailure()) break;
  }
  return {s.y, map.work().most_forces(), advancer.counters().micro_steps};
}

// From an independent program in quadruple precision, by extrapolation of the midpoint rule.
const Vec3 reference_q(-925.80873008793, 7154.48460378493, 0);
constexpr double reference_t = 6213943.462476380;

TEST(OrbitTable, Explore) {
  const auto problem = satellite(oblate_orbit());
  for (const double rtol : {1e-10,7e-11,5e-11,4e-11, 3e-11,2e-11})
    for (const auto& [method, options, cycles] : std::vector<std::tuple<std::string, OptionSet, int>>{
             {"cycle_rk", {{"scheme", "rk4"}}, 64}, {"cycle_adams", {}, 32}, {"cycle_adams", {}, 64}}) {
      const OrbitCycle map(*problem, problem->initial_state(), {.rtol = rtol});
      const Followed f = follow(map, method, options, cycles, 1024);
      State end;
      map.state_at(f.z, end);
      printf("%g %s %d: dr %.3g m  dt %.4g ms  cycles %ld forces %ld per cycle %.0f\n", rtol, method.c_str(), cycles,
             1e3 * (Vec3(end.q()) - reference_q).norm(), 1e3 * std::abs(end.t - reference_t), f.revolutions, f.forces,
             double(f.forces) / double(f.revolutions));
    }
}
}  // namespace
}  // namespace trill::test
