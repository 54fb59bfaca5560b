// SPDX-License-Identifier: BSD-3-Clause
// The meaning of expressions, and the messages about wrong ones: the place, the caret, the most similar name.
#include "model/expression/parser.hpp"
#include "model/expression/program.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace {
using namespace trill;

class Letters final : public NameScope {
 public:
  explicit Letters(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    if (use.name == "r") return atom(use);
    if (use.index != no_expression && names_known(use.name)) throw use.piece.error(use.offset, "is no array");
    if (use.name == "x") return parsed_number(graph_.symbol(SymbolKind::coordinate, 0));
    if (use.name == "y") return parsed_number(graph_.symbol(SymbolKind::coordinate, 1));
    if (use.name == "omega1") return parsed_number(graph_.number(3));
    if (use.name == "flat") return {{graph_.number(3), graph_.symbol(SymbolKind::coordinate, 0)}, 2};
    return {};
  }
  std::vector<std::string> names() const override { return {"x", "y", "omega1", "r", "flat"}; }

 private:
  bool names_known(std::string_view name) const {
    const auto all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  // r[k] is the point (k, k^2, k^3).
  ParsedValue atom(const NameUse& use) {
    if (use.index == no_expression) throw use.piece.error(use.offset, "'r' is an array, write r[...]");
    const Expression k = use.index;
    return {{k, graph_.multiply(k, k), graph_.multiply(k, graph_.multiply(k, k))}, 3};
  }
  ExpressionGraph& graph_;
};

Expression parse(const std::string& text, ExpressionGraph& graph) {
  const SourceText source("model.toml", text);
  Letters scope(graph);
  return parse_expression({&source, 0, text}, graph, scope);
}

// The value of an expression at x = 2, y = 5, t = 0.25.
double value(const std::string& text) {
  ExpressionGraph graph;
  const Expression outputs[] = {parse(text, graph)};
  const Program program(graph, outputs);
  Evaluator evaluator(program);
  const double q[] = {2, 5};
  evaluator.evaluate({.t = 0.25, .q = q});
  return evaluator[0];
}

std::string complaint(const std::string& text) {
  ExpressionGraph graph;
  try {
    parse(text, graph);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Parser, WholePartsRemaindersAndSigns) {
  const std::pair<const char*, double> table[] = {
      {"floor(2.7)", 2},      {"floor(-2.1)", -3},    {"floor(3)", 3}, {"floor(y/x)", 2}, {"mod(7, 3)", 1},
      {"mod(-7, 3)", 2},      {"mod(7, -3)", -2},     {"y % x", 1},    {"7.5 % 2", 1.5},  {"2*7 % 4", 2},
      {"1 + 7 % 4", 4},       {"-7 % 3", 2},          {"sign(x)", 1},  {"sign(-y)", -1},  {"sign(x - 2)", 0},
      {"max(1, x, y, 3)", 5}, {"min(4, 3, x, 7)", 2}, {"max(x, y)", 5}};
  for (const auto& [text, expected] : table) EXPECT_DOUBLE_EQ(value(text), expected) << text;
}

TEST(Parser, WordsJoinConditions) {
  const std::pair<const char*, double> table[] = {{"x < 3 and y > 4", 1},
                                                  {"x < 3 and y > 5", 0},
                                                  {"x > 3 or y > 4", 1},
                                                  {"x > 3 or y > 5", 0},
                                                  {"x < 3 or y > 4", 1},
                                                  {"not x > 3", 1},
                                                  {"not not x", 1},
                                                  {"not x", 0},
                                                  {"0 and 1 or 1", 1},
                                                  {"1 or 1 and 0", 1},
                                                  {"not 0 and 0", 0},
                                                  {"x and y", 1},
                                                  {"if(x > 1 and x < 3, 7, 9)", 7},
                                                  {"3*(x < 3 or y < 4)", 3},
                                                  {"not(x < 3)", 0}};
  for (const auto& [text, expected] : table) EXPECT_DOUBLE_EQ(value(text), expected) << text;
  EXPECT_THAT(complaint("x < y < 3"), testing::HasSubstr("write a < b and b < c"));
  EXPECT_THAT(complaint("x + and"), testing::HasSubstr("'and' stands between or in front of values"));
  EXPECT_TRUE(is_reserved("and") && is_reserved("or") && is_reserved("not"));
  EXPECT_FALSE(is_reserved("floor") || is_reserved("sign")) << "models from before these functions have such names";
}

// r[k] is the point (k, k^2, k^3); flat is (3, x) with x = 2.
TEST(Parser, PointsAreAddedAndScaled) {
  const std::pair<const char*, double> table[] = {{"norm(r[2] - r[1])", std::sqrt(1.0 + 9 + 49)},
                                                  {"(r[1] + r[2]).z", 9},
                                                  {"(3*r[2]).y", 12},
                                                  {"(r[2]*3/2).z", 12},
                                                  {"(-r[2] + r[1]).y", -3},
                                                  {"dot(r[1] - r[2], 2*r[1])", -22},
                                                  {"norm(flat - point(0, -2))", 5},
                                                  {"distance(r[1], r[2]) - norm(r[1] - r[2])", 0}};
  for (const auto& [text, expected] : table) EXPECT_DOUBLE_EQ(value(text), expected) << text;
  EXPECT_THAT(complaint("norm(r[1] - 2)"), testing::HasSubstr("r[1] is a point in space and 2 is a number"));
  EXPECT_THAT(complaint("norm(r[1] - flat)"), testing::HasSubstr("flat is a point of the plane"));
  EXPECT_THAT(complaint("r[1]*r[2]"), testing::HasSubstr("write dot(...)"));
  EXPECT_THAT(complaint("1/r[2]"), testing::HasSubstr("r[2] is a point, and a number is needed"));
  EXPECT_THAT(complaint("r[2] % 2"), testing::HasSubstr("r[2] is a point, and a number is needed"));
}

TEST(Parser, PrecedenceAndAssociativity) {
  const std::pair<const char*, double> table[] = {{"1 + 2*3", 7},
                                                  {"(1 + 2)*3", 9},
                                                  {"10 - 4 - 3", 3},
                                                  {"64/4/2", 8},
                                                  {"64/4*2", 32},
                                                  {"2^3^2", 512},
                                                  {"-2^2", -4},
                                                  {"(-2)^2", 4},
                                                  {"2^-1", 0.5},
                                                  {"2*-3", -6},
                                                  {"- -2", 2},
                                                  {"--x", 2},
                                                  {"+x - +y", -3},
                                                  {"-x^2", -4},
                                                  {"2^-x^2", 0.0625},
                                                  {"x*y^2", 50},
                                                  {"x/y*y", 2},
                                                  {"x - y - 1", -4},
                                                  {"x - (y - 1)", -2},
                                                  {"x + y < 8", 1},
                                                  {"x >= y", 0},
                                                  {"x > y", 0},
                                                  {"x != y", 1},
                                                  {"x == 2", 1},
                                                  {"x <= 2", 1},
                                                  {"if(x < y, x, y)", 2},
                                                  {"if(x > y, x, y)", 5},
                                                  {"min(x, y)", 2},
                                                  {"max(x, y)", 5},
                                                  {"pow(x, y)", 32},
                                                  {"hypot(3, 4)", 5},
                                                  {"abs(-x)", 2},
                                                  {"4*t", 1},
                                                  {"1.5e1 + .5", 15.5},
                                                  {"x ^ 3", 8},
                                                  {"y^-2", 0.04},
                                                  {"omega1^2/2", 4.5},
                                                  {" \t1\n+\r\n1 ", 2},
                                                  {"sqrt(x*8)", 4},
                                                  {"x^0.5*x^0.5", 2.0000000000000004}};
  for (const auto& [text, expected] : table) EXPECT_DOUBLE_EQ(value(text), expected) << text;
  const std::pair<const char*, double> library[] = {{"exp(x)", std::exp(2.0)},
                                                    {"log(x)", std::log(2.0)},
                                                    {"sin(x)", std::sin(2.0)},
                                                    {"cos(x)", std::cos(2.0)},
                                                    {"tan(x)", std::tan(2.0)},
                                                    {"asin(t)", std::asin(0.25)},
                                                    {"acos(t)", std::acos(0.25)},
                                                    {"atan(x)", std::atan(2.0)},
                                                    {"atan2(x, y)", std::atan2(2.0, 5.0)},
                                                    {"sinh(x)", std::sinh(2.0)},
                                                    {"cosh(x)", std::cosh(2.0)},
                                                    {"tanh(x)", std::tanh(2.0)},
                                                    {"x^2.5", std::pow(2.0, 2.5)},
                                                    {"sin(pi/6)", std::sin(std::acos(-1.0) / 6)}};
  for (const auto& [text, expected] : library) EXPECT_DOUBLE_EQ(value(text), expected) << text;
}

TEST(Parser, EqualPartsAreStoredOnceAndNothingsVanish) {
  ExpressionGraph graph;
  const Expression x = parse("x", graph), y = parse("y", graph);
  for (const char* text : {"0 + x", "x + 0", "1*x", "x*1", "x^1", "--x", "x/1", "x - 0", "+x", "if(1 < 2, x, y)"})
    EXPECT_EQ(parse(text, graph), x) << text;
  EXPECT_EQ(parse("x*y", graph), parse("y*x", graph));
  EXPECT_EQ(parse("x^2", graph), parse("x*x", graph));
  EXPECT_EQ(graph[parse("x^2", graph)].op, Op::square);
  EXPECT_EQ(parse("2*(y*(x/2))", graph), parse("x*y", graph));
  EXPECT_EQ(parse("-(x - y)", graph), parse("y - x", graph));
  EXPECT_EQ(graph.constant(parse("2*3 + sqrt(16)", graph)), 10.0);
  EXPECT_EQ(parse("0*y", graph), graph.number(0));
  EXPECT_EQ(parse("sqrt(x^2 + y^2)^2", graph), parse("x^2 + y^2", graph));
  // It must not become x, since it is not a number where x < 0.
  EXPECT_EQ(graph[parse("sqrt(x)^2", graph)].op, Op::square);
  const std::size_t before = graph.size();
  EXPECT_EQ(parse("(x + y)*(y + x)", graph), graph.apply(Op::square, graph.add(x, y)));
  EXPECT_EQ(graph.size(), before + 2);
}

TEST(Parser, ADivisionByZeroIsLeftForTheStart) {
  ExpressionGraph graph;
  EXPECT_FALSE(graph.constant(parse("1/0", graph)));
  EXPECT_TRUE(std::isinf(value("1/0")));
}

TEST(Parser, ErrorsShowThePlace) {
  EXPECT_EQ(complaint("x + omgea1*y"),
            "model.toml:1:5: unknown name 'omgea1'; did you mean 'omega1'?\n"
            "  x + omgea1*y\n"
            "      ^");
  EXPECT_EQ(complaint("x +\n  2*snh(y)"),
            "model.toml:2:5: unknown function 'snh'; did you mean 'sinh' or 'sin' or 'tanh'?\n"
            "    2*snh(y)\n"
            "      ^");
  EXPECT_EQ(complaint("(x + y"),
            "model.toml:1:7: ')' was expected here, not the end of the expression, to close the '(' at character 1\n"
            "  (x + y\n"
            "        ^");
  const std::pair<const char*, std::vector<std::string>> table[] = {
      {"", {"model.toml:1:1", "an expression"}},
      {"x +", {"model.toml:1:4", "number", "name", "'('", "end of the expression"}},
      {"2x", {"model.toml:1:2", "'x'", "operator"}},
      {"x**2", {"model.toml:1:2", "'**'", "^"}},
      {"x = 2", {"model.toml:1:3", "'='", "=="}},
      {"x)", {"model.toml:1:2", "')'", "parenthesis"}},
      {"1 < x < 2", {"model.toml:1:7", "comparisons"}},
      {"atan2(x)", {"model.toml:1:8", "'atan2'", "','", "')'", "2"}},
      {"sin(x, y)", {"model.toml:1:6", "'sin'", "1 value"}},
      {"sin + 1", {"model.toml:1:5", "'('", "'sin'", "'+'", "function"}},
      {"x(2)", {"model.toml:1:2", "'x'", "function", "*"}},
      {"x[1]", {"model.toml:1:1", "array"}},
      {"1 + t[1]", {"model.toml:1:5", "'t'", "index"}},
      {"zz[1]", {"model.toml:1:1", "'zz'", "name"}},
      {"1 + r", {"model.toml:1:5", "'r'", "r[...]", "array"}},
      {"r[1", {"model.toml:1:4", "']'", "'['", "2", "end of the expression"}},
      {"r[]", {"model.toml:1:3", "'('", "']'", "number"}},
      {"r[1)", {"model.toml:1:4", "']'", "')'"}},
      {"1e999", {"model.toml:1:1", "number", "large"}},
      {".", {"model.toml:1:1", "number", "digit"}},
      {"x \xc3\xa4 y", {"model.toml:1:3", "'\xc3\xa4'"}},
      {"x\x01", {"model.toml:1:2", "code 1"}}};
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text;
}

TEST(Parser, PointsHavePartsAndFunctions) {
  // r[k] = (k, k^2, k^3), flat = (3, 2)
  const std::pair<const char*, double> table[] = {
      {"r[2].x", 2},
      {"r[2].y + r[x + 1].z", 31},
      {"r[ 3 ] . z^2", 729},
      {"(r[2]).z", 8},
      {"flat.y", 2},
      {"r[r[2].x].y", 4},
      {"point(x, y).y", 5},
      {"distance(r[0], r[1])", std::sqrt(3.0)},
      {"distance(flat, point(0, 6))", 5},
      {"dot(r[1], r[2])", 14},
      {"dot(flat, point(1, 10))", 23},
      {"norm(point(1, 2, 2))", 3},
      {"norm(flat)", std::sqrt(13.0)},
      {"angle(point(1, 0), point(0, 0), point(0, 7))", std::acos(-1.0) / 2},
      {"angle(point(2, 1, 1), point(1, 1, 1), point(3, 3, 1))", std::acos(-1.0) / 4},
      {"angle(point(1, 0), point(0, 0), point(-3, 0))", std::acos(-1.0)},
      {"angle(point(2, 2), point(1, 1), point(1, 0))", 3 * std::acos(-1.0) / 4},
      // Looking from b to c, which is down the z axis, d is a quarter turn clockwise from a.
      {"dihedral(point(1,0,0), point(0,0,0), point(0,0,-1), point(0,-1,-1))", std::acos(-1.0) / 2},
      {"dihedral(point(1,0,0), point(0,0,0), point(0,0,-1), point(0,1,-1))", -std::acos(-1.0) / 2},
      {"dihedral(point(1,0,0), point(0,0,0), point(0,0,-1), point(1,0,-2))", 0},
      {"dihedral(point(1,0,0), point(0,0,0), point(0,0,-1), point(-1,0,-2))", std::acos(-1.0)}};
  for (const auto& [text, expected] : table) EXPECT_DOUBLE_EQ(value(text), expected) << text;
}

TEST(Parser, MistakesWithPointsShowThePlace) {
  EXPECT_EQ(complaint("1 + 2^r[ x ] "),
            "model.toml:1:7: r[ x ] is a point, and a number is needed here; write r[ x ].x or distance(...)\n"
            "  1 + 2^r[ x ] \n"
            "        ^");
  const std::pair<const char*, std::vector<std::string>> table[] = {
      {" flat ", {"model.toml:1:2", "flat is a point"}},
      {"-flat", {"model.toml:1:1", "-flat is a point"}},
      {"flat + 1", {"model.toml:1:1", "flat is a point"}},
      {"2 - flat", {"model.toml:1:1", "2 is a number", "flat is a point"}},
      {"flat^2", {"model.toml:1:1", "flat is a point"}},
      {"2^flat", {"model.toml:1:3", "flat is a point"}},
      {"1/flat", {"model.toml:1:3", "flat is a point"}},
      {"flat < 1", {"model.toml:1:1", "flat is a point"}},
      {"1 < (flat)", {"model.toml:1:5", "(flat)", "point"}},
      {"r[flat]", {"model.toml:1:3", "flat is a point"}},
      {"sin(flat)", {"model.toml:1:5", "flat is a point"}},
      {"if(x < y, flat, flat)", {"model.toml:1:11", "flat is a point"}},
      {"point(flat, 1)", {"model.toml:1:7", "flat is a point"}},
      {"point(1, 2)", {"model.toml:1:1", "point(1, 2)", "a point"}},
      {"x.y", {"model.toml:1:2", "x", "number", ".y"}},
      {"norm(flat).x", {"model.toml:1:11", "norm(flat)", "number", ".x"}},
      {"flat.z", {"model.toml:1:5", "flat", "plane", ".x", ".y"}},
      {"flat.w", {"model.toml:1:5", "'.'", "parts"}},
      {"flat.", {"model.toml:1:5", "'.'"}},
      {"x .5", {"model.toml:1:3", "'.'"}},
      {"flat.xy", {"model.toml:1:5", "'.'"}},
      {"distance(flat, x)", {"model.toml:1:16", "x is a number", "'distance'"}},
      {"norm(2)", {"model.toml:1:6", "2 is a number", "'norm'"}},
      {"dot(flat, r[1])", {"model.toml:1:11", "r[1] has 3", "flat has 2"}},
      {"dihedral(flat, flat, flat, flat)", {"model.toml:1:1", "'dihedral'", "three parts"}},
      {"distance(flat)", {"model.toml:1:14", "'distance'", "','", "')'", "2"}},
      {"point(1)", {"model.toml:1:8", "'point'", "','", "')'", "2", "3"}},
      {"point(1,2,3,4)", {"model.toml:1:12", "'point'", "3"}},
      {"angle", {"model.toml:1:6", "'('", "'angle'", "function"}}};
  for (const auto& [text, told] : table) EXPECT_THAT(complaint(text), tells(told)) << text;
  EXPECT_LT(complaint("1 + point(1" + std::string(100'000, ' ') + ", 2)").size(), 500u);
}

TEST(Parser, AValueMayBeAPoint) {
  ExpressionGraph graph;
  Letters scope(graph);
  const auto read = [&](const std::string& text) {
    const SourceText source("model.toml", text);
    return parse_value({&source, 0, text}, graph, scope);
  };
  EXPECT_EQ(read(" r[2] ").size, 3);
  EXPECT_EQ(graph.constant(read(" r[2] ").part[2]), 8.0);
  EXPECT_EQ(read("(flat)").size, 2);
  EXPECT_EQ(read("flat.x + 1").size, 1);
  EXPECT_THROW(read("flat + 1"), ModelError);
  EXPECT_THROW(read("nothing"), ModelError);
}

TEST(Parser, TheCaretCountsCharactersAndLongLinesAreCut) {
  const SourceText source("m", "\xc3\xa4\xc3\xb6 x");
  EXPECT_EQ(std::string(source.error(5, "here").what()), "m:1:4: here\n  \xc3\xa4\xc3\xb6 x\n     ^");
  EXPECT_EQ(source.offset({1, 4}), 5u);
  const std::string text = complaint(std::string(5000, ' ') + "?" + std::string(5000, ' '));
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("model.toml:1:5001: "), std::string::npos);
  const std::size_t line = text.find('\n') + 1, caret = text.find('^');
  EXPECT_EQ(text.find('?', line) - line, caret - (text.find('\n', line) + 1));
}

TEST(Parser, DeepNestingIsRefused) {
  const std::string deep = std::string(150, '(') + "x" + std::string(150, ')');
  EXPECT_THAT(complaint(deep), mentions("200 expressions"));
  EXPECT_EQ(value(std::string(50, '(') + "x" + std::string(50, ')')), 2);
  for (const char* piece : {"(", "-", "x^", "sin(", "if(x,", "r[", "norm(", "point(1,"}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    EXPECT_THAT(complaint(text), mentions("200 expressions")) << piece;
  }
}

TEST(Parser, LongTextsCostInProportionToTheirLength) {
  const auto cost = [](const char* piece, std::size_t length) {
    std::string text;
    while (text.size() < length) text += piece;
    text += "x";
    return heap_bytes([&] {
      try {
        ExpressionGraph graph;
        parse(text, graph);
      } catch (const UsageError&) {
      }
    });
  };
  for (const char* piece : {"x+", "x*y-", "sin(x)*", "1.5*x+", "x/y/"})
    EXPECT_LE(cost(piece, 1'000'000), 4 * 2 * cost(piece, 250'000)) << piece;
}
}  // namespace
