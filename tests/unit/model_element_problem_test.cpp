// SPDX-License-Identifier: BSD-3-Clause
// Problems made from energies of elements, compared with the same system written by hand.
#include "support/allocation_count.hpp"
#include "trill/model/element_problem.hpp"
#include "trill/problem/model_registry.hpp"

#include <gtest/gtest.h>

namespace {
using namespace trill;

// Functions that do not occur in the tests with random expressions.
TEST(DualNumbers, FunctionsOfTwoValues) {
  using T = SecondDual<2>;
  const T x = T::unknown<0>(0.7), y = T::unknown<1>(-1.3);
  const auto expect_same = [](const T& a, const T& b) {
    EXPECT_NEAR(a.value, b.value, 1e-14);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(a.slope[k], b.slope[k], 1e-14);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.curvature[k], b.curvature[k], 1e-13);
  };
  expect_same(atan2(y, x), atan(y / x));
  expect_same(atan2(x, y), std::acos(-1.0) / 2 - atan(y / x));
  expect_same(hypot(x, y), sqrt(x * x + y * y));
  expect_same(pow(x, 3.0), x * x * x);
  expect_same(pow(y, 2.0), y * y);
  expect_same(pow(y, 1.0), y);
  expect_same(pow(y, 0.0), T(1));
  expect_same(pow(x, T(2.5)), pow(x, 2.5));
  expect_same(min(x, y), y);
  expect_same(max(x, y), x);
  expect_same(abs(y), -y);
  expect_same(2.0 - x, -(x - 2.0));
  expect_same(x / 4.0 + 1.0, 1.0 + 0.25 * x);
  expect_same(1.0 / x, pow(x, -1.0));
  T sum = x;
  sum += y;
  sum *= x;
  sum -= 2.0;
  sum /= y;
  expect_same(sum, ((x + y) * x - 2.0) / y);
  EXPECT_TRUE(y < x && x > 0.5 && x <= 0.7 && y >= -1.3 && x == 0.7);
}

struct Stiff {
  static constexpr int size = 2;
  double k;
  template <class T>
  T energy(const T* q) const {
    return 0.5 * k * (q[1] - q[0]) * (q[1] - q[0]);
  }
};
struct Soft {
  static constexpr int size = 2;
  template <class T>
  T energy(const T* q) const {
    using std::pow;
    return pow(q[1] - q[0], 4.0);
  }
};
struct SoftEnd {
  static constexpr int size = 1;
  template <class T>
  T energy(const T* q) const {
    return q[0] * q[0] * q[0] * q[0];
  }
};

constexpr double omega = 30;

ElementProblem chain(Index m) {
  std::vector<PlacedElement<Stiff>> stiff;
  std::vector<PlacedElement<Soft>> soft;
  for (Index i = 0; i < m; ++i) stiff.push_back({{omega * omega / 2}, {2 * i, 2 * i + 1}});
  for (Index i = 1; i < m; ++i) soft.push_back({{}, {2 * i - 1, 2 * i}});
  ElementProblem problem("chain", Vec::Zero(2 * m), Vec::Zero(2 * m));
  problem.add(stiff, {"stiff", true});
  problem.add(soft, {"soft", false});
  problem.add<SoftEnd>({{{}, {0}}, {{}, {2 * m - 1}}}, {"soft", false});
  return problem;
}

Vec somewhere(Index n) {
  Vec q(n);
  for (Index i = 0; i < n; ++i) q[i] = std::sin(1.7 * static_cast<double>(i)) * 0.4;
  return q;
}

