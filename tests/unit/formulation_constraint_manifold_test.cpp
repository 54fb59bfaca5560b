// SPDX-License-Identifier: BSD-3-Clause
// The constraints of every shipped model that has some: the nearest point that satisfies them, and the motion along
// them.
#include "formulation/constraint_manifold.hpp"
#include "support/allocation_count.hpp"
#include "support/matrices.hpp"
#include "support/text_models.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/problem/model_registry.hpp"

#include <random>

namespace trill {
namespace {
struct Case {
  std::string name;
  std::unique_ptr<Problem> problem;
  const MechanicalProblem& mechanics() const { return problem->as<MechanicalProblem>("test"); }
};

std::vector<Case> constrained_models() {
  std::vector<Case> all;
  for (const auto& entry : ModelRegistry::all().entries()) {
    Case one{entry.name, entry.make({})};
    const auto* mechanical = dynamic_cast<const MechanicalProblem*>(one.problem.get());
    if (mechanical && mechanical->constraints() && mechanical->layout().nq < 200) all.push_back(std::move(one));
  }
  return all;
}

Vec disturbed(In x, double size) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-size, size);
  Vec y = x;
  for (double& value : y) value += any(random);
  return y;
}

Vec times_mass(const MechanicalProblem& p, In q, In x) {
  MatrixSlot M = p.mass_pattern();
  p.mass(q, M);
  return testing_models::dense(M) * x;
}

Vec times_slope(const ConstraintManifold& manifold, In x) {
  Vec c(manifold.rows());
  manifold.slope(x, c);
  return c;
}

Vec reaction(const ConstraintManifold& manifold, In mu) {
  Vec f(manifold.unknowns());
  manifold.jacobian().multiply_transposed(mu, f);
  return f;
}

TEST(ConstraintManifold, FindsTheNearestPositionsAndVelocities) {
  const auto cases = constrained_models();
  ASSERT_GT(cases.size(), 3u);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const MechanicalProblem& p = one.mechanics();
    const ConstraintMap& map = *p.constraints();
    const State s = p.initial_state();
    ConstraintManifold manifold(p, map);
    const Vec q0 = disturbed(s.q(), 1e-6), v0 = disturbed(s.v(), 1e-2);
    Vec q = q0, v = v0, mu(map.count()), g(map.count());
    ASSERT_EQ(manifold.nearest(s.t, q0, q, mu, ConstraintManifold::Effort::start), Closing::ok);
    map.value(s.t, q, g);
    const double size = 1 + max_abs(q);
    EXPECT_LT(max_abs(g), 1e-12 * size * (1 + max_abs(times_slope(manifold, Vec::Ones(q.size())))));
    EXPECT_LT(max_abs(times_mass(p, q, q - q0) + reaction(manifold, mu)),
              1e-9 * (1e-6 + max_abs(reaction(manifold, mu))));
    manifold.project_velocity(v, mu);
    map.time_derivative(s.t, q, g);
    EXPECT_LT(max_abs(times_slope(manifold, v) + g), 1e-11 * (1 + max_abs(v)) * size);
    EXPECT_LT(max_abs(times_mass(p, q, v - v0) + reaction(manifold, mu)), 1e-9 * (1 + max_abs(reaction(manifold, mu))));
  }
}

TEST(ConstraintManifold, PolishesWhatIsNearlyThereByTheShortestWay) {
  for (const Case& one : constrained_models()) {
    SCOPED_TRACE(one.name);
    const MechanicalProblem& p = one.mechanics();
    const State s = p.initial_state();
    ConstraintManifold manifold(p, *p.constraints());
    const Vec q0 = disturbed(s.q(), 1e-7);
    Vec q = q0, polished = q0, mu(manifold.rows()), g(manifold.rows());
    ASSERT_EQ(manifold.nearest(s.t, q0, q, mu), Closing::ok);
    ASSERT_EQ(manifold.polish(s.t, polished), Closing::ok);
    p.constraints()->value(s.t, polished, g);
    EXPECT_LT(max_abs(g), 1e-14 * (1 + max_abs(q)));
    const auto length = [&](const Vec& x) { return std::sqrt(x.dot(times_mass(p, q, x))); };
    EXPECT_NEAR(length(polished - q0) / length(q - q0), 1, 1e-3);
  }
}

TEST(ConstraintManifold, GivesTheMotionOnIt) {
  for (const Case& one : constrained_models()) {
    SCOPED_TRACE(one.name);
    const MechanicalProblem& p = one.mechanics();
    const State s = p.initial_state();
    const Index n = s.layout.nq, m = s.layout.nl;
    ConstraintManifold manifold(p, *p.constraints());
    Vec f(n), a(n), lambda(m), eta(m), mu(m);
    ASSERT_TRUE(manifold.stand_at(s.t, s.q()));
    p.force(all_groups, s.t, s.q(), s.v(), f);
    manifold.accelerate(f, s.v(), a, lambda);
    const double size = 1 + max_abs(f) + max_abs(reaction(manifold, lambda));
    EXPECT_LT(max_abs(times_mass(p, s.q(), a) + reaction(manifold, lambda) - f), 1e-10 * size);
    // A disturbed acceleration is moved back to one that satisfies the constraints.
    p.constraints()->curvature(s.t, s.q(), s.v(), eta);
    Vec moved = disturbed(a, 1);
    manifold.close_acceleration(s.v(), moved, mu);
    EXPECT_LT(max_abs(times_slope(manifold, moved) + eta), 1e-10 * size);
  }
}

TEST(ConstraintManifold, SaysWhyAPointIsNotReached) {
  const auto rigid = ModelRegistry::all().find("rigid").make({});
  const auto& p = rigid->as<MechanicalProblem>("test");
  ConstraintManifold manifold(p, *p.constraints());
  Vec q(2), mu(1);
  EXPECT_EQ(manifold.nearest(0, Vec{{0.5, 3}}, q, mu), Closing::ok);
  EXPECT_NEAR(q[0] / q[1], 0.5 / 3, 1e-14);
  EXPECT_EQ(manifold.nearest(0, Vec::Constant(2, HUGE_VAL), q, mu), Closing::non_finite);
}

TEST(ConstraintManifold, AllocatesNothingFromPointToPoint) {
  if (!counts_allocations()) GTEST_SKIP();
  const auto problem = ModelRegistry::all().find("rigid").make({});
  const auto& p = problem->as<MechanicalProblem>("test");
  const State s = p.initial_state();
  ConstraintManifold manifold(p, *p.constraints());
  const Vec q0 = disturbed(s.q(), 1e-4);
  Vec q = q0, v = s.v(), mu(manifold.rows());
  ASSERT_EQ(manifold.nearest(s.t, q0, q, mu), Closing::ok);
  const AllocationGuard guard;
  manifold.nearest(s.t, q0, q, mu);
  manifold.project_velocity(v, mu);
  manifold.polish(s.t, q);
  EXPECT_EQ(guard.count(), 0u);
}
}  // namespace
}  // namespace trill
