// SPDX-License-Identifier: BSD-3-Clause
// Linear fast forces in small blocks: the chain of Fermi, Pasta and Ulam with 1000 stiff springs, in its normal
// coordinates and in the positions of its masses. Measured are the cost of a step, relative to slow forces, and the
// cost of a run with the same error as Verlet.
#include "ratio.hpp"
#include "slow_models.hpp"
#include "trill/control/advance.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>
#include <fstream>

namespace {
using namespace trill;
using namespace trill::bench;

// x_0 and x_1 of Hairer, Lubich, Wanner sec. I.5.1: `mean` moves slowly and `stretch` oscillates.
const char* const normal_text = R"toml([parameters]
m = 1000
omega = 300
[sets]
spring = "m"
joint = "m - 1"
[coordinates.mean]
over = "spring"
start = "sin(2*spring)"
[coordinates.stretch]
over = "spring"
start = "sqrt(2)*cos(spring)/omega"
velocity = "sqrt(2)*sin(spring)"
[[potential]]
over = "spring"
energy = "omega^2*stretch[spring]^2/2"
group = "fast"
[[potential]]
over = "joint"
energy = "(mean[joint + 1] - stretch[joint + 1] - mean[joint] - stretch[joint])^4/4"
group = "slow"
[[potential]]
energy = "((mean[0] - stretch[0])^4 + (mean[m - 1] + stretch[m - 1])^4)/4"
group = "slow"
[run]
to = 10
method = "mollified_impulse"
h = 0.01
)toml";

// The same chain in the positions of its masses, on the left and on the right of each spring. Every spring is a block
// of two.
const char* const masses_text = R"toml([parameters]
m = 1000
omega = 300
[sets]
spring = "m"
joint = "m - 1"
[coordinates.left]
over = "spring"
start = "sin(2*spring)/sqrt(2) - cos(spring)/omega"
velocity = "-sin(spring)"
[coordinates.right]
over = "spring"
start = "sin(2*spring)/sqrt(2) + cos(spring)/omega"
velocity = "sin(spring)"
[[potential]]
over = "spring"
energy = "omega^2*(right[spring] - left[spring])^2/4"
group = "fast"
[[potential]]
over = "joint"
energy = "(left[joint + 1] - right[joint])^4"
group = "slow"
[[potential]]
energy = "left[0]^4 + right[m - 1]^4"
group = "slow"
[run]
to = 10
method = "mollified_impulse"
h = 0.01
)toml";

constexpr double end_time = 10, omega = 300, wanted_error = 1e-3;
constexpr int samples = 100;
constexpr Index springs = 1000;

double oscillating_energy(const State& s) {
  const auto x = s.q().tail(springs), y = s.v().tail(springs);
  return 0.5 * (y.squaredNorm() + omega * omega * x.squaredNorm());
}

struct Outcome {
  double seconds = HUGE_VAL, mean_energy = 0;
  Vec q;
  Counters work;
};

// A whole solution including the start of the method. The energy is averaged over all samples.
Outcome solve(const Problem& problem, const std::string& method, const OptionSet& options, double h) {
  const auto stepper = Catalogue::all().method(method).make(problem, options);
  Outcome outcome;
  State s = problem.initial_state();
  outcome.seconds = processor_seconds([&] {
    Advancer advancer(*stepper, FixedStep{h});
    advancer.start(s, end_time);
    for (int k = 1; k <= samples; ++k) {
      const double to = k * end_time / samples;
      while (s.t < to - 1e-9)
        if (advancer.several(s, to, to, 1000).status != AdvanceStatus::ok) return;
      outcome.mean_energy += oscillating_energy(s) / samples;
    }
    outcome.work = advancer.counters();
  });
  outcome.q = s.q();
  return outcome;
}

struct Cheapest {
  double seconds = HUGE_VAL, h = 0, position = 0, energy = 0;
};

// Finds the longest step with the wanted error. Only steps that divide the time between samples are tried.
Cheapest cheapest(const Problem& problem, const std::string& method, const OptionSet& options, const Outcome& exact) {
  const double between = end_time / samples;
  for (int steps = 1; steps < 4000; steps = std::max(steps + 1, steps * 5 / 4)) {
    const double h = between / steps;
    Outcome found = solve(problem, method, options, h);
    const double position = (found.q - exact.q).cwiseAbs().maxCoeff();
    const double energy = std::abs(found.mean_energy / exact.mean_energy - 1);
    if (!(position <= wanted_error && energy <= wanted_error)) continue;
    for (int turn = 0; turn < 4; ++turn)
      found.seconds = std::min(found.seconds, solve(problem, method, options, h).seconds);
    std::printf("%s: h = %.5f (h omega = %.2f), errors %.1e in positions, %.1e in the energy; %.1f ms, %ld forces\n",
                method.c_str(), h, h * omega, position, energy, 1e3 * found.seconds,
                static_cast<long>(found.work.most_forces()));
    return {found.seconds, h, position, energy};
  }
  return {};
}

void compare_with_verlet(const Problem& problem) {
  const Outcome exact = solve(problem, "composition8", {}, end_time / samples / 64);
  const Cheapest verlet = cheapest(problem, "verlet", {}, exact);
  const Cheapest impulse = cheapest(problem, "impulse", {}, exact);
  const Cheapest mollified = cheapest(problem, "mollified_impulse", {{"phi", "short"}, {"psi", "short"}}, exact);
  print_ratio("blocks/impulse_over_verlet_at_equal_error", impulse.seconds / verlet.seconds, 0.2);
  print_ratio("blocks/mollified_impulse_over_verlet_at_equal_error", mollified.seconds / verlet.seconds, 0.2);
}

// At h omega = 4, away from resonances. Blocks of two cost more than twice as much as single unknowns, and the slow
// force in the positions of the masses costs half as much as in normal coordinates.
void compare_with_forces(const std::string& name, const Problem& problem, double limit) {
  constexpr double h = 4 / omega;
  constexpr int count = 200;
  const auto& mechanics = problem.as<MechanicalProblem>("the benchmark");
  Vec q = problem.initial_state().q(), v = problem.initial_state().v(), f(q.size());
  const Groups slow = slow_groups(mechanics);
  for (const std::string method : {"impulse", "mollified_impulse"}) {
    const auto stepper = Catalogue::all().method(method).make(problem, {});
    Advancer advancer(*stepper, FixedStep{h});
    State s = problem.initial_state();
    advancer.start(s, 1e6);
    const double value = median_ratio(
        [&] {
          for (int k = 0; k < count; ++k) advancer.one(s, 1e6);
        },
        [&] {
          for (int k = 0; k < count; ++k) {
            mechanics.force(slow, 0, q, v, f);
            keep(f[0]);
          }
        },
        31);
    print_ratio(fmt::format("blocks/{}_{}_step_over_slow_force", name, method).c_str(), value, limit);
  }
}
}  // namespace

int main() {
  Workshop shop;
  std::ofstream(shop / "normal.toml") << normal_text;
  std::ofstream(shop / "masses.toml") << masses_text;
  const auto normal = native_model((shop / "normal.toml").string(), {}),
             masses = native_model((shop / "masses.toml").string(), {});
  compare_with_forces("normal", *normal, 2);
  compare_with_forces("masses", *masses, 8);
  compare_with_verlet(*normal);
  return 0;
}
