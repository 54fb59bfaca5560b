// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_tableau.hpp"

#include "multiscale/cycle_sums.hpp"

#include <cmath>

namespace trill {
namespace {
struct SchemeFacts {
  int order, stages;
};

SchemeFacts facts_of(CycleScheme scheme) {
  switch (scheme) {
    case CycleScheme::midpoint:
    case CycleScheme::heun:
    case CycleScheme::trapezoid:
    case CycleScheme::sdirk2:
      return {2, 2};
    case CycleScheme::rk3:
      return {3, 3};
    case CycleScheme::rk4:
      return {4, 4};
    case CycleScheme::next_cycle_euler:
    case CycleScheme::radau1:
      return {1, 1};
    case CycleScheme::radau2:
      return {3, 2};
    case CycleScheme::radau3:
      return {5, 3};
    case CycleScheme::gauss1:
      return {2, 1};
    case CycleScheme::gauss2:
      return {4, 2};
    case CycleScheme::gauss3:
      return {6, 3};
  }
  return {0, 0};
}

CycleTableau with_row_sums(CycleTableau t) {
  for (Index i = 0; i < t.c.size(); ++i) t.a(i, 0) += t.c[i] - t.a.row(i).sum();
  return t;
}

CycleTableau blank(Index stages) { return {Mat::Zero(stages, stages), Vec::Zero(stages), Vec::Zero(stages), {}}; }

CycleTableau midpoint(double eps) {
  CycleTableau t = blank(2);
  t.c << 0, (1 - eps) / 2;
  t.b << 0, 1;
  t.error = t.b;
  t.error[0] -= 1;
  return with_row_sums(t);
}

CycleTableau heun(double eps) {
  CycleTableau t = blank(2);
  t.c << 0, 1;
  t.b << (1 + eps) / 2, (1 - eps) / 2;
  t.error = t.b;
  t.error[0] -= 1;
  return with_row_sums(t);
}

CycleTableau rk3(double eps) {
  CycleTableau t = blank(3);
  const double outer = (1 + eps) / (6 * (1 - eps));
  t.c << 0, (1 - eps) / 2, 1 - eps;
  t.b << outer, (2 - 4 * eps) / (3 * (1 - eps)), outer;
  t.a(2, 1) = 2 * (1 - 2 * eps) * (1 - eps) / (1 + eps);
  t.error = t.b;
  t.error[1] -= 1;  // the midpoint rule
  return with_row_sums(t);
}

// The three eighths rule; its last node is the last cycle of the step. With the change at the end of the step as a
// fifth value there is a second result of order 3, and the error weights are the one vector that all conditions up to
// order 3 map to zero, scaled so that the fifth weight is a tenth.
CycleTableau rk4(double eps) {
  CycleTableau t = blank(4);
  const double outer = (1 + 2 * eps) / (8 * (1 - eps)), inner = (3 - 6 * eps) / (8 * (1 - eps));
  t.c << 0, (1 - eps) / 3, 2 * (1 - eps) / 3, 1 - eps;
  t.b << outer, inner, inner, outer;
  t.a(2, 1) = 1 - 3 * eps;
  t.a(3, 1) = (1 - 2 * eps) * (7 * eps - 1) / (1 + 2 * eps);
  t.a(3, 2) = (1 - eps) * (1 - 2 * eps) / (1 + 2 * eps);
  t = with_row_sums(t);
  Mat conditions(4, 5);
  const Vec ac = t.a * t.c;
  conditions << 1, 1, 1, 1, 1,                                                //
      t.c[0], t.c[1], t.c[2], t.c[3], 1,                                      //
      t.c[0] * t.c[0], t.c[1] * t.c[1], t.c[2] * t.c[2], t.c[3] * t.c[3], 1,  //
      ac[0], ac[1], ac[2], ac[3], t.b.dot(t.c);
  t.error = Vec::Constant(5, 0.1);
  t.error.head(4) = Eigen::Matrix4d(conditions.leftCols(4)).inverse() * (-0.1 * conditions.col(4));
  return t;
}

CycleTableau trapezoid(double eps) {
  CycleTableau t = blank(2);
  t.c << 0, 1;
  t.b << (1 + eps) / 2, (1 - eps) / 2;
  t.a.row(1) = t.b.transpose();
  return t;
}

CycleTableau next_cycle_euler() {
  CycleTableau t = blank(1);
  t.a << 1;
  t.b << 1;
  t.c << 1;
  return t;
}

// Both stages have the same matrix, and the second one is the last cycle.
CycleTableau sdirk2(double eps) {
  CycleTableau t = blank(2);
  const double gamma = 1 - eps - std::sqrt((1 - eps) / 2);
  t.c << gamma, 1 - eps;
  t.a << gamma, 0, 1 - eps - gamma, gamma;
  t.b << 1 - eps - gamma, gamma + eps;
  return t;
}

// A polynomial that changes by eps M g over one cycle at each node.
CycleTableau collocation(const Vec& nodes, double eps) {
  CycleTableau t = blank(nodes.size());
  t.c = nodes;
  for (Index i = 0; i < nodes.size(); ++i) t.a.row(i) = sum_weights(nodes, nodes[i], eps).transpose();
  t.b = sum_weights(nodes, 1, eps);
  return t;
}

// Nodes for which the sum over the whole step is exact up to degree 2s - 2: the last cycle, and the zeros of the
// polynomial that is orthogonal to all lower ones when u is weighted with 1 - eps - u.
Vec radau_nodes(int stages, double eps) {
  const auto moment = [&](int k) { return (1 - eps) * power_sum(k, 1, eps) - power_sum(k + 1, 1, eps); };
  Vec nodes(stages);
  nodes[stages - 1] = 1 - eps;
  if (stages == 2) nodes[0] = moment(1) / moment(0);
  if (stages == 3) {
    const double m0 = moment(0), m1 = moment(1), m2 = moment(2), m3 = moment(3);
    const double determinant = m1 * m1 - m0 * m2;
    const double sum = (m1 * m2 - m0 * m3) / determinant, product = (m2 * m2 - m1 * m3) / determinant;
    const double half_gap = std::sqrt(std::max(sum * sum / 4 - product, 0.0));
    nodes[0] = sum / 2 - half_gap;
    nodes[1] = sum / 2 + half_gap;
  }
  return nodes;
}

// Zeros of the polynomials that are orthogonal on equidistant points (Gram's); beta_k of their recurrence is
// k^2 (1 - k^2 eps^2) / (4 (4 k^2 - 1)).
Vec gauss_nodes(int stages, double eps) {
  const auto beta = [&](int k) { return k * k * (1 - k * k * eps * eps) / (4.0 * (4 * k * k - 1)); };
  const double middle = (1 - eps) / 2;
  const double away = stages == 1 ? 0 : std::sqrt(std::max(stages == 2 ? beta(1) : beta(1) + beta(2), 0.0));
  Vec nodes(stages);
  if (stages == 1)
    nodes << middle;
  else if (stages == 2)
    nodes << middle - away, middle + away;
  else
    nodes << middle - away, middle, middle + away;
  return nodes;
}
}  // namespace

int order_of(CycleScheme scheme) { return facts_of(scheme).order; }
int stages_of(CycleScheme scheme) { return facts_of(scheme).stages; }
bool is_explicit(CycleScheme scheme) { return scheme <= CycleScheme::rk4; }

CycleTableau cycle_tableau(CycleScheme scheme, double eps) {
  switch (scheme) {
    case CycleScheme::midpoint:
      return midpoint(eps);
    case CycleScheme::heun:
      return heun(eps);
    case CycleScheme::rk3:
      return rk3(eps);
    case CycleScheme::rk4:
      return rk4(eps);
    case CycleScheme::trapezoid:
      return trapezoid(eps);
    case CycleScheme::next_cycle_euler:
      return next_cycle_euler();
    case CycleScheme::sdirk2:
      return sdirk2(eps);
    case CycleScheme::radau1:
    case CycleScheme::radau2:
    case CycleScheme::radau3:
      return collocation(radau_nodes(stages_of(scheme), eps), eps);
    case CycleScheme::gauss1:
    case CycleScheme::gauss2:
    case CycleScheme::gauss3:
      return collocation(gauss_nodes(stages_of(scheme), eps), eps);
  }
  return {};
}
}  // namespace trill
