// SPDX-License-Identifier: BSD-3-Clause
// The dual numbers of the library, compared on random expressions with nested dual numbers that the tests define.
#include "support/random_expression.hpp"
#include "trill/model/dual.hpp"

#include <gtest/gtest.h>

namespace trill {
template <int N, int order>
double plain(const Jet<N, order>& a) {
  return a.value;
}
}  // namespace trill

namespace {
using namespace trill;
namespace expected = trill::random_expression;
using expected::unknowns;

// The value, then the first derivatives, then the lower triangle of the second derivatives.
template <class Real>
std::vector<Real> by_nested_duals(const expected::Tree& tree, const std::array<double, unknowns>& q) {
  using First = expected::Dual<Real>;
  std::vector<Real> values, slopes, curvatures;
  for (std::size_t i = 0; i < unknowns; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      std::array<expected::Dual<First>, unknowns> y;
      for (std::size_t k = 0; k < unknowns; ++k) y[k] = {First(Real(q[k]), Real(k == i)), First(Real(k == j), Real(0))};
      const expected::Dual<First> e = evaluate_tree(tree, y);
      if (i == 0) values.push_back(e.x.x);
      if (j == 0) slopes.push_back(e.x.d);
      curvatures.push_back(e.d.d);
    }
  values.insert(values.end(), slopes.begin(), slopes.end());
  values.insert(values.end(), curvatures.begin(), curvatures.end());
  return values;
}

template <int order>
std::vector<double> by_jets(const expected::Tree& tree, const std::array<double, unknowns>& q) {
  using T = Jet<unknowns, order>;
  std::array<T, unknowns> y;
  for (std::size_t k = 0; k < unknowns; ++k) {
    y[k] = q[k];
    y[k].slope[k] = 1;
  }
  const T e = evaluate_tree(tree, y);
  std::vector<double> values = {e.value};
  values.insert(values.end(), e.slope.begin(), e.slope.end());
  values.insert(values.end(), e.curvature.begin(), e.curvature.end());
  return values;
}

TEST(DualNumbers, AgreeWithNestedOnesOnRandomExpressions) {
  expected::Random random(17);
  int compared = 0;
  for (int tries = 0; compared < 1000 && tries < 40000; ++tries) {
    const auto tree = expected::random_tree(random, 5);
    std::array<double, unknowns> q;
    for (double& x : q) x = std::uniform_real_distribution<>(0.2, 2)(random);
    const auto exact = by_nested_duals<long double>(*tree, q);
    const auto rounded = by_nested_duals<double>(*tree, q);
    double size = 0;
    for (std::size_t k = 0; k < exact.size(); ++k)
      size = std::max(size, std::isfinite(rounded[k]) ? static_cast<double>(std::abs(exact[k])) : HUGE_VAL);
    if (!(size < 1e6)) continue;
    ++compared;
    const auto first = by_jets<1>(*tree, q), second = by_jets<2>(*tree, q);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const double lost = std::abs(static_cast<double>(exact[k] - static_cast<long double>(rounded[k])));
      const double tolerance = 1e-9 * (1 + size) + 1000 * lost;
      EXPECT_NEAR(second[k], static_cast<double>(exact[k]), tolerance) << text_of(*tree) << "\nentry " << k;
      if (k >= first.size()) continue;
      EXPECT_NEAR(first[k], static_cast<double>(exact[k]), tolerance) << text_of(*tree) << "\nentry " << k;
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(compared, 1000);
}
}  // namespace
