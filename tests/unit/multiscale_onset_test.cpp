// SPDX-License-Identifier: BSD-3-Clause
// Oscillations that begin and end: the method changes from ordinary steps to steps along the envelope and back.
#include "multiscale/onset.hpp"
#include "support/small_problems.hpp"
#include "trill/driver/driver.hpp"
#include "trill/driver/plan.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double onset_time = 100, full_turn = 2 * std::numbers::pi;
constexpr double onset_growth = 0.01, onset_chirp = 1e-4;

// At rest near (0.1, 0) until t = 100. Then it oscillates with an amplitude that grows to 1 and a period that slowly
// falls from 1. After t = `dies` it is drawn to rest again.
FormulaRate starting_at_100(double dies = 1e9) {
  Vec y(2);
  y << 0.4, 0.2;
  return {y, [dies](double t, In z, Out dz) {
            if (t < onset_time || t > dies) {
              dz << 0.1 - z[0], -z[1];
              return;
            }
            const double w = full_turn * (1 + onset_chirp * (t - onset_time)), g = onset_growth * (1 - z.squaredNorm());
            dz << -w * z[1] + g * z[0], w * z[0] + g * z[1];
          }};
}

// The motion after the beginning of the oscillation, in closed form.
Vec exact_onset(double t) {
  const double since = t - onset_time, decay = std::exp(-onset_time);
  const double x0 = 0.1 + 0.3 * decay, y0 = 0.2 * decay, r0 = std::hypot(x0, y0);
  const double r = 1 / std::sqrt(1 + (1 / (r0 * r0) - 1) * std::exp(-2 * onset_growth * since));
  const double phase = std::atan2(y0, x0) + full_turn * (since + 0.5 * onset_chirp * since * since);
  Vec y(2);
  y << r * std::cos(phase), r * std::sin(phase);
  return y;
}

Solution run_switching(const Problem& problem, const std::string& method, double rtol, double to) {
  const auto stepper = Catalogue::all().method(method).make(problem, {});
  DriverOptions driver;
  driver.control = AdaptiveStep{.rtol = rtol, .atol = Vec::Constant(1, 1e-3 * rtol)};
  Solution solution = integrate(problem, *stepper, problem.initial_state(), to, driver);
  EXPECT_EQ(solution.outcome.status, RunStatus::reached_end) << solution.outcome.message;
  return solution;
}

Vec end_of(const Solution& s) { return s.y().col(s.y().cols() - 1); }

const Notice* notice_of(const Solution& s, const std::string& code) {
  for (const Notice& n : s.outcome.notices)
    if (n.code == code) return &n;
  return nullptr;
}

struct OnsetCase {
  double rtol, error, gain;  // the largest allowed error and the least allowed gain
};

TEST(EnvelopeSwitching, NoticesAnOscillationAndFollowsItsEnvelope) {
  const FormulaRate problem = starting_at_100();
  for (const OnsetCase& c : {OnsetCase{1e-3, 4.8e-3, 7.4}, {1e-4, 1.9e-3, 4.4}, {1e-5, 3.1e-4, 2.4}}) {
    const Solution solution = run_switching(problem, "envelope_switching", c.rtol, 1500);
    const double inner = std::min(1e-7, 1e-3 * c.rtol);
    const Solution direct = run_switching(problem, "dop853", inner, 1500);
    const double error = (end_of(solution) - exact_onset(1500)).norm();
    const double gain = static_cast<double>(direct.outcome.counters.most_forces()) /
                        static_cast<double>(solution.outcome.counters.most_forces());
    EXPECT_LT(error, c.error) << c.rtol;
    EXPECT_GT(gain, c.gain) << c.rtol;
    const Notice* begins = notice_of(solution, "envelope_begins");
    ASSERT_NE(begins, nullptr);
    EXPECT_GT(begins->t, onset_time + 3);  // not too early
    EXPECT_LT(begins->t, onset_time + 6);  // but within six cycles
    EXPECT_EQ(begins->count, 1);
  }
}

TEST(EnvelopeSwitching, GoesBackWhereTheOscillationDiesOut) {
  const FormulaRate problem = starting_at_100(600);
  const Solution solution = run_switching(problem, "envelope_switching", 1e-4, 900);
  const Notice* ends = notice_of(solution, "envelope_ends");
  ASSERT_NE(ends, nullptr);
  EXPECT_GT(ends->t, 550);
  EXPECT_LT(ends->t, 601);
  Vec rest(2);
  rest << 0.1, 0;
  EXPECT_LT((end_of(solution) - rest).norm(), 1e-6);
}

