// SPDX-License-Identifier: BSD-3-Clause
// The slider cranks, compared with the equations of their source (with integrals by quadrature) and with runs of
// programs that share no code with trill.
#include "formulation/frequencies.hpp"
#include "support/equal_mechanics.hpp"
#include "support/text_models.hpp"

namespace {
using namespace trill;
using namespace trill::test;
using testing_models::force_of;
using testing_models::last_of;

constexpr Index k = 3, rod = 2 * k;
constexpr double l1 = 0.15, l2 = 0.3, J1 = 0.002727, m3 = 0.075552, tau = 0.2;

std::unique_ptr<Problem> make(std::string_view name, const OptionSet& given = {}) {
  return ModelRegistry::all().find(name).make(given);
}

// Integrals over the rod of the four cubic shape functions of each element. Deflections come first, then slopes.
struct Rod {
  Mat mass = Mat::Zero(rod, rod), stiffness = mass;
  Vec first = Vec::Zero(rod), second = first;  // integrals of N and of x N
  double whole = 7870 * 0.064 * 0.001 * l2;
  Rod() {
    const double length = l2 / k, density = whole / l2, bending = 2e11 * 0.064 * 1e-9 / 12;
    const double inner = std::sqrt(3. / 7 - 2. / 7 * std::sqrt(1.2)),
                 outer = std::sqrt(3. / 7 + 2. / 7 * std::sqrt(1.2));
    const double heavy = (18 + std::sqrt(30)) / 36, light = (18 - std::sqrt(30)) / 36;
    for (Index e = 0; e < k; ++e)
      for (const auto& [place, weight] : {std::pair{-outer, light}, {-inner, heavy}, {inner, heavy}, {outer, light}}) {
        const double z = (1 + place) / 2, dx = weight * length / 2, x = (static_cast<double>(e) + z) * length;
        Vec n = Vec::Zero(rod), curvature = n;
        const auto add = [&](Index node, double w, double s, double ddw, double dds) {
          if (node < 0) return;
          n[node] += w, n[k + node] += s * length;
          curvature[node] += ddw / (length * length), curvature[k + node] += dds / length;
        };
        add(e - 1, 1 - 3 * z * z + 2 * z * z * z, z - 2 * z * z + z * z * z, 12 * z - 6, 6 * z - 4);
        add(e, 3 * z * z - 2 * z * z * z, z * z * z - z * z, 6 - 12 * z, 6 * z - 2);
        mass += density * dx * n * n.transpose();
        first += density * dx * n;
        second += density * dx * x * n;
        stiffness += bending * dx * curvature * curvature.transpose();
      }
  }
};

TEST(SliderCrankModel, HasTheEquationsOfItsSource) {
  const Rod r;
  const auto problem = make("slider_crank", {{"k", "3"}});
  const MechanicalProblem& p = mechanics(*problem);
  std::mt19937_64 random(5);
  for (int sample = 0; sample < 20; ++sample) {
    const State s = random_state(*problem, random);
    const Vec y = s.q(), v = s.v(), q = y.segment(2, rod), u = v.segment(2, rod);
    const double c = std::cos(y[0] - y[1]), d = std::sin(y[0] - y[1]);
    Mat m = Mat::Zero(rod + 3, rod + 3);
    m(0, 0) = J1 + r.whole * l1 * l1;
    m(0, 1) = m(1, 0) = l1 * l2 * r.whole / 2 * c + l1 * d * r.first.dot(q);
    m(1, 1) = r.whole * l2 * l2 / 3 + q.dot(r.mass * q);
    m.block(0, 2, 1, rod) = l1 * c * r.first.transpose();
    m.block(1, 2, 1, rod) = r.second.transpose();
    m.block(2, 0, rod, 2) = m.block(0, 2, 2, rod).transpose();
    m.block(2, 2, rod, rod) = r.mass;
    m(rod + 2, rod + 2) = m3;
    MatrixSlot ours = p.mass_pattern();
    p.mass(y, ours);
    expect_equal(dense(ours), m, "mass", 1e-12);
    Vec f = Vec::Zero(rod + 3);
    const double w1 = v[0], w2 = v[1];
    f[0] = tau - l1 * l2 * r.whole / 2 * w2 * w2 * d + l1 * w2 * w2 * c * r.first.dot(q) -
           2 * l1 * w2 * d * r.first.dot(u);
    f[1] = l1 * l2 * r.whole / 2 * w1 * w1 * d - l1 * w1 * w1 * c * r.first.dot(q) - 2 * w2 * u.dot(r.mass * q);
    f.segment(2, rod) = w2 * w2 * r.mass * q + l1 * w1 * w1 * d * r.first - r.stiffness * q;
    expect_equal(force_of(p, s.t, y, v), f, "force", 1e-11);
  }
}

// Angular frequencies at the start for k = 4, from a program that shares no code with trill.
TEST(SliderCrankModel, HasTheFrequenciesOfItsRod) {
  const auto check = [](const OptionSet& given, const std::vector<double>& expected) {
    const auto problem = make("slider_crank", given);
    std::vector<double> found;
    for (const auto& value : local_eigenvalues(*problem, problem->initial_state()))
      if (value.imag() > 1) found.push_back(value.imag());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i] / expected[i], 1, 1e-3) << i;
  };
  check({}, {176.04, 659.09, 1481.1, 2855.8, 4530.8, 7154.3, 10716, 13017});
  check({{"width", "0.008"}, {"height", "0.008"}}, {1408.3, 5272.7, 11849, 22846, 36246, 57234, 85730, 104130});
}

