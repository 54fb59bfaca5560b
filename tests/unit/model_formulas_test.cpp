// SPDX-License-Identifier: BSD-3-Clause
// Shipped text models that have no twin written in C++, compared with the formulas of their sources.
#include "support/algebra.hpp"
#include "support/equal_mechanics.hpp"
#include "trill/problem/model_registry.hpp"

#include <numbers>

#include <gtest/gtest.h>

namespace {
using namespace trill;
using namespace trill::test;

std::unique_ptr<Problem> make(std::string_view name, const OptionSet& given = {}) {
  return ModelRegistry::all().find(name).make(given);
}

double measured(const Problem& problem, const State& s, std::string_view name) {
  const auto quantities = problem.quantities();
  Vec values(static_cast<Index>(quantities.size()));
  problem.measure(s, values);
  for (std::size_t i = 0; i < quantities.size(); ++i)
    if (quantities[i].name == name) return values[static_cast<Index>(i)];
  ADD_FAILURE() << "no quantity " << name;
  return std::nan("");
}

// `formula` gives the force for a state.
void expect_force(const Problem& problem, const std::function<Vec(const Vec& q, const Vec& v)>& formula) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(problem, random);
    const Vec q = s.q(), v = s.v();
    Vec f(q.size());
    mechanics(problem).force(all_groups, s.t, q, v, f);
    expect_equal(f, formula(q, v), "force", 1e-12);
  }
}

TEST(BushingModel, IsThatOfThePaper) {
  const auto problem = make("bushing", {{"kx", "3e4"}, {"ky", "2e4"}});
  expect_force(*problem, [](const Vec& q, const Vec&) {  // PJY97 eq. 3.3
    const double fx = 0.5 - q[0] + std::cos(q[2]) / 2, fy = q[1] - std::sin(q[2]) / 2;
    return Vec{{3e4 * fx, -2e4 * fy - 1, -1e3 * q[2] + std::sin(q[2]) / 2 * 3e4 * fx + std::cos(q[2]) / 2 * 2e4 * fy}};
  });
  EXPECT_EQ(problem->initial_state().q(), (Vec{{1.1, 0.1, 0}}));
}

TEST(BushingConstrainedModel, IsThatOfThePaper) {
  const auto problem = make("bushing_constrained", {{"epsilon", "0.01"}});
  expect_force(*problem, [](const Vec& q, const Vec&) {  // YPR98 eq. 4.4 with the torque of the potential
    const double k = 1e4, fx = 0.5 - q[0] + std::cos(q[2]) / 2, fy = -q[1] + std::sin(q[2]) / 2;
    return Vec{{k * fx, k * fy + 1, -k / 10 * q[2] - k / 2 * (std::cos(q[2]) * fy - std::sin(q[2]) * fx)}};
  });
  expect_equal(problem->initial_state().q(), Vec{{0.8, 0.6, 0}}, "start", 1e-15);
  // E0 = 0.2/epsilon^2, apart from gravity.
  EXPECT_NEAR(measured(*problem, problem->initial_state(), "energy"), 0.2e4 - 0.6, 1e-10);
}

// PJY97 sec. 3.1: f_b = A_i K A_i^T d_ij, tau_b = ktheta theta_ij. The force acts at the ends of both bars.
TEST(BushingPendulumModel, HasTheForceOfTheBushing) {
  const auto problem = make("bushing_pendulum", {{"kx", "300"}, {"ky", "700"}, {"ktheta", "50"}});
  expect_force(*problem, [](const Vec& q, const Vec&) {
    using V2 = Eigen::Vector2d;
    const auto turn = [](double a) { return Eigen::Rotation2Dd(a).toRotationMatrix(); };
    const auto cross = [](const V2& a, const V2& b) { return a.x() * b.y() - a.y() * b.x(); };
    const V2 r1(q[0], q[1]), r2(q[3], q[4]), s(0.5, 0);
    const V2 end = turn(q[2]) * s, beginning = -(turn(q[5]) * s), d = r2 + beginning - r1 - end;
    const V2 f = turn(q[2]) * V2(300, 700).asDiagonal() * turn(q[2]).transpose() * d;
    const double tau = 50 * (q[5] - q[2]);
    // The frame of the bushing turns with bar 1, so this bar also carries the moment that the force has over the gap.
    return Vec{{f.x(), f.y() - 1, cross(end + d, f) + tau, -f.x(), -f.y() - 1, -cross(beginning, f) - tau}};
  });
}

