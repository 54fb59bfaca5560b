// SPDX-License-Identifier: BSD-3-Clause
// Nested impulses: respa, and mollified_impulse with levels.
#include "support/allocation_count.hpp"
#include "support/impulse_checks.hpp"
#include "trill/driver/plan.hpp"

#include <gtest/gtest.h>

namespace trill::test {
namespace {
// The kicks and drifts of three levels, written out by hand.
Vec nested_by_hand(const SpringNetwork& p, double h, int steps) {
  const Index n = p.q.size();
  Vec q = p.q, v = p.v, f(n);
  const auto kick = [&](Groups groups, double by) {
    p.force(groups, 0, q, v, f);
    v += by * f;
  };
  for (int i = 0; i < steps; ++i) {
    kick(SpringNetwork::slower, h / 2);
    for (int j = 0; j < 2; ++j) {
      kick(SpringNetwork::slow, h / 4);
      for (int k = 0; k < 5; ++k) {
        kick(SpringNetwork::fast, h / 20);
        q += h / 10 * v;
        kick(SpringNetwork::fast, h / 20);
      }
      kick(SpringNetwork::slow, h / 4);
    }
    kick(SpringNetwork::slower, h / 2);
  }
  Vec y(2 * n);
  y << q, v;
  return y;
}

TEST(Respa, ThreeLevelsAreNestedKicks) {
  const SpringNetwork p = zigzag(6, 12);
  Walk walk(p, "respa", {{"levels", "slower, slow/2, fast/5"}});
  EXPECT_LT((walk.walk(0.1, 20) - nested_by_hand(p, 0.1, 20)).norm(), 1e-12);
  // Each force is evaluated once per step of its level, and once more at the start.
  EXPECT_EQ(walk.work.forces[2], 20 + 1);
  EXPECT_EQ(walk.work.forces[1], 2 * 20 + 1);
  EXPECT_EQ(walk.work.forces[0], 10 * 20 + 1);
}

TEST(Respa, TwoLevelsAreTheImpulseMethod) {
  const SpringNetwork p = zigzag(6, 12);
  const Vec nested = Walk(p, "respa", {{"levels", "slow+slower, fast/8"}}).walk(0.1, 20),
            impulse = Walk(p, "impulse", {{"inner", "4"}}).walk(0.1, 20),
            mollified = Walk(p, "mollified_impulse", weights("delta", "delta", {{"inner", "4"}})).walk(0.1, 20);
  EXPECT_LT((nested - impulse).norm(), 1e-12);
  EXPECT_EQ(impulse, mollified);
}

TEST(Respa, GroupsThatAreNotNamedAreSlow) {
  const SpringNetwork p = zigzag(6, 12);
  EXPECT_EQ(Walk(p, "respa", {{"levels", "slower, fast/8"}}).walk(0.1, 5),
            Walk(p, "respa", {{"levels", "slower+slow, fast/8"}}).walk(0.1, 5));
}

double order_of(const SpringNetwork& p, const std::string& method, const OptionSet& options) {
  const Vec exact = at_end(p, "composition8", {}, 1, 2000);
  const double coarse = (at_end(p, method, options, 1, 40) - exact).norm(),
               fine = (at_end(p, method, options, 1, 80) - exact).norm();
  return std::log2(coarse / fine);
}

TEST(Nested, LevelsAreOfOrderTwo) {
  const SpringNetwork p = zigzag(6, 12);
  EXPECT_NEAR(order_of(p, "respa", {{"levels", "slower, slow/2, fast/5"}}), 2, 0.1);
  EXPECT_NEAR(order_of(p, "mollified_impulse", {{"levels", "slower, slow/2, fast/6"}}), 2, 0.1);
  EXPECT_NEAR(order_of(p, "mollified_impulse", weights("slow=short,lin", "slow=short*long,lin", {{"inner", "3"}})), 2,
              0.1);
}

// A step is symplectic whenever the mollifier is the transposed derivative of the average. This holds also if the
// average is taken along fewer forces than the fast flow contains, and at every level.
TEST(Nested, AveragesAlongTheFastestForcesAlone) {
  const SpringNetwork p = zigzag(4, 12);
  const OptionSet fewer = weights("short", "short", {{"fast", "fast+slow"}, {"average", "fast"}, {"inner", "6"}});
  EXPECT_LT(symplectic_defect(step_jacobian(p, "mollified_impulse", fewer, 0.2)), 1e-8);
  const OptionSet levels = weights("short", "short", {{"levels", "slower, slow/2, fast/6"}});
  EXPECT_LT(symplectic_defect(step_jacobian(p, "mollified_impulse", levels, 0.2)), 1e-8);
  const OptionSet unequal = weights("short", "short*long", {{"levels", "slower, slow/2, fast/6"}});
  EXPECT_GT(symplectic_defect(step_jacobian(p, "mollified_impulse", unequal, 0.2)), 1e-4);
}

TEST(Nested, AllocatesNothingInAStep) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer owns the allocator";
  for (const auto& [method, options] :
       {std::pair{"respa", OptionSet{{"levels", "slower, slow/2, fast"}}},
        {"mollified_impulse", OptionSet{{"levels", "slower, slow/2, fast"}}},
        {"mollified_impulse", weights("slow=short,lin", "slow=long,lin", {{"fast", "fast"}, {"average", "fast"}})}}) {
    Walk walk(zigzag(6, 12), method, options);
    walk.walk(0.1, 2);
    AllocationGuard guard;
    for (int i = 0; i < 120; ++i) walk.step(0.1);  // enough steps that the frequency is checked again on the way
    EXPECT_EQ(guard.count(), 0u) << method;
  }
}

TEST(Nested, SavedStepperGoesOnBitForBit) {
  for (const auto& [method, options] : {std::pair{"respa", OptionSet{{"levels", "slower, slow/2, fast"}}},
                                        {"mollified_impulse", OptionSet{{"levels", "slower, slow/2, fast"}}}}) {
    Walk one(zigzag(6, 12), method, options), other(zigzag(6, 12), method, options);
    one.walk(0.1, 7);
    Archive archive;
    one.stepper->memory(archive);
    Archive stored(archive.bytes());
    other.stepper->memory(stored);
    EXPECT_TRUE(stored.at_end());
    other.s = one.s;
    other.jumped = false;
    other.work = one.work;
    EXPECT_EQ(one.walk(0.1, 5), other.walk(0.1, 5));
    EXPECT_EQ(one.work.forces, other.work.forces);
  }
}

// PJY97 sec. 4.5: 1/r is split into a hard part within a distance and a soft part.
TEST(Respa, HardAndSoftPartsOfACharge) {
  const auto model = make_model("charges", {}).problem;
  Walk split(*model, "respa", {{"levels", "slow, fast/8"}}), whole(*model, "verlet"), fine(*model, "verlet");
  const auto energy = [&](const Walk& walk) {
    const auto& p = dynamic_cast<const MechanicalProblem&>(*walk.problem);
    return 0.5 * walk.s.v().squaredNorm() + *p.potential(all_groups, 0, walk.s.q());
  };
  const double before = energy(split);
  double worst_split = 0, worst_whole = 0, worst_fine = 0;
  for (int i = 0; i < 400; ++i) {
    split.walk(0.04, 1);
    whole.walk(0.04, 1);
    fine.walk(0.005, 8);
    worst_split = std::max(worst_split, std::abs(energy(split) - before));
    worst_whole = std::max(worst_whole, std::abs(energy(whole) - before));
    worst_fine = std::max(worst_fine, std::abs(energy(fine) - before));
  }
  // The charges begin far apart, where the hard part is 0, so its frequency cannot be found.
  Walk unsaid(*model, "respa");
  unsaid.walk(0.04, 1);
  EXPECT_TRUE(has_note(unsaid.notes, "no_fast_frequency"));
  EXPECT_FALSE(has_note(split.notes, "no_fast_frequency"));
  // Nearly as accurate as Verlet with the small step, with an eighth of the evaluations of the soft force.
  EXPECT_LT(worst_split, 0.1 * worst_whole);
  EXPECT_LT(worst_split, 8 * worst_fine);
  EXPECT_EQ(split.work.forces[1], 401);
  EXPECT_EQ(split.work.forces[0], 3201);
}
}  // namespace
}  // namespace trill::test
