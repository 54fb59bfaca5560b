// SPDX-License-Identifier: BSD-3-Clause
// Rigid gaps that are chosen by the names of their force groups, and the Fixman force, with which rigid gaps have the
// same distribution as stiff ones.
#include "formulation/fixman.hpp"
#include "formulation/rigid_limit.hpp"
#include "support/mentions.hpp"
#include "support/text_models.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace trill::testing_models {
namespace {
using std::numbers::pi;

const MechanicalProblem& mechanics_in(const Problem& problem) {
  return problem.as<LangevinProblem>("the test").mechanics();
}

Vec bent_start(const MechanicalProblem& p) {
  Vec q = p.initial_state().q();
  for (Index i = 0; i < q.size(); ++i) q[i] += 0.2 * std::sin(3.0 * static_cast<double>(i) + 1);
  return q;
}

TEST(Fixman, ForceIsMinusTheGradientOfItsPotential) {
  for (const auto& [model, block] : {std::pair{"butane", 0}, {"triatomic", 0}, {"butane", 2}}) {
    const auto problem = make_model(model, {}).problem;
    const MechanicalProblem& p = mechanics_in(*problem);
    const ConstraintMap& map = *p.strong_potential()->map;
    FixmanForce fixman(p, map, map.count(), block);
    const Vec q = bent_start(p);
    Vec force = Vec::Zero(q.size());
    ASSERT_TRUE(fixman.stand_at(0, q));
    fixman.add(0.7, force);
    for (Index i = 0; i < q.size(); ++i) {
      constexpr double step = 1e-5;
      Vec moved = q;
      moved[i] += step;
      ASSERT_TRUE(fixman.stand_at(0, moved));
      const double above = fixman.potential(0.7);
      moved[i] -= 2 * step;
      ASSERT_TRUE(fixman.stand_at(0, moved));
      EXPECT_NEAR(force[i], (fixman.potential(0.7) - above) / (2 * step), 1e-7) << model << ", coordinate " << i;
    }
  }
}

// The matrix Z may be approximated by its diagonal blocks. A single block of all rows gives the exact potential;
// blocks of one row give the product of the diagonal of Z.
TEST(Fixman, BlocksOfRows) {
  const auto problem = make_model("butane", {}).problem;
  const MechanicalProblem& p = mechanics_in(*problem);
  const ConstraintMap& map = *p.strong_potential()->map;
  FixmanForce exact(p, map, map.count()), whole(p, map, map.count(), map.count()), single(p, map, map.count(), 1);
  const Vec q = bent_start(p);
  ASSERT_TRUE(exact.stand_at(0, q) && whole.stand_at(0, q) && single.stand_at(0, q));
  EXPECT_NEAR(whole.potential(1), exact.potential(1), 1e-13);
  MatrixSlot G = map.pattern();
  map.jacobian(0, q, G);
  double sum = 0;
  for (Index c = 0; c < map.count(); ++c) {
    double square = 0;
    for (Index i = 0; i < q.size(); ++i) square += G.value(c, i) * G.value(c, i) / 14.531;
    sum += 0.5 * std::log(square);
  }
  EXPECT_NEAR(single.potential(1), sum, 1e-10);
  EXPECT_GT(std::abs(single.potential(1) - exact.potential(1)), 1e-3);
}

// Constraints that were hard in the model itself do not count for the Fixman force: only the determinant of Z relative
// to that of these constraints does.
TEST(Fixman, HardRowsDoNotCount) {
  const auto problem = make_model("butane", {}).problem;
  const MechanicalProblem& p = mechanics_in(*problem);
  const ConstraintMap& map = *p.strong_potential()->map;
  FixmanForce all(p, map, map.count()), none(p, map, 0);
  const Vec q = bent_start(p);
  ASSERT_TRUE(none.stand_at(0, q));
  EXPECT_NEAR(none.potential(1), 0, 1e-12);
  Vec force = Vec::Zero(q.size());
  none.add(1, force);
  EXPECT_LT(force.cwiseAbs().maxCoeff(), 1e-12);
}

// Butane with rigid bonds and angles: sqrt(det Z) at torsions of 0 (cis) and 60 degrees, relative to its value at
// trans.
TEST(Fixman, DeterminantsOfButane) {
  const auto problem = make_model("butane", {}).problem;
  const MechanicalProblem& p = mechanics_in(*problem);
  const ConstraintMap& map = *p.strong_potential()->map;
  FixmanForce fixman(p, map, map.count());
  const auto root = [&](double phi) {
    const double b = 1.54, a = 114 * pi / 180;
    Vec q = Vec::Zero(12);
    q.segment(0, 3) << b * std::cos(a), b * std::sin(a), 0;
    q.segment(6, 3) << b, 0, 0;
    q.segment(9, 3) << b - b * std::cos(a), b * std::sin(a) * std::cos(phi), b * std::sin(a) * std::sin(phi);
    EXPECT_TRUE(fixman.stand_at(0, q));
    return std::exp(fixman.potential(1));
  };
  EXPECT_NEAR(root(0) / root(pi), 0.883829, 1e-6);
  EXPECT_NEAR(root(pi / 3) / root(pi), 1.181617, 1e-6);
}

TEST(RigidGroups, ClosesTheNamedGapsAlone) {
  const auto problem = make_model("butane", {}).problem;
  const MechanicalProblem& p = mechanics_in(*problem);
  const Groups bonds = 1, angles = 2;
  ASSERT_EQ(p.groups()[0].name, "bonds");
  ASSERT_EQ(p.groups()[1].name, "angles");
  const RigidLimit rigid(p, {.groups = bonds});
  EXPECT_EQ(rigid.constraints()->count(), 3);
  EXPECT_FALSE(rigid.closes_all());
  EXPECT_TRUE(RigidLimit(p, {.groups = bonds | angles}).closes_all());
  const Vec q = bent_start(p), v = Vec::Zero(q.size());
  Vec found(q.size()), expected(q.size());
  rigid.force(all_groups, 0, q, v, found);
  p.force(known_groups(p) & ~bonds, 0, q, v, expected);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10);

