// SPDX-License-Identifier: BSD-3-Clause
#include "method/composition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trill {

void PrintTo(const Composition& c, std::ostream* out) { *out << c.name; }

}  // namespace trill

namespace {

using trill::Composition;
using Real = long double;

class CompositionTest : public testing::TestWithParam<Composition> {};

INSTANTIATE_TEST_SUITE_P(Symmetric, CompositionTest,
                         testing::ValuesIn(trill::compositions().begin(), trill::compositions().end()),
                         [](const auto& info) { return std::string(info.param.name); });

Real power_sum(const Composition& c, int power) {
  Real sum = 0;
  for (const double g : c.gamma) sum += std::pow(static_cast<Real>(g), static_cast<Real>(power));
  return sum;
}

TEST_P(CompositionTest, PowerSumsAndSymmetry) {
  const Composition& c = GetParam();
  EXPECT_NEAR(static_cast<double>(power_sum(c, 1) - 1), 0.0, 4e-16);
  for (int q = 3; q < c.order; q += 2) EXPECT_NEAR(static_cast<double>(power_sum(c, q)), 0.0, 2e-15) << q;
  EXPECT_GT(std::abs(power_sum(c, c.order + 1)), 1e-5L);
  for (std::size_t i = 0; i < c.gamma.size(); ++i) EXPECT_EQ(c.gamma[i], c.gamma[c.gamma.size() - 1 - i]);
  EXPECT_EQ(c.gamma.size() % 2, 1u);
  EXPECT_FALSE(c.reference.empty());
}

// A symmetric method of order 2 is the flow of exp(h E1 + h^3 E3 + h^5 E5 + ...), where E1 is the exact vector field
// and nothing is assumed about the operators E3, E5, .... The composition is a product of such exponentials. It is
// expanded in words over the letters E1, E3, E5, ...; it has order p if and only if it agrees with exp(h E1) for all
// words of weight up to p.
using Word = std::vector<int>;

std::vector<Word> words_up_to(int weight) {
  std::vector<Word> words{{}};
  std::vector<int> weights{0};
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (int letter = 1; weights[i] + letter <= weight; letter += 2) {
      Word next = words[i];
      next.push_back(letter);
      words.push_back(next);
      weights.push_back(weights[i] + letter);
    }
  }
  return words;
}

std::vector<Real> defect_by_weight(const Composition& c, int max_weight) {
  const auto factorial = [](std::size_t n) { return std::tgamma(static_cast<Real>(n) + 1); };
  const std::vector<Word> words = words_up_to(max_weight);
  std::map<Word, Real> series{{Word{}, 1}};
  for (const double gamma : c.gamma) {
    std::map<Word, Real> product;
    for (const Word& w : words) {
      Real sum = 0;
      int weight = 0;  // the weight of the end of the word, which comes from the new factor
      for (std::size_t tail = 0; tail <= w.size(); ++tail) {
        if (tail > 0) weight += w[w.size() - tail];
        const auto head = series.find(Word(w.begin(), w.end() - static_cast<std::ptrdiff_t>(tail)));
        if (head == series.end()) continue;
        sum += head->second * std::pow(static_cast<Real>(gamma), static_cast<Real>(weight)) / factorial(tail);
      }
      product[w] = sum;
    }
    series = std::move(product);
  }
  std::vector<Real> defect(max_weight + 1, 0);
  for (const Word& w : words) {
    int weight = 0;
    for (const int letter : w) weight += letter;
    const bool exact = std::all_of(w.begin(), w.end(), [](int letter) { return letter == 1; });
    const Real target = exact ? 1 / factorial(w.size()) : 0;
    defect[weight] = std::max(defect[weight], std::abs(series[w] - target));
  }
  return defect;
}

TEST_P(CompositionTest, OrderConditionsOfAllWords) {
  const Composition& c = GetParam();
  const auto defect = defect_by_weight(c, c.order + 1);
  Real worst = 0;
  for (int n = 0; n <= c.order; ++n) worst = std::max(worst, defect[n]);
  RecordProperty("defect", std::to_string(static_cast<double>(worst * 1e15L)) + "e-15");
  EXPECT_LT(worst, 2e-15L);
  EXPECT_GT(defect[c.order + 1], 1e-4L);
}

