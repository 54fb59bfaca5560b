// SPDX-License-Identifier: BSD-3-Clause
// Beams, compared with integrals along them and with known frequencies and motions.
#include "support/algebra.hpp"
#include "support/equal_mechanics.hpp"
#include "support/text_models.hpp"

#include <array>
#include <numbers>

#include <fmt/format.h>

namespace {
using namespace trill;
using namespace trill::test;
using testing::AllOf;
using testing::HasSubstr;
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

// The deflection w and its derivatives with respect to x inside an element, from the values at its ends.
struct Deflection {
  double w, slope, curvature;
};
Deflection hermite(double w0, double s0, double w1, double s1, double h, double z) {
  const double a = w1 - w0 - h * s0, b = h * (s1 - s0);  // w = w0 + h s0 z + (3a - b) z^2 + (b - 2a) z^3
  return {w0 + h * s0 * z + (3 * a - b) * z * z + (b - 2 * a) * z * z * z,
          s0 + (2 * (3 * a - b) * z + 3 * (b - 2 * a) * z * z) / h, (2 * (3 * a - b) + 6 * (b - 2 * a) * z) / (h * h)};
}

// A point of the beam with its velocity. The coordinates of the beam are x, y and the angle of its base, then the
// deflections and then the slopes at the ends of the elements.
struct BeamPoint {
  double x, y, vx, vy, slope, curvature;
};
Deflection deflection_at(const Vec& y, int element, double z) {
  const double w0 = element > 0 ? y[3 + element - 1] : 0, s0 = element > 0 ? y[3 + elements + element - 1] : 0;
  return hermite(w0, s0, y[3 + element], y[3 + elements + element], length / elements, z);
}
BeamPoint point_at(const Vec& q, const Vec& v, int element, double z) {
  const Deflection d = deflection_at(q, element, z), rate = deflection_at(v, element, z);
  const double x = length / elements * (element + z), c = std::cos(q[2]), s = std::sin(q[2]);
  return {q[0] + c * x - s * d.w,
          q[1] + s * x + c * d.w,
          v[0] - v[2] * (s * x + c * d.w) - s * rate.w,
          v[1] + v[2] * (c * x - s * d.w) + c * rate.w,
          d.slope,
          d.curvature};
}

// The Gauss rule with 4 points, which is exact up to degree 7.
constexpr std::array nodes = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
constexpr std::array weights = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};

// The distance by which bending moves a point along the beam, u = -1/2 times the integral of w'^2, and its rate. It is
// negative, towards the base.
struct Shift {
  double u = 0, rate = 0;
};
Shift shift_at(const Vec& q, const Vec& v, int element, double z) {
  Shift shift;
  for (int e = 0; e <= element; ++e) {
    const double end = e < element ? 1 : z;
    for (std::size_t g = 0; g < nodes.size(); ++g) {
      const double share = weights[g] * end * length / elements;
      const double slope = point_at(q, v, e, nodes[g] * end).slope, rate = point_at(v, v, e, nodes[g] * end).slope;
      shift.u -= share * slope * slope / 2;
      shift.rate -= share * slope * rate;
    }
  }
  return shift;
}

// The straight line in x that is the best approximation of u along the beam.
struct Line {
  double middle = 0, slope = 0;
  double at(double x) const { return middle + slope * (x - length / 2); }
};
Line line_of_shift(const Vec& q, const Vec& v) {
  Line line;
  for (int e = 0; e < elements; ++e)
    for (std::size_t g = 0; g < nodes.size(); ++g) {
      const double u = shift_at(q, v, e, nodes[g]).u, x = length / elements * (e + nodes[g]);
      line.middle += weights[g] / elements * u;
      line.slope += weights[g] / elements * 12 / (length * length) * (x - length / 2) * u;
    }
  return line;
}

// The contribution of the shift to the energy per unit of mass, up to second order in the deflections.
double energy_of_shift(const Vec& q, const Vec& v, double x, const Shift& by) {
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  const double forward = c * v[0] + s * v[1], sideways = c * v[1] - s * v[0];
  return v[2] * v[2] * x * by.u + forward * by.rate + sideways * v[2] * by.u - (gx * c + gy * s) * by.u;
}

class BeamEnergy : public ::testing::TestWithParam<bool> {};

