// SPDX-License-Identifier: BSD-3-Clause
// Functions of points, compared with formulas evaluated with 100 digits: values, gradients and second derivatives,
// also where an angle is 180 or 0 degrees, and near these.
#include "model/expression/mechanics.hpp"
#include "model/expression/point_functions.hpp"
#include "model/expression/program.hpp"
#include "support/exact_graph.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;
using Real = MoreExact;
using Numbers = std::vector<double>;
using RealFunction = std::function<Real(const std::vector<Real>&)>;

using Vector = std::array<Real, 3>;
Vector arm(const std::vector<Real>& q, std::size_t from, std::size_t to, std::size_t dimension) {
  Vector d = {0, 0, 0};
  for (std::size_t k = 0; k < dimension; ++k) d[k] = q[to * dimension + k] - q[from * dimension + k];
  return d;
}
Real inner(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector outer(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Real exact_angle(const std::vector<Real>& q, std::size_t dimension) {
  const Vector u = arm(q, 1, 0, dimension), w = arm(q, 1, 2, dimension), n = outer(u, w);
  return atan2(sqrt(inner(n, n)), inner(u, w));
}
Real exact_pi() { return boost::math::constants::pi<Real>(); }

std::vector<Real> exactly(const Numbers& q) { return {q.begin(), q.end()}; }

// d2f/dq_i dq_j by differences with the step h.
Real exact_second(const RealFunction& f, const Numbers& at, std::size_t i, std::size_t j, const Real& h) {
  const auto moved = [&](int a, int b) {
    std::vector<Real> q = exactly(at);
    q[i] += a * h;
    q[j] += b * h;
    return f(q);
  };
  return (moved(1, 1) - moved(1, -1) - moved(-1, 1) + moved(-1, -1)) / (4 * h * h);
}
Real exact_first(const RealFunction& f, const Numbers& at, std::size_t i, const Real& h) {
  const auto moved = [&](int a) {
    std::vector<Real> q = exactly(at);
    q[i] += a * h;
    return f(q);
  };
  return (moved(1) - moved(-1)) / (2 * h);
}

struct Derivatives {
  double value = 0;
  Numbers first, second;  // second: the whole matrix, row by row
};

Derivatives derivatives(ExpressionGraph& graph, Expression e, const Numbers& q) {
  const std::size_t n = q.size();
  std::vector<Expression> outputs = {e};
  const auto slopes = gradient(graph, e, SymbolKind::coordinate);
  const auto curvatures = lower_hessian(graph, e, SymbolKind::coordinate);
  for (const auto* list : {&slopes, &curvatures})
    for (const Partial& p : *list) outputs.push_back(p.value);
  const Program program(graph, outputs);
  Evaluator run(program);
  run.evaluate({.q = q.data()});
  Derivatives found{run[0], Numbers(n), Numbers(n * n)};
  std::size_t k = 1;
  for (const Partial& p : slopes) found.first[static_cast<std::size_t>(p.column)] = run[k++];
  for (const Partial& p : curvatures) {
    const auto i = static_cast<std::size_t>(p.row), j = static_cast<std::size_t>(p.column);
    found.second[i * n + j] = found.second[j * n + i] = run[k++];
  }
  return found;
}

double largest(const Numbers& x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

// The components of a point as symbols: the coordinates dimension * point, dimension * point + 1, ....
std::vector<Expression> parts(ExpressionGraph& graph, int point, int dimension) {
  std::vector<Expression> found;
  for (int k = 0; k < dimension; ++k) found.push_back(graph.symbol(SymbolKind::coordinate, point * dimension + k));
  return found;
}
Expression angle_of_symbols(ExpressionGraph& graph, int dimension) {
  return point_angle(graph, parts(graph, 0, dimension), parts(graph, 1, dimension), parts(graph, 2, dimension));
}
Expression dihedral_of_symbols(ExpressionGraph& graph) {
  return dihedral_angle(graph, parts(graph, 0, 3), parts(graph, 1, 3), parts(graph, 2, 3), parts(graph, 3, 3));
}

// Checks the energy 3.5 (angle - rest)^2 and its derivatives at q, where rest is 0, pi or another number.
void check_angle_energy(const Numbers& q, double rest, double step, double tolerance) {
  const auto dimension = static_cast<int>(q.size()) / 3;
  ExpressionGraph graph;
  const Expression bend = graph.subtract(angle_of_symbols(graph, dimension), graph.number(rest));
  const Expression energy = graph.multiply(graph.number(3.5), graph.apply(Op::square, bend));
  const Derivatives found = derivatives(graph, energy, q);
  const Real exact_rest = rest == std::numbers::pi ? exact_pi() : Real(rest);
  const RealFunction exact = [&](const std::vector<Real>& y) {
    const Real b = exact_angle(y, y.size() / 3) - exact_rest;
    return Real(3.5 * b * b);
  };
  const std::size_t n = q.size();
  Numbers first(n), second(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    first[i] = static_cast<double>(exact_first(exact, q, i, step));
    for (std::size_t j = 0; j < n; ++j) second[i * n + j] = static_cast<double>(exact_second(exact, q, i, j, step));
  }
  const std::string where = fmt::format("{} rest {}", fmt::join(q, ", "), rest);
  const double value = static_cast<double>(exact(exactly(q)));
  EXPECT_NEAR(found.value, value, tolerance * value + 1e-15 * largest(first) + 1e-30) << where;
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(found.first[i], first[i], tolerance * largest(first) + 1e-16 * largest(second)) << where << " at " << i;
  for (std::size_t k = 0; k < n * n; ++k)
    EXPECT_NEAR(found.second[k], second[k], tolerance * largest(second)) << where << " at " << k / n << ' ' << k % n;
}

// Points a, b, c with arms of length 1 and 1.5. The angle differs from 180 degrees (straight) or 0 by the deviation.
// If `turned`, the arms are not parallel to the axes.
Numbers bent(int dimension, bool straight, double deviation, bool turned) {
  Numbers q(static_cast<std::size_t>(3 * dimension), 0.0);
  const auto at = [&](int point, int k) -> double& { return q[static_cast<std::size_t>(point * dimension + k)]; };
  at(0, 0) = 1;
  at(2, 0) = (straight ? -1.5 : 1.5) * std::cos(deviation);
  at(2, 1) = 1.5 * std::sin(deviation);
  if (!turned) return q;
  for (int point = 0; point < 3; ++point) {
    const double x = at(point, 0), y = at(point, 1);
    at(point, 0) = 0.3 + x * std::cos(0.7) - y * std::sin(0.7);
    at(point, 1) = -1.1 + x * std::sin(0.7) + y * std::cos(0.7);
    if (dimension == 3) {
      const double z = at(point, 1);
      at(point, 1) = z * std::cos(1.1);
      at(point, 2) = 0.2 + z * std::sin(1.1);
    }
  }
  return q;
}

TEST(PointFunctions, EnergiesOfAnglesAreSmoothWhereTheyRest) {
  for (const int dimension : {2, 3})
    for (const double deviation : {0.0, 1e-12, 1e-8, 1e-4, 1.0})
      for (const bool turned : {false, true}) {
        check_angle_energy(bent(dimension, true, deviation, turned), std::numbers::pi, 1e-20, 1e-12);
        check_angle_energy(bent(dimension, false, deviation, turned), 0, 1e-20, 1e-12);
      }
}

TEST(PointFunctions, EnergiesOfAnglesAreRightBesideTheirKinks) {
  for (const int dimension : {2, 3})
    for (const bool straight : {false, true}) {
      for (const double deviation : {1e-12, 1e-8, 1e-4, 1.0})
        check_angle_energy(bent(dimension, straight, deviation, false), 1.9, 1e-10 * deviation, 1e-12);
      // If the arms are not parallel to the axes, no formula can give the sine more accurately than to rounding.
      for (const double deviation : {1e-8, 1e-4, 1.0})
        check_angle_energy(bent(dimension, straight, deviation, true), 1.9, 1e-10 * deviation,
                           1e-12 + 1e-15 / deviation);
    }
}

// Third and fourth derivatives along a line, as needed for series in time. Another formula is used beyond 0.001.
TEST(PointFunctions, EnergiesOfAnglesHaveSmoothHigherDerivatives) {
  const Numbers direction = {0.3, -0.5, 0.8, 0.1, 0.7, -0.2, -0.4, 0.9, 0.6};
  for (const bool straight : {true, false})
    for (const double deviation : {0.0, 1e-12, 1e-8, 1e-4, 0.00099, 0.001, 0.00101, 0.01, 0.2, 1.0}) {
      const Numbers q = bent(3, straight, deviation, true);
      ExpressionGraph graph;
      const Expression angle = angle_of_symbols(graph, 3);
      const Expression rest = graph.number(straight ? std::numbers::pi : 0);
      const Expression squared = graph.apply(Op::square, graph.subtract(angle, rest));
      for (const bool cosine : {false, true}) {
        const Expression e = cosine ? graph.apply(Op::cos, angle) : squared;
        const auto series = time_derivatives(graph, e, 4, 9);
        const Program program(graph, series);
        Evaluator run(program);
        const Numbers none(9, 0.0);
        run.evaluate({.q = q.data(),
                      .v = direction.data(),
                      .acceleration = none.data(),
                      .jerk = none.data(),
                      .snap = none.data()});
        const auto exact = [&](const Real& s) {
          std::vector<Real> y = exactly(q);
          for (std::size_t k = 0; k < 9; ++k) y[k] += s * Real(direction[k]);
          const Real a = exact_angle(y, 3), b = straight ? Real(a - exact_pi()) : a;
          return cosine ? Real(cos(a)) : Real(b * b);
        };
        for (int k = 1; k <= 4; ++k) {
          const auto expected = static_cast<double>(difference_quotient<Real>(exact, k, Real("1e-15")));
          EXPECT_NEAR(run[static_cast<std::size_t>(k)], expected, (k == 4 ? 1e-9 : 1e-12) * (1 + std::abs(expected)))
              << "derivative " << k << " at " << deviation << (straight ? " straight" : " folded") << cosine;
        }
      }
    }
}

Real exact_dihedral(const std::vector<Real>& q) {
  const Vector u = arm(q, 0, 1, 3), w = arm(q, 1, 2, 3), x = arm(q, 2, 3, 3);
  const Vector before = outer(u, w), after = outer(w, x);
  return atan2(inner(outer(before, after), w) / sqrt(inner(w, w)), inner(before, after));
}

// Checks the energy 2 (1 + cos(3 dihedral - 0.4)) and its derivatives at q.
void check_dihedral_energy(const Numbers& q) {
  ExpressionGraph graph;
  const Expression phase =
      graph.subtract(graph.multiply(graph.number(3), dihedral_of_symbols(graph)), graph.number(0.4));
  const Expression energy = graph.multiply(graph.number(2), graph.add(graph.number(1), graph.apply(Op::cos, phase)));
  const Derivatives found = derivatives(graph, energy, q);
  const RealFunction exact = [](const std::vector<Real>& y) {
    return Real(2 * (1 + cos(Real(3 * exact_dihedral(y) - Real(0.4)))));
  };
  const double size = largest(found.second);
  const std::string where = fmt::format("{}", fmt::join(q, ", "));
  EXPECT_NEAR(found.value, static_cast<double>(exact(exactly(q))), 1e-14) << where;
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(found.first[i], static_cast<double>(exact_first(exact, q, i, 1e-20)), 1e-12 * size) << where;
    for (std::size_t j = 0; j < 12; ++j)
      EXPECT_NEAR(found.second[i * 12 + j], static_cast<double>(exact_second(exact, q, i, j, 1e-20)), 1e-12 * size)
          << where << " at " << i << ' ' << j;
  }
}

// Four atoms with bonds along x, z and x, twisted by the dihedral angle phi.
Numbers twisted(double phi) { return {1, 0.2, 0, 0, 0.2, 0, 0, 0.2, -1.3, std::cos(phi), 0.2 - std::sin(phi), -1.6}; }

TEST(PointFunctions, DihedralAnglesPassZeroAndPiSmoothly) {
  for (const double phi : {0.0, 1e-12, -1e-8, 1e-4, 1.0, -2.0}) {
    check_dihedral_energy(twisted(phi));
    check_dihedral_energy(twisted(std::numbers::pi + phi));
  }
  std::mt19937_64 random(5);
  for (int k = 0; k < 10; ++k) {
    Numbers q(12);
    for (double& x : q) x = std::uniform_real_distribution<>(-1, 1)(random);
    check_dihedral_energy(q);
  }
}

TEST(PointFunctions, ADihedralAngleThatDoesNotExistHasNoSlope) {
  const Numbers on_a_line = {1, 2, 0, 2, 4, 0, 3, 6, 0, 4, 7, 1};
  const Numbers at_the_end = {0, 1, 5, 1, 1, 1, 2, 1, 1, 4, 1, 1};
  const Numbers all_on_a_line = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  for (const Numbers& q : {on_a_line, at_the_end, all_on_a_line}) {
    ExpressionGraph graph;
    const Derivatives found = derivatives(graph, dihedral_of_symbols(graph), q);
    EXPECT_EQ(found.value, 0);
    for (const double x : found.first) EXPECT_EQ(x, 0);
    for (const double x : found.second) EXPECT_EQ(x, 0);
  }
}

TEST(PointFunctions, AnAngleAtItsKinkHasFiniteDerivatives) {
  for (const int dimension : {2, 3})
    for (const bool straight : {false, true}) {
      ExpressionGraph graph;
      const Derivatives found =
          derivatives(graph, angle_of_symbols(graph, dimension), bent(dimension, straight, 0, false));
      EXPECT_NEAR(found.value, straight ? std::numbers::pi : 0, 1e-29);
      for (const double x : found.second) EXPECT_TRUE(std::isfinite(x));
      EXPECT_NEAR(std::abs(found.first[1]), dimension == 3 ? 0 : 1, 1e-29);  // the first arm has length 1
    }
}

TEST(PointFunctions, EvenFunctionsOfAFlatAngleHaveNoKinkWhereItChangesSign) {
  ExpressionGraph graph;
  const Expression angle = angle_of_symbols(graph, 2);
  const Expression bend = graph.subtract(angle, graph.number(std::numbers::pi));
  for (const Expression e : {graph.multiply(bend, bend), graph.apply(Op::cos, angle)}) {
    const Expression roots[] = {e};
    for (const Expression x : graph.needed(roots)) EXPECT_NE(graph[x].op, Op::abs);
  }
}

TEST(PointFunctions, DistancesAreDifferentiatedRightly) {
  const Numbers q = {0.3, -0.4, 1.2, 2.2, 0.1, 0.7};
  ExpressionGraph graph;
  const Derivatives found = derivatives(graph, point_distance(graph, parts(graph, 0, 3), parts(graph, 1, 3)), q);
  const RealFunction exact = [](const std::vector<Real>& y) {
    const Vector d = arm(y, 0, 1, 3);
    return Real(sqrt(inner(d, d)));
  };
  EXPECT_NEAR(found.value, static_cast<double>(exact(exactly(q))), 1e-15);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(found.first[i], static_cast<double>(exact_first(exact, q, i, 1e-20)), 1e-15);
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_NEAR(found.second[i * 6 + j], static_cast<double>(exact_second(exact, q, i, j, 1e-20)), 1e-15);
  }
}

TEST(PointFunctions, ADifferenceFromPiIsAnAngleOfItsOwn) {
  ExpressionGraph graph;
  const Expression y = graph.symbol(SymbolKind::coordinate, 0), x = graph.symbol(SymbolKind::coordinate, 1);
  const Expression pi = graph.number(std::numbers::pi);
  const Expression angle = graph.apply(Op::atan2, graph.apply(Op::sqrt, y), x);
  const Expression supplement = graph.apply(Op::atan2, graph.apply(Op::sqrt, y), graph.negate(x));
  EXPECT_EQ(graph.subtract(pi, angle), supplement);
  EXPECT_EQ(graph.subtract(angle, pi), graph.negate(supplement));
  EXPECT_EQ(graph.add(angle, graph.number(-std::numbers::pi)), graph.negate(supplement));
  EXPECT_EQ(graph.add(graph.number(-std::numbers::pi), angle), graph.negate(supplement));
  const Expression full_turn = graph.apply(Op::atan2, y, x);
  EXPECT_EQ(graph[graph.subtract(full_turn, pi)].op, Op::subtract);
  EXPECT_EQ(graph[graph.add(angle, pi)].op, Op::add);
}
}  // namespace
