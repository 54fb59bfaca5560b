// SPDX-License-Identifier: BSD-3-Clause
#include "method/explicit_tableau.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trill {

void PrintTo(const ExplicitTableau& t, std::ostream* out) { *out << t.name; }

}  // namespace trill

namespace {

using trill::ExplicitTableau;
using Real = long double;

// Rooted trees with their density gamma(t) and the vector phi_i(t) for the stages of one tableau. For a root with the
// children t_1, ..., t_m these are gamma(t) = |t| prod gamma(t_l) and phi_i(t) = prod_l sum_j a_ij phi_j(t_l). A
// method with the weights w has order p at theta if and only if sum_i w_i phi_i(t) = theta^|t| / gamma(t) for all
// trees of at most p vertices.
struct Tree {
  int vertices;
  Real gamma;
  std::vector<Real> phi;
  std::vector<Real> a_phi;
};

class Forest {
 public:
  Forest(const ExplicitTableau& tableau, int max_vertices) : tableau_(tableau) {
    for (int n = 1; n <= max_vertices; ++n) {
      std::vector<std::vector<std::size_t>> found;
      std::vector<std::size_t> children;
      choose(n - 1, trees_.size(), children, found);
      for (const auto& list : found) add(n, list);
    }
  }

  [[nodiscard]] const std::vector<Tree>& trees() const { return trees_; }

  // The largest defect of the order conditions of the trees with `from` to `to` vertices. `target` is a factor of 1 /
  // gamma; with the value 0 this tests that an error estimate vanishes.
  [[nodiscard]] Real defect(std::span<const double> weights, int from, int to, Real theta = 1, Real target = 1) const {
    Real worst = 0;
    for (const Tree& t : trees_) {
      if (t.vertices < from || t.vertices > to) continue;
      Real sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * t.phi[i];
      worst = std::max(worst, std::abs(sum - target * std::pow(theta, static_cast<Real>(t.vertices)) / t.gamma));
    }
    return worst;
  }

  // The same for the derivative of a continuous extension.
  [[nodiscard]] Real derivative_defect(std::span<const double> weights, int to, Real theta) const {
    Real worst = 0;
    for (const Tree& t : trees_) {
      if (t.vertices > to) continue;
      Real sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * t.phi[i];
      const Real exact = t.vertices * std::pow(theta, static_cast<Real>(t.vertices - 1)) / t.gamma;
      worst = std::max(worst, std::abs(sum - exact));
    }
    return worst;
  }

 private:
  // All multisets of known trees with `vertices` vertices together, as lists of indices that do not increase.
  void choose(int vertices, std::size_t end, std::vector<std::size_t>& children,
              std::vector<std::vector<std::size_t>>& found) const {
    if (vertices == 0) {
      found.push_back(children);
      return;
    }
    for (std::size_t k = 0; k < end; ++k) {
      if (trees_[k].vertices > vertices) break;
      children.push_back(k);
      choose(vertices - trees_[k].vertices, k + 1, children, found);
      children.pop_back();
    }
  }

  void add(int vertices, const std::vector<std::size_t>& children) {
    const int n = tableau_.all_stages();
    Tree t{vertices, static_cast<Real>(vertices), std::vector<Real>(n, 1), std::vector<Real>(n, 0)};
    for (const std::size_t k : children) {
      t.gamma *= trees_[k].gamma;
      for (int i = 0; i < n; ++i) t.phi[i] *= trees_[k].a_phi[i];
    }
    for (int i = 0; i < n; ++i) {
      const auto row = tableau_.row(i);
      for (int j = 0; j < i; ++j) t.a_phi[i] += row[j] * t.phi[j];
    }
    trees_.push_back(std::move(t));
  }