// Values interpolated inside steps over many cycles are those of the full motion.
TEST(EnvelopeSwitching, GivesTheFullMotionInsideItsSteps) {
  const FormulaRate problem = starting_at_100();
  const auto stepper = Catalogue::all().method("envelope_switching").make(problem, {});
  DriverOptions driver;
  driver.control = AdaptiveStep{.rtol = 1e-5, .atol = Vec::Constant(1, 1e-8)};
  driver.output = Grid{3.37};
  const Solution solution = integrate(problem, *stepper, problem.initial_state(), 1500, driver);
  ASSERT_EQ(solution.outcome.status, RunStatus::reached_end) << solution.outcome.message;
  ASSERT_GT(solution.rows(), 440);
  for (Index k = 0; k < solution.rows(); ++k) {
    const double t = solution.t[static_cast<std::size_t>(k)];
    if (t <= onset_time) continue;
    EXPECT_LT((solution.y().col(k) - exact_onset(t)).norm(), 1e-4) << t;
  }
}

// A run that resumes from a checkpoint on the envelope continues bit for bit.
TEST(EnvelopeSwitching, GoesOnFromACheckpoint) {
  const FormulaRate problem = starting_at_100();
  const AdaptiveStep control{.rtol = 1e-4, .atol = Vec::Constant(1, 1e-7)};
  const auto make = [&] { return Catalogue::all().method("envelope_switching").make(problem, {}); };
  const auto stepper = make();
  Advancer unbroken(*stepper, control);
  State s = problem.initial_state();
  unbroken.start(s, 1500);
  while (s.t < 400) ASSERT_EQ(unbroken.one(s, 1500).status, AdvanceStatus::ok);
  Archive archive;
  archive(s.t, s.y, unbroken, *stepper);

  const auto other = make();
  Advancer resumed(*other, control);
  State r = problem.initial_state();
  resumed.start(r, 1500);
  Archive stored(archive.bytes());
  stored(r.t, r.y, resumed, *other);
  EXPECT_TRUE(stored.at_end());
  while (s.t < 1500) {
    ASSERT_EQ(unbroken.one(s, 1500).status, AdvanceStatus::ok);
    ASSERT_EQ(resumed.one(r, 1500).status, AdvanceStatus::ok);
    ASSERT_EQ(s.t, r.t);
    ASSERT_EQ(s.y, r.y);
  }
  EXPECT_EQ(unbroken.counters().forces, resumed.counters().forces);
  EXPECT_EQ(stepper->summary(), other->summary());
}

// The amplitude is modulated with a period of 12 cycles, which is too fast for steps of 5 cycles.
FormulaRate modulated() {
  const auto at = [](double t) {
    const double a = 1 + 0.1 * std::sin(full_turn * t / 12);
    return Vec{{a * std::cos(full_turn * t), a * std::sin(full_turn * t)}};
  };
  return {at(0), [](double t, In, Out dy) {
            const double a = 1 + 0.1 * std::sin(full_turn * t / 12),
                         da = 0.1 * full_turn / 12 * std::cos(full_turn * t / 12);
            dy << da * std::cos(full_turn * t) - a * full_turn * std::sin(full_turn * t),
                da * std::sin(full_turn * t) + a * full_turn * std::cos(full_turn * t);
          }};
}

TEST(EnvelopeSwitching, DoesNotSwitchToAndFroWhereTheEnvelopeIsTooFast) {
  const FormulaRate problem = modulated();
  const Solution solution = run_switching(problem, "envelope_switching", 1e-6, 1500);
  const Notice* begins = notice_of(solution, "envelope_begins");
  ASSERT_NE(begins, nullptr);
  EXPECT_LE(begins->count, 8);  // the pause doubles after each attempt: 16, 32, 64, ... cycles
  EXPECT_LT((end_of(solution) - problem.initial_state().y).norm(), 1e-6);
}

// The period grows by two thirds of a percent in each cycle, so the same number of cycles takes longer than before.
TEST(EnvelopeSwitching, EndsWhereItShouldIfThePeriodGrows) {
  const auto speed = [](double t) { return full_turn / (1 + t / 150); };
  const FormulaRate problem(Vec{{1, 0}}, [speed](double t, In z, Out dz) {
    const double w = speed(t);
    dz << -w * z[1], w * z[0];
  });
  for (double to = 200; to < 300; to += 1.5) {
    const Solution solution = run_switching(problem, "envelope_switching", 1e-3, to);
    EXPECT_EQ(solution.t.back(), to);
    for (std::size_t k = 1; k < solution.t.size(); ++k) EXPECT_GT(solution.t[k], solution.t[k - 1]);
    const double phase = full_turn * 150 * std::log(1 + to / 150);
    EXPECT_LT((end_of(solution) - Vec{{std::cos(phase), std::sin(phase)}}).norm(), 2e-2) << to;
    EXPECT_NE(notice_of(solution, "envelope_begins"), nullptr);
  }
}

TEST(EnvelopeSwitching, RunsMechanicalSystemsWithDamping) {
  // The oscillator q'' = -q - 2 c q'.
  constexpr double c = 2e-4;
  const FormulaMechanics problem(
      Vec::Ones(1), Vec::Constant(1, -c), [](double, In q, In v, Out f) { f = -q - 2 * c * v; }, true);
  const Solution solution = run_switching(problem, "envelope_switching", 1e-6, 5000);
  const double w = std::sqrt(1 - c * c);
  EXPECT_NEAR(end_of(solution)[0], std::exp(-c * 5000) * std::cos(w * 5000), 2e-5);
  const Solution direct = run_switching(problem, "dop853", 1e-9, 5000);
  EXPECT_LT(10 * solution.outcome.counters.most_forces(), direct.outcome.counters.most_forces());
}

