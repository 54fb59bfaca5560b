// SPDX-License-Identifier: BSD-3-Clause
// The derivatives that mechanics needs, for random expressions, compared with dual numbers nested three deep.
#include "model/expression/mechanics.hpp"
#include "model/expression/program.hpp"
#include "support/random_expression.hpp"

#include <gtest/gtest.h>

namespace {
using namespace trill;
using namespace trill::random_expression;

template <class Real>
using Third = random_expression::Dual<random_expression::Dual<random_expression::Dual<Real>>>;
using Point = std::array<double, unknowns>;
using TreePointer = std::unique_ptr<Tree>;

constexpr Point q = {0.7, 1.3, 0.4}, v = {1.5, -0.5, 0.25}, a = {-0.8, 0.3, 1.1}, jerk = {0.6, 2.2, -0.9},
                w = {0.35, -1.25, 0.85}, s = {0.9, -1.4, 0.6};
Point one(int k) {
  Point p{};
  p[static_cast<std::size_t>(k)] = 1;
  return p;
}

// The triple dual number value + e1 d1 + e2 d2 + e3 d3.
template <class Real>
Third<Real> seed(double value, double d1, double d2, double d3) {
  using First = random_expression::Dual<Real>;
  using Second = random_expression::Dual<First>;
  return {Second{First{Real(value), Real(d1)}, First{Real(d2), Real(0)}}, Second{First{Real(d3), Real(0)}, First{}}};
}
template <class Real>
std::array<Third<Real>, unknowns> seeds(const Point& at, const Point& d1, const Point& d2, const Point& d3) {
  std::array<Third<Real>, unknowns> y;
  for (std::size_t k = 0; k < unknowns; ++k) y[k] = seed<Real>(at[k], d1[k], d2[k], d3[k]);
  return y;
}

// The wanted derivatives in both kinds of reals. Their difference shows how much rounding loses.
struct Wanted {
  std::vector<long double> exact;
  std::vector<double> rounded;
  bool usable() const {
    for (std::size_t k = 0; k < exact.size(); ++k)
      if (!std::isfinite(rounded[k]) || !(std::abs(exact[k]) < 1e5L)) return false;
    return true;
  }
};

template <class Compute>
Wanted wanted_by(Compute compute) {
  return {compute.template operator()<long double>(), compute.template operator()<double>()};
}

void expect_values(const ExpressionGraph& graph, const std::vector<Expression>& outputs, const Wanted& wanted,
                   const std::string& text) {
  ASSERT_EQ(outputs.size(), wanted.exact.size());
  const Program program(graph, outputs);
  Evaluator run(program);
  run.evaluate({.t = 0,
                .q = q.data(),
                .v = v.data(),
                .multipliers = s.data(),
                .direction = w.data(),
                .acceleration = a.data(),
                .jerk = jerk.data()});
  double size = 0;
  for (const long double x : wanted.exact) size = std::max(size, static_cast<double>(std::abs(x)));
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const auto exact = static_cast<double>(wanted.exact[k]);
    const double lost = std::abs(static_cast<double>(wanted.exact[k] - static_cast<long double>(wanted.rounded[k])));
    EXPECT_NEAR(run[k], exact, 1e-9 * (1 + size) + 1000 * lost) << text << "\noutput " << k;
  }
}

Expression entry(ExpressionGraph& graph, const std::vector<Partial>& matrix, int row, int column) {
  for (const Partial& p : matrix)
    if (p.row == row && p.column == column) return p.value;
  return graph.number(0);
}

