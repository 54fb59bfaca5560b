// SPDX-License-Identifier: BSD-3-Clause
// P(q) of YPR98 eq. 3.7: it removes multipliers. Also its derivative and the choice of coordinates.
#include "formulation/coordinate_split.hpp"
#include "linalg/differences.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
const std::string curved_text = R"(
[coordinates]
a = { start = 0.7 }
b = { start = -0.4 }
c = { start = 1.3 }
d = { start = 0.2 }
e = { start = 0.9 }
[[constraint]]
equation = "a*b + sin(c)*d - e^2 + 0.9275"
[[constraint]]
equation = "a^2 + b^2*c + cos(d*e) - 1.6818"
)";

class SplitBySomething : public testing::TestWithParam<SplitBy> {
 protected:
  SplitBySomething() : model_(read_model("curved.toml", curved_text)), map_(*mechanics(model_).constraints()) {}
  const TextModel model_;
  const ConstraintMap& map_;
  const Vec q0_ = Vec{{0.7, -0.4, 1.3, 0.2, 0.9}};

  MatrixSlot slope(In q) const {
    MatrixSlot G = map_.pattern();
    map_.jacobian(0, q, G);
    return G;
  }
  static Vec residual(In q) {
    return Vec{{q[0] * q[1] - 2, q[2] * q[2], std::sin(q[3]) + q[0], q[4] * q[1] + 1, std::exp(q[2] - q[4])}};
  }
  Vec projected(CoordinateSplit& split, In q) const {
    const MatrixSlot G = slope(q);
    EXPECT_TRUE(split.stand_at(G));
    const Vec r = residual(q);
    Vec s(2), product(5);
    split.multipliers(r, s);
    G.multiply_transposed(s, product);
    return split.rest().transpose() * (r + product);
  }
};

TEST_P(SplitBySomething, AnnihilatesMultipliers) {
  CoordinateSplit split(slope(q0_), GetParam());
  ASSERT_TRUE(split.choose(slope(q0_)));
  const Vec q = q0_ + Vec{{0.05, 0.02, -0.1, 0.03, 0.04}};
  const MatrixSlot G = slope(q);
  ASSERT_TRUE(split.stand_at(G));
  Vec forces(5), s(2);
  const Vec mu = Vec{{1.7, -0.3}};
  G.multiply_transposed(mu, forces);
  split.multipliers(forces, s);
  EXPECT_LT((s + mu).norm(), 1e-13);
}

// d(P r)/dq = P (dr/dq + d(G^T s)/dq with s held).
TEST_P(SplitBySomething, HasTheDerivativeOfThePaper) {
  CoordinateSplit split(slope(q0_), GetParam());
  ASSERT_TRUE(split.choose(slope(q0_)));
  const Vec q = q0_ + Vec{{0.05, 0.02, -0.1, 0.03, 0.04}};
  const MatrixSlot G = slope(q);
  ASSERT_TRUE(split.stand_at(G));
  Vec s(2);
  split.multipliers(residual(q), s);
  MatrixSlot bend = map_.transpose_pattern();
  map_.transpose_derivative(0, q, s, bend);
  MatrixSlot slope_of_r = MatrixSlot::dense(5, 5);
  DifferenceJacobian of_r(slope_of_r, {.central = true});
  of_r.evaluate([](In x, Out f) { f = residual(x); }, q, slope_of_r);
  const Mat sum = slope_of_r.as_dense() + dense(bend);
  Mat expected(3, 5);
  for (Index j = 0; j < 5; ++j) {
    Vec change(2), product(5);
    split.multipliers(sum.col(j), change);
    G.multiply_transposed(change, product);
    expected.col(j) = split.rest().transpose() * (sum.col(j) + product);
  }
  const double step = 1e-5;
  for (Index j = 0; j < 5; ++j) {
    Vec above = q, below = q;
    above[j] += step;
    below[j] -= step;
    const Vec difference = (projected(split, above) - projected(split, below)) / (2 * step);
    EXPECT_LT((difference - expected.col(j)).norm(), 1e-7 * (1 + difference.norm())) << "column " << j;
  }
}
INSTANTIATE_TEST_SUITE_P(LuAndQr, SplitBySomething, testing::Values(SplitBy::lu, SplitBy::qr));

TEST(CoordinateSplit, SeesThatItIsWorn) {
  MatrixSlot G = MatrixSlot::dense(1, 2);
  const auto turn_to = [&](double angle) {
    *G.entry(0, 0) = std::cos(angle);
    *G.entry(0, 1) = std::sin(angle);
  };
  turn_to(0.1);
  CoordinateSplit split(G, SplitBy::lu);
  ASSERT_TRUE(split.choose(G));
  turn_to(1.2);
  ASSERT_TRUE(split.stand_at(G));
  EXPECT_FALSE(split.is_worn());
  turn_to(1.5);
  ASSERT_TRUE(split.stand_at(G));
  EXPECT_TRUE(split.is_worn());
}

TEST(CoordinateSplit, RefusesDependentRows) {
  MatrixSlot G = MatrixSlot::dense(2, 3);
  for (Index j = 0; j < 3; ++j) {
    *G.entry(0, j) = 1.0 + static_cast<double>(j);
    *G.entry(1, j) = 2.0 + 2.0 * static_cast<double>(j);
  }
  EXPECT_FALSE(CoordinateSplit(G, SplitBy::lu).choose(G));
  EXPECT_FALSE(CoordinateSplit(G, SplitBy::qr).choose(G));
}
}  // namespace
}  // namespace trill::testing_models