TEST(SpringModel, IsThatOfThePaper) {
  expect_force(*make("spring", {{"omega", "30"}}), [](const Vec& q, const Vec&) {  // SAT09 sec. 2, example 2
    const double r = std::hypot(q[0], q[1]);
    return Vec(-900 * (r - 1) / r * q);
  });
}

TEST(NormalModesModel, HasItsEigenvectors) {
  const Mat v{{2 / 3.0, 2 / 3.0, 1 / 3.0}, {-2 / 3.0, 1 / 3.0, 2 / 3.0}, {1 / 3.0, -2 / 3.0, 2 / 3.0}};
  expect_equal(v.transpose() * v, Mat::Identity(3, 3), "orthonormal", 1e-15);
  const Mat S = v * Vec{{std::pow(1.5 * 20, 2), std::pow(3.0 * 20, 2), 0.49}}.asDiagonal() * v.transpose();
  expect_force(*make("normal_modes", {{"omega", "20"}, {"kappa1", "1.5"}, {"kappa2", "3"}, {"kappa3", "0.7"}}),
               [&](const Vec& q, const Vec&) { return Vec(-S * q); });
}

// PJY97 sec. 4.5. However it is split, the sum is the Coulomb force.
TEST(ChargesModel, SplitsTheForceOfCoulomb) {
  for (const char* distance : {"0.5", "2"}) {
    const auto problem = make("charges", {{"distance0", distance}, {"C", "-1.5"}});
    expect_force(*problem, [](const Vec& q, const Vec&) {
      const Vec d = q.head(2) - q.tail(2), f = -1.5 / std::pow(d.norm(), 3) * d;
      Vec both(4);
      both << f, -f;
      return both;
    });
    const auto& p = mechanics(*problem);
    Vec soft(4);
    const Vec q = problem->initial_state().q();
    p.force(slow_groups(p), 0, q, q, soft);
    const double r = q[0] - q[2];
    EXPECT_NEAR(soft[0], r < 1 ? -1.5 * r : -1.5 / (r * r), 1e-14);  // the gradient of C r^2/2, or of -C/r
  }
  // The orbit is an ellipse with the apocentre 2: a = |C|/(2 |E|) with E = -0.41, and the pericentre is 2 a - 2.
  RunPlan plan;
  plan.model = "charges";
  plan.method = "dop853";
  plan.rtol = 1e-10;
  PreparedRun run = prepare(plan);
  const Solution solution = run.run();
  double nearest = 9;
  for (Index i = 0; i < solution.rows(); ++i) {
    const auto y = solution.y().col(i);
    nearest = std::min(nearest, std::hypot(y[0] - y[2], y[1] - y[3]));
  }
  EXPECT_NEAR(nearest, 1 / 0.41 - 2, 1e-2);
}

// The accelerations by J2 and by drag, in components.
TEST(SatelliteModel, HasTheForcesOfTheTextbook) {
  const double mu = 398600.4418, R = 6378.137, J2 = 1.08262668e-3;
  const auto problem = make("satellite", {{"B", "1e6"}});
  expect_force(*problem, [&](const Vec& q, const Vec& v) {
    const double r = q.norm(), c = 1.5 * J2 * std::pow(R / r, 2), z2 = std::pow(q[2] / r, 2);
    const double rho = 3.6e-14 * std::exp(-(r - R - 700) / 90);              // kg/m^3
    const Vec drag = -0.5 * 1e6 * rho * (1e3 * v.norm()) * (1e3 * v) / 1e3;  // km/s^2
    const double k = -mu / std::pow(r, 3);
    return Vec(
        Vec{{k * q[0] * (1 - c * (5 * z2 - 1)), k * q[1] * (1 - c * (5 * z2 - 1)), k * q[2] * (1 - c * (5 * z2 - 3))}} +
        drag);
  });
}

