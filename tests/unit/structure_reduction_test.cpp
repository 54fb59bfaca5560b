// SPDX-License-Identifier: BSD-3-Clause
// Exact oscillators, generated bodies, and the reduction of structures to Ritz vectors.
#include "linalg/modes.hpp"
#include "linalg/oscillator_response.hpp"
#include "multiscale/ritz_reduction.hpp"
#include "problem/generated_structure.hpp"
#include "support/mentions.hpp"
#include "support/test_structure.hpp"
#include "trill/formulation/reformulation.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
ReformulationEntry ritz_entry();

namespace {
using testing_structures::GivenStructure;

GivenStructure given(const std::string& shape, const std::map<std::string, double>& numbers,
                     const std::vector<std::string>& loads = {}) {
  const GeneratedStructure made = generate_structure(shape, numbers);
  GivenStructure s;
  s.m = made.mass;
  s.k = made.stiffness;
  s.c = SpMat(s.m.rows(), s.m.rows());
  s.u0 = s.v0 = Vec::Zero(s.m.rows());
  s.shapes = Mat::Zero(s.m.rows(), static_cast<Index>(loads.size()));
  for (std::size_t i = 0; i < loads.size(); ++i) {
    s.shapes.col(static_cast<Index>(i)) = made.vectors.at(loads[i]);
    s.factors.push_back([](double) { return 1.0; });
  }
  return s;
}

// The exponential of the matrix for x, v and the derivatives of the force.
Mat whole_transition(double lambda, double damping, double h) {
  constexpr int forces = most_force_degree + 1;
  Mat a = Mat::Zero(2 + forces, 2 + forces);
  a(0, 1) = 1;
  a(1, 0) = -lambda;
  a(1, 1) = -damping;
  a(1, 2) = 1;
  for (int k = 0; k + 1 < forces; ++k) a(2 + k, 3 + k) = 1;
  return matrix_exponential(h * a);
}

TEST(OscillatorResponses, AgreeWithTheExponentialOfTheMatrix) {
  for (const double lambda : {0.0, 1e-6, 0.3, 1.0, 25.0, 99.0, 101.0, 400.0, 1600.0})
    for (const double damping : {0.0, 0.01, 1.0, 2.0, 9.9, 20.0, 39.9, 40.0, 40.3, 60.0}) {
      const double h = 1;
      const Mat exact = whole_transition(lambda, damping, h);
      OscillatorResponse found;
      found.compute(lambda, damping, h);
      const auto expect_near = [&](double value, double wanted, double scale) {
        EXPECT_NEAR(value, wanted, 3e-12 * scale) << "lambda " << lambda << ", damping " << damping;
      };
      expect_near(found.from_position(), exact(0, 0), 1);
      expect_near(found.from_velocity(), exact(0, 1), 1);
      expect_near(found.velocity_from_position(), exact(1, 0), std::max(1.0, lambda));
      expect_near(found.velocity_from_velocity(), exact(1, 1), std::max(1.0, damping));
      double factorial = 1;
      for (int k = 0; k <= most_force_degree; factorial *= ++k) {
        expect_near(found.from_force(k), exact(0, 2 + k), 1 / factorial);
        expect_near(found.velocity_from_force(k), exact(1, 2 + k), 1 / factorial);
      }
    }
}

// A beam with 1000 unknowns and a1 = 1e-6 has modes with a damping of 6e6. There a hyperbolic cosine would overflow.
TEST(OscillatorResponses, DoNotOverflow) {
  OscillatorResponse found;
  for (const double ratio : {1.0, 1.0 + 1e-12, 1.004, 1.2, 1e3}) {
    const double lambda = 9e12, damping = 2 * std::sqrt(lambda) * ratio;
    found.compute(lambda, damping, 1);
    EXPECT_TRUE(std::isfinite(found.from_position()) && std::isfinite(found.velocity_from_velocity())) << ratio;
    EXPECT_NEAR(found.from_force(0) * lambda, 1, 1e-9) << ratio;  // the motion has come to rest
  }
}

TEST(GeneratedStructures, HaveTheFrequenciesOfTheirShapes) {
  const auto lowest = [](const GeneratedStructure& s, Index count) {
    return Vec(lowest_modes(s.stiffness, s.mass, {.count = count}).pairs.values.cwiseSqrt());
  };
  const Vec beam = lowest(generate_structure("beam", {}), 3);
  EXPECT_NEAR(beam[0], 3.516015268499877 * (1 + 5.347405e-08), 1e-9);  // cos(b) cosh(b) = -1; 20 elements
  EXPECT_NEAR(beam[2], 61.697214413549105 * (1 + 1.63687964e-05), 1e-7);
  const double square = 2 * std::numbers::pi * std::numbers::pi;
  const Vec plate = lowest(generate_structure("plate", {{"elements", 16}}), 4);
  EXPECT_NEAR(plate[0], square, 2e-5);
  EXPECT_NEAR(plate[1], 2.5 * square, 2e-3);
  EXPECT_NEAR(plate[2], 2.5 * square, 2e-3);
  const Vec membrane = lowest(generate_structure("membrane", {{"points", 15}}), 1);
  EXPECT_NEAR(membrane[0], 32 * std::sqrt(2.0) * std::sin(std::numbers::pi / 32), 1e-10);
  const GeneratedStructure solid = generate_structure("solid", {{"elements_across", 9}});
  EXPECT_EQ(solid.mass.rows(), 10800);
  const Vec block = lowest(solid, 2);
  EXPECT_NEAR(block[0], 0.0615168324664, 1e-11);  // by Spectra with CHOLMOD on the same mesh
  EXPECT_NEAR(block[1], 0.0615168324664, 1e-11);
}

// The roots of (rhoA + rhoI k^2) s^2 + (c_e + c_i - 2 i rhoI speed k^2) s + E I k^4 - i c_i speed = 0 for k = pi and a
// speed of 20.
TEST(GeneratedStructures, TheShaftWhirls) {
  const GeneratedStructure shaft = generate_structure(
      "shaft", {{"speed", 20}, {"external_damping", 0.2}, {"internal_damping", 0.1}, {"elements", 8}});
  const Index n = shaft.mass.rows();
  const Mat inverse = Mat(shaft.mass).inverse();
  Mat a = Mat::Zero(2 * n, 2 * n);
  a.topRightCorner(n, n).setIdentity();
  a.bottomLeftCorner(n, n) = -inverse * shaft.stiffness;
  a.bottomRightCorner(n, n) = -inverse * shaft.damping;
  const Eigen::VectorXcd roots = general_eigen(a, false).values;
  double forward = 1, backward = 1;
  for (const auto& root : roots) {
    forward = std::min(forward, std::abs(root - std::complex<double>(-0.05265509512229283, 10.167770752307876)));
    backward = std::min(backward, std::abs(root - std::complex<double>(-0.2415377704755608, 9.3934861653549)));
  }
  EXPECT_LT(forward, 3e-4);
  EXPECT_LT(backward, 3e-4);
}

TEST(GeneratedStructures, RefuseWhatTheyDoNotKnow) {
  const auto said = [](const std::string& shape, const std::map<std::string, double>& numbers) -> std::string {
    try {
      generate_structure(shape, numbers);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(said("plat", {}), tells({"", "'plat'", "plate", "solid"}));
  EXPECT_THAT(said("beam", {{"lenght", 1}}), tells({"", "'lenght'", "'length'"}));
  EXPECT_THAT(said("beam", {{"length", -1}}), tells({"", "'length'", "positive", "-1"}));
  EXPECT_THAT(said("plate", {{"elements", 2.5}}), tells({"", "'elements'", "whole", "2.5"}));
  EXPECT_THAT(said("solid", {{"elements_across", 1000}}), tells({"", "unknowns"}));
}

// The unknown with a given name belongs to the node at the expected place.
TEST(GeneratedStructures, HaveNodesWhereTheirUnknownsAre) {
  using Place = std::array<double, 3>;
  const auto expect_at = [](const std::string& shape, const std::map<std::string, double>& numbers,
                            const std::string& name, const Place& at, std::size_t direction) {
    const GeneratedStructure made = generate_structure(shape, numbers);
    Index unknown = 0;
    made.vectors.at(name).maxCoeff(&unknown);
    Index found = 0;
    for (const MeshNode& node : made.mesh.nodes) {
      if (node.unknown[direction] != unknown) continue;
      ++found;
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(node.at[d], at[d], 1e-12) << shape << " " << name << " " << d;
    }
    EXPECT_EQ(found, 1) << shape << " " << name;
    for (const auto& line : made.mesh.lines)
      for (const Index end : line) EXPECT_LT(end, static_cast<Index>(made.mesh.nodes.size())) << shape;
    EXPECT_FALSE(made.mesh.lines.empty()) << shape;
  };
  expect_at("beam", {{"elements", 4}, {"length", 3}}, "tip", {3, 0, 0}, 1);
  expect_at("beam", {{"elements", 4}, {"clamped_ends", 2}}, "middle", {0.5, 0, 0}, 1);
  expect_at("membrane", {{"points", 5}, {"side", 2}}, "centre", {1, 1, 0}, 2);
  expect_at("plate", {{"elements", 4}, {"elements_across", 6}, {"width", 3}}, "centre", {0.5, 1.5, 0}, 2);
  expect_at("shaft", {{"elements", 6}, {"length", 2}}, "middle_v", {1, 0, 0}, 1);
  expect_at("shaft", {{"elements", 6}, {"length", 2}}, "middle_w", {1, 0, 0}, 2);
  for (const std::size_t d : {0, 1, 2})
    expect_at(
        "solid", {{"elements_across", 2}}, std::string("tip_") + "xyz" [d], { 4, 1, 1 }, d);
}

// The tip oscillates about F L^3 / (3 E I), between 0 and nearly twice this value. All modes but the first are small.
TEST(Reductions, FindTheStepResponseOfABeam) {
  const GivenStructure s = given("beam", {{"elements", 40}}, {"tip"});
  const Reduction reduced = reduce({s, s.initial_state(), 2, 1e-4, {{"tip", s.shapes.col(0)}}});
  EXPECT_TRUE(reduced.reached && reduced.proved);
  EXPECT_LT(reduced.system.size(), 40);
  EXPECT_LT(reduced.outputs[0].relative(), 1e-4);
  EXPECT_NEAR(reduced.outputs[0].range, 0.66, 0.01);
  const Vec still = reduced.shapes * (reduced.system.loads.col(0).array() / reduced.system.lambda.array()).matrix();
  EXPECT_NEAR(still[78], 1.0 / 3, 1e-9);
}

TEST(Reductions, AreCompleteWhereLittleIsExcited) {
  GivenStructure s = given("membrane", {{"points", 30}});
  const Modes modes = lowest_modes(s.k, s.m, {.count = 1});
  s.u0 = modes.pairs.vectors.col(0);
  const Reduction reduced = reduce({s, s.initial_state(), 2, 1e-6, {{"u1", Vec::Unit(900, 0)}}});
  EXPECT_LE(reduced.system.size(), 4);
  EXPECT_TRUE(reduced.reached);
  const Reduction nothing = [&] {
    s.u0.setZero();
    return reduce({s, s.initial_state(), 2, 1e-6, {{"u1", Vec::Unit(900, 0)}}});
  }();
  EXPECT_EQ(nothing.system.size(), 0);
  EXPECT_TRUE(nothing.complete);
}

// A force that rises smoothly acts at the centre of a plate. The output is the motion of the centre, or the mean.
TEST(Reductions, OfAPlateNeedFewSolves) {
  for (const double elements : {20.0, 21.0}) {
    GivenStructure s = given("plate", {{"elements", elements}}, {"centre"});
    s.factors = {[](double t) { return 0.5 * (1 - std::cos(15 * t)); }};
    const Vec centre = s.shapes.col(0),
              mean = generate_structure("plate", {{"elements", elements}}).vectors.at("uniform");
    const Reduction loaded = reduce({s, s.initial_state(), 2, 1e-4, {{"centre", centre}}});
    EXPECT_TRUE(loaded.reached && loaded.proved);
    EXPECT_LE(loaded.solves, 42);
    EXPECT_EQ(loaded.solves, loaded.system.size() + 1) << "the load has told all about the output";
    const Reduction other = reduce({s, s.initial_state(), 2, 1e-4, {{"mean", mean}}});
    EXPECT_TRUE(other.reached);
    EXPECT_LE(other.solves, 42);
  }
}

// For a fine beam, solutions with K have errors of 1e-7 and more, so that no residual of K^-1 M falls below 1e-8. The
// modes must be found nevertheless. The output is compared with that of a coarser beam, for which rounding does not
// matter.
TEST(Reductions, SeeModesBesideRoundingInTheStiffness) {
  constexpr double end = 2;
  const auto last_mean = [&](double elements, Index most_solves) {
    GivenStructure s = given("beam", {{"elements", elements}}, {"tip"});
    s.factors = {[](double t) { return 0.5 * (1 - std::cos(3 * t)); }};
    const Vec mean = generate_structure("beam", {{"elements", elements}}).vectors.at("uniform");
    const Reduction reduced = reduce({s, s.initial_state(), end, 1e-3, {{"mean", mean}}});
    EXPECT_TRUE(reduced.reached && reduced.proved) << elements;
    EXPECT_LE(reduced.solves, most_solves) << elements;
    ModalMotion motion(reduced.system, s);
    Vec x = reduced.x0, v = reduced.v0;
    motion.advance(0, end, x, v);
    return std::pair(mean.dot(reduced.shapes * x), reduced.outputs[0].range);
  };
  const auto [fine, range] = last_mean(500, 20);
  EXPECT_NEAR(fine, last_mean(40, 20).first, 2e-3 * range);
}

// A second object inherits results from the first: it computes nothing for the same question, and everything anew for
// another one. To see which structure was reduced, the two structures differ here.
TEST(Reductions, AreInherited) {
  const GivenStructure s = given("beam", {{"elements", 10}}, {"tip"});
  GivenStructure stiffer = s;
  stiffer.k *= 4;
  const ReformulationEntry entry = ritz_entry();
  const auto lowest = [&](Reformulation& form, double tolerance) {
    form.expect({tolerance, 0, 2, {"u1"}});
    State in;
    Notes notes;
    form.enter(s.initial_state(), in, notes);
    return dynamic_cast<const LinearStructure&>(form.inner()).stiffness_matrix().coeff(0, 0);
  };
  const auto first = entry.make(s, {}), second = entry.make(stiffer, {});
  const double lambda = lowest(*first, 1e-4);
  second->inherit(*first);
  EXPECT_EQ(lowest(*second, 1e-4), lambda);
  EXPECT_NEAR(lowest(*second, 1e-5), 4 * lambda, 1e-6 * lambda);
}

// A dashpot at the tip couples the modes. The exact motion is computed from the whole matrix.
TEST(Reductions, FollowADashpot) {
  GivenStructure s = given("beam", {{"elements", 10}}, {"uniform"});
  const Index n = s.m.rows();
  s.c.coeffRef(n - 2, n - 2) = 1;
  s.share.reset();
  const Vec tip = Vec::Unit(n, n - 2);
  const Reduction reduced = reduce({s, s.initial_state(), 3, 1e-5, {{"tip", tip}}});
  EXPECT_FALSE(reduced.proved);
  Mat a = Mat::Zero(2 * n + 1, 2 * n + 1);
  const Mat inverse = Mat(s.m).inverse();
  a.block(0, n, n, n).setIdentity();
  a.block(n, 0, n, n) = -inverse * s.k;
  a.block(n, n, n, n) = -inverse * s.c;
  a.block(n, 2 * n, n, 1) = inverse * s.shapes;
  const Vec exact = matrix_exponential(3 * a).col(2 * n).head(n);
  ModalMotion motion(reduced.system, s);
  Vec x = reduced.x0, v = reduced.v0;
  for (int i = 0; i < 30; ++i) motion.advance(0.1 * i, 0.1, x, v);
  EXPECT_NEAR(tip.dot(reduced.shapes * x), tip.dot(exact), 1e-5 * reduced.outputs[0].range);
}

TEST(Reductions, RefuseWhatHasNoStaticAnswer) {
  const auto said = [](const GivenStructure& s) -> std::string {
    try {
      reduce({s, s.initial_state(), 1, 1e-3, {}});
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  };
  GivenStructure s = given("beam", {{"elements", 6}}, {"tip"});
  const SpMat held = s.k;
  s.k.coeffRef(0, 2) *= 2;
  EXPECT_THAT(said(s), tells({"", "symmetric", "row", "column", "radau"}));
  s.k = hermite_line(6, 1, {true, false, false, false}).curvatures;
  s.m = hermite_line(6, 1, {true, false, false, false}).values;
  s.shapes = Mat::Zero(13, 1);
  s.shapes(12, 0) = 1;  // this load turns the beam about its end
  s.u0 = s.v0 = Vec::Zero(13);
  EXPECT_THAT(said(s), tells({"", "singular", "not held", "balance", "modes"}));
  s = given("beam", {{"elements", 6}}, {"tip"});
  s.k = held - 30 * s.m;  // lies between the squares of the first two frequencies
  EXPECT_THAT(said(s), tells({"", "indefinite", "1 of its 12 pivots"}));
}
}  // namespace
}  // namespace trill
