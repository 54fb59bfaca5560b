// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of kinetic energies, gaps and constraints along motions, compared with central differences with 50
// digits.
#include "model/expression/mechanics.hpp"
#include "support/exact_graph.hpp"
#include "support/random_expression.hpp"

#include <gtest/gtest.h>

namespace {
using namespace trill;
using Symbols = SymbolValues<Exact>;
constexpr int slots = 3;

// The names x, y, z with the velocities vx, vy, vz, and t.
class Motion final : public NameScope {
 public:
  explicit Motion(ExpressionGraph& graph) : graph_(graph) {}
  ParsedValue find(const NameUse& use) override {
    const bool velocity = use.name.size() == 2 && use.name[0] == 'v';
    const int slot = use.name.back() - 'x';
    if (use.name == "m") return parsed_number(graph_.symbol(SymbolKind::parameter, 0));
    return parsed_number(graph_.symbol(velocity ? SymbolKind::velocity : SymbolKind::coordinate, slot));
  }
  std::vector<std::string> names() const override { return {}; }

 private:
  ExpressionGraph& graph_;
};

Expression parse(const std::string& text, ExpressionGraph& graph) {
  const SourceText source("text", text);
  Motion scope(graph);
  return parse_expression({&source, 0, text}, graph, scope);
}

Symbols somewhere() {
  Symbols at;
  at[{SymbolKind::time, 0}] = 0.3;
  at[{SymbolKind::parameter, 0}] = 1.7;
  const double values[][slots] = {
      {0.7, 1.3, 0.4}, {1.5, -0.5, 0.25}, {-0.8, 0.3, 1.1}, {0.6, 2.2, -0.9}, {1.9, -0.7, 0.2}};
  const double w[] = {0.35, -1.25, 0.85}, s[] = {0.9, -1.4, 0.6};
  for (int k = 0; k < slots; ++k) {
    int order = 0;
    for (const SymbolKind kind :
         {SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::acceleration, SymbolKind::jerk, SymbolKind::snap})
      at[{kind, k}] = values[order++][k];
    at[{SymbolKind::direction, k}] = w[k];
    at[{SymbolKind::multiplier, k}] = s[k];
  }
  return at;
}

// Directions of differentiation: the rate of change of every symbol.
Symbols one(SymbolKind kind, int index) { return {{{kind, index}, Exact(1)}}; }
Symbols along(const Symbols& at, SymbolKind of, SymbolKind rate, bool with_time) {
  Symbols direction;
  for (int k = 0; k < slots; ++k) direction[{of, k}] = at.at({rate, k});
  if (with_time) direction[{SymbolKind::time, 0}] = 1;
  return direction;
}

// The mixed derivative in all of the given directions.
Exact mixed(const ExpressionGraph& graph, Expression e, const Symbols& at, std::span<const Symbols> directions) {
  if (directions.empty()) return evaluate_exactly(graph, e, at);
  const Exact h("1e-10");
  Symbols above = at, below = at;
  for (const auto& [symbol, rate] : directions[0]) {
    above[symbol] += h * rate;
    below[symbol] -= h * rate;
  }
  const auto rest = directions.subspan(1);
  return (mixed(graph, e, above, rest) - mixed(graph, e, below, rest)) / (2 * h);
}
Exact mixed(const ExpressionGraph& graph, Expression e, const Symbols& at, std::initializer_list<Symbols> directions) {
  return mixed(graph, e, at, std::span(directions.begin(), directions.size()));
}

void expect_same(const ExpressionGraph& graph, Expression found, const Symbols& at, const Exact& expected,
                 const std::string& where) {
  const Exact value = evaluate_exactly(graph, found, at);
  EXPECT_LE(abs(Exact(value - expected)), 1e-14 * (1 + abs(expected)))
      << where << ": " << value << ", not " << expected;
}

// Entries of the matrix that are not listed are zero.
void expect_matrix(const ExpressionGraph& graph, const std::vector<Partial>& found, int rows, bool lower,
                   const Symbols& at, const std::function<Exact(int, int)>& expected, const std::string& where) {
  std::map<std::pair<int, int>, Exact> entries;
  for (const Partial& p : found) {
    EXPECT_TRUE(!lower || p.column <= p.row) << where;
    EXPECT_TRUE(entries.emplace(std::pair(p.row, p.column), evaluate_exactly(graph, p.value, at)).second) << where;
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < (lower ? i + 1 : slots); ++j) {
      const Exact value = entries.contains({i, j}) ? entries[{i, j}] : Exact(0), wanted = expected(i, j);
      EXPECT_LE(abs(Exact(value - wanted)), 1e-14 * (1 + abs(wanted))) << where << " at " << i << ' ' << j;
    }
}

std::vector<std::string> functions_of_positions() {
  std::vector<std::string> texts = {"x^2*y - z^3 + 2*x*t",
                                    "sin(x*y)*exp(-z) + cos(t)*x",
                                    "sqrt(x^2 + y^2 + z^2) - 1 - 0.1*sin(3*t)",
                                    "1/distance(point(x, y), point(t, z))",
                                    "atan2(y, x)*z + log(x + y*y)",
                                    "if(x < y, x^3*t, z^2) + abs(x - y)*max(x, z)",
                                    "angle(point(x, y, t), point(0, 0, 0), point(z, x, y))^2",
                                    "dihedral(point(x, y, 1), point(0, 0, 0), point(z, 1, 0), point(2, t, y))",
                                    "m*tanh(x - y)^2*cosh(z) + pow(x, y)"};
  random_expression::Random random(11);
  while (texts.size() < 40) {
    const auto tree = random_expression::random_tree(random, 4);
    const double value = random_expression::evaluate_tree<double>(*tree, {0.7, 1.3, 0.4});
    if (std::isfinite(value) && std::abs(value) < 1e3) texts.push_back(random_expression::text_of(*tree));
  }
  return texts;
}

// Difference quotients can only be used if the function is smooth at the point.
bool is_tame(ExpressionGraph& graph, Expression e) {
  const Symbols at = somewhere();
  for (const Expression d : time_derivatives(graph, e, 3, slots)) {
    const Exact value = evaluate_exactly(graph, d, at);
    if (!isfinite(value) || abs(value) > 1e4) return false;
  }
  return true;
}

// The state after dt, with q, v and a as polynomials of the time, exact up to the snap (the fourth derivative of q).
Symbols later(const Symbols& at, const Exact& dt) {
  Symbols moved = at;
  moved[{SymbolKind::time, 0}] += dt;
  const SymbolKind kinds[] = {SymbolKind::coordinate, SymbolKind::velocity, SymbolKind::acceleration, SymbolKind::jerk,
                              SymbolKind::snap};
  for (int slot = 0; slot < slots; ++slot)
    for (int k = 0; k < 5; ++k) {
      Exact sum = 0, power = 1;
      for (int n = k; n < 5; ++n) {
        sum += power * at.at({kinds[n], slot});
        power *= dt / (n - k + 1);
      }
      moved[{kinds[k], slot}] = sum;
    }
  return moved;
}

void check_time_derivatives(const std::string& text) {
  ExpressionGraph graph;
  const Expression e = parse(text, graph);
  if (!is_tame(graph, e)) return;
  const Symbols at = somewhere();
  const auto found = time_derivatives(graph, e, 3, slots);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], e);
  const auto value = [&](const Exact& dt) { return evaluate_exactly(graph, e, later(at, dt)); };
  for (int k = 1; k <= 3; ++k)
    expect_same(graph, found[static_cast<std::size_t>(k)], at, difference_quotient<Exact>(value, k, Exact("1e-9")),
                text);
}

