// SPDX-License-Identifier: BSD-3-Clause
// 1024 revolutions of a satellite of an oblate Earth: steps over many revolutions against direct integration.
#include "multiscale/cycle_methods.hpp"
#include "multiscale/orbit_cycle.hpp"
#include "papers/cells.hpp"
#include "papers/runs.hpp"
#include "trill/problem/model_registry.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::satellite {
namespace {
constexpr int revolutions = 1024;
constexpr double degree = std::numbers::pi / 180;
// At the ascending node after the last revolution. Its author gives errors of 1e-5 km and 1.2 ms.
const Vec3 published_q(-925.808730841, 7154.484603899, 0), published_v(-4.59183870375, -0.450444017807, 5.818400687161);
constexpr double published_t = 6213943.46257, uncertain_q = 1e-5, uncertain_t = 1.2e-3;

std::unique_ptr<Problem> oblate_orbit() {
  return ModelRegistry::all()
      .find("satellite")
      .make({{"R", "6378.1363"},
             {"J2", "0.00108262668"},
             {"B", "0"},
             {"a", "7200"},
             {"e", "0.02"},
             {"inclination", digits(51.6 * degree)},
             {"node", digits(30 * degree)},
             {"perigee", digits(40 * degree)},
             {"anomaly", digits(-40 * degree)}});
}

struct Passage {
  Vec3 q, v;
  double t = 0, forces = 0;
};

// Direct integration to the published time, and from there to the node, which is less than a tenth of a second away.
Passage directly(const Problem& problem, const std::string& method, const StepControl& control) {
  const auto stepper = Catalogue::all().method(method).make(problem, {});
  State s = problem.initial_state();
  Advancer advancer(*stepper, control);
  advancer.start(s, published_t);
  while (s.t < published_t)
    if (advancer.one(s, published_t).status != AdvanceStatus::ok) throw UsageError(method + " failed on the orbit");
  Vec force(3);
  problem.as<MechanicalProblem>(method).force(all_groups, s.t, s.q(), s.v(), force);
  const Vec3 q = s.q(), v = s.v(), a = force;
  const double dt = -q.z() / v.z();
  return {q + dt * v + dt * dt / 2 * a, v + dt * a, s.t + dt, static_cast<double>(advancer.counters().most_forces())};
}

AdaptiveStep tolerance(double rtol) {
  Vec atol(6);
  atol << Vec::Constant(3, 7200 * rtol), Vec::Constant(3, 7.4 * rtol);
  return {.rtol = rtol, .atol = atol};
}

struct Envelope {
  std::string label, method;
  OptionSet options;
  int cycles;
  double published_q, published_t, published_ratio;
};

Passage over_many(const Problem& problem, const Envelope& row, double rtol) {
  const OrbitCycle map(problem, problem.initial_state(), {.rtol = rtol});
  OptionSet options = row.options;
  options["cycles"] = std::to_string(row.cycles);
  const auto stepper = cycle_methods().method(row.method).make(map, options);
  State z = map.initial_state(), s;
  Advancer advancer(*stepper, AdaptiveStep{});
  const double later = 2 * published_t;
  advancer.start(z, later);
  for (int n = 0; n < revolutions; n += row.cycles)
    if (advancer.one(z, later).status != AdvanceStatus::ok) throw UsageError(map.trouble());
  if (!map.state_at(z.y, s)) throw UsageError(map.trouble());
  return {s.q(), s.v(), s.t, static_cast<double>(map.work().most_forces())};
}

void add_reference(const Passage& ours, FigureResult& result) {
  for (const Index i : {0, 1}) {
    const char axis = i == 0 ? 'x' : 'y';
    result.cells.push_back(near(fmt::format("{} [km]", axis), ours.q[i], published_q[i], uncertain_q));
    result.cells.push_back(near(fmt::format("v{} [km/s]", axis), ours.v[i], published_v[i], 1e-8));
  }
  result.cells.push_back(near("vz [km/s]", ours.v.z(), published_v.z(), 1e-8));
  result.cells.push_back(near("t [s]", ours.t, published_t, uncertain_t));
}

FigureResult satellite_1024(bool full) {
  const std::unique_ptr<Problem> problem = oblate_orbit();
  FigureResult result;
  const Passage reference = directly(*problem, "dop853", tolerance(1e-13));
  const Passage direct = directly(*problem, "dop853", tolerance(1e-12));
  add_reference(reference, result);
  result.cells.push_back(at_most("t with rtol 1e-12 and 1e-13 [s]", std::abs(direct.t - reference.t), uncertain_t));

  const std::vector<Envelope> rows{
      {"Runge-Kutta 4, 64 revolutions", "cycle_rk", {{"scheme", "rk4"}}, 64, 0.012, 0.024, 16},
      {"Adams 4, 16 revolutions", "cycle_adams", {{"order", "4"}}, 16, 0.00014, 0.0033, 11.5},
      {"Adams 6, 32 revolutions", "cycle_adams", {{"order", "6"}}, 32, 3.1e-5, 0.0014, 14}};
  for (const Envelope& row : rows) {
    const Passage end = over_many(*problem, row, 1e-12);
    result.cells.push_back(at_most(row.label + ", error of the place [km]", (end.q - reference.q).norm(),
                                   1.05 * row.published_q + uncertain_q));
    result.cells.push_back(at_most(row.label + ", error of the time [s]", std::abs(end.t - reference.t),
                                   row.published_t + 2 * uncertain_t));
    // The first two ratios are close to the share of revolutions that are computed, which the way to the section
    // lowers.
    FigureCell fewer = at_least(row.label + ", times fewer forces", direct.forces / end.forces, row.published_ratio, 0);
    result.cells.push_back(row.cycles == 32 ? fewer : shown(fewer));
  }

  // The same error of the time, with the fewest forces.
  Chart chart = log_chart("Error of the time after 1024 revolutions", "", "force evaluations", "error [s]",
                          {{"dop853", {}, {}}, {"cvode_adams", {}, {}}, {"Adams 6 over 32 revolutions", {}, {}}});
  const auto add = [&](std::size_t series, const Passage& end) {
    add_point(chart.series[series], end.forces, std::abs(end.t - reference.t));
  };
  const Passage matched = over_many(*problem, rows.back(), 2e-11), steps = directly(*problem, "dop853", FixedStep{160});
  double fewest = steps.forces;
  add(0, steps);
  for (const double rtol : {1e-10, 3e-11, 1e-11}) add(2, over_many(*problem, rows.back(), rtol));
  add(2, matched);
  if (full && Catalogue::all().find_method("cvode_adams"))
    for (const double rtol : {1e-12, 1e-13, 3e-14}) {
      const Passage end =
          directly(*problem, "cvode_adams", AdaptiveStep{.rtol = rtol, .atol = Vec::Constant(1, 1e-12)});
      add(1, end);
      if (std::abs(end.t - reference.t) < 1.05 * std::abs(matched.t - reference.t))
        fewest = std::min(fewest, end.forces);
    }
  result.cells.push_back(
      at_most("Adams 6, rtol 2e-11, error of the time [s]", std::abs(matched.t - reference.t), 0.0014));
  result.cells.push_back(
      at_least("times fewer forces than the best direct method of this accuracy", fewest / matched.forces, 12, 0));
  result.charts = {chart};
  result.remark =
      "a = 7200 km, e = 0.02, inclination 51.6 degrees, J2 only; revolutions begin at the ascending node. The "
      "reference is dop853 with rtol 1e-13. Forces are compared with dop853 at rtol 1e-12, and at the same accuracy "
      "with dop853 in fixed steps and, in the full figure, with cvode_adams.";
  return result;
}
}  // namespace
}  // namespace papers::satellite

void register_figure_satellite_1024(FigureRegistry& registry) {
  registry.add({"satellite_1024", "A satellite over 1024 revolutions, with many of them in a step",
                "PJY97 section 5.1; Graff and Bettis 1975", papers::satellite::satellite_1024});
}
}  // namespace trill
