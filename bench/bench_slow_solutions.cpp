// SPDX-License-Identifier: BSD-3-Clause
// Whole solutions of the slow motion, including the start, compared with a hand-written velocity Verlet.
#include "formulation/slow_start.hpp"
#include "ratio.hpp"
#include "slow_models.hpp"
#include "trill/control/advance.hpp"
#include "trill/method/registry.hpp"

#include <array>
#include <optional>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr int samples = 10;

// The result of one method at ten times.
struct Samples {
  Mat y;  // one column for each time
  // The largest difference in every stride-th row.
  double error_from(const Samples& other, Index stride) const {
    if (!y.allFinite()) return HUGE_VAL;
    double most = 0;
    for (Index i = 0; i < y.rows(); i += stride)
      most = std::max(most, (y.row(i) - other.y.row(i)).cwiseAbs().maxCoeff());
    return most;
  }
};

// dop853 on the slow system with a projection after each step, from a given state that oscillates.
class SlowSolver {
 public:
  SlowSolver(const MechanicalProblem& p, FastEnergy energy, int order, double rtol)
      : slow_(p, {energy}),
        order_(order),
        energy_(energy),
        stepper_(Catalogue::all().method("dop853").make(slow_, {})) {
    AdaptiveStep control;
    control.rtol = rtol;
    control.atol = Vec::Constant(1, 1e-2 * rtol);
    advancer_.emplace(*stepper_, control);
    found_.y.resize(2 * slow_.unknowns(), samples);
  }
  const Samples& solve(const State& given, double to) {
    slow_.set_order(order_);
    const MatchedStart start = energy_ == FastEnergy::drop ? project_start(slow_, given) : match_start(slow_, given);
    State s(slow_.layout(), 0);
    s.q() = start.q;
    s.v() = start.v;
    if (energy_ == FastEnergy::keep) s.x() = start.actions;
    advancer_->start(s, to);
    for (int k = 1; k <= samples; ++k) {
      const double stop = to * k / samples;
      while (s.t < stop) {
        if (advancer_->one(s, stop).status != AdvanceStatus::ok) throw std::runtime_error("dop853 failed");
        slow_.project(s);
      }
      found_.y.col(k - 1) = s.y.head(2 * slow_.unknowns());
    }
    return found_;
  }

 private:
  SlowSystem slow_;
  int order_;
  FastEnergy energy_;
  std::unique_ptr<Stepper> stepper_;
  std::optional<Advancer> advancer_;
  Samples found_;
};

struct Target {
  double error, times_less;
};

// Compares both methods with the least work that reaches a given error, found by halving the step or tightening the
// tolerance.
template <class Model>
struct Race {
  std::string name;
  const MechanicalProblem& p;
  Model hand;
  State given;
  double to, omega;
  FastEnergy energy;
  Samples reference;
  Index stride;  // of the rows of q and v, every stride-th one is compared

  double largest_step(double error) const {
    for (double h = 1.6 / omega; h > 0.01 / omega; h /= 2)
      if (Samples{verlet(hand, given, to, h, samples)}.error_from(reference, stride) <= error) return h;
    throw std::runtime_error(name + ": velocity Verlet does not meet the error");
  }
  std::unique_ptr<SlowSolver> best_solver(double error) const {
    std::unique_ptr<SlowSolver> best;
    double least = 1e300;
    for (const int order : {0, 1})
      for (double rtol = 1e-2; rtol > 1e-10; rtol /= 2) {
        auto solver = std::make_unique<SlowSolver>(p, energy, order, rtol);
        const double found = solver->solve(given, to).error_from(reference, stride);
        if (!(found <= error)) continue;
        double time = 1e300;
        for (int k = 0; k < 20; ++k) time = std::min(time, seconds([&] { solver->solve(given, to); }));
        if (time < least) {
          least = time;
          best = std::move(solver);
          std::printf("%s to %g: order %d, rtol %.1e, error %.1e, %.1f us\n", name.c_str(), error, order, rtol, found,
                      1e6 * time);
        }
        break;
      }
    if (!best) throw std::runtime_error(name + ": the slow motion does not meet the error");
    return best;
  }
  void run(const std::vector<Target>& targets) const {
    for (const Target& target : targets) {
      const double h = largest_step(target.error);
      const auto solver = best_solver(target.error);
      double ours = 1e300, theirs = 1e300;
      for (int turn = 0; turn < 7; ++turn) {
        for (int k = 0; k < 30; ++k) ours = std::min(ours, seconds([&] { keep(solver->solve(given, to).y(0, 0)); }));
        theirs = std::min(theirs, seconds([&] { keep(verlet(hand, given, to, h, samples)(0, 0)); }));
      }
      std::printf("%s to %g: %.1f us, velocity Verlet at h omega = %g %.1f us: %.0f times\n", name.c_str(),
                  target.error, 1e6 * ours, h * omega, 1e6 * theirs, theirs / ours);
      print_ratio(fmt::format("slow/{}_to_{:g}_over_verlet", name, target.error).c_str(), ours / theirs,
                  1 / target.times_less);
    }
  }
};

