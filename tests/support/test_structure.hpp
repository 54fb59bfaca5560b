// SPDX-License-Identifier: BSD-3-Clause
// A linear structure whose matrices, loads and outputs a test gives.
#pragma once

#include "problem/structure.hpp"

#include <functional>

namespace trill::testing_structures {
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
}  // namespace trill::testing_structures
