// SPDX-License-Identifier: BSD-3-Clause
#include "trill/formulation/frequencies.hpp"

#include "trill/formulation/first_order.hpp"
#include "trill/linalg/differences.hpp"
#include "trill/linalg/eigenpairs.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr Index dense_up_to = 400;

const Problem& deterministic_part(const Problem& problem) {
  if (const auto* langevin = dynamic_cast<const LangevinProblem*>(&problem)) return langevin->mechanics();
  return problem;
}

Mat dense_jacobian(FirstOrderForm& form, double t, const Vec& y) {
  MatrixSlot j = form.jacobian_pattern();
  if (!form.jacobian(t, y, j)) {
    DifferenceJacobian differences(j, {.central = true});
    differences.evaluate([&](In x, Out f) { form.rhs(t, x, f); }, y, j);
  }
  return j.is_sparse() ? Mat(j.as_sparse()) : j.as_dense();
}

// Largest omega of M^-1 K by power iteration with products from differences of the acceleration.
double power_iteration(const MechanicalProblem& problem, const State& s) {
  Acceleration accelerate(problem);
  accelerate.start(s.q());
  const Index n = s.layout.nq;
  Vec direction = Vec::LinSpaced(n, -1, 1).array().sin() + 0.5, q(n), a0(n), a1(n);
  direction.normalize();
  accelerate(s.t, s.q(), s.v(), a0);
  double square = 0;
  for (int i = 0; i < 60; ++i) {
    const double step = 1e-6 * std::max(1.0, s.q().norm() / std::sqrt(static_cast<double>(n)));
    q = s.q() + step * direction;
    accelerate(s.t, q, s.v(), a1);
    a1 = (a0 - a1) / step;
    square = a1.norm();
    if (!(square > 0) || !std::isfinite(square)) return 0;
    direction = a1 / square;
  }
  return std::sqrt(square);
}
}  // namespace

std::vector<std::complex<double>> local_eigenvalues(const Problem& problem, const State& s) {
  FirstOrderForm form(deterministic_part(problem), "the analysis of frequencies");
  form.start(s);
  const Eigenvalues found = eigenvalues(dense_jacobian(form, s.t, s.y.head(form.size())));
  return {found.values.data(), found.values.data() + found.values.size()};
}

double fastest_frequency(const Problem& problem, const State& s) {
  const Problem& part = deterministic_part(problem);
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&part);
  if (!mechanical && !dynamic_cast<const FirstOrderProblem*>(&part)) return 0;
  if (mechanical && !mechanical->constraints() && 2 * s.layout.nq > dense_up_to) return power_iteration(*mechanical, s);
  double fastest = 0;
  for (const auto& value : local_eigenvalues(part, s)) fastest = std::max(fastest, std::abs(value.imag()));
  return fastest;
}
}  // namespace trill