TEST_P(BeamEnergy, IsThatOfItsIntegrals) {
  const bool shortens = GetParam();
  std::string text = free_beam;
  if (!shortens) text.replace(text.find("elements = 3"), 12, "elements = 3, shortening = false");
  const TextModel model = read_model("m.toml", text);
  std::mt19937_64 random(3);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(*model.problem, random);
    const Vec q = s.q(), v = s.v();
    const Line line = line_of_shift(q, v);
    double energy = 0;
    for (int e = 0; e < elements; ++e)
      for (std::size_t g = 0; g < nodes.size(); ++g) {
        const BeamPoint p = point_at(q, v, e, nodes[g]);
        const double share = weights[g] / elements;
        energy += share * mass * ((p.vx * p.vx + p.vy * p.vy) / 2 - gx * p.x - gy * p.y) +
                  share * length * bending / 2 * p.curvature * p.curvature;
        const double x = length / elements * (e + nodes[g]);
        if (!shortens) continue;
        energy += share * mass * energy_of_shift(q, v, x, shift_at(q, v, e, nodes[g]));
        energy += share * mass * v[2] * deflection_at(v, e, nodes[g]).w * line.at(x);
      }
    Vec values(4);
    model.problem->measure(s, values);
    EXPECT_NEAR(values[0], energy, 1e-12 * (1 + std::abs(energy)));
    const BeamPoint tip = point_at(q, v, elements - 1, 1);
    const Shift by = shortens ? shift_at(q, v, elements - 1, 1) : Shift{};
    const double c = std::cos(q[2]), sine = std::sin(q[2]);
    EXPECT_NEAR(values[1], tip.x + c * by.u, 1e-13);
    EXPECT_NEAR(values[2], tip.vy + c * v[2] * by.u + sine * by.rate, 1e-13);
    EXPECT_NEAR(values[3], q[2] + tip.slope, 1e-13);
  }
}
INSTANTIATE_TEST_SUITE_P(Beams, BeamEnergy, ::testing::Bool());

// The angular frequencies of the linearised motion about the start, the smallest first.
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
  EXPECT_NEAR(found[0], 3.5160152685, 1e-6);  // the squared roots of cos(b) cosh(b) = -1
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

std::string turning_beam(const std::string& beam, double speed, const std::string& more = "") {
  return fmt::format(R"toml(
[beams]
rod = {{ {}, angular_velocity = {} }}
[[joint]]
kind = "revolute"
to = "rod.base"
[[driver]]
of = "rod.angle"
value = "{}*t"
)toml",
                     beam, speed, speed) +
         more;
}

// The known frequencies come from Ritz's method with polynomials in rational arithmetic. In the unit
// sqrt(EI/(mass/length))/length^2, a beam that rotates at 4 oscillates out of the plane of rotation at 5.5850014 and
// 24.2733494, one that rotates at 6 oscillates at 7.3603730 and 26.8090820. In the plane the squares of the
// frequencies are smaller by the square of the rate of rotation.
TEST(Beams, StiffenWhereTheyTurn) {
  const double known[][3] = {{4, 3.8977225, 23.9415014}, {6, 4.2632254, 26.1290428}};
  const double l = 1.7, m = 2.2, EI = 5, unit = std::sqrt(EI / (m / l)) / (l * l);
  for (const auto& [speed, first, second] : known) {
    const std::string beam = fmt::format("length = {}, mass = {}, stiffness = {}, elements = 20", l, m, EI);
    const TextModel model = read_model("m.toml", turning_beam(beam, speed * unit));
    const Vec found = frequencies(mechanics(model));
    EXPECT_NEAR(found[0] / unit, first, 1e-5);
    EXPECT_NEAR(found[1] / unit, second, 1e-3);
  }
}

// A beam of nearly zero mass with a mass at its tip, which pulls with T = m l Omega^2. Under this tension the
// stiffness at the tip is T/(l - tanh(k l)/k) with k^2 = T/EI.
TEST(Beams, StiffenUnderTheTensionOfAMassAtTheirTip) {
  const double l = 1.4, EI = 3, m = 2, speed = 5, T = m * l * speed * speed, k = std::sqrt(T / EI);
  const std::string beam = fmt::format("length = {}, mass = 1e-6, stiffness = {}, elements = 12", l, EI);
  const TextModel model =
      read_model("m.toml", turning_beam(beam, speed, "[[kinetic]]\nenergy = \"(vrod.tip.x^2 + vrod.tip.y^2)\"\n"));
  const double first = frequencies(mechanics(model))[0];
  EXPECT_NEAR(first * first, T / (l - std::tanh(k * l) / k) / m - speed * speed, 1e-3);
}