TEST(Mechanics, TimeDerivativesAlongAMotion) {
  for (const std::string& text : functions_of_positions()) check_time_derivatives(text);
  for (const char* text : {"vx*y - vy*x", "vx^2*sin(y) + t*vz/x", "-m*vx*sqrt(vx^2 + vy^2 + vz^2)", "exp(-vz*t)*y"})
    check_time_derivatives(text);
}

TEST(Mechanics, NothingFollowsSnap) {
  ExpressionGraph graph;
  EXPECT_EQ(time_derivatives(graph, parse("x*y", graph), 4, slots).size(), 5u);
  EXPECT_THROW(time_derivatives(graph, parse("x*y", graph), 5, slots), UsageError);
  EXPECT_THROW(time_derivatives(graph, parse("vx", graph), 4, slots), UsageError);
}

TEST(Mechanics, GapsAndConstraints) {
  std::vector<std::string> texts = functions_of_positions();
  for (std::size_t k = 0; k + 2 < texts.size(); k += 3) {
    ExpressionGraph graph;
    const std::vector<Expression> g = {parse(texts[k], graph), parse(texts[k + 1], graph), parse(texts[k + 2], graph)};
    if (!is_tame(graph, g[0]) || !is_tame(graph, g[1]) || !is_tame(graph, g[2])) continue;
    const Symbols at = somewhere();
    const Symbols clock = one(SymbolKind::time, 0);
    const Symbols motion = along(at, SymbolKind::coordinate, SymbolKind::velocity, true);
    const Symbols sideways = along(at, SymbolKind::coordinate, SymbolKind::direction, false);
    const auto by = [](int j) { return one(SymbolKind::coordinate, j); };
    const auto row = [&](int i) { return g[static_cast<std::size_t>(i)]; };
    const std::string where = fmt::format("{} | {} | {}", texts[k], texts[k + 1], texts[k + 2]);

    const auto G = jacobian(graph, g, SymbolKind::coordinate);
    expect_matrix(
        graph, G, 3, false, at, [&](int i, int j) { return mixed(graph, row(i), at, {by(j)}); }, where);
    expect_matrix(
        graph, derivative_along(graph, G, slots), 3, false, at,
        [&](int i, int j) {
          return mixed(graph, row(i), at, {by(j), sideways});
        },
        where);
    const auto gt = time_partials(graph, g), gtt = time_partials(graph, gt);
    const auto rate = velocity_level(graph, g, slots), eta = curvature(graph, g, slots);
    const auto product = jacobian_product(graph, g, SymbolKind::coordinate, slots);
    for (std::size_t i = 0; i < 3; ++i) {
      expect_same(graph, gt[i], at, mixed(graph, g[i], at, {clock}), where);
      expect_same(graph, gtt[i], at, mixed(graph, g[i], at, {clock, clock}), where);
      expect_same(graph, rate[i], at, mixed(graph, g[i], at, {motion}), where);
      expect_same(graph, eta[i], at, mixed(graph, g[i], at, {motion, motion}), where);
      expect_same(graph, product[i], at, mixed(graph, g[i], at, {sideways}), where);
    }
    expect_matrix(
        graph, jacobian(graph, gt, SymbolKind::coordinate), 3, false, at,
        [&](int i, int j) {
          return mixed(graph, row(i), at, {by(j), clock});
        },
        where);
    expect_matrix(
        graph, jacobian(graph, rate, SymbolKind::coordinate), 3, false, at,
        [&](int i, int j) {
          return mixed(graph, row(i), at, {by(j), motion});
        },
        where);
    const auto of_sum = [&](int i, int j) {
      Exact sum = 0;
      for (int r = 0; r < 3; ++r) sum += at.at({SymbolKind::multiplier, r}) * mixed(graph, row(r), at, {by(i), by(j)});
      return sum;
    };
    expect_matrix(graph, transpose_derivative(graph, g), 3, true, at, of_sum, where);
  }
}