// Shows a motion in closed form to the watch, with steps of equal length.
using KnownMotion = std::function<void(double t, Out y, Out rate)>;

int feed(OnsetWatch& watch, Index size, const KnownMotion& motion, double from, double to, double h) {
  const ErrorScale scale{.rtol = 1e-4, .atol = Vec::Constant(size, 1e-7)};
  Vec y(size), rate(size), unused(size);
  int crossings = 0;
  for (double t = from; t < to; t += h) {
    motion(t + h, y, rate);
    const auto inside = [&](double when, Out r) {
      motion(when, unused, r);
      return true;
    };
    crossings += watch.look(t, t + h, y, rate, scale, inside);
    if (watch.has_onset()) return crossings;
  }
  return crossings;
}

KnownMotion turning(double from = 0) {
  return [from](double t, Out y, Out rate) {
    const double phase = full_turn * (t - from);
    y << std::cos(phase), std::sin(phase);
    rate << -full_turn * std::sin(phase), full_turn * std::cos(phase);
  };
}

TEST(OnsetWatch, SeesEveryCrossingOnce) {
  // Steps begin and end exactly at the crossings, t = 0.5, 1.5, ....
  OnsetWatch watched;
  watched.start(2);
  EXPECT_EQ(feed(watched, 2, turning(), 0, 20, 0.125), 4);
  EXPECT_TRUE(watched.has_onset());
  EXPECT_NEAR(watched.period(), 1, 1e-9);
  EXPECT_GE(watched.crossing(), 3.5 - 1e-9);
  watched.forget();
  EXPECT_FALSE(watched.has_onset());
}

TEST(OnsetWatch, TakesAnotherComponentWhenCrossingsDisappear) {
  OnsetWatch watched;
  watched.start(4);
  // At first y0 has the largest variation relative to its size. Then it stops oscillating, while y2 and y3 continue.
  const KnownMotion motion = [](double t, Out y, Out rate) {
    const bool first = t < 2.6;
    y << (first ? std::sin(full_turn * t) : t), 0, 5 + std::cos(full_turn * t), 5 + std::sin(full_turn * t);
    rate << (first ? full_turn * std::cos(full_turn * t) : 1), 0, -full_turn * std::sin(full_turn * t),
        full_turn * std::cos(full_turn * t);
  };
  feed(watched, 4, motion, 0, 2.5, 0.13);
  EXPECT_EQ(watched.component(), 0);
  feed(watched, 4, motion, 2.6, 14, 0.13);
  EXPECT_TRUE(watched.has_onset());
  EXPECT_GE(watched.component(), 2);
  EXPECT_LT(watched.crossing(), 9);
}

TEST(OnsetWatch, GivesNoFalseAlarm) {
  OnsetWatch watched;
  watched.start(2);
  // Periods and amplitudes that grow by a fifth from cycle to cycle, so that the values of y' repeat exactly.
  const KnownMotion slower = [](double t, Out y, Out rate) {
    const double phase = full_turn * 5 * std::log(1 + t), speed = full_turn * 5;
    y << (1 + t) * std::cos(phase), (1 + t) * std::sin(phase);
    rate << std::cos(phase) - speed * std::sin(phase), std::sin(phase) + speed * std::cos(phase);
  };
  feed(watched, 2, slower, 0, 60, 0.02);
  EXPECT_FALSE(watched.has_onset());
  // An oscillation smaller than the tolerances, around a slow motion.
  watched.start(2);
  const KnownMotion tiny = [](double t, Out y, Out rate) {
    y << 1 + 1e-4 * std::cos(full_turn * t), 1 + 1e-4 * std::sin(full_turn * t);
    rate << -1e-4 * full_turn * std::sin(full_turn * t), 1e-4 * full_turn * std::cos(full_turn * t);
  };
  feed(watched, 2, tiny, 0, 20, 0.1);
  EXPECT_FALSE(watched.has_onset());
  // The watch is told to pause until t = 10.
  watched.start(2);
  watched.rest(10);
  feed(watched, 2, turning(), 0, 9, 0.1);
  EXPECT_FALSE(watched.has_onset());
  feed(watched, 2, turning(), 9, 12, 0.1);
  EXPECT_TRUE(watched.has_onset());
}

TEST(EnvelopeSwitching, RefusesConstraints) {
  EXPECT_NE(refusal([] {
              const auto problem = make_model("rigid").problem;
              Catalogue::all().method("envelope_switching").make(*problem, {});
            }).find("because it has constraints"),
            std::string::npos);
}
}  // namespace
}  // namespace trill::test
