// SPDX-License-Identifier: BSD-3-Clause
// Compares all functions of two mechanical problems, which should be equal, at many states.
#pragma once

#include "support/matrices.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <random>

#include <gtest/gtest.h>

namespace trill::test {
using testing_models::dense;

// The tolerance is relative to 1 where values are small because of cancellation.
inline void expect_equal(const Mat& a, const Mat& b, const std::string& what, double tolerance = 1e-13) {
  testing_models::expect_equal(a, b, what, tolerance, 1);
}

inline const MechanicalProblem& mechanics(const Problem& p) {
  if (const auto* bath = dynamic_cast<const LangevinProblem*>(&p)) return bath->mechanics();
  return p.as<MechanicalProblem>("the test");
}

inline void expect_equal_maps(const ConstraintMap& a, const ConstraintMap& b, In q, In v) {
  ASSERT_EQ(a.count(), b.count());
  const Index n = q.size();
  Vec x(a.count()), y(a.count());
  const Vec s = Vec::LinSpaced(a.count(), 0.7, 2);
  a.value(0.3, q, x);
  b.value(0.3, q, y);
  expect_equal(x, y, "value", 1e-12);
  a.curvature(0.3, q, v, x);
  b.curvature(0.3, q, v, y);
  expect_equal(x, y, "curvature", 1e-12);
  MatrixSlot G = a.pattern(), H = b.pattern(), d = MatrixSlot::dense(n, n), e = d;
  a.jacobian(0.3, q, G);
  b.jacobian(0.3, q, H);
  expect_equal(dense(G), dense(H), "jacobian");
  a.transpose_derivative(0.3, q, s, d);
  b.transpose_derivative(0.3, q, s, e);
  expect_equal(dense(d), dense(e), "transpose derivative", 1e-12);
}

inline void expect_equal_mass(const MechanicalProblem& a, const MechanicalProblem& b, In q, In w) {
  EXPECT_EQ(a.mass_kind(), b.mass_kind());
  MatrixSlot m = a.mass_pattern(), n = b.mass_pattern();
  a.mass(q, m);
  b.mass(q, n);
  expect_equal(dense(m), dense(n), "mass");
  MatrixSlot d = MatrixSlot::dense(q.size(), q.size()), e = d;
  a.mass_product_derivative(q, w, d);
  b.mass_product_derivative(q, w, e);
  expect_equal(dense(d), dense(e), "d(M w)/dq");
}

inline void expect_equal_forces(const MechanicalProblem& a, Groups in_a, const MechanicalProblem& b, Groups in_b,
                                const State& s) {
  const Vec q = s.q(), v = s.v();
  Vec f(q.size()), g(q.size());
  a.force(in_a, s.t, q, v, f);
  b.force(in_b, s.t, q, v, g);
  expect_equal(f, g, "force");
  const double energy = b.potential(in_b, s.t, q).value();
  EXPECT_NEAR(a.potential(in_a, s.t, q).value(), energy, 1e-13 * (1 + std::abs(energy)));
  EXPECT_EQ(a.velocity_dependent(in_a), b.velocity_dependent(in_b));
  MatrixSlot dq = a.stiffness_pattern(), dv = a.damping_pattern(), eq = b.stiffness_pattern(), ev = b.damping_pattern();
  ASSERT_TRUE(a.force_jacobian(in_a, s.t, q, v, dq, dv));
  ASSERT_TRUE(b.force_jacobian(in_b, s.t, q, v, eq, ev));
  expect_equal(dense(dq), dense(eq), "stiffness");
  expect_equal(dense(dv), dense(ev), "damping");
}

// A random state near the start.
inline State random_state(const Problem& problem, std::mt19937_64& random) {
  std::uniform_real_distribution<> shift(-0.3, 0.3);
  State s = problem.initial_state();
  s.t = 1 + shift(random);
  for (double& x : s.y) x += shift(random);
  return s;
}

// Models may number and name their groups as they like. Groups are compared by whether they are fast or slow, and by
// name if both models have the name.
inline void expect_equal_mechanics(const Problem& text, const Problem& twin) {
  const MechanicalProblem &a = mechanics(text), &b = mechanics(twin);
  ASSERT_EQ(a.layout(), b.layout());
  std::mt19937_64 random(5);
  for (int k = 0; k < 50 && !testing::Test::HasFailure(); ++k) {
    const State s = random_state(twin, random);
    const Vec q = s.q(), v = s.v();
    expect_equal_mass(a, b, q, v);
    expect_equal_forces(a, known_groups(a), b, known_groups(b), s);
    expect_equal_forces(a, fast_groups(a), b, fast_groups(b), s);
    expect_equal_forces(a, slow_groups(a), b, slow_groups(b), s);
    const auto of_a = a.groups(), of_b = b.groups();
    for (std::size_t i = 0; i < of_a.size(); ++i)
      for (std::size_t j = 0; j < of_b.size(); ++j)
        if (of_a[i].name == of_b[j].name) expect_equal_forces(a, Groups{1} << i, b, Groups{1} << j, s);
    if (b.constraints()) expect_equal_maps(*a.constraints(), *b.constraints(), q, v);
    if (!b.strong_potential()) continue;
    expect_equal(a.strong_potential()->stiffness, b.strong_potential()->stiffness, "stiffness of gaps");
    expect_equal_maps(*a.strong_potential()->map, *b.strong_potential()->map, q, v);
  }
}

inline Vec end_of(std::unique_ptr<Problem> problem, const RunPlan& plan) {
  PreparedRun run = prepare(plan, std::move(problem), {});
  const Solution solution = run.run();
  EXPECT_TRUE(solution.ok()) << solution.outcome.message;
  return solution.y().col(solution.y().cols() - 1);
}
}  // namespace trill::test
