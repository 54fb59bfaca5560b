// SPDX-License-Identifier: BSD-3-Clause
// Random expressions: derivatives are compared with dual numbers, programs with a recursive evaluation.
#include "model/expression/derivative.hpp"
#include "model/expression/program.hpp"
#include "support/random_expression.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace {
using namespace trill;
using namespace trill::random_expression;

// First and second derivatives with respect to every pair of unknowns.
template <class Real>
std::vector<Real> by_duals(const Tree& tree, const std::array<double, unknowns>& q) {
  using First = random_expression::Dual<Real>;
  std::vector<Real> found;
  for (std::size_t i = 0; i < unknowns; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      std::array<random_expression::Dual<First>, unknowns> y;
      for (std::size_t k = 0; k < unknowns; ++k) y[k] = {First(Real(q[k]), Real(k == i)), First(Real(k == j), Real(0))};
      const random_expression::Dual<First> result = evaluate_tree(tree, y);
      if (j == 0 && i == 0) found.push_back(result.x.x);
      if (j == 0) found.push_back(result.x.d);
      found.push_back(result.d.d);
    }
  return found;
}

// The same derivatives from the graph.
std::vector<double> by_graph(ExpressionGraph& graph, Expression e, const std::array<double, unknowns>& q) {
  std::vector<Expression> outputs;
  const auto slopes = gradient(graph, e, SymbolKind::coordinate);
  const auto curvatures = lower_hessian(graph, e, SymbolKind::coordinate);
  const auto find = [&](const std::vector<Partial>& list, int row, int column) {
    for (const Partial& p : list)
      if (p.row == row && p.column == column) return p.value;
    return graph.number(0);
  };
  for (int i = 0; i < unknowns; ++i)
    for (int j = 0; j <= i; ++j) {
      if (j == 0 && i == 0) outputs.push_back(e);
      if (j == 0) outputs.push_back(find(slopes, 0, i));
      outputs.push_back(find(curvatures, i, j));
    }
  const Program program(graph, outputs);
  Evaluator evaluator(program);
  evaluator.evaluate({.q = q.data()});
  std::vector<double> values;
  for (std::size_t k = 0; k < outputs.size(); ++k) values.push_back(evaluator[k]);
  return values;
}

TEST(RandomExpressions, ValuesAndDerivativesAgreeWithDualNumbers) {
  Random random(20260101);
  int compared = 0;
  for (int tries = 0; compared < 2000 && tries < 40000; ++tries) {
    const auto tree = random_tree(random, 6);
    std::array<double, unknowns> q;
    for (double& x : q) x = std::uniform_real_distribution<>(0.2, 2)(random);
    const auto exact = by_duals<long double>(*tree, q);
    const auto rounded = by_duals<double>(*tree, q);
    double size = 0;
    bool finite = true;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      finite = finite && std::isfinite(exact[k]) && std::isfinite(rounded[k]);
      size = std::max(size, std::abs(static_cast<double>(exact[k])));
    }
    if (!finite || size > 1e6) continue;
    ++compared;
    ExpressionGraph graph;
    const Expression e = parse(text_of(*tree), graph);
    const auto found = by_graph(graph, e, q);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const double lost = std::abs(static_cast<double>(exact[k] - static_cast<long double>(rounded[k])));
      EXPECT_NEAR(found[k], static_cast<double>(exact[k]), 1e-9 * (1 + size) + 1000 * lost)
          << text_of(*tree) << "\nentry " << k << " at " << q[0] << ", " << q[1] << ", " << q[2];
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(compared, 2000);
}

TEST(RandomExpressions, DirectionalDerivativesFollowFromGradients) {
  Random random(7);
  for (int compared = 0; compared < 500;) {
    const auto tree = random_tree(random, 5);
    ExpressionGraph graph;
    const Expression e = parse(text_of(*tree), graph);
    std::vector<Rate> rates;
    Expression expected = graph.number(0);
    for (int i = 0; i < unknowns; ++i)
      rates.push_back({graph.symbol(SymbolKind::coordinate, i), graph.symbol(SymbolKind::velocity, i)});
    for (const Partial& p : gradient(graph, e, SymbolKind::coordinate))
      expected = graph.add(expected, graph.multiply(p.value, graph.symbol(SymbolKind::velocity, p.column)));
    const Expression outputs[] = {expected, directional_derivative(graph, e, rates), e};
    const Program program(graph, outputs);
    Evaluator run(program);
    const double q[] = {0.7, 1.3, 0.4}, v[] = {1.5, -0.5, 0.25};
    run.evaluate({.q = q, .v = v});
    if (!std::isfinite(run[0]) || !std::isfinite(run[2]) || std::abs(run[0]) > 1e6) continue;
    ++compared;
    ASSERT_NEAR(run[0], run[1], 1e-9 * (1 + std::abs(run[0]))) << text_of(*tree);
  }
}

TEST(Derivatives, APieceThatIsNotChosenDoesNoHarm) {
  const std::pair<const char*, double> table[] = {{"if(x > 0, sqrt(x), 3*x)", 3},
                                                  {"max(sqrt(x + 1), 2)", 0},
                                                  {"if(x < 0, x^2, log(x)*sqrt(x))", -2},
                                                  {"if(x < 0, if(x < -5, sqrt(x), x), 1/(x + 1))", 1},
                                                  {"if(x > 0, sqrt(x), 0) + if(x > 1, 1/sqrt(x), 0) + 2*x", 2},
                                                  {"abs(x)", -1}};
  for (const auto& [text, slope] : table) {
    ExpressionGraph graph;
    const Expression e = parse(text, graph);
    const auto slopes = gradient(graph, e, SymbolKind::coordinate);
    const Expression outputs[] = {slopes.empty() ? graph.number(0) : slopes[0].value};
    const Program program(graph, outputs);
    Evaluator run(program);
    const double q[] = {-1};
    run.evaluate({.q = q});
    EXPECT_EQ(run[0], slope) << text;
  }
}
}  // namespace