// The accelerations by J3, J4 and a third body, in components (Vallado, Fundamentals of Astrodynamics, sec. 8.7).
TEST(SatelliteModel, HasTheSmallForcesOfTheTextbook) {
  const double mu = 398600.4418, R = 6378.137, J3 = -0.2, J4 = 0.3, mu3 = 5e4, d3 = 2e4;
  const auto problem = make("satellite", {{"J2", "0"},
                                          {"B", "0"},
                                          {"J3", "-0.2"},
                                          {"J4", "0.3"},
                                          {"mu3", "5e4"},
                                          {"distance3", "2e4"},
                                          {"rate3", "0"},
                                          {"phase3", "0.8"},
                                          {"inclination3", "0.3"}});
  const Vec r3 = d3 * Vec{{std::cos(0.8), std::sin(0.8) * std::cos(0.3), std::sin(0.8) * std::sin(0.3)}};
  expect_force(*problem, [&](const Vec& q, const Vec&) {
    const double r = q.norm(), z = q[2], s = z / r;
    Vec f = -mu / std::pow(r, 3) * q + mu3 * ((r3 - q) / std::pow((r3 - q).norm(), 3) - r3 / std::pow(d3, 3));
    const double c3 = -2.5 * J3 * mu * std::pow(R, 3) / std::pow(r, 7);
    const double c4 = 15.0 / 8 * J4 * mu * std::pow(R, 4) / std::pow(r, 7);
    for (int i = 0; i < 2; ++i)
      f[i] += c3 * q[i] * (3 * z - 7 * z * s * s) + c4 * q[i] * (1 - 14 * s * s + 21 * std::pow(s, 4));
    f[2] += c3 * (6 * z * z - 7 * z * z * s * s - 0.6 * r * r) + c4 * z * (5 - 70.0 / 3 * s * s + 21 * std::pow(s, 4));
    return f;
  });
}

TEST(SatelliteModel, StartsWithItsElements) {
  const auto problem = make(
      "satellite",
      {{"a", "9000"}, {"e", "0.2"}, {"inclination", "1.1"}, {"node", "-2"}, {"perigee", "2.5"}, {"anomaly", "-1.3"}});
  const State s = problem->initial_state();
  for (const auto& [name, value] : std::vector<std::pair<const char*, double>>{{"osculating_a", 9000},
                                                                               {"osculating_e", 0.2},
                                                                               {"osculating_inclination", 1.1},
                                                                               {"osculating_node", -2},
                                                                               {"osculating_perigee", 2.5},
                                                                               {"osculating_anomaly", -1.3}})
    EXPECT_NEAR(measured(*problem, s, name), value, 1e-12 * (1 + std::abs(value))) << name;
}

TEST(SatelliteModel, TurnsItsNodeAsTheoryToFirstOrderSays) {
  RunPlan plan;
  plan.model = "satellite";
  plan.parameters = {{"B", "0"}};
  plan.method = "dop853";
  plan.rtol = 1e-10;
  PreparedRun run = prepare(plan);
  const Solution s = run.run();
  ASSERT_TRUE(s.ok());
  const double mu = 398600.4418, p = 7200 * (1 - 0.0004), n = std::sqrt(mu / std::pow(7200, 3));
  const double rate = -1.5 * 1.08262668e-3 * std::pow(6378.137 / p, 2) * n * std::cos(0.9);
  const Vec end = s.y().col(s.rows() - 1);
  const Eigen::Vector3d q = end.head(3), v = end.tail(3), h = q.cross(v);
  EXPECT_NEAR(std::atan2(h.x(), -h.y()) / (rate * 86400), 1, 0.01);
  State last = run.start;
  last.y = end;
  for (const char* invariant : {"energy", "angular_momentum_z"})
    EXPECT_NEAR(measured(*run.problem, last, invariant) / measured(*run.problem, run.start, invariant), 1, 1e-8);
}

