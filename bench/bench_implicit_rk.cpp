// SPDX-License-Identifier: BSD-3-Clause
// Radau and Gauss on stiff mechanical systems with steps that depend on the slow motion only: the cost of a run for
// various epsilon, compared with methods that follow the oscillation, and how the cost of a step grows with the number
// of stiff springs.
#include "ratio.hpp"
#include "slow_models.hpp"
#include "trill/control/advance.hpp"
#include "trill/method/registry.hpp"

#include <fstream>
#include <functional>
#include <optional>

#include <sys/resource.h>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr double end_time = 20, slow_error = 1e-7;
// The direction of the rigid pendulum at t = 20, from rest at (1, 0).
constexpr double end_x = -0.51771970743929452, end_y = 0.85555029369540951;

double error_of(double x, double y) {
  const double r = std::hypot(x, y);
  return std::hypot(x / r - end_x, y / r - end_y);
}

AdaptiveStep tolerance(double rtol) {
  AdaptiveStep control;
  control.rtol = rtol;
  control.atol = Vec::Constant(1, rtol);
  return control;
}

struct Outcome {
  double error = HUGE_VAL, seconds = HUGE_VAL;
  Counters work;
  bool finished = false;
};

// A whole solution including the start of the method. It is given up after `most_seconds`.
Outcome solve(Stepper& stepper, const Problem& problem, const StepControl& control, double most_seconds = 20) {
  using Clock = std::chrono::steady_clock;
  Outcome outcome;
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Advancer advancer(stepper, control);
  State s = problem.initial_state();
  advancer.start(s, end_time);
  outcome.finished = true;
  while (s.t < end_time && outcome.finished) {
    for (int k = 0; k < 100 && s.t < end_time; ++k)
      if (advancer.several(s, end_time, end_time, 1000).status != AdvanceStatus::ok)
        throw std::runtime_error(stepper.info().name + " failed");
    outcome.finished = passed() < most_seconds;
  }
  outcome.seconds = passed();
  outcome.work = advancer.counters();
  outcome.error = error_of(s.y[0], s.y[1]);
  return outcome;
}

