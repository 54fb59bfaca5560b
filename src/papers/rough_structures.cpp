// SPDX-License-Identifier: BSD-3-Clause
#include "papers/rough_structures.hpp"

#include "linalg/modes.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

namespace trill::papers::structures {
namespace {
RoughCase rough_case(std::string label, const SpMat& m, const SpMat& k, const Vec& load, const Vec& noise) {
  RoughCase made{std::move(label), {}, {}, {}};
  GivenStructure& s = made.structure;
  s.m = m;
  s.k = k;
  s.share = ProportionalDamping{mass_damping, stiffness_damping};
  s.c = mass_damping * m + stiffness_damping * k;
  s.shapes = load;
  s.factors.push_back([](double t) { return std::sin(2 * t); });
  const Modes modes = lowest_modes(k, m, {.count = coordinates_judged});
  made.lambda = modes.pairs.values;
  made.phi = modes.pairs.vectors;
  made.scale = made.phi.col(0).cwiseAbs().maxCoeff();
  s.u0 = (made.phi.col(0) + 0.3 * made.phi.col(2)) / made.scale;
  s.v0 = noise;
  return made;
}

Vec noise_of(Index n, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Vec noise(n);
  for (double& x : noise) x = std::uniform_real_distribution<>(-size, size)(random);
  return noise;
}

}  // namespace

RoughCase rough_membrane(double points, bool as_plate, std::uint64_t seed) {
  const GeneratedStructure made = generate_structure("membrane", {{"points", points}});
  const double h = 1 / (points + 1), lowest = 8 / (h * h) * std::pow(std::sin(std::numbers::pi * h / 2), 2);
  const SpMat k = as_plate ? SpMat(made.stiffness * made.stiffness / lowest) : made.stiffness;
  const Index n = made.mass.rows();
  return rough_case(fmt::format("{}, n = {}", as_plate ? "plate" : "membrane", n), made.mass, k, Vec::Constant(n, 5.0),
                    noise_of(n, 0.05, seed));
}

RoughCase rough_beam(Index elements, std::uint64_t seed) {
  const HermiteLine line = hermite_line(elements, 1, {true, true, true, true});
  const double stiffness = 2 * std::numbers::pi * std::numbers::pi / 500.5639;
  Vec noise = noise_of(line.values.rows(), 0.05, seed);
  for (Index i = 1; i < noise.size(); i += 2) noise[i] *= 0.005 * static_cast<double>(elements);
  return rough_case(fmt::format("beam, n = {}", noise.size()), line.values, stiffness * line.curvatures, 5 * line.mean,
                    noise);
}

Mat RoughCase::along(const Mat& shapes, const Vec& values) const {
  const GivenStructure& s = structure;
  ModalSystem system;
  system.lambda = values;
  system.damping = Vec::Constant(values.size(), mass_damping) + stiffness_damping * values;
  system.loads = shapes.transpose() * s.shapes;
  Vec x = shapes.transpose() * (s.m * s.u0), v = shapes.transpose() * (s.m * s.v0);
  const Mat weights = phi.transpose() * (s.m * shapes);
  ModalMotion motion(system, s);
  Mat found(coordinates_judged, 10);
  for (Index i = 0; i < found.cols(); ++i) {
    motion.advance(static_cast<double>(i), 1, x, v);
    found.col(i) = weights * x;
  }
  return found;
}
}  // namespace trill::papers::structures
