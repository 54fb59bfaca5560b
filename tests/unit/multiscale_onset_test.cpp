// SPDX-License-Identifier: BSD-3-Clause
// Oscillations that set in and die out: from ordinary steps to steps along the envelope and back.
#include "multiscale/onset.hpp"

#include "support/small_problems.hpp"
#include "trill/driver/driver.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double onset = 100, tau = 2 * std::numbers::pi;
constexpr double growth = 0.01, chirp = 1e-4;

// At rest near (0.1, 0) until t = 100; then it oscillates, with an amplitude that grows to 1 and a period that falls
// slowly from 1 on. From t = `dies` on it is drawn to rest again.
FormulaRate starting_at_100(double dies = 1e9) {
  Vec y(2);
  y << 0.4, 0.2;
  return {y, [dies](double t, In z, Out dz) {
            if (t < onset || t > dies) {
              dz << 0.1 - z[0], -z[1];
              return;
            }
            const double w = tau * (1 + chirp * (t - onset)), g = growth * (1 - z.squaredNorm());
            dz << -w * z[1] + g * z[0], w * z[0] + g * z[1];
          }};
}

// The motion after the onset in closed form.
Vec exactly(double t) {
  const double since = t - onset, decay = std::exp(-onset);
  const double x0 = 0.1 + 0.3 * decay, y0 = 0.2 * decay, r0 = std::hypot(x0, y0);
  const double r = 1 / std::sqrt(1 + (1 / (r0 * r0) - 1) * std::exp(-2 * growth * since));
  const double phase = std::atan2(y0, x0) + tau * (since + 0.5 * chirp * since * since);
  Vec y(2);
  y << r * std::cos(phase), r * std::sin(phase);
  return y;
}

Solution run(const Problem& problem, const std::string& method, double rtol, double to) {
  const auto stepper = Catalogue::all().method(method).make(problem, {});
  DriverOptions driver;
  driver.control = AdaptiveStep{.rtol = rtol, .atol = Vec::Constant(1, 1e-3 * rtol)};
  Solution solution = integrate(problem, *stepper, problem.initial_state(), to, driver);
  EXPECT_EQ(solution.outcome.status, RunStatus::reached_end) << solution.outcome.message;
  return solution;
}

Vec last(const Solution& s) { return s.y().col(s.y().cols() - 1); }

const Notice* notice(const Solution& s, const std::string& code) {
  for (const Notice& n : s.outcome.notices)
    if (n.code == code) return &n;
  return nullptr;
}

struct OnsetCase {
  double rtol, error, gain;  // the most error and the least gain
};

TEST(EnvelopeSwitching, NoticesAnOscillationAndFollowsItsEnvelope) {
  const FormulaRate problem = starting_at_100();
  for (const OnsetCase& c : {OnsetCase{1e-3, 4.8e-3, 7.4}, {1e-4, 1.9e-3, 4.4}, {1e-5, 3.1e-4, 2.4}}) {
    const Solution solution = run(problem, "envelope_switching", c.rtol, 1500);
    const double inner = std::min(1e-7, 1e-3 * c.rtol);
    const Solution direct = run(problem, "dop853", inner, 1500);
    const double error = (last(solution) - exactly(1500)).norm();
    const double gain = static_cast<double>(direct.outcome.counters.most_forces()) /
                        static_cast<double>(solution.outcome.counters.most_forces());
    printf("rtol %g error %g (direct %g) gain %g cycles %ld steps %ld evals %ld rejected %ld\n", c.rtol, error,
           (last(direct) - exactly(1500)).norm(), gain, (long)solution.outcome.counters.micro_steps,
           (long)solution.outcome.counters.steps, (long)solution.outcome.counters.most_forces(), (long)solution.outcome.counters.rejected);
    for (const Notice& n : solution.outcome.notices) printf("  %g %s: %s %g x%ld\n", n.t, n.code.c_str(), n.text.c_str(), n.value, (long)n.count);
    EXPECT_LT(error, c.error) << c.rtol;
    EXPECT_GT(gain, c.gain) << c.rtol;
    const Notice* begins = notice(solution, "envelope_begins");
    ASSERT_NE(begins, nullptr);
    EXPECT_GT(begins->t, onset + 3);  // no false alarm before
    EXPECT_LT(begins->t, onset + 6);  // within six cycles
    EXPECT_EQ(begins->count, 1);
  }
}

TEST(EnvelopeSwitching, GoesBackWhereTheOscillationDiesOut) {
  const FormulaRate problem = starting_at_100(600);
  const Solution solution = run(problem, "envelope_switching", 1e-4, 900);
  for (const Notice& n : solution.outcome.notices) printf("  %g %s: %s %g x%ld\n", n.t, n.code.c_str(), n.text.c_str(), n.value, (long)n.count);
  const Notice* ends = notice(solution, "envelope_ends");
  ASSERT_NE(ends, nullptr);
  EXPECT_GT(ends->t, 550);
  EXPECT_LT(ends->t, 601);
  Vec rest(2);
  rest << 0.1, 0;
  EXPECT_LT((last(solution) - rest).norm(), 1e-6);
}
}  // namespace
}  // namespace trill::test
