// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/expression/latex.hpp"
#include "model/expression/parser.hpp"
#include "model/file/model_export.hpp"
#include "trill/model/text_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> names{"x", "y", "omega", "x1"};

class Names final : public NameScope {
 public:
  explicit Names(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    for (std::size_t k = 0; k < known_.size(); ++k)
      if (known_[k] == use.name) return parsed_number(graph_.symbol(SymbolKind::coordinate, static_cast<int>(k)));
    return {};
  }
  std::vector<std::string> names() const override { return known_; }

 private:
  ExpressionGraph& graph_;
  std::vector<std::string> known_ = trill::names;
};

std::string written(const std::string& text) {
  ExpressionGraph graph;
  Names scope(graph);
  const SourceText source("formula", text);
  const SourcePiece piece{&source, 0, text, true};
  const Expression e = parse_expression(piece, graph, scope);
  return latex(graph, e, [](SymbolKind, int index) { return latex_name(names[static_cast<std::size_t>(index)]); });
}

TEST(LatexName, GreekLettersAndIndices) {
  EXPECT_EQ(latex_name("x"), "x");
  EXPECT_EQ(latex_name("omega"), "\\omega");
  EXPECT_EQ(latex_name("omega12"), "\\omega_{12}");
  EXPECT_EQ(latex_name("x_max"), "x_{\\mathrm{max}}");
  EXPECT_EQ(latex_name("alpha_1_b"), "\\alpha_{1,b}");
  EXPECT_EQ(latex_name("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latex_name("_a_b"), "\\mathrm{\\_a\\_b}");
}

TEST(Latex, FractionsRootsAndPowers) {
  EXPECT_EQ(written("x/y"), "\\frac{x}{y}");
  EXPECT_EQ(written("sqrt(x^2 + y^2) - 1"), "\\sqrt{x^{2} + y^{2}} - 1");
  EXPECT_EQ(written("x^y"), "x^{y}");
  EXPECT_EQ(written("omega^2*x1/2"), "\\tfrac{1}{2} \\omega^{2} x_{1}");
  EXPECT_EQ(written("x^-0.25"), "x^{-\\tfrac{1}{4}}");
  EXPECT_EQ(written("1.5e-7*x"), "1.5 \\cdot 10^{-7} x");
  EXPECT_EQ(written("exp(-x)*cos(omega)"), "\\exp\\left(-x\\right) \\cos\\left(\\omega\\right)");
  EXPECT_EQ(written("abs(x)"), "\\left|x\\right|");
}

TEST(Latex, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(written("(x + y)*omega"), "\\left(x + y\\right) \\omega");
  EXPECT_EQ(written("x - (y - omega)"), "x - \\left(y - \\omega\\right)");
  EXPECT_EQ(written("(x - y) - omega"), "x - y - \\omega");
  EXPECT_EQ(written("(x*y)^2"), "\\left(x y\\right)^{2}");
  EXPECT_EQ(written("(x/y)^2"), "\\left(\\frac{x}{y}\\right)^{2}");
  EXPECT_EQ(written("-(x + y)"), "-\\left(x + y\\right)");
  EXPECT_EQ(written("(-x)^omega"), "\\left(-x\\right)^{\\omega}");
  EXPECT_EQ(written("-3*x*y"), "-3 x y");
}

TEST(Latex, Pieces) {
  EXPECT_EQ(written("min(x, y, omega)"), "\\min\\left(x, y, \\omega\\right)");
  EXPECT_EQ(written("if(x > 0 and not y > 0 or x < -1, x, omega)"),
            "\\begin{cases} x & \\text{if } \\left(0 < x \\land \\left(\\lnot \\left(0 < y\\right)\\right)\\right) "
            "\\lor x < -1 "
            "\\\\ \\omega & \\text{otherwise} \\end{cases}");
  EXPECT_EQ(written("2*(x < y and y < omega)"), "2 \\left[x < y \\land y < \\omega\\right]");
  EXPECT_EQ(written("sign(x)*floor(y)"), "\\operatorname{sign}\\left(x\\right) \\left\\lfloor y \\right\\rfloor");
  EXPECT_EQ(written("if(x < y, x, omega)"),
            "\\begin{cases} x & \\text{if } x < y \\\\ \\omega & \\text{otherwise} \\end{cases}");
}

// After sixty doublings the written formula would have 10^18 operations.
TEST(Latex, WhatNobodyCanReadIsNotWritten) {
  ExpressionGraph graph;
  Expression e = graph.symbol(SymbolKind::coordinate);
  for (int k = 0; k < 60; ++k) e = graph.add(graph.apply(Op::sin, e), graph.apply(Op::square, e));
  EXPECT_THAT(latex(graph, e, [](SymbolKind, int) { return "x"; }), HasSubstr("operations"));
}

const char* const pendulum = R"toml(
title = "Two & more_\\input{x}"
[parameters]
omega1 = 2.0
[sets]
bond = { i = [0, 1], k = [3, 4] }
[coordinates]
theta = { start = 0.1 }
y = { over = "bond", start = 1 }
[[potential]]
energy = "-omega1^2*cos(theta)"
[[potential]]
over = "bond"
energy = "k/2*y[i]^2"
)toml";

TEST(ModelExport, LatexHasEnergiesSumsAndForces) {
  const TextModel model = read_model("pendulum.toml", pendulum);
  const auto* text = dynamic_cast<const ModelExport*>(model.problem.get());
  ASSERT_TRUE(text);
  const std::string latex = text->as_latex();
  EXPECT_THAT(latex, HasSubstr("V &= -\\omega_{1}^{2} \\cos\\left(\\theta\\right) + "
                               "\\sum_{\\mathrm{bond}} \\left(\\tfrac{1}{2} k y_{i}^{2}\\right)"));
  EXPECT_THAT(latex, HasSubstr("f_{\\theta} &= -\\omega_{1}^{2} \\sin\\left(\\theta\\right)"));
  EXPECT_THAT(latex, HasSubstr("f_{y_{i}} &\\mathrel{+}= -k y_{i}"));
  EXPECT_THAT(latex, AllOf(HasSubstr("Two \\& more\\_"), Not(HasSubstr("\\input"))));
}

TEST(ModelExport, CHasEveryFunctionWithItsNames) {
  const TextModel model = read_model("pendulum.toml", pendulum);
  const std::string c = dynamic_cast<const ModelExport&>(*model.problem).as_c();
  EXPECT_THAT(c, HasSubstr("/* force\n   over bond\n   index 0: y[...]\n   column 0: i\n   column 1: k */\nvoid "));
  EXPECT_THAT(c, HasSubstr("/* energy\n   over no set\n   index 0: theta */\nvoid "));
  EXPECT_THAT(c, HasSubstr("derivative of the force by q"));
}
}  // namespace
}  // namespace trill
