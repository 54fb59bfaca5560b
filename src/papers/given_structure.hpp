// SPDX-License-Identifier: BSD-3-Clause
// A linear structure whose matrices, loads and start are given, for figures and tests; and random ones.
#pragma once

#include "problem/generated_structure.hpp"
#include "problem/structure.hpp"

#include <cmath>
#include <functional>
#include <random>

namespace trill::papers {
struct GivenStructure final : LinearStructure {
  SpMat m, c, k;
  Mat shapes;
  std::vector<std::function<double(double)>> factors;
  std::optional<ProportionalDamping> share = ProportionalDamping{};
  Vec u0, v0;

  std::string name() const override { return "given"; }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<GivenStructure>(*this); }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> all;
    for (const char* letter : {"u", "vu"})
      for (Index i = 1; i <= m.rows(); ++i) all.push_back({letter + std::to_string(i), ""});
    return all;
  }
  State initial_state() const override {
    State s(layout());
    s.q() = u0;
    s.v() = v0;
    return s;
  }
  const SpMat& mass_matrix() const override { return m; }
  const SpMat& damping_matrix() const override { return c; }
  const SpMat& stiffness_matrix() const override { return k; }
  const Mat& load_shapes() const override { return shapes; }
  void load_factors(double t, Out p) const override {
    for (std::size_t i = 0; i < factors.size(); ++i) p[static_cast<Index>(i)] = factors[i](t);
  }
  std::optional<ProportionalDamping> proportional_damping() const override { return share; }
};

// Small beams and membranes with random loads, outputs, proportional damping and initial states.
enum class RandomLoads { any, steps, smooth };
class RandomStructures {
 public:
  explicit RandomStructures(std::uint64_t seed, RandomLoads loads = RandomLoads::any) : random_(seed), loads_(loads) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }

  Vec vector(Index n) {
    Vec v = Vec::Zero(n);
    if (chance(0.5)) {
      v[static_cast<Index>(random_() % static_cast<std::uint64_t>(n))] = uniform(-1, 1);
    } else {
      for (double& x : v) x = uniform(-1, 1);
    }
    return v;
  }

  GivenStructure structure() {
    GivenStructure s;
    const double size = static_cast<double>(4 + random_() % 8);
    const GeneratedStructure made = chance(0.5) ? generate_structure("beam", {{"elements", size}})
                                                : generate_structure("membrane", {{"points", std::floor(size / 2)}});
    s.m = made.mass;
    s.k = made.stiffness;
    const Index n = s.m.rows();
    ProportionalDamping share;
    if (chance(0.5)) share.mass = uniform(0, 1);
    if (chance(0.5)) share.stiffness = std::pow(10, uniform(-6, 0));
    s.share = share;
    s.c = share.mass * s.m + share.stiffness * s.k;
    const bool one_kind = loads_ != RandomLoads::any;
    const Index loads = one_kind ? 1 : static_cast<Index>(random_() % 3);
    s.shapes = Mat::Zero(n, loads);
    for (Index i = 0; i < loads; ++i) {
      s.shapes.col(i) = vector(n);
      s.factors.push_back(factor());
    }
    s.u0 = s.v0 = Vec::Zero(n);
    if (one_kind) return s;
    if (chance(0.3)) s.u0 = made.vectors.at("uniform") * uniform(-1, 1);
    if (chance(0.3)) s.v0 = vector(n);
    return s;
  }

 private:
  bool chance(double share) { return uniform(0, 1) < share; }
  std::function<double(double)> factor() {
    const double a = uniform(0.2, 5), b = uniform(0, 6);
    switch (loads_ == RandomLoads::any ? random_() % 5 : loads_ == RandomLoads::steps ? 0 : 2) {
      case 0:
        return [](double) { return 1.0; };
      case 1:
        return [a](double t) { return std::sin(a * t); };
      case 2:
        return [a](double t) { return 0.5 * (1 - std::cos(a * t)); };
      case 3:
        return [a, b](double t) { return a * t - 0.1 * b * t * t; };
      default:
        return [a, b](double t) { return std::exp(-a * t) * std::cos(b * t); };
    }
  }

  std::mt19937_64 random_;
  RandomLoads loads_;
};
}  // namespace trill::papers
