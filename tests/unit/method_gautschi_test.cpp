// SPDX-License-Identifier: BSD-3-Clause
#include "method/gautschi_weights.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"
#include "trill/driver/plan.hpp"

namespace trill::test {
namespace {
// By how much the conditions on the weights are violated at the frequencies l omega, l = 1..r.
double largest_defect(int r, double mu) {
  const GautschiWeights w = gautschi_weights(r, mu);
  double largest = 0;
  for (int l = 1; l <= r; ++l) {
    const double x = l * mu, half = std::sin(x / 2) / x;
    double c = -4 * half * half, s = 0, cv = -2 * half * half, sv = -(x - std::sin(x)) / (x * x);
    for (std::size_t j = 0; j < static_cast<std::size_t>(2 * r); ++j) {
      const double angle = static_cast<double>(j) * x;
      c += w.position[j] * std::cos(angle);
      s += w.position[j] * std::sin(angle);
      cv += w.velocity[j] * std::cos(angle);
      sv += w.velocity[j] * std::sin(angle);
    }
    for (const double defect : {c, s, cv, sv}) largest = std::max(largest, std::abs(defect));
  }
  return largest;
}

TEST(GautschiWeights, MeetTheirConditions) {
  for (int r = 1; r <= most_trigonometric_order; ++r)
    for (double x = 0.02; x < 3; x *= 1.3) EXPECT_LT(largest_defect(r, x / r), 2e-13) << r << " " << x;
}

// The weights are computed from a series below mu = 0.5/r and from differences above. Both are compared where they
// meet.
TEST(GautschiWeights, SeriesAndDifferencesAgree) {
  for (int r = 1; r <= most_trigonometric_order; ++r) {
    const double mu = 0.5 / r;
    const GautschiWeights below = gautschi_weights(r, mu * (1 - 1e-12)), above = gautschi_weights(r, mu * (1 + 1e-12));
    for (std::size_t j = 0; j < static_cast<std::size_t>(2 * r); ++j) {
      EXPECT_NEAR(below.position[j], above.position[j], 2e-10) << r;
      EXPECT_NEAR(below.velocity[j], above.velocity[j], 2e-10) << r;
    }
  }
}

TEST(GautschiWeights, OrderTwo) {
  const double limit[] = {7.0 / 6, -5.0 / 12, 1.0 / 3, -1.0 / 12};  // the weights of Stoermer's method
  const double half[] = {1.0753663070722184, -0.2574068515719643, 0.2519977210036979, -0.08886395741075677};
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(gautschi_weights(2, 0).position[j], limit[j], 1e-15);
    EXPECT_NEAR(gautschi_weights(2, 0.5).position[j], half[j], 1e-13);
  }
}

TEST(Gautschi, ExactOnItsFrequency) {
  Walk walk(oscillator(1), "gautschi", {{"omega", "1"}});
  double largest = 0;
  for (int n = 1; n <= 1000; ++n) {
    ASSERT_EQ(walk.step(5).status, StepStatus::ok);
    largest = std::max(largest, std::abs(walk.s.y[0] - std::cos(5.0 * n)));
  }
  EXPECT_LT(largest, 5e-12);
}

TEST(Gautschi, ExactOnItsFrequencyForEveryR) {
  for (int r = 2; r <= most_trigonometric_order; ++r) {
    const double h = 0.9 / r;
    const Vec y =
        at_end(oscillator(1, 0.6, -0.8), "gautschi", {{"omega", "1"}, {"r", std::to_string(r)}}, 200 * h, 200);
    EXPECT_NEAR(y[0], 0.6 * std::cos(200 * h) - 0.8 * std::sin(200 * h), 2e-11) << r;
    EXPECT_NEAR(y[1], -0.6 * std::sin(200 * h) - 0.8 * std::cos(200 * h), 2e-11) << r;
  }
}

// If the frequency of the method is omega~ instead of omega, cos theta = 1 - 2 (omega/omega~)^2 sin^2(h omega~/2).
TEST(Gautschi, DetunedFrequencies) {
  const auto relative_error = [](const OptionSet& options) {
    Walk walk(oscillator(1), "gautschi", options);
    walk.step(1);
    return std::acos(walk.s.y[0]) - 1;
  };
  EXPECT_NEAR(relative_error({{"omega", "1.001"}}), -9.264777574724548e-05, 1e-13);
  EXPECT_NEAR(relative_error({{"omega", "1.01"}}), -0.0009303263781376137, 1e-13);
  EXPECT_NEAR(relative_error({{"omega", "1e-9"}}), 0.04719755119659785, 1e-12);  // the limit is Stoermer's method
}

// y'' = -100 y + 0.1 y^3 from rest at 1 to t = 10, with the published errors of the fitted and of the plain method.
TEST(Gautschi, NearlyLinearOscillator) {
  const auto problem = one_mass(1, 0, [](double x) { return -100 * x + 0.1 * x * x * x; });
  const Vec exact = at_end(problem, "dop853", {}, 10, 20000);
  const double published[] = {0.00042502266697785895, 0.00010432472037480434, 2.5962678433022468e-05};
  for (int k = 0; k < 3; ++k) {
    const int steps = 200 << k;
    const double error = std::abs(at_end(problem, "gautschi", {{"omega", "10"}}, 10, steps)[0] - exact[0]);
    EXPECT_NEAR(error / published[k], 1, 1e-3) << steps;
    EXPECT_GT(std::abs(at_end(problem, "gautschi", {{"omega", "1e-9"}}, 10, steps)[0] - exact[0]), 3e-2);
  }
}

TEST(Gautschi, OrderIsTwiceR) {
  const auto problem = one_mass(1, 0.3, [](double x) { return -std::sin(x); });
  const Vec exact = at_end(problem, "dop853", {}, 6, 600);
  const auto error = [&](int r, int steps) {
    const OptionSet options{{"omega", "0.7"}, {"r", std::to_string(r)}};
    return (at_end(problem, "gautschi", options, 6, steps) - exact).norm();
  };
  const auto order = [&](int r, int coarse, int fine) {
    return std::log(error(r, coarse) / error(r, fine)) / std::log(1.0 * fine / coarse);
  };
  EXPECT_NEAR(order(1, 240, 480), 2, 0.1);
  EXPECT_NEAR(order(2, 240, 480), 4, 0.1);
  EXPECT_NEAR(order(3, 240, 480), 6, 0.2);
  EXPECT_NEAR(order(4, 180, 240), 8, 0.7);
}

TEST(Gautschi, FindsItsFrequencyAndTellsIt) {
  Walk walk(oscillator(3), "gautschi");
  const Vec y = walk.walk(0.7, 100);
  EXPECT_NEAR(y[0], std::cos(210.0), 1e-6);  // not exact, because the frequency is found by differences
  ASSERT_EQ(walk.notes.notices().size(), 1u);
  EXPECT_NEAR(walk.notes.notices()[0].value, 3, 1e-6);
}

// Steps of 5 span most of a period, and the values inside them are still those of the oscillator.
TEST(Gautschi, InterpolatesAtItsFrequency) {
  Walk walk(oscillator(1, 0.6, -0.8), "gautschi", {{"omega", "1"}});
  walk.walk(5, 4);
  Vec y(2);
  for (const double theta : {0.1, 0.45, 0.8}) {
    const double t = 15 + 5 * theta;
    walk.stepper->interpolate(theta, y);
    EXPECT_NEAR(y[0], 0.6 * std::cos(t) - 0.8 * std::sin(t), 1e-12);
    EXPECT_NEAR(y[1], -0.6 * std::sin(t) - 0.8 * std::cos(t), 1e-12);
  }
}

TEST(Gautschi, WalksBack) {
  const auto problem = one_mass(1, 0.3, [](double x) { return -4 * x - x * x * x; });
  Walk walk(problem, "gautschi", {{"omega", "2"}});
  walk.walk(0.3, 50);
  walk.walk(-0.3, 50);
  EXPECT_NEAR(walk.s.y[0], 1, 1e-12);
  EXPECT_NEAR(walk.s.y[1], 0.3, 1e-12);
}

// The frequency that was found and the stored forces are restored from an archive bit for bit.
TEST(Gautschi, ResumesBitForBit) {
  const auto problem = one_mass(1, 0.3, [](double x) { return -4 * x - x * x * x; });
  const OptionSet options{{"r", "3"}};
  for (const int before : {0, 2, 4, 9}) {
    Walk whole(problem, "gautschi", options), rest(problem, "gautschi", options);
    whole.walk(0.1, before);
    Archive archive;
    whole.stepper->memory(archive);
    Archive stored(archive.bytes());
    rest.stepper->memory(stored);
    rest.s = whole.s;
    rest.jumped = whole.jumped;
    EXPECT_TRUE(stored.at_end());
    EXPECT_EQ(whole.walk(0.1, 12), rest.walk(0.1, 12)) << before;
  }
}

// Accelerations from steps of another size cannot be used: the next step is that of a run that starts here.
TEST(Gautschi, AnotherStepSizeStartsAfresh) {
  const auto problem = one_mass(1, 0.3, [](double x) { return -4 * x - x * x * x; });
  const OptionSet options{{"omega", "2"}, {"r", "2"}};
  Walk changed(problem, "gautschi", options), fresh(problem, "gautschi", options);
  changed.walk(0.1, 8);
  fresh.s = changed.s;
  EXPECT_EQ(changed.walk(0.05, 6), fresh.walk(0.05, 6));
}

TEST(Gautschi, AllocatesNothingInAStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  Walk walk(oscillator(2), "gautschi", {{"r", "6"}});
  AllocationGuard guard;
  for (const double h : {0.05, 0.04})
    for (int i = 0; i < 30; ++i) walk.step(h);
  EXPECT_EQ(guard.count(), 0u);
}

// Constant forces are integrated exactly by every method of the family, also in the first steps, which are different.
TEST(Gautschi, ConstantForce) {
  const auto problem = one_mass(0, 1, [](double) { return -2.0; });
  for (const char* r : {"2", "4"}) {
    const Vec y = at_end(problem, "gautschi", {{"omega", "1e-9"}, {"r", r}}, 2, 40);
    EXPECT_NEAR(y[0], -2, 1e-12);
    EXPECT_NEAR(y[1], -3, 1e-12);
  }
}

TEST(Gautschi, RefusesWhatItCannotSolve) {
  const auto make = [](const char* model) {
    return refusal([&] {
      const auto made = make_model(model, {});
      Catalogue::all().method("gautschi").make(*made.problem, {});
    });
  };
  EXPECT_THAT(make("rigid"), mentions("gautschi", "constraints", "rattle", "'pendulum/rigid'"));
  EXPECT_THAT(make("stiff_spring_polar"), mentions("gautschi", "mass", "'pendulum/stiff_spring_polar'"));
  const FormulaMechanics drag(
      Vec::Ones(1), Vec::Ones(1), [](double, In, In v, Out f) { f[0] = -v[0]; }, true);
  EXPECT_THAT(refusal([&] { Walk(drag, "gautschi"); }), mentions("gautschi", "velocity", "'formula'"));
}

TEST(Gautschi, RefusesStepsWithoutVelocities) {
  Walk one(oscillator(1), "gautschi", {{"omega", "1"}});
  EXPECT_EQ(one.step(std::acos(-1.0)).status, StepStatus::refused);
  EXPECT_TRUE(has_note(one.notes, "gautschi_resonance"));
  EXPECT_EQ(one.s.y[0], 1);
  Walk two(oscillator(1), "gautschi", {{"omega", "1"}, {"r", "2"}});
  EXPECT_EQ(two.step(1.6).status, StepStatus::refused);
  EXPECT_TRUE(has_note(two.notes, "gautschi_step"));
}
}  // namespace
}  // namespace trill::test
