// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/weight.hpp"
#include "support/mentions.hpp"
#include "support/small_problems.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill::test {
namespace {
constexpr double pi = std::numbers::pi;

// The weights in closed form for t >= 0.
double closed_form(const std::string& name, double t) {
  if (name == "short") return t < 0.5 ? 1 : 0;
  if (name == "long") return t < 1 ? 0.5 : 0;
  if (name == "lin") return std::max(0.0, 1 - t);
  if (name == "short*long") return t < 0.5 ? 0.5 : std::max(0.0, 0.5 * (1.5 - t));
  if (name == "long*long") return std::max(0.0, (2 - t) / 4);
  if (name == "cubic") return t < 1 ? 2.0 / 3 - t * t + t * t * t / 2 : t < 2 ? std::pow(2 - t, 3) / 6 : 0;
  return t < 0.75 ? 1 / 1.5 : 0;  // the weight box(1.5)
}

class Weights : public testing::TestWithParam<const char*> {};

TEST_P(Weights, AreTheirClosedForms) {
  const Weight weight = Weight::named(GetParam());
  for (double t = 0.013; t < 2.2; t += 0.037) {
    EXPECT_NEAR(weight.value(t, t), closed_form(GetParam(), t), 1e-14) << t;
    EXPECT_EQ(weight.value(-t, -t), weight.value(t, t));
  }
  EXPECT_EQ(weight.name(), GetParam());
}

// The Fourier transform is compared with a quadrature of the closed form.
TEST_P(Weights, HaveTheFourierTransformOfTheirValues) {
  const Weight weight = Weight::named(GetParam());
  for (const double x : {0.0, 0.7, 3.0, 2 * pi, 11.0}) {
    constexpr int parts = 40000;
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
      const double t = (k + 0.5) * 2 / parts;
      sum += 2 * closed_form(GetParam(), t) * std::cos(x * t) * 2 / parts;
    }
    EXPECT_NEAR(weight.filter(x), sum, 2e-7) << x;
  }
  EXPECT_NEAR(weight.mass(), 1, 1e-15);
}

// Compositions have stages outside of a step. There the polynomial of the piece is continued.
TEST_P(Weights, GoOnOutsideAPiece) {
  const Weight weight = Weight::named(GetParam());
  const double inside = 0.4, h = 1e-3;
  const double second =
      weight.value(inside + h, inside) - 2 * weight.value(inside, inside) + weight.value(inside - h, inside);
  const double far = weight.value(3 + h, inside) - 2 * weight.value(3, inside) + weight.value(3 - h, inside);
  const double change = GetParam() == std::string("cubic") ? 3 * (3 - inside) * h * h : 0;
  EXPECT_NEAR(far - second, change, 1e-12);
}