// One step of velocity Verlet for q'' = force(q).
template <std::size_t N, class Force>
void verlet(std::array<Real, N>& q, std::array<Real, N>& p, Real h, const Force& force) {
  auto f = force(q);
  for (std::size_t d = 0; d < N; ++d) p[d] += h / 2 * f[d];
  for (std::size_t d = 0; d < N; ++d) q[d] += h * p[d];
  f = force(q);
  for (std::size_t d = 0; d < N; ++d) p[d] += h / 2 * f[d];
}

template <std::size_t N, class Force>
Real error_at(const Composition& c, Real end, int steps, std::array<Real, N> q, std::array<Real, N> p,
              const std::array<Real, N>& exact_q, const std::array<Real, N>& exact_p, const Force& force) {
  const Real h = end / steps;
  for (int n = 0; n < steps; ++n) {
    for (const double gamma : c.gamma) verlet(q, p, gamma * h, force);
  }
  Real sum = 0;
  for (std::size_t d = 0; d < N; ++d) {
    sum += (q[d] - exact_q[d]) * (q[d] - exact_q[d]) + (p[d] - exact_p[d]) * (p[d] - exact_p[d]);
  }
  return std::sqrt(sum);
}

TEST_P(CompositionTest, ObservedOrderOnTheOscillator) {
  const Composition& c = GetParam();
  const Real end = 3;
  const auto error = [&](int steps) {
    using Vector = std::array<Real, 1>;
    return error_at<1>(c, end, steps, {1}, {0.5L}, {std::cos(end) + 0.5L * std::sin(end)},
                       {0.5L * std::cos(end) - std::sin(end)}, [](const Vector& q) { return Vector{-q[0]}; });
  };
  const int steps = c.order == 8 ? 6 : 24;
  const Real coarse = error(steps);
  const Real fine = error(2 * steps);
  EXPECT_NEAR(static_cast<double>(std::log2(coarse / fine)), c.order, 0.25) << coarse << ' ' << fine;
  EXPECT_GT(fine, 1e-14L) << "at the rounding level of the coefficients";
}

TEST_P(CompositionTest, ObservedOrderOnTheKeplerProblem) {
  const Composition& c = GetParam();
  const Real e = 0.6L;
  const Real end = 4;
  Real anomaly = end;
  for (int i = 0; i < 50; ++i) anomaly -= (anomaly - e * std::sin(anomaly) - end) / (1 - e * std::cos(anomaly));
  const Real root = std::sqrt(1 - e * e);
  const Real rate = 1 / (1 - e * std::cos(anomaly));
  using Vector = std::array<Real, 2>;
  const auto error = [&](int steps) {
    return error_at<2>(c, end, steps, {1 - e, 0}, {0, std::sqrt((1 + e) / (1 - e))},
                       {std::cos(anomaly) - e, root * std::sin(anomaly)},
                       {-std::sin(anomaly) * rate, root * std::cos(anomaly) * rate}, [](const Vector& q) {
                         const Real r = std::hypot(q[0], q[1]);
                         return Vector{-q[0] / (r * r * r), -q[1] / (r * r * r)};
                       });
  };
  const int steps = c.order == 8 ? 80 : 320;
  const Real coarse = error(steps);
  const Real fine = error(2 * steps);
  EXPECT_NEAR(static_cast<double>(std::log2(coarse / fine)), c.order, 0.4) << coarse << ' ' << fine;
  EXPECT_GT(fine, 1e-14L) << "at the rounding level of the coefficients";
}

TEST(Compositions, FindByNameAndOrder) {
  std::set<std::string_view> names;
  int order = 0;
  for (const Composition& c : trill::compositions()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_EQ(trill::find_composition(c.name), &c);
    EXPECT_GE(c.order, order);
    if (c.order > order) {
      EXPECT_EQ(trill::find_composition(c.order), &c);
    }
    order = c.order;
  }
  EXPECT_EQ(trill::find_composition("none"), nullptr);
  EXPECT_EQ(trill::find_composition(3), nullptr);
  EXPECT_EQ(trill::find_composition(4)->gamma.size(), 5u);
  EXPECT_EQ(trill::find_composition(6)->gamma.size(), 9u);
  EXPECT_EQ(trill::find_composition(8)->gamma.size(), 17u);
}

}  // namespace
