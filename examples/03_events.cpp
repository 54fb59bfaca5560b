// SPDX-License-Identifier: BSD-3-Clause
// Events and dense output: a ball is thrown, bounces on the ground with 0.8 of its speed and stops at a wall.
//
// Build, with trill installed (as a static library; without --static for a shared one):
//   g++ -std=c++20 -O2 03_events.cpp -o 03_events $(pkg-config --static --cflags --libs trill)
//
// Prints
//   ground at t = 0.451523641 s
//   ground at t = 1.173961467 s
//   ground at t = 1.751911727 s
//   wall   at t = 2.000000000 s
//   the run stopped at an event
//   t = 0.25 s: x = 0.250000 m, y = 0.693437 m
//   t = 0.75 s: x = 0.750000 m, y = 0.620691 m
//   t = 1.25 s: x = 1.250000 m, y = 0.187198 m
//   t = 1.75 s: x = 1.750000 m, y = 0.005402 m
//
// Read first: 02_own_model.cpp.
#include "trill/driver/driver.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/mechanical.hpp"

#include <cstdio>

class Ball final : public trill::MechanicalProblem {
 public:
  std::string name() const override { return "ball"; }
  trill::Layout layout() const override { return {2, 2, 0, 0}; }
  std::vector<trill::Quantity> components() const override {
    return {{"x", "m"}, {"y", "m"}, {"u", "m/s"}, {"v", "m/s"}};
  }
  trill::State initial_state() const override {
    trill::State s(layout());
    s.y << 0, 1, 1, 0;
    return s;
  }
  std::unique_ptr<trill::Problem> clone() const override { return std::make_unique<Ball>(*this); }
  void force(trill::Groups, double, trill::In, trill::In, trill::Out f) const override { f << 0, -9.81; }
};

int main() {
  const Ball ball;
  const auto stepper = trill::Catalogue::all().method("dopri5").make(ball, {});

  trill::DriverOptions options;
  options.control = trill::FixedStep{0.05};
  options.dense = true;
  // Where root() falls through zero, action() changes the state; true means go on.
  options.events.push_back({.name = "ground",
                            .root = [](const trill::State& s) { return s.q()[1]; },
                            .direction = -1,
                            .action =
                                [](trill::State& s) {
                                  s.v()[1] *= -0.8;
                                  return true;
                                }});
  // Without an action the run stops there.
  options.events.push_back(
      {.name = "wall", .root = [](const trill::State& s) { return s.q()[0] - 2; }, .direction = 1, .action = {}});

  const trill::Solution solution = trill::integrate(ball, *stepper, ball.initial_state(), 10, options);
  for (const trill::EventHit& hit : solution.outcome.events)
    std::printf("%-6s at t = %.9f s\n", hit.name.c_str(), hit.t);

  std::printf("the run %s\n", solution.outcome.status == trill::RunStatus::event ? "stopped at an event" : "went on");
  trill::Vec y(4);
  for (double t = 0.25; t < 2; t += 0.5) {
    solution.evaluate(t, y);
    std::printf("t = %.2f s: x = %.6f m, y = %.6f m\n", t, y[0], y[1]);
  }
  return solution.ok() ? 0 : 1;
}