TEST(Mechanics, KineticEnergies) {
  for (const char* text :
       {"m/2*(vx^2 + x^2*vy^2) + vz^2/2", "m/2*(vx + vy*cos(y) - vz*x)^2 + (vy*sin(x*t))^2 + vz^2",
        "vx^2*exp(y) + vx*vy*z + vy^2*(2 + sin(z)) + 3*vz^2/(1 + x^2)", "m*norm(point(vx, vy, vz*x))^2/2",
        "0.5*dot(point(vx, vy), point(vx, vy))*(1 + t^2) + vz^2", "(vx + vy)*(vx - vy)*x + m*vz^2"}) {
    ExpressionGraph graph;
    const Expression T = parse(text, graph);
    EXPECT_TRUE(is_quadratic_in_velocities(graph, T)) << text;
    const KineticTerms terms = kinetic_terms(graph, T, slots);
    const Symbols at = somewhere();
    const auto by_q = [](int j) { return one(SymbolKind::coordinate, j); };
    const auto by_v = [](int j) { return one(SymbolKind::velocity, j); };
    const Symbols motion = along(at, SymbolKind::coordinate, SymbolKind::velocity, true);
    const Symbols w = along(at, SymbolKind::velocity, SymbolKind::direction, false);
    const Symbols sideways = along(at, SymbolKind::coordinate, SymbolKind::direction, false);
    expect_matrix(
        graph, terms.mass, slots, true, at,
        [&](int i, int j) {
          return mixed(graph, T, at, {by_v(i), by_v(j)});
        },
        text);
    expect_matrix(
        graph, terms.mass_product, slots, false, at,
        [&](int i, int j) {
          return mixed(graph, T, at, {by_v(i), w, by_q(j)});
        },
        text);
    expect_matrix(
        graph, derivative_along(graph, terms.mass, slots), slots, true, at,
        [&](int i, int j) {
          return mixed(graph, T, at, {by_v(i), by_v(j), sideways});
        },
        text);
    for (int i = 0; i < slots; ++i)
      expect_same(graph, terms.velocity_force[static_cast<std::size_t>(i)], at,
                  mixed(graph, T, at, {by_q(i)}) - mixed(graph, T, at, {by_v(i), motion}), text);
  }
}

