// SPDX-License-Identifier: BSD-3-Clause
// Beams against integrals along them and against known frequencies and motions.
#include "support/algebra.hpp"
#include "support/equal_mechanics.hpp"
#include "support/text_models.hpp"

#include <array>
#include <numbers>

namespace {
using namespace trill;
using namespace trill::test;
using testing_models::mechanics;

constexpr double length = 1.3, mass = 0.7, bending = 2.1, gx = 0.4, gy = -3;
constexpr int elements = 3;

const char* const free_beam = R"toml(
[beams]
rod = { length = 1.3, mass = 0.7, stiffness = 2.1, elements = 3 }
[gravity]
acceleration = [0.4, -3]
[[measure]]
name = "tip_x"
value = "rod.tip.x"
[[measure]]
name = "tip_vy"
value = "vrod.tip.y"
[[measure]]
name = "tip_angle"
value = "rod.tip_angle"
)toml";

// w and its derivatives by x at a place of an element, of values at its ends.
struct Deflection {
  double w, slope, curvature;
};
Deflection hermite(double w0, double s0, double w1, double s1, double h, double z) {
  const double a = w1 - w0 - h * s0, b = h * (s1 - s0);  // w = w0 + h s0 z + (3a - b) z^2 + (b - 2a) z^3
  return {w0 + h * s0 * z + (3 * a - b) * z * z + (b - 2 * a) * z * z * z,
          s0 + (2 * (3 * a - b) * z + 3 * (b - 2 * a) * z * z) / h, (2 * (3 * a - b) + 6 * (b - 2 * a) * z) / (h * h)};
}

// Points of the beam with their velocities. Coordinates: x, y, angle, then deflections and slopes at the ends of
// elements.
struct BeamPoint {
  double x, y, vx, vy, slope, curvature;
};
BeamPoint point_at(const Vec& q, const Vec& v, int element, double z) {
  const double h = length / elements;
  const auto of = [&](const Vec& y) {
    const double w0 = element > 0 ? y[3 + element - 1] : 0, s0 = element > 0 ? y[3 + elements + element - 1] : 0;
    return hermite(w0, s0, y[3 + element], y[3 + elements + element], h, z);
  };
  const Deflection d = of(q), rate = of(v);
  const double x = h * (element + z), c = std::cos(q[2]), s = std::sin(q[2]);
  return {q[0] + c * x - s * d.w,
          q[1] + s * x + c * d.w,
          v[0] - v[2] * (s * x + c * d.w) - s * rate.w,
          v[1] + v[2] * (c * x - s * d.w) + c * rate.w,
          d.slope,
          d.curvature};
}

// Gauss with 4 points: exact up to degree 7.
constexpr std::array nodes = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
constexpr std::array weights = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};

TEST(Beams, HaveTheEnergyOfTheirIntegrals) {
  const TextModel model = read_model("m.toml", free_beam);
  std::mt19937_64 random(3);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(*model.problem, random);
    const Vec q = s.q(), v = s.v();
    double energy = 0;
    for (int e = 0; e < elements; ++e)
      for (std::size_t g = 0; g < nodes.size(); ++g) {
        const BeamPoint p = point_at(q, v, e, nodes[g]);
        const double share = weights[g] / elements;
        energy += share * mass * ((p.vx * p.vx + p.vy * p.vy) / 2 - gx * p.x - gy * p.y) +
                  share * length * bending / 2 * p.curvature * p.curvature;
      }
    Vec values(4);
    model.problem->measure(s, values);
    EXPECT_NEAR(values[0], energy, 1e-12 * (1 + std::abs(energy)));
    const BeamPoint tip = point_at(q, v, elements - 1, 1);
    EXPECT_NEAR(values[1], tip.x, 1e-13);
    EXPECT_NEAR(values[2], tip.vy, 1e-13);
    EXPECT_NEAR(values[3], q[2] + tip.slope, 1e-13);
  }
}