// Runs a check on random trees until `count` of them had finite derivatives.
template <class Check>
void on_random_trees(std::uint64_t start, int depth, int count, Check check) {
  Random random(start);
  int compared = 0;
  for (int tries = 0; compared < count && tries < 40 * count; ++tries) {
    compared += check([&] { return random_tree(random, depth); });
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(compared, count);
}

TEST(RandomMechanics, TimeDerivatives) {
  on_random_trees(3, 5, 500, [](auto next) {
    const TreePointer tree = next();
    const Wanted wanted = wanted_by([&]<class Real>() {
      const Third<Real> t = seed<Real>(0, 1, 1, 1);
      std::array<Third<Real>, unknowns> y;
      for (std::size_t k = 0; k < unknowns; ++k)
        y[k] = Third<Real>(q[k]) + t * (Third<Real>(v[k]) + t * (Third<Real>(a[k] / 2) + t * Third<Real>(jerk[k] / 6)));
      const Third<Real> e = evaluate_tree(*tree, y);
      return std::vector<Real>{e.x.x.x, e.x.x.d, e.x.d.d, e.d.d.d};
    });
    if (!wanted.usable()) return false;
    ExpressionGraph graph;
    const std::string text = text_of(*tree);
    expect_values(graph, time_derivatives(graph, parse(text, graph), 3, unknowns), wanted, text);
    return true;
  });
}

TEST(RandomMechanics, GapsAndConstraints) {
  on_random_trees(4, 5, 300, [](auto next) {
    const TreePointer trees[] = {next(), next()};
    // For every row: G v, v^T H v, G w, and for every column G, (G along w), d(G v)/dq. Then d(G^T s)/dq.
    const Wanted wanted = wanted_by([&]<class Real>() {
      std::vector<Real> found, of_sum(unknowns * unknowns);
      for (std::size_t row = 0; row < 2; ++row) {
        const auto by = [&](const Point& d1, const Point& d2) {
          return evaluate_tree(*trees[row], seeds<Real>(q, d1, d2, Point{}));
        };
        found.push_back(by(v, v).x.x.d);
        found.push_back(by(v, v).x.d.d);
        found.push_back(by(w, w).x.x.d);
        for (int j = 0; j < unknowns; ++j) {
          found.push_back(by(one(j), w).x.x.d);
          found.push_back(by(one(j), w).x.d.d);
          found.push_back(by(one(j), v).x.d.d);
          for (int i = 0; i < unknowns; ++i)
            of_sum[static_cast<std::size_t>(i * unknowns + j)] += Real(s[row]) * by(one(i), one(j)).x.d.d;
        }
      }
      for (int i = 0; i < unknowns; ++i)
        for (int j = 0; j <= i; ++j) found.push_back(of_sum[static_cast<std::size_t>(i * unknowns + j)]);
      return found;
    });
    if (!wanted.usable()) return false;
    ExpressionGraph graph;
    const std::string texts[] = {text_of(*trees[0]), text_of(*trees[1])};
    const std::vector<Expression> g = {parse(texts[0], graph), parse(texts[1], graph)};
    const auto rate = velocity_level(graph, g, unknowns), eta = curvature(graph, g, unknowns);
    const auto product = jacobian_product(graph, g, SymbolKind::coordinate, unknowns);
    const auto G = jacobian(graph, g, SymbolKind::coordinate), along = derivative_along(graph, G, unknowns);
    const auto of_rate = jacobian(graph, rate, SymbolKind::coordinate), of_sum = transpose_derivative(graph, g);
    std::vector<Expression> outputs;
    for (int row = 0; row < 2; ++row) {
      const auto k = static_cast<std::size_t>(row);
      outputs.insert(outputs.end(), {rate[k], eta[k], product[k]});
      for (int j = 0; j < unknowns; ++j)
        for (const auto* matrix : {&G, &along, &of_rate}) outputs.push_back(entry(graph, *matrix, row, j));
    }
    for (int i = 0; i < unknowns; ++i)
      for (int j = 0; j <= i; ++j) outputs.push_back(entry(graph, of_sum, i, j));
    expect_values(graph, outputs, wanted, texts[0] + " | " + texts[1]);
    return true;
  });
}

// T = 1/2 (a(q) vx + b(q) vy)^2 + b(q)^2 vz^2 with random a and b.
template <class T>
T kinetic(const Tree& first, const Tree& second, const std::array<T, unknowns>& y, const std::array<T, unknowns>& u) {
  const T c = evaluate_tree(first, y), d = evaluate_tree(second, y), sum = c * u[0] + d * u[1];
  return T(0.5) * sum * sum + d * d * u[2] * u[2];
}

Expression kinetic(ExpressionGraph& graph, const std::string& first, const std::string& second) {
  const auto u = [&](int k) { return graph.symbol(SymbolKind::velocity, k); };
  const Expression c = parse(first, graph), d = parse(second, graph);
  const Expression sum = graph.add(graph.multiply(c, u(0)), graph.multiply(d, u(1)));
  const Expression last = graph.multiply(graph.apply(Op::square, d), graph.apply(Op::square, u(2)));
  return graph.add(graph.multiply(graph.number(0.5), graph.apply(Op::square, sum)), last);
}

TEST(RandomMechanics, KineticEnergies) {
  on_random_trees(5, 4, 300, [](auto next) {
    const TreePointer first = next(), second = next();
    const Wanted wanted = wanted_by([&]<class Real>() {
      const Point none{};
      // The derivatives of T along three directions of (q, v).
      const auto by = [&](const Point& q1, const Point& v1, const Point& q2, const Point& v2, const Point& q3,
                          const Point& v3) {
        return kinetic(*first, *second, seeds<Real>(q, q1, q2, q3), seeds<Real>(v, v1, v2, v3));
      };
      std::vector<Real> found;
      for (int i = 0; i < unknowns; ++i) {
        found.push_back(by(one(i), none, none, none, none, none).x.x.d - by(none, one(i), v, none, none, none).x.d.d);
        for (int j = 0; j < unknowns; ++j) {
          if (j <= i) found.push_back(by(none, one(i), none, one(j), none, none).x.d.d);
          if (j <= i) found.push_back(by(none, one(i), none, one(j), w, none).d.d.d);
          found.push_back(by(none, one(i), none, w, one(j), none).d.d.d);
        }
      }
      return found;
    });
    if (!wanted.usable()) return false;
    ExpressionGraph graph;
    const std::string texts[] = {text_of(*first), text_of(*second)};
    const Expression energy = kinetic(graph, texts[0], texts[1]);
    EXPECT_TRUE(is_quadratic_in_velocities(graph, energy)) << texts[0] << " | " << texts[1];
    const KineticTerms terms = kinetic_terms(graph, energy, unknowns);
    const auto along = derivative_along(graph, terms.mass, unknowns);
    std::vector<Expression> outputs;
    for (int i = 0; i < unknowns; ++i) {
      outputs.push_back(terms.velocity_force[static_cast<std::size_t>(i)]);
      for (int j = 0; j < unknowns; ++j) {
        if (j <= i) outputs.push_back(entry(graph, terms.mass, i, j));
        if (j <= i) outputs.push_back(entry(graph, along, i, j));
        outputs.push_back(entry(graph, terms.mass_product, i, j));
      }
    }
    expect_values(graph, outputs, wanted, texts[0] + " | " + texts[1]);
    return true;
  });
}
}  // namespace