// T = m/2 (vr^2 + r^2 vphi^2) gives M = diag(m, m r^2) and the forces m r vphi^2 and -2 m r vr vphi.
TEST(Mechanics, APendulumInPolarCoordinates) {
  ExpressionGraph graph;
  const KineticTerms terms = kinetic_terms(graph, parse("m/2*(vx^2 + x^2*vy^2)", graph), 2);
  ASSERT_EQ(terms.mass.size(), 2u);
  EXPECT_EQ(terms.mass[0].value, parse("m", graph));
  EXPECT_EQ(terms.mass[1].row, 1);
  ASSERT_EQ(terms.mass_product.size(), 1u);
  EXPECT_EQ(terms.mass_product[0].row, 1);
  EXPECT_EQ(terms.mass_product[0].column, 0);
  const Symbols at = somewhere();
  const Exact m = 1.7, r = 0.7, vr = 1.5, vphi = -0.5, w = -1.25;
  expect_same(graph, terms.mass[1].value, at, m * r * r, "M");
  expect_same(graph, terms.mass_product[0].value, at, 2 * m * r * w, "d(M w)/dq");
  expect_same(graph, terms.velocity_force[0], at, m * r * vphi * vphi, "centrifugal force");
  expect_same(graph, terms.velocity_force[1], at, -2 * m * r * vr * vphi, "Coriolis force");
}

TEST(Mechanics, OtherEnergiesAreNoKineticOnes) {
  for (const char* text :
       {"vx^3", "vx^2 + vy", "vx^2 + x", "vx^2 + 1", "m/2*(vx - 2*y)^2", "abs(vx)*vx", "vx^4", "x*vy",
        "sqrt(vx^2 + vy^2)", "vx^2/(1 + vx^2)", "if(vx > 0, vx^2, 2*vx^2)", "cosh(vx) - 1"}) {
    ExpressionGraph graph;
    EXPECT_FALSE(is_quadratic_in_velocities(graph, parse(text, graph))) << text;
  }
}
}  // namespace