// phi1, phi2, x3, the deflections of the middle and of the tip, and the energy, from extrapolation of the explicit
// midpoint rule in extended precision. Two step sizes agree to 4e-14.
TEST(SliderCrankModel, MovesAsAnIndependentProgramSays) {
  RunPlan plan;
  plan.model = "slider_crank";
  plan.method = "dop853";
  plan.rtol = 1e-9;
  plan.atol = 1e-13;
  plan.to = 0.4;
  plan.output = Times{{0.2, 0.4}};
  const Solution s = prepare(plan).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  ASSERT_EQ(s.outcome.events.size(), 1u);
  EXPECT_NEAR(s.outcome.events[0].t, 0.3, 1e-12);
  const auto row = [&](Index r) { return Vec(s.y().col(r)({0, 1, 10, 3, 5})); };
  const Vec first{{0.84630943909828336, -0.38275970909298336, 0.37759065049401772, -6.8045364529431143e-05,
                   -0.00030331738930676325}},
      last{{2.6824356978066852, -0.22252936406470454, 0.15807771355431171, -5.7439879892429507e-05,
            -0.000276501806438204}};
  Index at = 0;
  while (s.t[static_cast<std::size_t>(at)] < 0.2) ++at;
  EXPECT_LE((row(at) - first).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((row(s.rows() - 1) - last).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(SliderCrankModel, KeepsItsEnergyOnceTheTorqueHasEnded) {
  RunPlan plan;
  plan.model = "slider_crank";
  plan.method = "dop853";
  plan.rtol = 1e-10;
  plan.atol = 1e-13;
  plan.to = 0.4;
  const Solution s = prepare(plan).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  const auto energy = std::find_if(s.info.quantities.begin(), s.info.quantities.end(),
                                   [](const Quantity& q) { return q.name == "energy"; });
  const Index column = energy - s.info.quantities.begin();
  for (Index r = 0; r < s.rows(); ++r)
    if (s.t[static_cast<std::size_t>(r)] > 0.3 + 1e-9) {
      EXPECT_NEAR(s.measured()(column, r), 0.32128901660851850, 1e-10) << r;
    }
}

// Positions, velocities and multipliers at t = 0.3, from a program that shares no code with trill.
TEST(RigidSliderCrankModel, EndsWhereAnIndependentProgramDoes) {
  RunPlan plan;
  plan.model = "rigid_slider_crank";
  plan.method = "dop853";
  plan.rtol = 1e-12;
  const Vec end = last_of(prepare(plan).run());
  const Vec expected{{6.45743325982078, -0.086792690487468, 0.446599343172677, 31.721489871048, -15.679588696101,
                      -1.232671168341, 4.321317574431, 15.816067623589}};
  for (Index i = 0; i < 8; ++i) EXPECT_NEAR(end[i], expected[i], i < 6 ? 1e-10 : 1e-9) << i;
}
}  // namespace
