// SPDX-License-Identifier: BSD-3-Clause
// Bounds of functions of time over intervals: values and differences at single times must lie inside them.
#include "model/expression/parser.hpp"
#include "model/expression/time_function.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill {
namespace {
// p is parameter 0 with the value 1.3; x is a coordinate; the parser itself knows t.
class TimeScope final : public NameScope {
 public:
  explicit TimeScope(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    return parsed_number(graph_.symbol(use.name == "p" ? SymbolKind::parameter : SymbolKind::coordinate));
  }
  std::vector<std::string> names() const override { return {"p", "x"}; }

 private:
  ExpressionGraph& graph_;
};

struct Parsed {
  explicit Parsed(const std::string& text) {
    const SourceText source("m", text);
    TimeScope scope(graph);
    root = parse_expression({&source, 0, text}, graph, scope);
  }
  TimeFunction function() const {
    return TimeFunction(graph, root, [](SymbolKind, int) { return 1.3; });
  }
  ExpressionGraph graph;
  Expression root = no_expression;
};

const char* const smooth[] = {"t",
                              "3 - 2*t",
                              "t^2",
                              "t^3 - 2*t",
                              "sin(p*t + 0.2)",
                              "cos(t)^2",
                              "tan(0.3*t)",
                              "exp(-((t - 1)/0.3)^2)",
                              "log(4 + t)",
                              "sqrt(4 + t)",
                              "(4 + t)^1.7",
                              "p^t",
                              "tanh(3*t)",
                              "sinh(t)",
                              "cosh(t - 1)",
                              "atan(2*t)",
                              "asin(t/4)",
                              "acos(t/4)",
                              "1/(5 + t)",
                              "sin(t)/(2 + cos(t))",
                              "hypot(t, 1)",
                              "if(t < 9, sin(t), 7)"};

TEST(TimeFunction, RangesContainValuesAndDerivatives) {
  std::mt19937_64 random(7);
  for (const char* text : smooth) {
    TimeFunction f = Parsed(text).function();
    for (int i = 0; i < 200; ++i) {
      const double a = std::uniform_real_distribution(-2.5, 2.5)(random);
      const double b = a + std::exp(std::uniform_real_distribution(-9.0, 0.3)(random));
      const TimeRange range = f.over(a, b);
      const double t = a + (b - a) * std::uniform_real_distribution(0.0, 1.0)(random), h = 1e-4;
      const double here = f.at(t), before = f.at(t - h), after = f.at(t + h);
      const double slope = (after - before) / (2 * h), curvature = (after - 2 * here + before) / (h * h);
      EXPECT_LE(range.value.low, here + 1e-12) << text;
      EXPECT_GE(range.value.high, here - 1e-12) << text;
      EXPECT_LE(range.slope.low, slope + 1e-5 * (1 + std::abs(slope))) << text;
      EXPECT_GE(range.slope.high, slope - 1e-5 * (1 + std::abs(slope))) << text;
      EXPECT_LE(range.curvature.low, curvature + 1e-4 * (1 + std::abs(curvature))) << text;
      EXPECT_GE(range.curvature.high, curvature - 1e-4 * (1 + std::abs(curvature))) << text;
    }
  }
}

// Over a short interval the bounds are nearly as close as the values of the function.
TEST(TimeFunction, RangesBecomeNarrow) {
  for (const char* text : smooth) {
    const TimeRange range = Parsed(text).function().over(0.7, 0.7 + 1e-7);
    EXPECT_LT(range.value.high - range.value.low, 1e-4) << text;
    EXPECT_LT(range.curvature.high - range.curvature.low, 1e-3) << text;
  }
}

TEST(TimeFunction, FindsEverySignChange) {
  EXPECT_THAT(Parsed("sin(t)").function().sign_changes(1, 100), testing::SizeIs(31));
  EXPECT_THAT(Parsed("abs(t - 30) - 1e-4").function().sign_changes(0, 1e4),
              testing::ElementsAre(testing::DoubleNear(29.9999, 1e-9), testing::DoubleNear(30.0001, 1e-9)));
  EXPECT_THAT(Parsed("(t - 3)^2").function().sign_changes(0, 10), testing::IsEmpty());
  EXPECT_THAT(Parsed("mod(t, 2) - 0.5").function().sign_changes(0, 10), testing::SizeIs(10)) << "5 rises, 5 jumps";
  EXPECT_THAT(Parsed("1/(t - 3)").function().sign_changes(0, 10), testing::SizeIs(1));
}

TEST(TimeFunction, PartsOfSumsAndProducts) {
  const auto parts = [](const char* text) {
    const Parsed parsed(text);
    const Expression roots[] = {parsed.root};
    return time_parts(parsed.graph, roots).size();
  };
  EXPECT_EQ(parts("x*sin(t) + 3*cos(2*t) - p"), 2u);
  EXPECT_EQ(parts("x^2 + p"), 0u);
  EXPECT_EQ(parts("sin(x - t)"), 1u) << "t itself";
  EXPECT_EQ(parts("exp(-t)*sin(t)"), 1u);
}
}  // namespace
}  // namespace trill