// The fastest of several runs.
Outcome best_of(int turns, const std::function<Outcome()>& run) {
  Outcome best = run();
  for (int k = 1; k < turns; ++k) {
    const Outcome next = run();
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

void print_row(const std::string& name, const Outcome& o) {
  std::printf("%-34s %s%10.3f ms  error %.1e  %9lld steps %9lld iterations %9lld matrices %10lld forces\n",
              name.c_str(), o.finished ? "          " : "more than ", 1e3 * o.seconds, o.error,
              static_cast<long long>(o.work.steps), static_cast<long long>(o.work.newton_iterations),
              static_cast<long long>(o.work.factorisations), static_cast<long long>(o.work.most_forces()));
  std::fflush(stdout);
}

Outcome radau_outcome(double epsilon, double rtol, int turns) {
  const auto problem = jp95_pendulum(epsilon);
  const auto stepper = Catalogue::all().method("radau").make(*problem, {});
  return best_of(turns, [&] { return solve(*stepper, *problem, tolerance(rtol)); });
}

// The loosest tolerance with which the error is no larger than `slow_error`.
constexpr double radau_rtol = 1e-7;

Outcome bench_epsilons() {
  std::optional<Outcome> at_stiff;
  double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {0, 0, 0};
  for (int digits = 3; digits <= 8; ++digits) {
    const double epsilon = std::pow(10, -digits);
    const Outcome o = radau_outcome(epsilon, radau_rtol, 400);
    print_row(fmt::format("radau, epsilon = {:g}", epsilon), o);
    const double costs[3] = {o.seconds, static_cast<double>(o.work.steps),
                             static_cast<double>(o.work.newton_iterations)};
    for (int k = 0; k < 3; ++k) {
      least[k] = std::min(least[k], costs[k]);
      most[k] = std::max(most[k], costs[k]);
    }
    if (digits == 5) at_stiff = o;
  }
  print_ratio("implicit_rk/most_over_least_steps_of_all_epsilon", most[1] / least[1], 1.2);
  print_ratio("implicit_rk/most_over_least_iterations_of_all_epsilon", most[2] / least[2], 1.2);
  print_ratio("implicit_rk/most_over_least_time_of_all_epsilon", most[0] / least[0], 1.2);
  const Counters& work = at_stiff->work;
  print_ratio("implicit_rk/pendulum_error_over_1e-7", at_stiff->error / slow_error, 1);
  print_ratio("implicit_rk/pendulum_steps_over_160", static_cast<double>(work.steps) / 160, 1);
  print_ratio("implicit_rk/pendulum_iterations_over_1300", static_cast<double>(work.newton_iterations) / 1300, 1);
  print_ratio("implicit_rk/pendulum_matrices_over_steps",
              static_cast<double>(work.factorisations) / static_cast<double>(work.steps + work.rejected), 1);
  return *at_stiff;
}

// Velocity Verlet as a user would write it by hand.
Outcome hand_written_verlet(double epsilon, double h) {
  Outcome outcome;
  const Pendulum model{1 / (epsilon * epsilon)};
  outcome.seconds = seconds([&] {
    const auto steps = static_cast<long>(std::ceil(end_time / h));
    const double step = end_time / static_cast<double>(steps);
    double q[2] = {1, 0}, v[2] = {0, 0}, f[2];
    model.force(q, f);
    for (long k = 0; k < steps; ++k) {
      for (int i = 0; i < 2; ++i) {
        v[i] += 0.5 * step * f[i];
        q[i] += step * v[i];
      }
      model.force(q, f);
      for (int i = 0; i < 2; ++i) v[i] += 0.5 * step * f[i];
    }
    outcome.error = error_of(q[0], q[1]);
    outcome.work.steps = outcome.work.forces[0] = steps;
  });
  outcome.finished = true;
  return outcome;
}

// Runs with the loosest tolerance whose error is no larger than `slow_error`.
Outcome rival(const std::string& method, const Problem& problem) {
  const auto stepper = Catalogue::all().method(method).make(problem, {});
  Outcome last;
  for (double rtol = 1e-4; rtol > 1e-13; rtol /= 10) {
    last = solve(*stepper, problem, tolerance(rtol));
    if (last.finished && !(last.error <= slow_error)) continue;
    if (last.seconds < 1) last = best_of(3, [&] { return solve(*stepper, problem, tolerance(rtol)); });
    print_row(fmt::format("{}, rtol = {:.0e}", method, rtol), last);
    return last;
  }
  print_row(method + ", never that exact", last);
  last.seconds = HUGE_VAL;
  return last;
}

void bench_rivals(double ours) {
  constexpr double epsilon = 1e-5, h = 1.6 * epsilon;
  const auto problem = jp95_pendulum(epsilon);
  double best = HUGE_VAL;
  const auto enter = [&](const std::string& name, const Outcome& o) {
    print_row(name, o);
    if (o.error <= slow_error) best = std::min(best, o.seconds);
  };
  enter("velocity Verlet by hand", best_of(15, [&] { return hand_written_verlet(epsilon, h); }));
  const auto verlet = Catalogue::all().method("verlet").make(*problem, {});
  enter("verlet", best_of(5, [&] { return solve(*verlet, *problem, FixedStep{h}); }));
  for (const char* method : {"dop853", "cvode_adams", "cvode_bdf"})
    best = std::min(best, rival(method, *problem).seconds);
  print_ratio("implicit_rk/radau_over_best_rival", ours / best, 1 / 15.0);
}

// A chain that hangs from the origin. It starts horizontally, with small velocities everywhere.
const char* const chain_text = R"toml([parameters]
n = 100
[sets]
mass = "n"
spring = "n - 1"
[coordinates]
r = { over = "mass", point = 2, start = ["(1 + mass)*sqrt(1/2)", "(1 + cos(pi*mass))/2*sqrt(1/2)"], velocity = [0, "0.1*sin(mass)"] }
[[stiff]]
over = "spring"
gap = "distance(r[spring], r[spring + 1]) - 1"
stiffness = 1e10
group = "springs"
[[stiff]]
gap = "sqrt(r[0].x^2 + r[0].y^2) - 1"
stiffness = 1e10
group = "springs"
[[potential]]
over = "mass"
energy = "-r[mass].y"
group = "gravity"
[run]
to = 1
)toml";

class Chain {
 public:
  Chain(const Workshop& shop, int n)
      : problem_(native_model((shop / "chain.toml").string(), {{"n", std::to_string(n)}})),
        stepper_(Catalogue::all().method("radau").make(*problem_, {})),
        advancer_(*stepper_, FixedStep{0.01}),
        s_(problem_->initial_state()) {
    advancer_.start(s_, 1000);
    steps(10);
    advancer_.counters() = {};
  }
  double steps(int count) {
    return processor_seconds([&] {
      for (int k = 0; k < count; ++k)
        if (advancer_.one(s_, 1000).status != AdvanceStatus::ok) throw std::runtime_error("chain: radau failed");
    });
  }
  const Counters& work() const { return advancer_.counters(); }

 private:
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Stepper> stepper_;
  Advancer advancer_;
  State s_;
};

void bench_chain(const Workshop& shop) {
  std::ofstream(shop / "chain.toml") << chain_text;
  std::vector<double> times;
  for (const int n : {100, 1000, 10000}) {
    Chain chain(shop, n);
    const int count = 20;
    double least = HUGE_VAL;
    for (int turn = 0; turn < 3; ++turn) least = std::min(least, chain.steps(count) / count);
    times.push_back(least);
    std::printf("chain of %d: %.3f ms a step, %.2f us a spring and iteration, %.1f iterations, %.2f matrices a step\n",
                n, 1e3 * least,
                1e6 * least * static_cast<double>(chain.work().steps) /
                    (n * static_cast<double>(chain.work().newton_iterations)),
                static_cast<double>(chain.work().newton_iterations) / static_cast<double>(chain.work().steps),
                static_cast<double>(chain.work().factorisations) / static_cast<double>(chain.work().steps));
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  // A dense matrix would take 7200 MB for the largest chain.
  print_ratio("implicit_rk/chain_of_10000_megabytes", static_cast<double>(used.ru_maxrss) / 1024, 1000);
  print_ratio("implicit_rk/chain_of_1000_over_10_times_100", times[1] / (10 * times[0]), 1.3);
  print_ratio("implicit_rk/chain_of_10000_over_10_times_1000", times[2] / (10 * times[1]), 1.3);
}
}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Workshop shop;
  const Outcome radau = bench_epsilons();
  bench_chain(shop);
  bench_rivals(radau.seconds);
  return 0;
}