// A start without oscillation. From there the slow motion of order 1 is exact up to epsilon^4.
State smooth_start(const MechanicalProblem& p) {
  const SlowSystem slow(p, {FastEnergy::drop});
  slow.set_order(1);
  const MatchedStart start = project_start(slow, p.initial_state());
  State s = p.initial_state();
  s.q() = start.q;
  s.v() = start.v;
  return s;
}
template <class Model>
void race_smooth(const std::string& name, const Problem& problem, const Model& hand, double to, double omega,
                 const std::vector<Target>& targets) {
  const auto& p = problem.as<MechanicalProblem>("the benchmark");
  const State given = smooth_start(p);
  const Samples reference = SlowSolver(p, FastEnergy::drop, 1, 1e-12).solve(given, to);
  Race<Model>{name, p, hand, given, to, omega, FastEnergy::drop, reference, 1}.run(targets);
}

// The homogenised motion x'' = -J omega x/sqrt(1 + x^2) with the energy J omega sqrt(1 + x0^2) = 1, computed with
// small steps.
Samples homogenised(double to) {
  Samples found{Mat::Zero(4, samples)};
  double x = 1, v = 0;
  const auto force = [](double at) { return -std::sqrt(0.5) * at / std::sqrt(1 + at * at); };
  constexpr int steps = 20'000;
  const double h = to / samples / steps;
  for (int k = 0; k < samples; ++k) {
    for (int s = 0; s < steps; ++s) {
      v += 0.5 * h * force(x);
      x += h * v;
      v += 0.5 * h * force(x);
    }
    found.y(0, k) = x;
    found.y(2, k) = v;
  }
  return found;
}
}  // namespace

int main() {
  const Workshop shop;
  for (const double epsilon : {1e-4, 1e-5}) {
    const auto problem =
        native_model("pendulum/stiff_spring", {{"epsilon", written(epsilon)}, {"x0", "1"}, {"y0", "0"}});
    const double least = epsilon > 5e-5 ? 40 : 400;
    race_smooth(fmt::format("pendulum_{:g}", epsilon), *problem, Pendulum{1 / (epsilon * epsilon)}, 20, 1 / epsilon,
                {{1e-3, least}, {1e-6, least / 2}});
  }
  const auto stiff_second = native_model("pendulum/two_springs", {{"omega2", "20000"}});
  race_smooth("two_springs_20000", *stiff_second, TwoSprings{1, 4e8}, 10, std::sqrt(2) * 20000,
              {{1e-3, 75}, {1e-6, 35}});
  const double omega = 1000;
  const auto varying = native_model("oscillator/varying_frequency", {{"omega", written(omega)}});
  const auto& p = varying->as<MechanicalProblem>("the benchmark");
  Race<VaryingFrequency>{
      "varying_frequency", p, {omega * omega}, p.initial_state(), 10, std::sqrt(2) * omega, FastEnergy::keep,
      homogenised(10),     2}
      .run({{1e-3, 400}});
  return 0;
}