TEST(AlkaneModel, StartsStretchedAndRelaxed) {
  const auto problem = make("alkane", {{"n", "7"}, {"epsilon", "0"}});
  const auto& p = mechanics(*problem);
  const State s = problem->initial_state();
  EXPECT_NEAR(*p.potential(all_groups, 0, s.q()), 0, 1e-12);
  Vec f(s.layout.nq);
  p.force(all_groups, 0, s.q(), s.v(), f);
  EXPECT_LE(f.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(measured(*problem, s, "end_to_end"), 6 * 1.54 * std::sin(57 * std::numbers::pi / 180), 1e-12);
  // Butane in the cis position, with all four atoms on one side: the torsion energy is 2 c1 + 2 c3.
  const auto butane = make("alkane");
  const double a = 114 * std::numbers::pi / 180, c = 1.54 * std::cos(std::numbers::pi - a), h = 1.54 * std::sin(a);
  const Vec cis{{-c, h, 0, 0, 0, 0, 1.54, 0, 0, 1.54 + c, h, 0}};
  EXPECT_NEAR(*mechanics(*butane).potential(all_groups, 0, cis), 2 * (0.70552 + 1.57252), 1e-12);
}

TEST(ChainModel, CountsItsPairs) {
  const auto problem = make("chain", {{"n", "6"}, {"epsilon", "2"}, {"sigma", "1.1"}});
  Vec line = Vec::Zero(18);
  for (Index i = 0; i < 6; ++i) line[3 * i] = 1.25 * static_cast<double>(i);
  const auto lennard_jones = [](double d) { return 8 * (std::pow(1.1 / d, 12) - std::pow(1.1 / d, 6)); };
  EXPECT_NEAR(*mechanics(*problem).potential(all_groups, 0, line),
              5 * 0.5e4 * 0.0625 + 4 * lennard_jones(2.5) + 3 * lennard_jones(3.75), 1e-10);
}

TEST(WireModel, HasTheForceOfTheWireAndBothDrags) {
  const auto problem = make("wire", {{"omega", "30"}, {"drag", "0.2"}, {"cubic_drag", "0.4"}});
  expect_force(*problem, [](const Vec& q, const Vec& v) {
    const double gap = q[1] - 0.6 * (1 - std::cos(1.3 * q[0])), slope = 0.78 * std::sin(1.3 * q[0]);
    return Vec(Vec{{900 * gap * slope, -900 * gap - 1}} - (0.2 + 0.4 * v.squaredNorm()) * v);
  });
  expect_equal(problem->initial_state().y, Vec{{1, 0.6 * (1 - std::cos(1.3)), 0.3, 1}}, "start", 1e-15);
}

TEST(WireModel, IsConservativeUnlessItHasDrag) {
  for (const OptionSet& given : {OptionSet{}, {{"drag", "0.1"}}, {{"cubic_drag", "0.1"}}}) {
    const auto problem = make("wire", given);
    const auto& p = mechanics(*problem);
    EXPECT_EQ(p.velocity_dependent(all_groups), !given.empty());
    EXPECT_EQ(p.potential(all_groups, 0, problem->initial_state().q()).has_value(), given.empty());
  }
}

// In the limit of large omega, x'' = -J omega d/dx sqrt(1 + x^2) with the adiabatic invariant J = E/(omega sqrt(2)),
// where E = 1 at the start. Its conserved energy gives x' as a function of x, and from this the quarter period by
// quadrature.
TEST(VaryingFrequencyModel, SwingsByTheAdiabaticInvariant) {
  const auto problem = make("varying_frequency", {{"omega", "30"}});
  expect_force(*problem, [](const Vec& q, const Vec&) {
    return Vec{{-900 * q[0] * q[1] * q[1], -900 * (1 + q[0] * q[0]) * q[1]}};
  });
  double quarter = 0;
  const int parts = 2000;
  for (int k = 0; k < parts; ++k) {  // midpoint rule; with x = sin(a) the integrand has no singularity
    const double a = (k + 0.5) * std::numbers::pi / (2 * parts), x = std::sin(a);
    const double speed = std::sqrt(std::sqrt(2.0) * (std::sqrt(2.0) - std::sqrt(1 + x * x)));
    quarter += std::cos(a) / speed * std::numbers::pi / (2 * parts);
  }
  RunPlan plan;
  plan.model = "varying_frequency";
  plan.method = "dop853";
  plan.rtol = 1e-9;
  plan.to = quarter;
  const Solution s = prepare(plan).run();
  ASSERT_TRUE(s.ok());
  EXPECT_NEAR(s.y()(0, s.rows() - 1), 0, 5e-3);
  EXPECT_NEAR(s.y()(2, s.rows() - 1), -std::sqrt(2 - std::sqrt(2.0)), 5e-3);
}

// Newton's law for the bob in the plane and for the cart along its rail must follow from the accelerations of (x,
// theta, r).
TEST(CartModel, ObeysNewton) {
  const double m1 = 0.6, m2 = 2, omega = 30;
  const auto problem = make("cart", {{"omega", "30"}, {"m1", "0.6"}, {"m2", "2"}});
  const auto& p = mechanics(*problem);
  std::mt19937_64 random(11);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(*problem, random);
    const Vec q = s.q(), v = s.v();
    MatrixSlot mass = p.mass_pattern();
    p.mass(q, mass);
    Vec f(3);
    p.force(all_groups, 0, q, v, f);
    const Vec a = test::solved(mass.as_dense(), f);
    const double sine = std::sin(q[1]), cosine = std::cos(q[1]);
    const double along = a[2] - q[2] * v[1] * v[1], across = q[2] * a[1] + 2 * v[2] * v[1];
    const double pull = m2 * omega * omega * (q[2] - 1);
    const Vec by_motion{
        {m1 * a[0], m2 * (a[0] + along * sine + across * cosine), m2 * (across * sine - along * cosine)}};
    const Vec by_force{{-q[0] + pull * sine, -pull * sine, pull * cosine - m2}};
    expect_equal(by_motion, by_force, "mass times acceleration", 1e-11);
  }
  expect_equal(make("cart")->initial_state().y, Vec{{0.3, 1.2, 1.001, 0, 0.4, 0.3}}, "start", 1e-15);
}

