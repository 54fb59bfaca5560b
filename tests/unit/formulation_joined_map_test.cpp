// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/joined_map.hpp"
#include "support/slow_models.hpp"

namespace trill::testing_models {
namespace {
struct Both {
  const ConstraintMap& first;
  const ConstraintMap& second;
  Index upper() const { return first.count(); }
  Index all() const { return first.count() + second.count(); }
  template <class Call>
  Vec stacked(const Call& call) const {
    Vec values = Vec::Zero(all());
    call(first, Out(values.head(upper())));
    call(second, Out(values.tail(all() - upper())));
    return values;
  }
  template <class Call>
  Mat stacked_matrix(const Call& call) const {
    MatrixSlot a = first.pattern(), b = second.pattern();
    call(first, a);
    call(second, b);
    Mat both(all(), a.cols());
    both << dense(a), dense(b);
    return both;
  }
};

void expect_the_parts(const MechanicalProblem& p) {
  const Both both{*p.strong_potential()->map, *p.constraints()};
  const JoinedMap joined(both.first, both.second);
  ASSERT_EQ(joined.count(), both.all());
  const State s = shifted_start(p, 0.1);
  const Index n = s.q().size(), m = joined.count();
  const Vec q = s.q(), v = s.v(), a = v.cwiseProduct(q), jerk = 2 * q - v, snap = q.cwiseAbs2();
  const Vec weights = Vec::LinSpaced(m, 0.5, 2);
  const double t = s.t;
  const Motion motion{t, q.data(), v.data(), a.data(), jerk.data(), snap.data()};

  const auto rows = [&](const char* what, const auto& call) {
    Vec values = Vec::Zero(m);
    call(joined, Out(values));
    const Vec parts = both.stacked(call);
    ASSERT_GT(parts.cwiseAbs().maxCoeff(), 0) << what;
    expect_equal(values, parts, what, 1e-15);
  };
  rows("value", [&](const ConstraintMap& map, Out g) { map.value(t, q, g); });
  rows("curvature", [&](const ConstraintMap& map, Out g) { map.curvature(t, q, v, g); });
  for (int k = 1; k <= 4; ++k)
    rows("value_derivative", [&](const ConstraintMap& map, Out g) { EXPECT_TRUE(map.value_derivative(k, motion, g)); });

  const auto matrices = [&](const char* what, const auto& call) {
    MatrixSlot slot = joined.pattern();
    call(joined, slot);
    expect_equal(dense(slot), both.stacked_matrix(call), what, 1e-15);
  };
  matrices("jacobian", [&](const ConstraintMap& map, MatrixSlot& G) { map.jacobian(t, q, G); });
  matrices("velocity_derivative",
           [&](const ConstraintMap& map, MatrixSlot& G) { EXPECT_TRUE(map.velocity_derivative(t, q, v, G)); });
  matrices("jacobian_along",
           [&](const ConstraintMap& map, MatrixSlot& G) { EXPECT_TRUE(map.jacobian_along(t, q, a, G)); });
  for (int k = 1; k <= 3; ++k)
    matrices("jacobian_derivative",
             [&](const ConstraintMap& map, MatrixSlot& G) { EXPECT_TRUE(map.jacobian_derivative(k, motion, G)); });

  const auto sums = [&](const char* what, const auto& call) {
    Vec whole = Vec::Zero(n), one = Vec::Zero(n), other = Vec::Zero(n);
    call(joined, In(weights), Out(whole));
    call(both.first, In(weights.head(both.upper())), Out(one));
    call(both.second, In(weights.tail(m - both.upper())), Out(other));
    ASSERT_GT(one.cwiseAbs().maxCoeff() * other.cwiseAbs().maxCoeff(), 0) << what;
    expect_equal(whole, one + other, what, 1e-14);
  };
  for (int k = 1; k <= 2; ++k)
    sums("rigid_rate", [&](const ConstraintMap& map, In w, Out f) {
      Vec rates(map.count());
      EXPECT_TRUE(map.rigid_rate(k, motion, w, 0.3 * w, f, rates));
    });
  sums("reaction_along",
       [&](const ConstraintMap& map, In w, Out f) { EXPECT_TRUE(map.reaction_along(t, q, a, w, f)); });
  sums("transpose_derivative", [&](const ConstraintMap& map, In w, Out f) {
    MatrixSlot d = map.transpose_pattern();
    map.transpose_derivative(t, q, w, d);
    d.multiply(v, f);
  });
}

TEST(JoinedMap, GivesWhatItsPartsGive) {
  const TextModel small = read_model("m.toml", rod_and_spring(true));
  expect_the_parts(mechanics(small));
}

TEST(JoinedMap, GivesWhatItsSparsePartsGive) {
  const std::string rods =
      "[[constraint]]\nover = \"chain\"\nequation = \"d[chain].x*(1 + d[chain].y^2) - 3 - t/10\"\n";
  const TextModel large = read_model("m.toml", many_chains + rods, {{"chains", "50"}});
  ASSERT_TRUE(mechanics(large).constraints()->pattern().is_sparse());
  expect_the_parts(mechanics(large));
  const JoinedMap joined(*mechanics(large).strong_potential()->map, *mechanics(large).constraints());
  EXPECT_EQ(joined.moving(), mechanics(large).constraints()->moving());
  EXPECT_TRUE(joined.pattern().is_sparse());
  const State s = large.problem->initial_state();
  Vec gt(joined.count());
  joined.time_derivative(0, s.q(), gt);
  EXPECT_EQ(gt[0], 0);
  EXPECT_NEAR(gt[149], -0.1, 1e-16);
}
}  // namespace
}  // namespace trill::testing_models
