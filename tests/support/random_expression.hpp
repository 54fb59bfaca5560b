// SPDX-License-Identifier: BSD-3-Clause
// Random expressions as trees of their own type, evaluated recursively with any kind of numbers, including dual
// numbers. So they share nothing with the code that is tested by them.
#pragma once

#include "model/expression/parser.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <random>

#include <fmt/format.h>

namespace trill::random_expression {
inline constexpr int unknowns = 3;

template <class T>
struct Dual {
  T x{}, d{};
  Dual() = default;
  Dual(double value) : x(value) {}
  Dual(T value, T slope) : x(value), d(slope) {}
};
inline double plain(long double a) { return static_cast<double>(a); }
inline double plain(double a) { return a; }
template <class T>
double plain(const Dual<T>& a) {
  return plain(a.x);
}
#define DUAL         \
  template <class T> \
  Dual<T>
DUAL operator+(Dual<T> a, Dual<T> b) { return {a.x + b.x, a.d + b.d}; }
DUAL operator-(Dual<T> a, Dual<T> b) { return {a.x - b.x, a.d - b.d}; }
DUAL operator-(Dual<T> a) { return {-a.x, -a.d}; }
DUAL operator*(Dual<T> a, Dual<T> b) { return {a.x * b.x, a.d * b.x + a.x * b.d}; }
DUAL operator/(Dual<T> a, Dual<T> b) { return {a.x / b.x, (a.d * b.x - a.x * b.d) / (b.x * b.x)}; }
using std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::log, std::sin, std::sinh, std::sqrt,
    std::tan, std::tanh;
DUAL sqrt(Dual<T> a) { return {sqrt(a.x), a.d / (T(2) * sqrt(a.x))}; }
DUAL exp(Dual<T> a) { return {exp(a.x), a.d * exp(a.x)}; }
DUAL log(Dual<T> a) { return {log(a.x), a.d / a.x}; }
DUAL sin(Dual<T> a) { return {sin(a.x), a.d * cos(a.x)}; }
DUAL cos(Dual<T> a) { return {cos(a.x), -(a.d * sin(a.x))}; }
DUAL tan(Dual<T> a) { return {tan(a.x), a.d / (cos(a.x) * cos(a.x))}; }
DUAL asin(Dual<T> a) { return {asin(a.x), a.d / sqrt(T(1) - a.x * a.x)}; }
DUAL acos(Dual<T> a) { return {acos(a.x), -(a.d / sqrt(T(1) - a.x * a.x))}; }
DUAL atan(Dual<T> a) { return {atan(a.x), a.d / (T(1) + a.x * a.x)}; }
DUAL sinh(Dual<T> a) { return {sinh(a.x), a.d * cosh(a.x)}; }
DUAL cosh(Dual<T> a) { return {cosh(a.x), a.d * sinh(a.x)}; }
DUAL tanh(Dual<T> a) { return {tanh(a.x), a.d / (cosh(a.x) * cosh(a.x))}; }
#undef DUAL
template <class T>
T angle(T y, T x) {  // atan2; its choice of the quadrant is piecewise constant
  const double shift = plain(x) > 0 ? 0 : plain(y) >= 0 ? std::acos(-1.0) : -std::acos(-1.0);
  return atan(y / x) + T(shift);
}

struct Tree {
  std::string name;  // a function, an operator, "number" or "unknown"
  double value = 0;
  int index = 0;
  std::vector<std::unique_ptr<Tree>> parts;
};

template <class T>
T evaluate_tree(const Tree& tree, const std::array<T, unknowns>& q) {
  const auto part = [&](std::size_t k) { return evaluate_tree(*tree.parts[k], q); };
  const std::string& f = tree.name;
  if (f == "number") return T(tree.value);
  if (f == "unknown") return q[static_cast<std::size_t>(tree.index)];
  if (f == "if") return plain(part(0)) < plain(part(1)) ? part(2) : part(3);
  const T a = part(0);
  if (f == "negate") return -a;
  if (f == "sqrt") return sqrt(a);
  if (f == "exp") return exp(a);
  if (f == "log") return log(a);
  if (f == "sin") return sin(a);
  if (f == "cos") return cos(a);
  if (f == "tan") return tan(a);
  if (f == "asin") return asin(a);
  if (f == "acos") return acos(a);
  if (f == "atan") return atan(a);
  if (f == "sinh") return sinh(a);
  if (f == "cosh") return cosh(a);
  if (f == "tanh") return tanh(a);
  if (f == "abs") return plain(a) < 0 ? -a : a;
  if (f == "^") {
    T power = T(1);
    for (int k = 0; k < std::abs(tree.index); ++k) power = power * a;
    return tree.index < 0 ? T(1) / power : power;
  }
  const T b = part(1);
  if (f == "+") return a + b;
  if (f == "-") return a - b;
  if (f == "*") return a * b;
  if (f == "/") return a / b;
  if (f == "hypot") return sqrt(a * a + b * b);
  if (f == "atan2") return angle(a, b);
  if (f == "min") return plain(b) < plain(a) ? b : a;
  if (f == "max") return plain(a) < plain(b) ? b : a;
  return exp(b * log(a));  // the function "pow"
}

inline std::string text_of(const Tree& tree) {
  const auto part = [&](std::size_t k) { return text_of(*tree.parts[k]); };
  if (tree.name == "number") return fmt::format("{}", tree.value);
  if (tree.name == "unknown") return std::string(1, "xyz"[tree.index]);
  if (tree.name == "negate") return "(-" + part(0) + ")";
  if (tree.name == "if") return fmt::format("if({} < {}, {}, {})", part(0), part(1), part(2), part(3));
  if (tree.name == "^") return fmt::format("({}^{})", part(0), tree.index);
  if (tree.name.size() == 1) return fmt::format("({} {} {})", part(0), tree.name, part(1));
  std::string text = tree.name + "(" + part(0);
  if (tree.parts.size() > 1) text += ", " + part(1);
  return text + ")";
}

using Random = std::mt19937_64;
inline int choose(Random& random, int count) { return static_cast<int>(random() % static_cast<std::uint64_t>(count)); }

inline std::unique_ptr<Tree> random_tree(Random& random, int depth) {
  auto tree = std::make_unique<Tree>();
  const int kind = depth == 0 ? choose(random, 3) : 3 + choose(random, 10);
  if (kind == 0) {
    tree->name = "number";
    tree->value = std::round(std::uniform_real_distribution<>(0.1, 3)(random) * 1000) / 1000;
    return tree;
  }
  if (kind < 3) {
    tree->name = "unknown";
    tree->index = choose(random, unknowns);
    return tree;
  }
  static const std::array<const char*, 13> one = {"sqrt", "exp",  "log",  "sin",  "cos",  "tan", "asin",
                                                  "acos", "atan", "sinh", "cosh", "tanh", "abs"};
  static const std::array<const char*, 5> two = {"hypot", "atan2", "min", "max", "pow"};
  std::size_t parts = 2;
  if (kind < 8) {
    tree->name = std::string(1, "+-*/*"[kind - 3]);
  } else if (kind == 8) {
    tree->name = two[static_cast<std::size_t>(choose(random, 5))];
  } else if (kind == 9) {
    tree->name = "if";
    parts = 4;
  } else {
    parts = 1;
    tree->name = kind == 10 ? "^" : kind == 11 ? "negate" : one[static_cast<std::size_t>(choose(random, 13))];
    if (kind == 10) tree->index = choose(random, 2) ? 1 + choose(random, 10) : -1 - choose(random, 3);
  }
  for (std::size_t k = 0; k < parts; ++k) tree->parts.push_back(random_tree(random, choose(random, depth)));
  return tree;
}

class Unknowns final : public NameScope {
 public:
  explicit Unknowns(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    return parsed_number(graph_.symbol(SymbolKind::coordinate, use.name[0] - 'x'));
  }
  std::vector<std::string> names() const override { return {"x", "y", "z"}; }

 private:
  ExpressionGraph& graph_;
};

inline Expression parse(const std::string& text, ExpressionGraph& graph) {
  const SourceText source("random", text);
  Unknowns scope(graph);
  return parse_expression({&source, 0, source.text()}, graph, scope);
}
}  // namespace trill::random_expression