  MatrixSlot all = p.strong_potential()->map->pattern(), chosen = rigid.constraints()->pattern();
  p.strong_potential()->map->jacobian(0, q, all);
  rigid.constraints()->jacobian(0, q, chosen);
  Vec g(5), three(3);
  p.strong_potential()->map->value(0, q, g);
  rigid.constraints()->value(0, q, three);
  EXPECT_EQ(three, g.head(3));
  for (Index i = 0; i < q.size(); ++i)
    for (Index k = 0; k < 3; ++k) EXPECT_EQ(chosen.value(k, i), all.value(k, i));
}

RunPlan molecule_plan(const char* model, const OptionSet& options, double to, double h) {
  RunPlan plan;
  plan.model = model;
  plan.method = "baoab";
  plan.options = options;
  plan.to = to;
  plan.h = h;
  plan.output = EveryStep{5};
  return plan;
}

struct Sampled {
  double mean, error;
};
Sampled sampled(const Solution& s, const char* name) {
  constexpr Index blocks = 30;
  const Vec all = s.measured().row(s.quantity(name)).transpose();
  const Index first = all.size() / 20, each = (all.size() - first) / blocks;
  Vec means(blocks);
  for (Index b = 0; b < blocks; ++b) means[b] = all.segment(first + b * each, each).mean();
  return {means.mean(), std::sqrt((means.array() - means.mean()).square().sum() / (blocks * (blocks - 1)))};
}

// The density of the angle is proportional to sin e^{-V/kT}. If the bonds are rigid, it has the additional factor
// sqrt(det Z) with det Z = (1/m0 + 1/m1)(1/m1 + 1/m2) - cos^2/m1^2.
double exact_angle(bool rigid) {
  double sum = 0, weights = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = pi * (i + 0.5) / 20000, c = std::cos(x);
    const double metric = (1 + 1.0 / 12) * (1 + 1.0 / 12) - c * c, turned = x - 100 * pi / 180;
    const double w = std::sin(x) * std::exp(-turned * turned / 0.59616201) * (rigid ? std::sqrt(metric) : 1);
    sum += w * c * c;
    weights += w;
  }
  return sum / weights;
}

