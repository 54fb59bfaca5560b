// SPDX-License-Identifier: BSD-3-Clause
// A model of your own: a ball in a narrow, winding valley, V = omega^2/2 (y - sin x)^2 + x^2/2. Across the valley it
// swings with frequencies near omega, along the valley with frequencies near 1.
//
// Build, with trill installed (as a static library; without --static for a shared one):
//   g++ -std=c++20 -O2 02_own_model.cpp -o 02_own_model $(pkg-config --static --cflags --libs trill)
//
// Prints
//   verlet             x = -0.379757  y = -0.379281  energy varies by 6.5e-05
//   implicit_midpoint  x = -0.380585  y = -0.379030  energy varies by 1.5e-05
//   composition4       x = -0.380063  y = -0.379264  energy varies by 1.3e-09
//
// Read first: 01_first_run.cpp.
#include "trill/driver/plan.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>
#include <cstdio>

class Valley final : public trill::MechanicalProblem {
 public:
  explicit Valley(double omega) : k_(omega * omega) {}
  std::string name() const override { return "valley"; }
  trill::Layout layout() const override { return {2, 2, 0, 0}; }  // two positions, two velocities
  std::vector<trill::Quantity> components() const override { return {{"x", ""}, {"y", ""}, {"u", ""}, {"v", ""}}; }
  trill::State initial_state() const override {
    trill::State s(layout());
    s.y << 1, std::sin(1.0), 0, 1;
    return s;
  }
  std::unique_ptr<trill::Problem> clone() const override { return std::make_unique<Valley>(*this); }

  // Force groups let methods treat fast and slow forces separately: bit 0 is the first group, bit 1 the second.
  std::vector<trill::GroupInfo> groups() const override { return {{"valley", true}, {"pull", false}}; }
  void force(trill::Groups groups, double, trill::In q, trill::In, trill::Out f) const override {
    f.setZero();
    if (groups & 1) {
      const double gap = q[1] - std::sin(q[0]);
      f[0] += k_ * gap * std::cos(q[0]);
      f[1] -= k_ * gap;
    }
    if (groups & 2) f[0] -= q[0];
  }

  // Measured at every output: a quantity that should stay the same shows how far to trust the run.
  std::vector<trill::Quantity> quantities() const override { return {{"energy", "", trill::QuantityKind::energy}}; }
  void measure(const trill::State& s, trill::Out values) const override {
    const double gap = s.q()[1] - std::sin(s.q()[0]);
    values[0] = 0.5 * (s.v().squaredNorm() + k_ * gap * gap + s.q()[0] * s.q()[0]);
  }

 private:
  double k_;
};

int main() {
  trill::RunPlan plan;
  plan.to = 20;
  plan.h = 2e-4;
  for (const char* method : {"verlet", "implicit_midpoint", "composition4"}) {
    plan.method = method;
    const trill::Solution solution = trill::prepare(plan, std::make_unique<Valley>(100)).run();
    if (!solution.ok()) {
      std::fprintf(stderr, "%s: %s\n", method, solution.outcome.message.c_str());
      return 1;
    }
    const auto end = solution.y().col(solution.rows() - 1);
    std::printf("%-18s x = %9.6f  y = %9.6f  energy varies by %.1e\n", method, end[0], end[1],
                solution.drift("energy"));
  }
}
