// SPDX-License-Identifier: BSD-3-Clause
// Impulse methods on random networks of fast and slow springs: properties that hold for every system and every pair of
// weights.
#include "support/algebra.hpp"
#include "support/random_chain.hpp"
#include "support/small_problems.hpp"
#include "support/spring_network.hpp"

#include <gtest/gtest.h>

namespace trill::test {
namespace {
using random_chain::Draw;

const std::vector<std::string> all_weights{
    "delta",     "short", "long",     "lin",          "short*long",
    "long*long", "cubic", "box(1.5)", "box(0.4)*lin", "pieces(0.5: 0.8; 1: 0.2)"};

SpringNetwork draw_network(Draw& draw) {
  const double omega = draw.log_between(4, 40);
  SpringNetwork p = zigzag(3 + draw.of(4), omega, draw.chance(0.5) ? draw.between(-0.4, 0.4) : 0);
  for (Spring& s : p.springs) s.k *= draw.between(0.6, 1.4);
  for (double& v : p.v) v *= draw.between(0.2, 1.2);
  const Index d = p.q.size();
  const int kind = draw.of(3);
  if (kind == 0) return p;
  p.masses = Mat::Identity(d, d);
  for (Index i = 0; i < d; ++i) p.masses(i, i) = draw.between(0.7, 2);
  if (kind == 2)
    for (Index i = 0; i + 1 < d; ++i) p.masses(i, i + 1) = p.masses(i + 1, i) = draw.between(-0.2, 0.2);
  return p;
}

OptionSet draw_options(Draw& draw) {
  const auto weight = [&] {
    return all_weights[static_cast<std::size_t>(draw.of(static_cast<int>(all_weights.size())))];
  };
  OptionSet options{{"phi", weight()},
                    {"psi", weight()},
                    {"inner_order", std::to_string(2 + 2 * draw.of(4))},
                    {"inner", std::to_string(4 + draw.of(8))}};
  if (draw.chance(0.3)) {
    options["levels"] = "slower, slow/" + std::to_string(1 + draw.of(3)) + ", fast";
  } else if (draw.chance(0.3)) {
    options["phi"] = "slow=" + weight() + "," + weight();
  }
  return options;
}

Mat masses_of(const SpringNetwork& p) {
  return p.masses.size() == 0 ? Mat::Identity(p.q.size(), p.q.size()) : p.masses;
}

TEST(ImpulseProperty, StepsAreSymmetricAndKeepVolume) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const SpringNetwork p = draw_network(draw);
    const OptionSet options = draw_options(draw);
    const double h = draw.between(0.05, 0.2);
    Walk walk(p, "mollified_impulse", options);
    const Vec before = walk.s.y;
    ASSERT_TRUE(walk.walk(h, 10).allFinite());
    EXPECT_LT((walk.walk(-h, 10) - before).norm(), 1e-10 * before.norm());

    constexpr double step = 1e-5;
    const Index n = before.size();
    Mat j(n, n);
    for (Index c = 0; c < n; ++c) {
      const auto after = [&](double by) {
        SpringNetwork moved = p;
        (c < n / 2 ? moved.q[c] : moved.v[c - n / 2]) += by;
        return Walk(moved, "mollified_impulse", options).walk(h, 1);
      };
      j.col(c) = (after(step) - after(-step)) / (2 * step);
    }
    EXPECT_NEAR(test::determinant(j), 1, 1e-6);
  }
}

// Every spring pulls both of its ends with the same force. So the total momentum is conserved, whatever is averaged,
// also for forces that are turned by an angle.
TEST(ImpulseProperty, MomentumStays) {
  for (std::uint64_t seed = 101; seed <= 160; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const SpringNetwork p = draw_network(draw);
    const OptionSet options = draw_options(draw);
    Walk walk(p, "mollified_impulse", options);
    const Mat masses = masses_of(p);
    const Vec before = masses * p.v, y = walk.walk(draw.between(0.05, 0.2), 20), after = masses * y.tail(p.v.size());
    for (Index axis = 0; axis < 2; ++axis) {
      double change = 0;
      for (Index i = axis; i < before.size(); i += 2) change += after[i] - before[i];
      EXPECT_LT(std::abs(change), 1e-11 * (1 + after.norm()));
    }
  }
}

// For small steps every pair of weights converges to the true motion with order 2.
TEST(ImpulseProperty, OrderTwoOnEverySystem) {
  for (std::uint64_t seed = 201; seed <= 230; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    SpringNetwork p = draw_network(draw);
    for (Spring& s : p.springs) s.k = std::min(s.k, 40.0);
    OptionSet options = draw_options(draw);
    const Vec exact = at_end(p, "composition8", {}, 1, 1000);
    const double coarse = (at_end(p, "mollified_impulse", options, 1, 64) - exact).norm(),
                 fine = (at_end(p, "mollified_impulse", options, 1, 128) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
  }
}
}  // namespace
}  // namespace trill::test
