// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_sums.hpp"

#include <array>

namespace trill {
namespace {
constexpr std::array<double, 9> bernoulli{1, -1.0 / 2, 1.0 / 6, 0, -1.0 / 30, 0, 1.0 / 42, 0, -1.0 / 30};

// Coefficients, lowest first, of the polynomial that is 1 at node j and 0 at the others.
Vec lagrange_coefficients(const Vec& nodes, Index j) {
  const Index n = nodes.size();
  Vec p = Vec::Zero(n);
  p[0] = 1;
  Index degree = 0;
  for (Index k = 0; k < n; ++k) {
    if (k == j) continue;
    const double scale = 1 / (nodes[j] - nodes[k]);
    for (Index i = ++degree; i > 0; --i) p[i] = scale * (p[i - 1] - nodes[k] * p[i]);
    p[0] *= -scale * nodes[k];
  }
  return p;
}
}  // namespace

double power_sum(int power, double x, double eps) {
  double sum = 0, binomial = 1, eps_power = 1;
  for (int i = 0; i <= power; ++i) {
    double x_power = 1;
    for (int k = 0; k < power + 1 - i; ++k) x_power *= x;
    sum += binomial * bernoulli.at(static_cast<std::size_t>(i)) * eps_power * x_power;
    binomial *= static_cast<double>(power + 1 - i) / (i + 1);
    eps_power *= eps;
  }
  return sum / (power + 1);
}

Vec sum_weights(const Vec& nodes, double x, double eps) {
  Vec weights = Vec::Zero(nodes.size());
  for (Index j = 0; j < nodes.size(); ++j) {
    const Vec p = lagrange_coefficients(nodes, j);
    for (Index k = 0; k < p.size(); ++k) weights[j] += p[k] * power_sum(static_cast<int>(k), x, eps);
  }
  return weights;
}

Vec value_weights(const Vec& nodes, double x) {
  Vec weights = Vec::Ones(nodes.size());
  for (Index j = 0; j < nodes.size(); ++j)
    for (Index k = 0; k < nodes.size(); ++k)
      if (k != j) weights[j] *= (x - nodes[k]) / (nodes[j] - nodes[k]);
  return weights;
}
}  // namespace trill
