// SPDX-License-Identifier: BSD-3-Clause
// The slow motion of stiff gaps: the cost of one right-hand side, measured in calls of a hand-written stiff force, and
// its growth with the system.
#include "formulation/slow_start.hpp"
#include "ratio.hpp"
#include "slow_models.hpp"

#include <array>
#include <fstream>

namespace {
using namespace trill;
using namespace trill::bench;

const char* const chain_text = R"toml([parameters]
n = 1000
[sets]
mass = "n"
stiff = "n/2"
soft = "n/2 - 1"
[coordinates]
x = { over = "mass", point = 2, start = ["mass", "0.1*sin(mass)"], velocity = ["0.1*sin(mass)", "0.1*cos(1.7*mass)"] }
[[stiff]]
over = "stiff"
gap = "distance(x[2*stiff], x[2*stiff + 1]) - 1"
stiffness = "1e6"
group = "stiff"
[[potential]]
over = "soft"
energy = "(distance(x[2*soft + 1], x[2*soft + 2]) - 1)^2/2"
group = "soft"
[run]
to = 1
method = "dopri5"
rtol = 1e-6
)toml";

// Calls as an integrator makes them: every point depends on the result at the one before.
constexpr int calls = 2000;
constexpr double nudge = 1e-30;

template <class Model>
void call_force(const Model& model, const Vec& start) {
  std::array<double, Model::n> q, f{};
  std::copy_n(start.data(), Model::n, q.begin());
  for (int k = 0; k < calls; ++k) {
    for (std::size_t i = 0; i < Model::n; ++i) q[i] += nudge * f[i];
    model.force(q.data(), f.data());
    keep(f[0]);
  }
}

void call_rhs(const SlowSystem& slow, Vec& y, Vec& dy) {
  dy.setZero();
  for (int k = 0; k < calls; ++k) {
    for (Index i = 0; i < y.size(); ++i) y[i] += nudge * dy[i];
    slow.rhs(0, y, dy);
    keep(dy[0]);
  }
}

template <class Model>
bool agree(const MechanicalProblem& p, const Model& hand) {
  const State start = p.initial_state();
  Vec ours(p.layout().nq), theirs(p.layout().nq);
  p.force(all_groups, 0, start.q(), start.v(), ours);
  hand.force(start.y.data(), theirs.data());
  if ((ours - theirs).cwiseAbs().maxCoeff() <= 1e-8 * (1 + theirs.cwiseAbs().maxCoeff())) return true;
  std::fprintf(stderr, "%s: our force is not that written by hand\n", p.name().c_str());
  return false;
}

template <class Model>
bool compare_calls(const char* name, const Problem& problem, const Model& hand, double limit_0, double limit_1) {
  const auto& p = problem.as<MechanicalProblem>("the benchmark");
  if (!agree(p, hand)) return false;
  for (const bool fast : {false, true}) {
    const SlowSystem slow(p, {fast ? FastEnergy::keep : FastEnergy::drop});
    const MatchedStart start = fast ? match_start(slow, p.initial_state()) : project_start(slow, p.initial_state());
    State s(slow.layout(), 0);
    s.q() = start.q;
    s.v() = start.v;
    if (fast) s.x() = start.actions;
    Vec dy(s.y.size());
    for (const int order : {0, 1}) {
      slow.set_order(order);
      call_rhs(slow, s.y, dy);
      double each = 1e300, theirs = 1e300;
      const double value =
          median_ratio([&] { each = std::min(each, seconds([&] { call_rhs(slow, s.y, dy); })); },
                       [&] { theirs = std::min(theirs, seconds([&] { call_force(hand, start.q); })); }, 25);
      std::printf("%s, order %d%s: %.1f ns, the force %.1f ns\n", name, order, fast ? ", with fast energy" : "",
                  1e9 * each / calls, 1e9 * theirs / calls);
      if (fast)
        std::printf("%s, order %d, with fast energy, over the force: %.2f\n", name, order, value);
      else
        print_ratio(fmt::format("slow/{}_order_{}_over_hand_written_force", name, order).c_str(), value,
                    order == 0 ? limit_0 : limit_1);
    }
  }
  return true;
}
// A chain of masses in which every second bond is stiff. Only the number of masses may matter for the time.
double seconds_of_chain(const std::string& file, int masses, int order) {
  const auto problem = native_model(file, {{"n", std::to_string(masses)}});
  const auto& p = problem->as<MechanicalProblem>("the benchmark");
  const SlowSystem slow(p, {FastEnergy::drop});
  const MatchedStart start = project_start(slow, p.initial_state());
  slow.set_order(order);
  State s(slow.layout(), 0);
  s.q() = start.q;
  s.v() = start.v;
  Vec dy(s.y.size());
  const auto call = [&] {
    slow.rhs(0, s.y, dy);
    keep(dy[0]);
  };
  call();
  double best = 1e300;
  for (int k = 0; k < 300'000 / masses; ++k) best = std::min(best, processor_seconds(call));
  return best;
}

void compare_chains(const Workshop& shop) {
  const std::string file = (shop / "chain.toml").string();
  std::ofstream(file) << chain_text;
  for (const int order : {0, 1}) {
    const double small = seconds_of_chain(file, 1000, order), large = seconds_of_chain(file, 10'000, order);
    std::printf("chain, order %d: %.1f us for 1000 masses, %.1f us for 10000\n", order, 1e6 * small, 1e6 * large);
    print_ratio(fmt::format("slow/chain_order_{}_10000_over_ten_times_1000", order).c_str(), large / (10 * small), 1.3);
  }
}

}  // namespace

int main() {
  Workshop shop;
  const double omega = 1000, k = omega * omega;
  const auto pendulum = native_model("pendulum/stiff_spring", {{"epsilon", written(1 / omega)}});
  const auto springs = native_model("pendulum/two_springs", {{"omega1", written(omega)}, {"omega2", written(omega)}});
  const auto chain = native_model("molecule/planar_chain", {{"omega", written(omega)}});
  if (!compare_calls("pendulum", *pendulum, Pendulum{k}, 5, 18) ||
      !compare_calls("two_gaps", *springs, TwoSprings{k, k}, 8, 30) ||
      !compare_calls("planar_chain", *chain, PlanarChain{k}, 8, 40))
    return 1;
  compare_chains(shop);
  return 0;
}
