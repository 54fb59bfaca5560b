// SPDX-License-Identifier: BSD-3-Clause
// Two springs, one of them stiff, up to t = 10: the heterogeneous multiscale method, compared with methods that follow
// the oscillation, among them a hand-written velocity Verlet near its stability limit. All give the state at ten
// times. Only slow quantities are compared: the centre of mass and its velocity, the direction and the angular
// momentum of the stiff spring.
#include "ratio.hpp"
#include "slow_models.hpp"
#include "trill/driver/plan.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace {
using namespace trill;
using namespace trill::bench;

constexpr double to = 10;
constexpr int samples = 10;
constexpr double wanted_error = 3e-3;

std::array<double, 6> slow_part(const double* y) {
  const double dx = y[2] - y[0], dy = y[3] - y[1], du = y[6] - y[4], dv = y[7] - y[5];
  return {(y[0] + y[2]) / 2, (y[1] + y[3]) / 2,  (y[4] + y[6]) / 2,
          (y[5] + y[7]) / 2, std::atan2(dy, dx), dx * dv - dy * du};
}

double slow_error(const Mat& a, const Mat& b) {
  double largest = 0;
  for (Index k = 0; k < a.cols(); ++k) {
    const auto x = slow_part(a.col(k).data()), y = slow_part(b.col(k).data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off = i == 4 ? std::remainder(x[i] - y[i], 2 * std::numbers::pi) : x[i] - y[i];
      largest = std::max(largest, std::abs(off));
    }
  }
  return largest;
}

PreparedRun prepared(double omega, const std::string& method, double rtol, double h = 0) {
  RunPlan plan;
  plan.model = "two_springs";
  plan.parameters = {{"omega2", fmt::format("{}", omega)}};
  plan.method = method;
  plan.to = to;
  if (h > 0)
    plan.h = h;
  else
    plan.rtol = rtol;
  plan.output = Grid{to / samples};
  return prepare(plan);
}

struct Timed {
  Mat y;
  double time = 1e300;
  std::int64_t forces = 0;
};

Timed timed(PreparedRun run, int turns) {
  Timed best;
  for (int i = 0; i < turns; ++i) {
    Solution s;
    best.time = std::min(best.time, seconds([&] { s = run.run(); }));
    best.y = s.y().rightCols(samples);
    if (i == 0) best.forces = s.outcome.counters.most_forces();
  }
  return best;
}

Timed verlet_by_hand(double omega, double h, int turns) {
  const State start = prepared(omega, "verlet", 0, h).start;
  Timed best;
  best.forces = samples * static_cast<std::int64_t>(std::ceil(to / samples / h));
  for (int i = 0; i < turns; ++i)
    best.time = std::min(best.time, seconds([&] {
                           best.y = verlet(TwoSprings{1, omega * omega}, start, to, h, samples);
                         }));
  return best;
}

void race() {
  constexpr double omega = 20000;
  const double fastest = std::sqrt(2.0) * omega;
  const Mat exact = timed(prepared(omega, "dop853", 1e-11), 1).y;
  const Timed ours = timed(prepared(omega, "hmm", 1e-3), 200);
  const double error = slow_error(ours.y, exact);
  std::printf("hmm: %.0f us, %lld forces, slow error %.2g\n", 1e6 * ours.time, static_cast<long long>(ours.forces),
              error);
  print_ratio("hmm/forces_over_3400", static_cast<double>(ours.forces) / 3400, 1);
  print_ratio("hmm/slow_error_over_wanted", error / wanted_error, 1);
  const auto against = [&](const char* name, const Timed& other) {
    std::printf("%s: %.0f us, %lld forces, slow error %.2g\n", name, 1e6 * other.time,
                static_cast<long long>(other.forces), slow_error(other.y, exact));
    print_ratio(fmt::format("hmm/two_springs_over_{}", name).c_str(), ours.time / other.time, 1.0 / 25);
  };
  against("verlet_by_hand", verlet_by_hand(omega, 1.6 / fastest, 20));
  against("verlet", timed(prepared(omega, "verlet", 0, 1.6 / fastest), 5));
  against("dopri5", timed(prepared(omega, "dopri5", 1e-3), 3));
  against("dop853", timed(prepared(omega, "dop853", 1e-3), 3));
  against("cvode_adams", timed(prepared(omega, "cvode_adams", 1e-3), 1));
  against("cvode_bdf", timed(prepared(omega, "cvode_bdf", 1e-3), 1));
}

void growth() {
  const Timed first = timed(prepared(200, "hmm", 1e-3), 200), last = timed(prepared(20000, "hmm", 1e-3), 200);
  print_ratio("hmm/forces_20000_over_200", static_cast<double>(last.forces) / static_cast<double>(first.forces), 1.5);
  print_ratio("hmm/time_20000_over_200", last.time / first.time, 1.5);
}
}  // namespace

int main() {
  race();
  growth();
}