// sqrt of the eigenvalues of the linear motion about the start, the smallest first.
Vec frequencies(const MechanicalProblem& p) {
  const State s = p.initial_state();
  const auto jacobians = testing_models::jacobians_of(p, 0, s.q(), s.v());
  MatrixSlot m = p.mass_pattern(), G = p.constraints()->pattern();
  p.mass(s.q(), m);
  p.constraints()->jacobian(0, s.q(), G);
  const Mat free = test::orthonormal_complement(dense(G).transpose());
  const Mat k = -free.transpose() * dense(jacobians.by_position) * free, mass_of = free.transpose() * dense(m) * free;
  return test::symmetric_pairs((k + k.transpose()) / 2, mass_of).values.cwiseMax(0).cwiseSqrt();
}

TEST(Beams, HeldAtOneEndSwingAsCantilevers) {
  const TextModel model = read_model("m.toml", R"toml(
[beams]
rod = { length = 1, mass = 1, stiffness = 1, elements = 20 }
[[joint]]
kind = "rigid"
to = "rod.base"
)toml");
  const Vec found = frequencies(mechanics(model));
  EXPECT_NEAR(found[0], 3.5160152685, 1e-6);  // roots of cos(b) cosh(b) = -1, squared
  EXPECT_NEAR(found[1], 22.034491565, 1e-4);
}

TEST(Beams, BetweenPinsSwingAsBeamsOnTwoSupports) {
  const TextModel model = read_model("m.toml", R"toml(
[beams]
rod = { length = 1, mass = 1, stiffness = 1, elements = 20 }
[[joint]]
kind = "revolute"
to = "rod.base"
[[joint]]
kind = "point_on_line"
to = "rod.tip"
)toml");
  const Vec found = frequencies(mechanics(model));
  EXPECT_NEAR(found[0], std::numbers::pi * std::numbers::pi, 1e-5);
  EXPECT_NEAR(found[1], 4 * std::numbers::pi * std::numbers::pi, 1e-3);
}

TEST(Beams, OfTheSliderCrankMoveAsInItsOwnCoordinates) {
  auto rod = ModelRegistry::all().find("flexible_rod").make({}),
       own = ModelRegistry::all().find("slider_crank").make({});
  const Vec found = frequencies(mechanics(*rod));
  const double known[] = {0, 176.04, 659.09, 1481.1, 2855.8, 4530.8, 7154.3, 10716, 13017};
  ASSERT_EQ(found.size(), 9);
  for (Index k = 0; k < 9; ++k) EXPECT_NEAR(found[k], known[k], 5e-5 * known[k] + 1e-2);
  const RunPlan plan = testing_models::plan_with("dop853", 0.04, 1e-9);
  const Vec a = end_of(std::move(rod), plan), b = end_of(std::move(own), plan);
  EXPECT_NEAR(a[2], b[0], 1e-8);   // crank
  EXPECT_NEAR(a[8], b[1], 1e-8);   // rod
  EXPECT_NEAR(a[3], b[10], 1e-8);  // slider
  EXPECT_NEAR(a[12], b[5], 1e-9);  // its tip
  EXPECT_GT(std::abs(b[5]), 1e-5);
}

// All 14 angles and rates at t = 0.03 as the Test Set for Initial Value Problem Solvers prints them.
TEST(Squeezer, EndsWhereItIsPublishedToEnd) {
  const Vec y =
      end_of(ModelRegistry::all().find("squeezer").make({}), testing_models::plan_with("dop853", 0.03, 1e-11));
  const double known[] = {0.1581077119629904e2,  -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                          0.5244099658805304,    0.5347301163226948,    0.1048080741042263e1,  0.1139920302151208e4,
                          -0.1424379294994111e4, 0.1103291221937134e2,  0.1929337464421385e2,  0.5735699284790808,
                          -0.1929337464421385e2, 0.3231791658026955};
  for (const Index rates : {0, 1}) {
    const auto angle = [&](int bar) { return y[21 * rates + 3 * bar - 1]; };
    const double found[] = {angle(1), angle(2) - angle(1), angle(3), angle(4) - angle(5),
                            angle(5), angle(6) - angle(7), angle(7)};
    for (int k = 0; k < 7; ++k)
      EXPECT_NEAR(found[k], known[7 * rates + k], (rates ? 2e-6 : 1e-8) * (1 + std::abs(known[7 * rates + k]))) << k;
  }
}
}  // namespace