TEST(PlanarChainModel, IsMadeOfItsBonds) {
  const auto problem = make("planar_chain", {{"omega", "30"}, {"second", "2.5"}});
  expect_force(*problem, [](const Vec& q, const Vec&) {
    const double stiffness[] = {1, 900, 2250, 1};
    Vec f = Vec::Zero(10);
    for (Index bond = 0; bond < 4; ++bond) {
      const Vec d = q.segment(2 * bond + 2, 2) - q.segment(2 * bond, 2);
      const Vec pull = stiffness[bond] * (1 - 1 / d.norm()) * d;
      f.segment(2 * bond, 2) += pull;
      f.segment(2 * bond + 2, 2) -= pull;
    }
    return f;
  });
}

TEST(PlanarChainModel, StartsRelaxedAndBent) {
  const auto problem = make("planar_chain", {{"bend", "0.7"}});
  const State s = problem->initial_state();
  EXPECT_NEAR(*mechanics(*problem).potential(all_groups, 0, s.q()), 0, 1e-20);
  EXPECT_NEAR(measured(*problem, s, "turn"), 0.7, 1e-14);
  EXPECT_NEAR(s.y[2], 1, 1e-15);  // the first bond lies along x
  EXPECT_NEAR(s.y[3], 0, 1e-15);
}

// Two equal bonds that share a mass have the frequencies omega sqrt(2 +- cos(turn)).
TEST(PlanarChainModel, FastFrequenciesDependOnTheTurn) {
  const auto problem = make("planar_chain");
  const StrongPotential& strong = *mechanics(*problem).strong_potential();
  const State s = problem->initial_state();
  MatrixSlot slot = strong.map->pattern();
  strong.map->jacobian(0, s.q(), slot);
  const Mat G = slot.as_dense(), D = 1e6 * G * G.transpose();
  const double mean = D.trace() / 2, half = std::sqrt(mean * mean - test::determinant(D));
  const double turn = measured(*problem, s, "turn");
  EXPECT_NEAR(mean, 2e6, 1e-6);
  EXPECT_NEAR(half, 1e6 * std::cos(turn), 1e-6);
}
}  // namespace
