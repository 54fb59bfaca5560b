// SPDX-License-Identifier: BSD-3-Clause
// The switches of an expression, and what the expression is on both sides of each.
#include "model/expression/derivative.hpp"
#include "model/expression/switching.hpp"
#include "support/random_expression.hpp"

#include <gtest/gtest.h>

namespace {
using namespace trill;
using random_expression::parse;

struct Switches {
  ExpressionGraph graph;
  std::vector<SwitchingFunction> found;
  explicit Switches(const std::string& text) {
    const Expression roots[] = {parse(text, graph)};
    found = switching_functions(graph, roots);
  }
  Expression operator()(const std::string& text) { return parse(text, graph); }
};

TEST(Switching, AComparisonInAConditionIsASwitch) {
  for (const char* text : {"1 + if(x < 2*y, x^2, sin(y))", "if(x <= 2*y, x^2, sin(y))", "if(2*y > x, x^2, sin(y))"}) {
    Switches s(text);
    ASSERT_EQ(s.found.size(), 1u) << text;
    EXPECT_EQ(s.found[0].when, s("x - 2*y"));
    ASSERT_EQ(s.found[0].pieces.size(), 1u);
    EXPECT_EQ(s.found[0].pieces[0].below, s("x^2"));
    EXPECT_EQ(s.found[0].pieces[0].above, s("sin(y)"));
    EXPECT_FALSE(s.found[0].pieces[0].continuous);
  }
}

TEST(Switching, AbsMinAndMaxAreContinuous) {
  Switches a("3*abs(x - 1)");
  ASSERT_EQ(a.found.size(), 1u);
  EXPECT_EQ(a.found[0].when, a("x - 1"));
  EXPECT_EQ(a.found[0].pieces[0].below, a("1 - x"));
  EXPECT_EQ(a.found[0].pieces[0].above, a("x - 1"));
  EXPECT_TRUE(a.found[0].pieces[0].continuous);
  Switches b("min(x, y^2)");
  ASSERT_EQ(b.found.size(), 1u);
  EXPECT_EQ(b.found[0].when, b("x - y^2"));
  EXPECT_EQ(b.found[0].pieces[0].below, b("x"));
  Switches c("max(x, y^2)");
  EXPECT_EQ(c.found[0].pieces[0].below, c("y^2"));
  EXPECT_TRUE(c.found[0].pieces[0].continuous);
}

TEST(Switching, OppositeComparisonsAreOneSwitch) {
  Switches s("if(x < y, 1, z) + if(y < x, 2, z^2) + max(y, x)");
  ASSERT_EQ(s.found.size(), 1u);
  ASSERT_EQ(s.found[0].pieces.size(), 3u);
  const bool forward = s.found[0].when == s("x - y");
  EXPECT_TRUE(forward || s.found[0].when == s("y - x"));
  for (const SwitchedPiece& p : s.found[0].pieces) {
    const Expression where_x_is_less = forward ? p.below : p.above;
    EXPECT_TRUE(where_x_is_less == s("1") || where_x_is_less == s("z^2") || where_x_is_less == s("y"));
  }
}

TEST(Switching, EveryComparisonOfACondition) {
  Switches s("if((x > 0)*(y > 1), z, 0)");
  ASSERT_EQ(s.found.size(), 2u);
  for (const SwitchingFunction& f : s.found) {
    const bool is_x = f.when == s("0 - x");
    EXPECT_TRUE(is_x || f.when == s("1 - y"));
    EXPECT_EQ(f.pieces[0].below, is_x ? s("if(y > 1, z, 0)") : s("if(x > 0, z, 0)"));
    EXPECT_EQ(f.pieces[0].above, s("0"));
  }
  Switches number("(x > 0)*y");
  ASSERT_EQ(number.found.size(), 1u);
  EXPECT_EQ(number.found[0].pieces[0].below, number("1"));
  EXPECT_EQ(number.found[0].pieces[0].above, number("0"));
}

TEST(Switching, WhatDoesNotChangeAlongAMotionIsNone) {
  for (const char* text : {"x^2 + sqrt(y)", "if(1 < 2, x, y)", "if(x == y, 1, 2)", "if(x, y, z)", "(x != 0)*y",
                           "if((x < 0) + 1, y, z)", "(angle(point(x, y, z), point(0, 0, 0), point(1, 2, x)) - pi)^2"})
    EXPECT_TRUE(Switches(text).found.empty()) << text;
  ExpressionGraph graph;
  const Expression fixed = graph.symbol(SymbolKind::parameter, 0), column = graph.symbol(SymbolKind::column, 1);
  const Expression roots[] = {graph.apply(Op::choose, graph.apply(Op::less, fixed, column), parse("x", graph), column),
                              graph.apply(Op::abs, fixed)};
  EXPECT_TRUE(switching_functions(graph, roots).empty());
  const Expression timed[] = {graph.apply(Op::abs, graph.subtract(graph.symbol(SymbolKind::time), fixed))};
  EXPECT_EQ(switching_functions(graph, timed).size(), 1u);
}

// x| < 1 switches at x = 1 and x = -1, but not at x = 0, where |x| has its corner.
TEST(Switching, WhatIsComparedIsNoSwitchOfItsOwn) {
  Switches s("if(abs(x) < 1, 0, y)");
  ASSERT_EQ(s.found.size(), 1u);
  EXPECT_EQ(s.found[0].when, s("abs(x) - 1"));
  EXPECT_EQ(Switches("(abs(x) < 1)*y").found.size(), 1u);
}

TEST(Switching, ForcesHaveTheSwitchesOfTheirEnergy) {
  for (const char* text : {"if(x < y, (x - y)^2, 0)*z", "max(x - y, 0)^2", "abs(x)*y", "min(x, max(y, z))^2",
                           "if(x < 0, if(y < 0, x*y, x), sin(y)*x)"}) {
    ExpressionGraph graph;
    const Expression e = parse(text, graph);
    const Expression energy[] = {e};
    std::vector<Expression> forces, whens;
    for (const Partial& p : gradient(graph, e, SymbolKind::coordinate)) forces.push_back(p.value);
    for (const SwitchingFunction& f : switching_functions(graph, energy)) whens.push_back(f.when);
    for (const SwitchingFunction& f : switching_functions(graph, forces))
      EXPECT_TRUE(std::count(whens.begin(), whens.end(), f.when) +
                  std::count(whens.begin(), whens.end(), graph.negate(f.when)))
          << text;
  }
}
}  // namespace
