// SPDX-License-Identifier: BSD-3-Clause
// Helpers for tests of impulse methods: options for weights, and the derivative of a step.
#pragma once

#include "support/algebra.hpp"
#include "support/small_problems.hpp"
#include "support/spring_network.hpp"

namespace trill::test {
inline OptionSet weights(const std::string& phi, const std::string& psi, OptionSet more = {}) {
  more["phi"] = phi;
  more["psi"] = psi;
  return more;
}

// The derivative of one step with respect to (q, p), by central differences.
inline Mat step_jacobian(const SpringNetwork& p, const std::string& method, const OptionSet& options, double h) {
  const Index n = 2 * p.q.size();
  const Mat mass = p.masses.size() == 0 ? Mat::Identity(n / 2, n / 2) : p.masses;
  constexpr double step = 1e-5;
  const auto after = [&](Vec y) {
    SpringNetwork moved = p;
    moved.q = y.head(n / 2);
    moved.v = inverse(mass) * y.tail(n / 2);
    y = Walk(moved, method, options).walk(h, 1);
    y.tail(n / 2) = mass * y.tail(n / 2);
    return y;
  };
  Vec start(n);
  start << p.q, mass * p.v;
  Mat j(n, n);
  for (Index c = 0; c < n; ++c)
    j.col(c) = (after(start + step * Vec::Unit(n, c)) - after(start - step * Vec::Unit(n, c))) / (2 * step);
  return j;
}

inline double symplectic_defect(const Mat& j) {
  const Index n = j.rows() / 2;
  Mat form = Mat::Zero(2 * n, 2 * n);
  form.topRightCorner(n, n).setIdentity();
  form.bottomLeftCorner(n, n) = -Mat::Identity(n, n);
  return (j.transpose() * form * j - form).cwiseAbs().maxCoeff();
}
}  // namespace trill::test