// The mass at the tip is now a body on a joint, so that the force of the joint stiffens the beam.
TEST(Beams, FeelWhatPullsAtTheirJoints) {
  const std::string beam = "length = 1.4, mass = 0.8, stiffness = 3, elements = 3";
  const std::string push = "[[force]]\nat = \"rod.tip\"\nvalue = [0, \"3*sin(4*t)\"]\n";
  const TextModel alone =
      read_model("m.toml", turning_beam(beam, 4, push + "[[kinetic]]\nenergy = \"(vrod.tip.x^2 + vrod.tip.y^2)\"\n"));
  const TextModel joined = read_model("m.toml", turning_beam(beam, 4, push + R"toml(
[bodies]
load = { mass = 2, inertia = 1, start = [1.4, 0], velocity = [0, 5.6] }
[[joint]]
kind = "revolute"
from = "rod.tip"
to = "load"
)toml"));
  const auto tip = [](const TextModel& model, const char* name) {
    const Solution run =
        testing_models::run_of(model.problem->clone(), testing_models::plan_with("dop853", 1.2, 1e-10));
    const auto components = model.problem->components();
    for (std::size_t k = 0; k < components.size(); ++k)
      if (components[k].name == name) return testing_models::last_of(run)[static_cast<Index>(k)];
    return 0.0;
  };
  const double found = tip(joined, "rod[2].deflection");
  EXPECT_NEAR(found, tip(alone, "rod[2].deflection"), 1e-7);
  EXPECT_GT(std::abs(found), 1e-3);
}

const Notice* find_notice(const Solution& s, const std::string& code) {
  for (const Notice& n : s.outcome.notices)
    if (n.code == code) return &n;
  return nullptr;
}

// The spin-up of Kane, Ryan and Banerjee: a beam of 10 m reaches 6 rad/s in 15 s. The largest lag of its tip is
// 0.57305 in a fully nonlinear model of plane finite elements, and 0.57369 in their linear model with the stress of
// the rotation.
const char* const spin_up = R"toml(
[beams]
arm = { length = 10, mass = 12, stiffness = 1.4e4, elements = 3 }
[[joint]]
kind = "revolute"
to = "arm.base"
[[driver]]
of = "arm.angle"
value = "0.4*(t^2/2 + (7.5/pi)^2*(cos(pi*t/7.5) - 1))"
)toml";

TEST(Beams, LagBehindWhileTheySpinUp) {
  RunPlan plan = testing_models::plan_with("dop853", 15, 1e-7);
  const Solution run = testing_models::run_of(read_model("m.toml", spin_up).problem, plan);
  double lag = 0;
  for (Index k = 0; k < run.rows(); ++k) lag = std::min(lag, run.y().col(k)[5]);
  EXPECT_NEAR(lag, -0.5737, 2e-3);
  EXPECT_NEAR(testing_models::last_of(run)[5], 0, 0.02);
  EXPECT_EQ(find_notice(run, "large_slopes"), nullptr);
}

// The kinetic energy of a bent beam must be positive for every motion, however short its elements are.
TEST(Beams, HavePositiveMassWhereTheyAreBent) {
  for (const int count : {2, 6, 12}) {
    std::string text = spin_up;
    text.replace(text.find("elements = 3"), 12, fmt::format("elements = {}", count));
    const TextModel model = read_model("m.toml", text);
    const MechanicalProblem& p = mechanics(model);
    Vec q = Vec::Zero(p.layout().nq);
    for (int i = 0; i < count; ++i) {
      const double x = 10.0 * (i + 1) / count;
      q[3 + i] = 0.015 * x * x;  // the slope at the tip is 0.3
      q[3 + count + i] = 0.03 * x;
    }
    MatrixSlot m = p.mass_pattern();
    p.mass(q, m);
    EXPECT_GT(test::symmetric_pairs(dense(m), Mat::Identity(q.size(), q.size())).values.minCoeff(), 0) << count;
  }
}

TEST(Beams, OfManyElementsSpinUpWithImplicitMethods) {
  std::string text = spin_up;
  text.replace(text.find("elements = 3"), 12, "elements = 5");
  const auto end = [&](const char* method, double rtol) {
    const Solution run =
        testing_models::run_of(read_model("m.toml", text).problem, testing_models::plan_with(method, 4, rtol));
    EXPECT_EQ(find_notice(run, "singular_position"), nullptr) << method;
    return run.ok() ? testing_models::last_of(run)[7] : HUGE_VAL;
  };
  const double exact = end("dop853", 1e-8);
  EXPECT_NEAR(end("radau", 1e-6), exact, 1e-5);
  EXPECT_NEAR(end("generalized_alpha", 1e-5), exact, 2e-2 * std::abs(exact));
}

// Without stiffening the deflection grows without bound as soon as the rotation is faster than the oscillation of the
// beam.
TEST(Beams, AreNotFollowedBeyondSmallSlopes) {
  std::string text = spin_up;
  text.replace(text.find("elements = 3"), 12, "elements = 3, shortening = false");
  for (const char* method : {"dop853", "radau", "generalized_alpha"}) {
    const RunPlan plan = testing_models::plan_with(method, 15, 1e-6);
    const Solution run = prepare(plan, read_model("m.toml", text).problem, {}).run();
    EXPECT_EQ(run.outcome.status, RunStatus::refused) << method;
    EXPECT_THAT(run.outcome.message, AllOf(HasSubstr("beam 'arm'"), HasSubstr("at t = "), HasSubstr("slope")));
    const Notice* doubt = find_notice(run, "large_slopes");
    ASSERT_NE(doubt, nullptr) << method;
    EXPECT_EQ(doubt->severity, Severity::doubt);
    EXPECT_GT(doubt->value, 0.3);
    EXPECT_GT(doubt->t, 5);
    EXPECT_LT(doubt->t, 15);
  }
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
  EXPECT_NEAR(a[12], b[5], 1e-9);  // tip of the rod
  EXPECT_GT(std::abs(b[5]), 1e-5);
}

// All 14 angles and rates at t = 0.03, as printed by the Test Set for Initial Value Problem Solvers.
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
