// SPDX-License-Identifier: BSD-3-Clause
// The slow start by averaging: the stiff motion is integrated to both sides of the start, and its positions, velocities
// and actions are averaged over some periods of the slowest gap.
#include "formulation/rk4_kernel.hpp"
#include "formulation/slow_start.hpp"
#include "linalg/window.hpp"
#include "trill/formulation/first_order.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
// Periods of the slowest gap on each side; steps per period of the fastest gap
constexpr int periods = 8, steps_each_period = 160;
constexpr int most_steps = 200'000;
constexpr int points_for_actions = 200;

class Window {
 public:
  Window(const SlowSystem& slow, const State& given)
      : slow_(slow), given_(given), form_(slow.stiff(), "slow"), size_(form_.size()), slope_(size_) {
    kernel_.start(size_);
  }

  MatchedStart go() {
    const MatchedStart here = match_start(slow_, given_);
    const double slowest = here.frequencies.minCoeff(), fastest = here.frequencies.maxCoeff();
    const double h = 2 * std::numbers::pi / fastest / steps_each_period;
    const int n = static_cast<int>(std::ceil(periods * fastest / slowest * steps_each_period));
    if (n > most_steps)
      throw UsageError(
          fmt::format("slow: start=window would take {1} steps for {0} periods of the slowest gap; use start=matched",
                      periods, 2 * n));
    const Vec weights = flat_window(n);
    mean_ = weights[n] * given_.y.head(size_);
    actions_ = Vec::Zero(slow_.gaps());
    weight_of_actions_ = 0;
    add_actions(given_, weights[n]);
    for (const double direction : {1.0, -1.0}) follow(direction * h, n, weights);
    State mean = given_;
    mean.y.head(size_) = mean_;
    MatchedStart out = project_start(slow_, mean);
    out.actions = actions_ / weight_of_actions_;
    out.phases = here.phases;
    out.frequencies = here.frequencies;
    out.fast_energy = out.actions.dot(out.frequencies);
    out.open = here.open;
    out.energy = here.energy;
    return out;
  }

 private:
  void follow(double h, int n, const Vec& weights) {
    State s = given_;
    form_.start(s);
    const int stride = std::max(1, 2 * n / points_for_actions);
    for (int k = 1; k <= n; ++k) {
      step(s, h);
      const double weight = weights[n + (h > 0 ? k : -k)];
      mean_ += weight * s.y.head(size_);
      if (k % stride == 0) add_actions(s, weight);
    }
  }

  void step(State& s, double h) {
    auto y = s.y.head(size_);
    const auto slope_at = [&](double share, In stage, Out slope) { return form_.rhs(s.t + share * h, stage, slope); };
    const bool regular = form_.rhs(s.t, y, slope_) && kernel_.step(h, y, slope_, slope_at);
    y += kernel_.increment;
    s.t += h;
    if (!regular || !s.y.allFinite())
      throw UsageError(fmt::format(
          "slow: start=window could not follow the stiff motion from the start to t = {:.6g}; use start=matched", s.t));
  }

  void add_actions(const State& s, double weight) {
    actions_ += weight * match_start(slow_, s).actions;
    weight_of_actions_ += weight;
  }

  const SlowSystem& slow_;
  const State& given_;
  FirstOrderForm form_;
  Index size_;
  Vec slope_;
  Rk4Kernel kernel_;
  Vec mean_, actions_;
  double weight_of_actions_ = 0;
};
}  // namespace

MatchedStart average_start(const SlowSystem& slow, const State& given) { return Window(slow, given).go(); }

double forces_of_average_start(double ratio) {
  constexpr double each_step = 4, both_sides = 2;
  return both_sides * periods * ratio * steps_each_period * each_step;
}
}  // namespace trill
