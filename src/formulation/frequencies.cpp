// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frequencies.hpp"

#include "linalg/dense_decompositions.hpp"
#include "linalg/differences.hpp"
#include "linalg/eigenpairs.hpp"
#include "trill/formulation/first_order.hpp"
#include "trill/problem/langevin.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr Index dense_up_to = 400;

const Problem& deterministic_part(const Problem& problem) {
  const MechanicalProblem* mechanics = mechanics_of(problem);
  return mechanics ? *mechanics : problem;
}

Mat dense_of(const MatrixSlot& slot) { return slot.is_sparse() ? Mat(slot.as_sparse()) : slot.as_dense(); }

Mat dense_jacobian(FirstOrderForm& form, double t, const Vec& y) {
  MatrixSlot j = form.jacobian_pattern();
  if (!form.jacobian(t, y, j)) {
    DifferenceJacobian differences(j, {.central = true});
    differences.evaluate([&](In x, Out f) { form.rhs(t, x, f); }, y, j);
  }
  return dense_of(j);
}

// d(G v + g_t)/dq
Mat rate_slope(const ConstraintMap& map, const State& s) {
  MatrixSlot G = map.pattern();
  if (map.velocity_derivative(s.t, s.q(), s.v(), G)) return dense_of(G);
  MatrixSlot slope = MatrixSlot::dense(map.count(), s.layout.nq);
  Vec gt(map.count());
  DifferenceJacobian(slope, {.central = true})
      .evaluate(
          [&](In q, Out rate) {
            map.jacobian(s.t, q, G);
            map.time_derivative(s.t, q, gt);
            G.multiply(s.v(), rate);
            rate += gt;
          },
          Vec(s.q()), slope);
  return dense_of(slope);
}

// Orthonormal basis of the motions (dq, dv) that keep g = 0 and G v + g_t = 0; other motions drift and do not
// oscillate.
Mat motions_on(const ConstraintMap& map, const State& s) {
  const Index n = s.layout.nq, m = map.count();
  MatrixSlot G = map.pattern();
  map.jacobian(s.t, s.q(), G);
  Mat normals = Mat::Zero(2 * n, 2 * m);
  normals.topLeftCorner(n, m) = normals.bottomRightCorner(n, m) = dense_of(G).transpose();
  normals.topRightCorner(n, m) = rate_slope(map, s).transpose();
  return orthogonal_complement(normals);
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
  Mat slope = dense_jacobian(form, s.t, s.y.head(form.size()));
  const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&deterministic_part(problem));
  if (mechanical && mechanical->constraints()) {
    const Mat motions = motions_on(*mechanical->constraints(), s);
    slope = motions.transpose() * slope * motions;
  }
  if (slope.size() == 0) return {};  // constraints prescribe everything
  const Eigenvalues found = eigenvalues(slope);
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