TEST_P(Weights, ReadAsPiecesAreTheSame) {
  const Weight boxes = Weight::named(GetParam());
  std::vector<Weight::Piece> pieces;
  for (const Weight::Piece& piece : boxes.pieces()) {
    Weight::Piece moved = piece;  // in powers of t, up to the third
    const Vec c = piece.coefficients;
    moved.coefficients.setZero();
    for (Index i = 0; i < c.size(); ++i)
      for (Index j = 0; j <= i; ++j)
        moved.coefficients[j] +=
            c[i] * std::tgamma(i + 1) / std::tgamma(j + 1) / std::tgamma(i - j + 1) * std::pow(-piece.from, i - j);
    pieces.push_back(moved);
  }
  const Weight given = Weight::of_pieces(pieces);
  for (const double t : {0.1, 0.6, 0.9, 1.4, 1.9}) EXPECT_NEAR(given.value(t, t), boxes.value(t, t), 1e-13);
  for (const double x : {0.3, 4.0, 40.0}) EXPECT_NEAR(given.filter(x), boxes.filter(x), 1e-12);
  EXPECT_NEAR(given.unity_defect(), boxes.unity_defect(), 1e-10);
  const Weight again = Weight::named(given.name());
  for (const double t : {0.1, 0.6, 0.9, 1.4, 1.9}) EXPECT_NEAR(again.value(t, t), boxes.value(t, t), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(All, Weights,
                         testing::Values("short", "long", "lin", "short*long", "long*long", "cubic", "box(1.5)"),
                         [](const auto& info) { return "case" + std::to_string(info.index); });

TEST(Weight, DeltaIsNoWeightAtAll) {
  const Weight delta = Weight::named("delta");
  EXPECT_TRUE(delta.is_delta());
  EXPECT_EQ(delta.half_support(), 0);
  EXPECT_EQ(delta.filter(7), 1);
  EXPECT_EQ(delta * Weight::named("lin"), Weight::named("lin"));
}

TEST(Weight, ProductsAreConvolutions) {
  EXPECT_EQ(Weight::named("short*short"), Weight::named("lin"));
  EXPECT_EQ(Weight::named("lin * lin"), Weight::named("cubic"));
  EXPECT_EQ(Weight::named("long*short"), Weight::named("short*long"));
  EXPECT_EQ(Weight::named("short*long").half_support(), 1.5);
  EXPECT_FALSE(Weight::named("short") == Weight::named("long"));
}

// For a box of width 1.5 the transform at 2 pi is -0.2122.
TEST(Weight, PartitionOfUnity) {
  for (const char* name : {"short", "long", "lin", "short*long", "cubic", "box(1.5)*short"})
    EXPECT_EQ(Weight::named(name).unity_defect(), 0) << name;
  EXPECT_NEAR(Weight::named("box(1.5)").unity_defect(), 0.2122, 1e-4);
  EXPECT_EQ(Weight().unity_defect(), 1);
}

TEST(Weight, Refusals) {
  EXPECT_THAT(refusal([] { Weight::named("shrot"); }), mentions("'shrot'", "'short'"));
  EXPECT_THAT(refusal([] { Weight::named("box(-1)"); }), mentions("-1", "positive"));
  EXPECT_THAT(refusal([] { Weight::named("box(wide)"); }), mentions("'wide'", "number"));
  EXPECT_THAT(refusal([] { Weight::named("pieces(1: 1)"); }), mentions("integral 2", "'pieces(1: 1)'"));
  EXPECT_THAT(refusal([] { Weight::named("pieces(1: 0.5; 0.5: 1)"); }), mentions("pieces", "increasing"));
  EXPECT_THAT(refusal([] { Weight::named("pieces(1 0.5)"); }), mentions("piece", "'1 0.5'"));
  EXPECT_THAT(refusal([] { Weight::named("pieces(1: 0.5)") * Weight::named("short"); }),
              mentions("convolved", "boxes"));
  EXPECT_THAT(refusal([] { Weight::named("box(1e300)"); }), mentions("at most 100"));
  EXPECT_THAT(refusal([] { Weight::named("pieces(1000: 0.0005)"); }), mentions("at most 100"));
  EXPECT_THAT(refusal([] { Weight::named("cubic*cubic*short"); }), mentions("boxes", "at most"));
}

// The half trace of a whole step for the oscillator, compared with the product of its matrices.
TEST(Pair, HalfTraceIsThatOfKickRotationKick) {
  const double omega = 3.1, h = 0.8, eps = 0.6;
  for (const auto& [phi, psi] : {std::pair{"delta", "delta"}, {"short", "short*long"}, {"long", "long"}}) {
    const WeightPair pair{Weight::named(phi), Weight::named(psi)};
    Eigen::Matrix2d kick, rotation;
    kick << 1, 0, -h / 2 * eps * pair.phi.filter(h * omega) * pair.psi.filter(h * omega), 1;
    rotation << std::cos(h * omega), std::sin(h * omega) / omega, -omega * std::sin(h * omega), std::cos(h * omega);
    EXPECT_NEAR(half_trace(pair, h * omega, h * h * eps), (kick * rotation * kick).trace() / 2, 1e-14);
  }
}

TEST(Pair, UnstableIntervalsHaveTheirWidth) {
  const WeightPair impulse{}, shorts{Weight::named("short"), Weight::named("short")};
  for (const WeightPair& pair : {impulse, shorts})
    for (const double square : {0.02, -0.02}) {
      // Steps are unstable just inside the end of the interval and stable just outside.
      const double width = instability_width(pair, 1, square), side = square > 0 ? -1 : 1;
      ASSERT_GT(width, 0);
      EXPECT_GT(std::abs(half_trace(pair, pi + side * 0.95 * width, square)), 1);
      EXPECT_LT(std::abs(half_trace(pair, pi + side * 1.05 * width, square)), 1);
    }
  EXPECT_EQ(instability_width(shorts, 2, 0.1), 0);
}

TEST(Pair, ResonanceFreeOnesAreStableEverywhere) {
  for (const auto& [phi, psi] :
       {std::pair{"short", "short*long"}, {"delta", "long"}, {"long", "long"}, {"lin", "lin*long"}}) {
    const WeightPair pair{Weight::named(phi), Weight::named(psi)};
    EXPECT_TRUE(resonance_free(pair));
    for (double theta = 1e-3; theta < 20 * pi; theta += 1e-3)
      for (const double square : {0.1, 1.0, 3.9}) ASSERT_LE(std::abs(half_trace(pair, theta, square)), 1 + 1e-12);
  }
  EXPECT_FALSE(resonance_free({Weight::named("short"), Weight::named("short")}));
}
}  // namespace
}  // namespace trill::test
