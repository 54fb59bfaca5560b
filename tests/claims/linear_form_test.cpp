// SPDX-License-Identifier: BSD-3-Clause
// Tests for every registered method whether the linear form that it states is the one by which it steps.
#include "analysis/test_oscillator.hpp"
#include "support/method_cases.hpp"
#include "trill/analysis/stability.hpp"

namespace trill::test {
namespace {
class LinearForms : public testing::TestWithParam<MethodCase> {
 protected:
  const MethodEntry& entry() const { return *GetParam().entry; }
  const OptionSet& options() const { return GetParam().options; }
  static std::vector<double> sample() { return {0.01, 0.3, 1.0, 1.7, 2.6, 4.1, 9.0, 40.0}; }

  // The positions q_0, q_1, ... of one run.
  std::vector<double> positions(double mu, int steps) const {
    const TestOscillator oscillator = make_test_oscillator(entry().info.accepts);
    const auto stepper = entry().make(*oscillator.problem, options());
    const Index n = oscillator.problem->layout().size();
    const ErrorScale scale{.rtol = 1e-14, .atol = Vec::Constant(n, 1e-15)};
    const Vec weights = Vec::Constant(n, 1e14);
    State s(oscillator.problem->layout());
    s.y[0] = 1;
    s.y[oscillator.velocity_index] = 0.4;
    stepper->start(s, scale);
    std::vector<double> q{s.y[0]};
    Notes notes;
    Counters work;
    for (int k = 0; k < steps; ++k) {
      EXPECT_EQ(stepper->step(s, {mu, scale, weights, HUGE_VAL, k == 0, false, notes, work, {}}).status,
                StepStatus::ok);
      q.push_back(s.y[0]);
    }
    return q;
  }
};

TEST_P(LinearForms, AreThoseOfTheSteps) {
  const auto form = entry().linear_form(options());
  if (!form) GTEST_SKIP() << "states no linear form";
  for (const double mu : sample()) {
    const StepMatrix m = step_matrix(*form, mu);
    if (form->two_step) {
      const std::vector<double> q = positions(mu, 6);
      for (std::size_t k = 2; k < q.size(); ++k) {
        const double size = std::abs(q[k - 2]) + std::abs(q[k - 1]) + std::abs(q[k]);
        EXPECT_NEAR(q[k] - static_cast<double>(2 * m.half_trace()) * q[k - 1] + q[k - 2], 0, 1e-9 * size) << mu;
      }
      continue;
    }
    Mat2 stated;
    stated << static_cast<double>(1 + m.e11), static_cast<double>(m.m12), static_cast<double>(m.m21),
        static_cast<double>(1 + m.e22);
    const Mat2 stepped = stability_matrix(entry(), options(), mu);
    EXPECT_LT((stated - stepped).cwiseAbs().maxCoeff(), 1e-10 * (1 + stepped.cwiseAbs().maxCoeff())) << mu;
    EXPECT_NEAR(static_cast<double>(m.det_minus_one),
                static_cast<double>(m.e11 + m.e22 + m.e11 * m.e22 - m.m12 * m.m21),
                1e-12 * (1 + std::pow(stepped.cwiseAbs().maxCoeff(), 2)));
  }
}

// Some features are too small or narrow to be seen in steps: terms near rounding, gaps narrower than the scan, radii
// within 1e-8 of 1.
bool is_seen(const LeadingTerm& term) { return std::abs(term.constant) * std::pow(0.8, term.order) > 1e-7; }

void expect_first_window(const std::vector<StabilityWindow>& exact, double steps, double tolerance) {
  if (exact.empty()) return;
  const double end = exact[0].to;
  if (std::isinf(end)) {
    EXPECT_GT(steps, 50);
  } else if (exact.size() == 1 || exact[1].from - end > 0.06) {
    EXPECT_NEAR(steps, end, tolerance * end);
  }
}

void expect_term(const LeadingTerm& exact, const LeadingTerm& steps) {
  if (!is_seen(exact)) return;
  EXPECT_EQ(exact.order, steps.order);
  EXPECT_NEAR(steps.constant / exact.constant, 1, 0.1);
}

TEST_P(LinearForms, SayWhatStepsShow) {
  const auto form = entry().linear_form(options());
  if (!form || form->two_step) GTEST_SKIP() << "nothing to compare";
  const StabilityReport exact = analyse_stability(entry(), options(), 2), steps = analyse_steps(entry(), options(), 2);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(steps.exact);
  expect_first_window(exact.closed.absolute, steps.absolute_end, 0.05);
  expect_first_window(exact.closed.periodicity, steps.periodicity_end, 1e-6);
  if (is_seen(exact.damping)) {
    EXPECT_EQ(steps.periodicity_end, 0);
  }
  expect_term(exact.dispersion, steps.dispersion);
  expect_term(exact.damping, steps.damping);
  ASSERT_EQ(exact.rows.size(), steps.rows.size());
  for (std::size_t i = 0; i < exact.rows.size(); ++i) {
    EXPECT_NEAR(exact.rows[i].radius, steps.rows[i].radius, 1e-7);
    EXPECT_NEAR(exact.rows[i].phase, steps.rows[i].phase, 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, LinearForms,
                         testing::ValuesIn(cases_where([](const MethodInfo& i) { return !i.owns_step; })), case_name);

TEST(LinearFormHook, IsStatedByMethodsWithCoefficients) {
  for (const char* name : {"verlet", "rk4", "dopri5", "dop853", "implicit_midpoint", "composition4", "composition6",
                           "composition8", "rattle", "circuit_trapezoidal"})
    EXPECT_TRUE(Catalogue::all().method(name).linear_form({})) << name;
  EXPECT_FALSE(Catalogue::all().method("langevin_splitting").linear_form({}));
}
}  // namespace
}  // namespace trill::test