TEST(ElementProblem, IsTheChainWrittenByHand) {
  for (const Index m : {3, 40}) {  // with dense and with sparse matrices
    const auto by_hand =
        ModelRegistry::all().find("fermi_pasta_ulam").make({{"m", std::to_string(m)}, {"omega", "30"}});
    const auto& expected = by_hand->as<MechanicalProblem>("the test");
    const ElementProblem found = chain(m);
    const Index n = 2 * m;
    const Vec q = somewhere(n), v = Vec::Zero(n);
    ASSERT_EQ(found.groups().size(), 2u);
    for (const Groups groups : {Groups{1}, Groups{2}, all_groups}) {
      Vec f(n), g(n);
      expected.force(groups, 0, q, v, f);
      found.force(groups, 0, q, v, g);
      EXPECT_LT((f - g).norm(), 1e-14 * f.norm());
      EXPECT_NEAR(*found.potential(groups, 0, q), *expected.potential(groups, 0, q), 1e-14 * omega * omega * 40);
      MatrixSlot a = expected.stiffness_pattern(), b = found.stiffness_pattern();
      MatrixSlot no_a = expected.damping_pattern(), no_b = found.damping_pattern();
      EXPECT_EQ(b.is_sparse(), m == 40);
      EXPECT_EQ(a.stored(), b.stored());
      ASSERT_TRUE(expected.force_jacobian(groups, 0, q, v, a, no_a));
      ASSERT_TRUE(found.force_jacobian(groups, 0, q, v, b, no_b));
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) EXPECT_NEAR(b.value(i, j), a.value(i, j), 1e-14 * omega * omega) << i << ' ' << j;
    }
  }
}

TEST(ElementProblem, MeasuresItsEnergyWithItsMasses) {
  ElementProblem problem("two", Vec::Constant(1, 2.0), Vec::Constant(1, 3.0), Vec::Constant(1, 4.0));
  problem.add<SoftEnd>({{{}, {0}}});
  Vec energy(1);
  problem.measure(problem.initial_state(), energy);
  EXPECT_EQ(energy[0], 0.5 * 4 * 9 + 16);
  EXPECT_EQ(problem.mass_kind(), MassKind::diagonal);
  MatrixSlot m = problem.mass_pattern();
  problem.mass(problem.initial_state().q(), m);
  EXPECT_EQ(m.value(0, 0), 4);
  EXPECT_EQ(chain(3).mass_kind(), MassKind::identity);
}

// 0.5 k (q - q)^2 vanishes, because the derivatives with respect to both arguments are added.
TEST(ElementProblem, AnElementMayMeetItself) {
  ElementProblem problem("self", Vec::Constant(1, 2.0), Vec::Zero(1));
  problem.add<Stiff>({{{3}, {0, 0}}});
  Vec f(1);
  problem.force(all_groups, 0, problem.initial_state().q(), Vec::Zero(1), f);
  EXPECT_EQ(f[0], 0);
  MatrixSlot dq = problem.stiffness_pattern(), dv = problem.damping_pattern();
  problem.force_jacobian(all_groups, 0, problem.initial_state().q(), Vec::Zero(1), dq, dv);
  EXPECT_EQ(dq.value(0, 0), 0);
}

TEST(ElementProblem, NothingIsAllocatedInAStep) {
  const ElementProblem problem = chain(40);
  const Vec q = somewhere(80), v = Vec::Zero(80);
  Vec f(80);
  MatrixSlot dq = problem.stiffness_pattern(), dv = problem.damping_pattern();
  const AllocationGuard allocations;
  problem.force(all_groups, 0, q, v, f);
  problem.force_jacobian(all_groups, 0, q, v, dq, dv);
  problem.potential(all_groups, 0, q);
  EXPECT_EQ(allocations.count(), 0u);
}

TEST(ElementProblem, RefusesWhatDoesNotFit) {
  ElementProblem problem("small", Vec::Zero(2), Vec::Zero(2));
  EXPECT_THROW(problem.add<Stiff>({{{1}, {1, 2}}}), UsageError);
  EXPECT_THROW(problem.add<Stiff>({{{1}, {-1, 0}}}), UsageError);
  EXPECT_THROW(ElementProblem("short", Vec::Zero(2), Vec::Zero(1)), UsageError);
  EXPECT_THROW(ElementProblem("light", Vec::Zero(1), Vec::Zero(1), Vec::Zero(1)), UsageError);
  for (int k = 0; k < 32; ++k) problem.add<SoftEnd>({{{}, {0}}}, {"g" + std::to_string(k), true});
  EXPECT_THROW(problem.add<SoftEnd>({{{}, {0}}}, {"one too many", true}), UsageError);
  problem.add<SoftEnd>({{{}, {1}}}, {"g31", true});
  Vec f(2);
  problem.force(Groups{1} << 31, 0, Vec::Constant(2, 1.0), Vec::Zero(2), f);
  EXPECT_EQ(f[0], -4);
  EXPECT_EQ(f[1], -4);
}
}  // namespace