  const ExplicitTableau& tableau_;
  std::vector<Tree> trees_;
};

// The rounding of the stored coefficients. Those of dop853 are as large as 43 in `a` and 528 in `dense`.
double tolerance(const ExplicitTableau& tableau) { return tableau.name == "dop853" ? 5e-15 : 2e-15; }

class Tableau : public testing::TestWithParam<ExplicitTableau> {
 protected:
  const ExplicitTableau& tableau() const { return GetParam(); }
  std::vector<double> weights(double theta) const {
    std::vector<double> w(tableau().all_stages());
    trill::dense_weights(tableau(), theta, w);
    return w;
  }
  std::vector<double> derivative_weights(double theta) const {
    std::vector<double> w(tableau().all_stages());
    trill::dense_derivative_weights(tableau(), theta, w);
    return w;
  }
};

INSTANTIATE_TEST_SUITE_P(Explicit, Tableau,
                         testing::Values(trill::rk4_tableau(), trill::dopri5_tableau(), trill::dop853_tableau()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Tableau, SizesAndTriangularShape) {
  const auto& t = tableau();
  const auto n = static_cast<std::size_t>(t.all_stages());
  ASSERT_EQ(t.a.size(), n * n);
  EXPECT_EQ(t.b.size(), static_cast<std::size_t>(t.stages));
  EXPECT_EQ(t.c.size(), n);
  EXPECT_EQ(t.dense.size(), n * static_cast<std::size_t>(t.dense_degree));
  EXPECT_LE(t.all_stages(), trill::max_tableau_stages);
  EXPECT_LE(t.dense_degree, trill::max_dense_degree);
  EXPECT_LE(t.trial_stages, t.stages);
  EXPECT_FALSE(t.reference.empty());
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(t.row(static_cast<int>(i)).size(), i);
    for (std::size_t j = i; j < n; ++j) EXPECT_EQ(t.a[i * n + j], 0.0) << i << ' ' << j;
  }
  for (const auto& e : {t.error, t.error3}) {
    EXPECT_TRUE(e.empty() || e.size() == t.b.size());
    for (std::size_t i = t.trial_stages; i < e.size(); ++i) EXPECT_EQ(e[i], 0.0);
  }
  for (std::size_t i = t.trial_stages; i < t.b.size(); ++i) EXPECT_EQ(t.b[i], 0.0);
  EXPECT_EQ(t.error.empty(), t.error_order == 0);
}

TEST_P(Tableau, RowSumsAreNodes) {
  const auto& t = tableau();
  for (int i = 0; i < t.all_stages(); ++i) {
    Real sum = 0;
    for (const double x : t.row(i)) sum += x;
    EXPECT_NEAR(static_cast<double>(sum - t.c[i]), 0.0, 4e-15) << "stage " << i;
  }
}

TEST_P(Tableau, StageAtTheEndEvaluatesTheResult) {
  const auto& t = tableau();
  const int last = t.first_same_as_last ? t.stages - 1 : t.stages;
  ASSERT_LT(last, t.all_stages());
  EXPECT_EQ(t.c[last], 1.0);
  for (int j = 0; j < last; ++j) EXPECT_EQ(t.row(last)[j], t.b[j]) << j;
  if (t.first_same_as_last) {
    EXPECT_EQ(t.b[last], 0.0);
  }
}

TEST_P(Tableau, OrderConditionsOfAllTrees) {
  const auto& t = tableau();
  const Forest forest(t, t.order + 1);
  const std::array<std::size_t, 10> trees_up_to{0, 1, 2, 4, 8, 17, 37, 85, 200, 486};
  ASSERT_EQ(forest.trees().size(), trees_up_to[t.order + 1]);
  const Real defect = forest.defect(t.b, 1, t.order);
  RecordProperty("defect", std::to_string(static_cast<double>(defect * 1e15L)) + "e-15");
  EXPECT_LT(defect, tolerance(t));
  EXPECT_GT(forest.defect(t.b, t.order + 1, t.order + 1), 1e-6L) << "order is understated";
}

TEST_P(Tableau, QuadratureConditions) {
  const auto& t = tableau();
  for (int q = 1; q <= t.order; ++q) {
    Real sum = 0;
    for (int i = 0; i < t.stages; ++i) sum += t.b[i] * std::pow(static_cast<Real>(t.c[i]), static_cast<Real>(q - 1));
    EXPECT_NEAR(static_cast<double>(sum - 1.0L / q), 0.0, 1e-15) << q;
  }
}

TEST_P(Tableau, ErrorEstimatesVanishToTheirOrder) {
  const auto& t = tableau();
  if (t.error.empty()) return;  // rk4 has no error estimate
  const Forest forest(t, 6);
  const int exact_to = t.error3.empty() ? t.error_order : 5;
  EXPECT_LT(forest.defect(t.error, 1, exact_to, 1, 0), tolerance(t));
  EXPECT_GT(forest.defect(t.error, exact_to + 1, exact_to + 1, 1, 0), 1e-5L);
  // The embedded formula b - error is itself a method of that order.
  std::vector<double> embedded(t.b.begin(), t.b.end());
  for (std::size_t i = 0; i < embedded.size(); ++i) embedded[i] -= t.error[i];
  EXPECT_LT(forest.defect(embedded, 1, exact_to), tolerance(t));
  EXPECT_GT(forest.defect(embedded, exact_to + 1, exact_to + 1), 1e-5L);
  if (!t.error3.empty()) {
    EXPECT_LT(forest.defect(t.error3, 1, 3, 1, 0), tolerance(t));
    EXPECT_GT(forest.defect(t.error3, 4, 4, 1, 0), 1e-5L);
    EXPECT_EQ(t.error_order, 2 * 5 - 3);  // the estimate is h^6 squared divided by h^4
  }
}

TEST_P(Tableau, DenseWeightsAtTheEnds) {
  const auto& t = tableau();
  const auto at0 = weights(0.0);
  const auto at1 = weights(1.0);
  for (int i = 0; i < t.all_stages(); ++i) {
    EXPECT_EQ(at0[i], 0.0);
    EXPECT_EQ(at1[i], i < t.stages ? t.b[i] : 0.0) << i;
  }
}

TEST_P(Tableau, DenseDerivativeAtTheEndsIsTheRightHandSide) {
  const auto& t = tableau();
  const int last = t.first_same_as_last ? t.stages - 1 : t.stages;
  const auto at0 = derivative_weights(0.0);
  const auto at1 = derivative_weights(1.0);
  for (int i = 0; i < t.all_stages(); ++i) {
    EXPECT_NEAR(at0[i], i == 0 ? 1.0 : 0.0, 1e-15) << i;
    EXPECT_NEAR(at1[i], i == last ? 1.0 : 0.0, 2e-15) << i;
  }
}

TEST_P(Tableau, DenseOrderConditionsOfAllTrees) {
  const auto& t = tableau();
  const Forest forest(t, t.dense_order + 1);
  Real worst = 0;
  Real worst_derivative = 0;
  for (const double theta : {0.01, 0.125, 0.3, 0.5, 0.7071, 0.9, 0.999}) {
    worst = std::max(worst, forest.defect(weights(theta), 1, t.dense_order, theta));
    worst_derivative =
        std::max(worst_derivative, forest.derivative_defect(derivative_weights(theta), t.dense_order, theta));
  }
  RecordProperty("defect", std::to_string(static_cast<double>(worst * 1e15L)) + "e-15");
  RecordProperty("derivative_defect", std::to_string(static_cast<double>(worst_derivative * 1e15L)) + "e-15");
  EXPECT_LT(worst, tolerance(t));
  EXPECT_LT(worst_derivative, 10 * tolerance(t));
  EXPECT_GT(forest.defect(weights(0.5), t.dense_order + 1, t.dense_order + 1, 0.5), 1e-6L) << "order is understated";
}

TEST_P(Tableau, DenseDerivativeMatchesDifferences) {
  const auto& t = tableau();
  for (const double theta : {0.2, 0.6}) {
    const double d = 1e-5;
    const auto plus = weights(theta + d);
    const auto minus = weights(theta - d);
    const auto derivative = derivative_weights(theta);
    for (int i = 0; i < t.all_stages(); ++i) EXPECT_NEAR((plus[i] - minus[i]) / (2 * d), derivative[i], 1e-7) << i;
  }
}

// One step of the loop described in the header, for y1' = y2, y2' = -sin(y1) + cos(3 t) y2 / 4.
using State = std::array<double, 2>;
State rhs(double t, const State& y) { return {y[1], -std::sin(y[0]) + 0.25 * std::cos(3.0 * t) * y[1]}; }

struct Step {
  State end;
  State middle;
};

Step one_step(const ExplicitTableau& tableau, double t, const State& y, double h, double theta) {
  std::array<State, trill::max_tableau_stages> k;
  const auto sum = [&](std::span<const double> w) {
    State result = y;
    for (std::size_t d = 0; d < y.size(); ++d) {
      for (std::size_t j = 0; j < w.size(); ++j) result[d] += h * w[j] * k[j][d];
    }
    return result;
  };
  const auto evaluate = [&](int from, int to) {
    for (int i = from; i < to; ++i) k[i] = rhs(t + tableau.c[i] * h, sum(tableau.row(i)));
  };
  evaluate(0, tableau.trial_stages);
  Step step;
  step.end = sum(tableau.b.first(tableau.trial_stages));
  evaluate(tableau.trial_stages, tableau.all_stages());
  std::array<double, trill::max_tableau_stages> buffer;
  const auto w = std::span(buffer).first(tableau.all_stages());
  trill::dense_weights(tableau, theta, w);
  step.middle = sum(w);
  return step;
}

TEST_P(Tableau, GenericLoopShowsBothOrders) {
  const auto& t = tableau();
  const double theta = 0.8;  // here the leading error term dominates for all three methods at these steps
  const State y0{0.7, -0.4};
  const auto local_errors = [&](double h) {
    const auto reference = [&](double end) {
      State y = y0;
      for (int i = 0; i < 50; ++i) y = one_step(trill::dop853_tableau(), end * i / 50, y, end / 50, 0.5).end;
      return y;
    };
    const Step step = one_step(t, 0.0, y0, h, theta);
    const State end = reference(h);
    const State middle = reference(theta * h);
    return std::array{std::hypot(step.end[0] - end[0], step.end[1] - end[1]),
                      std::hypot(step.middle[0] - middle[0], step.middle[1] - middle[1])};
  };
  const double h = t.order == 8 ? 0.3 : 0.05;
  const auto coarse = local_errors(h);
  const auto fine = local_errors(h / 2);
  EXPECT_NEAR(std::log2(coarse[0] / fine[0]), t.order + 1, 0.4);
  EXPECT_NEAR(std::log2(coarse[1] / fine[1]), t.dense_order + 1, 0.4);
}

TEST(DenseBasis, ListsTheProducts) {
  const double x = 0.3;
  const double z = 1.0 - x;
  std::array<double, 5> p;
  trill::dense_basis(x, p);
  const std::array<double, 5> expected{x, x * z, x * x * z, x * x * z * z, x * x * x * z * z};
  for (std::size_t m = 0; m < p.size(); ++m) EXPECT_NEAR(p[m], expected[m], 1e-16) << m;
}

TEST(CombinedError, JoinsBothNorms) {
  EXPECT_EQ(trill::combined_error(0.0, 0.0), 0.0);
  EXPECT_EQ(trill::combined_error(0.0, 3.0), 0.0);
  EXPECT_DOUBLE_EQ(trill::combined_error(2.0, 0.0), 2.0);
  EXPECT_DOUBLE_EQ(trill::combined_error(3.0, 40.0), 9.0 / 5.0);
  EXPECT_NEAR(trill::combined_error(1e-200, 1e-190) / 1e-209, 1.0, 1e-12);
}

TEST(Dopri5, KnownCoefficients) {
  const auto& t = trill::dopri5_tableau();
  EXPECT_DOUBLE_EQ(t.b[0] - t.error[0], 5179.0 / 57600.0);
  EXPECT_DOUBLE_EQ(t.b[5] - t.error[5], 187.0 / 2100.0);
  EXPECT_DOUBLE_EQ(t.b[6] - t.error[6], 1.0 / 40.0);
}

}  // namespace