TEST(FixmanSampling, ATriatomicMoleculeHasTheDistributionOfStiffBonds) {
  EXPECT_NEAR(exact_angle(true), 0.15962, 1e-5);
  EXPECT_NEAR(exact_angle(false), 0.18409, 1e-5);
  const double to = std::getenv("TRILL_LONG") ? 40000 : 4000;
  for (const bool corrected : {false, true}) {
    OptionSet options{{"constraints", "bonds"}};
    if (corrected) options["correction"] = "fixman";
    const Solution s = prepare(molecule_plan("triatomic", options, to, 0.08)).run();
    ASSERT_TRUE(s.ok()) << s.outcome.message;
    const Sampled found = sampled(s, "cosine_squared");
    EXPECT_NEAR(found.mean, exact_angle(!corrected), 5 * found.error) << (corrected ? "fixman" : "none");
    EXPECT_LT(found.error, 0.005) << "the run says too little";
    EXPECT_NEAR(sampled(s, "rigid_temperature").mean, 0.59616201, 0.03);
  }
  EXPECT_GT(exact_angle(false) - exact_angle(true), 4 * 0.005);
}

TEST(FixmanSampling, ButaneWithRigidBondsAndAngles) {
  if (!std::getenv("TRILL_LONG")) GTEST_SKIP() << "TRILL_LONG=1 runs it";
  const auto run = [](const OptionSet& more, const OptionSet& parameters) {
    OptionSet options{{"constraints", "bonds+angles"}};
    options.insert(more.begin(), more.end());
    RunPlan plan = molecule_plan("butane", options, 80000, 0.1);
    plan.parameters = parameters;
    return prepare(plan).run();
  };
  const OptionSet fixman{{"correction", "fixman"}}, free{{"strength", "0"}};
  const auto expect = [](const Solution& s, const char* name, double exact) {
    const Sampled found = sampled(s, name);
    EXPECT_NEAR(found.mean, exact, 5 * found.error) << name;
    EXPECT_LT(found.error, 0.01) << name;
  };
  expect(run({}, free), "cosine_squared", 0.46263);
  expect(run(fixman, free), "cosine_squared", 0.5);
  const Solution rigid = run({}, {}), corrected = run(fixman, {});
  expect(rigid, "trans", 0.40190);
  expect(corrected, "trans", 0.42695);
  expect(rigid, "cosine_squared", 0.48830);
  expect(corrected, "cosine_squared", 0.52182);
}

std::string refusal(RunPlan plan) {
  plan.to = 1;
  try {
    prepare(plan);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(RigidGroupErrors, SayWhatIsWrong) {
  const auto said = [](const char* model, const char* method, const OptionSet& options) {
    RunPlan plan = molecule_plan(model, options, 1, 0.01);
    plan.method = method;
    return refusal(plan);
  };
  EXPECT_THAT(said("butane", "baoab", {{"constraints", "bondz"}}), mentions("rigid_limit", "bondz", "bonds"));
  EXPECT_THAT(said("butane", "baoab", {{"constraints", "torsions"}}), mentions("torsions", "stiff gaps", "rigid"));
  EXPECT_THAT(said("alkane", "rattle", {{"constraints", "bonds"}, {"correction", "fixman"}}),
              mentions("fixman", "heat_bath", "alkane"));
  EXPECT_THAT(said("butane", "baoab", {{"correction", "fixmann"}}), mentions("correction", "fixman"));
  EXPECT_THAT(said("harmonic", "verlet", {{"constraints", "bonds"}}), mentions("rigid_limit", "bonds"));
  EXPECT_EQ(said("alkane", "rattle", {{"constraints", "bonds"}}), "no error");
}

// Only the bonds are made rigid: angles still move, bond lengths do not.
TEST(RigidGroups, AnAlkaneWithRigidBonds) {
  RunPlan plan = molecule_plan("alkane", {{"constraints", "bonds"}}, 20, 0.02);
  plan.method = "rattle";
  const Solution s = prepare(plan).run();
  ASSERT_TRUE(s.ok()) << s.outcome.message;
  const auto problem = make_model("alkane", {}).problem;
  const auto& p = problem->as<MechanicalProblem>("the test");
  Vec g(p.strong_potential()->map->count()), largest = Vec::Zero(g.size());
  for (Index row = 0; row < s.rows(); ++row) {
    p.strong_potential()->map->value(0, Vec(s.y().col(row).head(12)), g);
    largest = largest.cwiseMax(g.cwiseAbs());
  }
  EXPECT_LT(largest.head(3).maxCoeff(), 1e-9);
  EXPECT_GT(largest.tail(2).minCoeff(), 1e-3);
  const Vec energy = s.measured().row(s.quantity("energy"));
  EXPECT_LT((energy.array() - energy[0]).abs().maxCoeff(), 0.05 * std::abs(energy[0]) + 0.05);
}
}  // namespace
}  // namespace trill::testing_models
