// SPDX-License-Identifier: BSD-3-Clause
// Verlet through all interfaces (problem, stepper, control, driver), compared with hand-written loops.
#include "ratio.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr double h = 1e-3;

PreparedRun prepared(const char* model, const OptionSet& parameters, int steps) {
  RunPlan plan;
  plan.model = model;
  plan.parameters = parameters;
  plan.method = "verlet";
  plan.h = h;
  plan.to = steps * h;
  plan.output = Times{{}};
  return prepare(plan);
}

double hand_written_pendulum(int steps) {
  const double k = 1 / (0.03162277660168379 * 0.03162277660168379);
  double x = 0.9, y = 0.1, u = 0, v = 0, ax, ay;
  const auto force = [&] {
    const double r = std::sqrt(x * x + y * y);
    const double s = -k * (r - 1) / r;
    ax = s * x;
    ay = s * y + 1;
  };
  force();
  for (int i = 0; i < steps; ++i) {
    u += 0.5 * h * ax;
    v += 0.5 * h * ay;
    x += h * u;
    y += h * v;
    force();
    u += 0.5 * h * ax;
    v += 0.5 * h * ay;
  }
  return x;
}

double hand_written_chain(int m, int steps, const State& start) {
  const double omega2 = 50.0 * 50.0;
  const int n = 2 * m;
  std::vector<double> q(start.y.data(), start.y.data() + n), v(start.y.data() + n, start.y.data() + 2 * n), a(q.size());
  const auto force = [&] {
    // Stiff linear springs within the pairs (1,2), (3,4), ..., and soft quartic ones between the pairs and to the
    // walls.
    double left = q[0];
    double pull = -4 * left * left * left;
    for (int i = 0; i < m; ++i) {
      const double stretch = q[2 * i + 1] - q[2 * i];
      const double stiff = 0.5 * omega2 * stretch;
      const double gap = (i + 1 < m ? q[2 * i + 2] : 0.0) - q[2 * i + 1];
      const double soft = 4 * gap * gap * gap;
      a[2 * i] = pull + stiff;
      a[2 * i + 1] = soft - stiff;
      pull = -soft;
    }
  };
  force();
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < n; ++j) v[j] += 0.5 * h * a[j];
    for (int j = 0; j < n; ++j) q[j] += h * v[j];
    force();
    for (int j = 0; j < n; ++j) v[j] += 0.5 * h * a[j];
  }
  return q[0];
}

bool same(const char* what, double ours, double theirs) {
  const bool ok = std::abs(ours - theirs) <= 1e-7 * (1 + std::abs(theirs));
  if (!ok)
    std::fprintf(stderr, "%s: the two loops do not solve the same problem: %.15g and %.15g\n", what, ours, theirs);
  return ok;
}
}  // namespace

int main() {
  constexpr int pendulum_steps = 400'000, chain_steps = 20'000, m = 50;
  PreparedRun pendulum = prepared("stiff_spring", {}, pendulum_steps);
  PreparedRun chain = prepared("fermi_pasta_ulam", {{"m", "50"}}, chain_steps);
  const auto end_of = [](const Solution& s) { return s.y()(0, s.rows() - 1); };
  // Results are compared after few steps. Later the motion becomes sensitive to rounding.
  PreparedRun short_pendulum = prepared("stiff_spring", {}, 2000),
              short_chain = prepared("fermi_pasta_ulam", {{"m", "50"}}, 2000);
  if (!same("pendulum", end_of(short_pendulum.run()), hand_written_pendulum(2000)) ||
      !same("chain", end_of(short_chain.run()), hand_written_chain(m, 2000, short_chain.start)))
    return 1;
  print_ratio("verlet/pendulum_over_hand_written",
              ratio([&] { keep(end_of(pendulum.run())); }, [&] { keep(hand_written_pendulum(pendulum_steps)); }), 2.0);
  print_ratio("verlet/chain_of_100_over_hand_written",
              ratio([&] { keep(end_of(chain.run())); }, [&] { keep(hand_written_chain(m, chain_steps, chain.start)); }),
              1.2);
  return 0;
}
