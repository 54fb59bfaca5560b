// SPDX-License-Identifier: BSD-3-Clause
#include "trill/base/errors.hpp"
#include "trill/method/implicit_tableau.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace trill {
namespace {
struct Family {
  const char* name;
  ImplicitTableau (*make)(int);
  int least;
};
using Case = std::pair<Family, int>;
class EveryTableau : public testing::TestWithParam<Case> {
 protected:
  std::string family() const { return GetParam().first.name; }
  Index s() const { return GetParam().second; }
  const ImplicitTableau t_ = GetParam().first.make(GetParam().second);
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Family& family :
       {Family{"gauss", gauss_tableau, 1}, Family{"radau", radau_iia_tableau, 1},
        Family{"lobatto_iiia", lobatto_iiia_tableau, 2}, Family{"lobatto_iiib", lobatto_iiib_tableau, 2},
        Family{"lobatto_iiic", lobatto_iiic_tableau, 2}})
    for (int s = family.least; s <= most_implicit_stages; ++s) all.emplace_back(family, s);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Families, EveryTableau, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.first.name + std::to_string(info.param.second); });

// The condition B(p): sum b_i c_i^(k-1) = 1/k for k = 1..p.
TEST_P(EveryTableau, WeightsHaveTheirOrder) {
  for (int k = 1; k <= t_.order; ++k) EXPECT_NEAR((t_.b.array() * t_.c.array().pow(k - 1)).sum(), 1.0 / k, 2e-15) << k;
  const int k = t_.order + 1;
  if (s() <= 5) {  // with more stages the error constant is below rounding
    EXPECT_GT(std::abs((t_.b.array() * t_.c.array().pow(k - 1)).sum() - 1.0 / k), 1e-9);
  }
}

// The condition C(q): sum_j a_ij c_j^(k-1) = c_i^k/k for k = 1..q.
TEST_P(EveryTableau, StagesHaveTheirOrder) {
  for (int k = 1; k <= t_.stage_order; ++k) {
    const Vec left = t_.A * t_.c.array().pow(k - 1).matrix();
    EXPECT_LT((left - (t_.c.array().pow(k) / k).matrix()).cwiseAbs().maxCoeff(), 2e-15) << k;
  }
}

TEST_P(EveryTableau, IsSymmetricWhereTheFamilyIs) {
  if (family() == "radau" || family() == "lobatto_iiic") return;
  for (Index i = 0; i < s(); ++i) {
    EXPECT_EQ(t_.c[i] + t_.c[s() - 1 - i], 1);
    for (Index j = 0; j < s(); ++j) EXPECT_NEAR(t_.A(s() - 1 - i, s() - 1 - j) + t_.A(i, j), t_.b[j], 3e-16);
  }
}

TEST_P(EveryTableau, IsSymplecticWhereTheFamilyIs) {
  if (family() != "gauss" && family() != "lobatto_iiia") return;
  const Mat other = family() == "gauss" ? t_.A : lobatto_iiib_tableau(static_cast<int>(s())).A;
  for (Index i = 0; i < s(); ++i)
    for (Index j = 0; j < s(); ++j) EXPECT_NEAR(t_.b[i] * other(i, j) + t_.b[j] * t_.A(j, i), t_.b[i] * t_.b[j], 2e-16);
}

void expect_tableau(const ImplicitTableau& t, const Mat& A, const Vec& c) {
  EXPECT_LT((t.A - A).cwiseAbs().maxCoeff(), 1.2e-16);
  EXPECT_LT((t.c - c).cwiseAbs().maxCoeff(), 1.2e-16);
}

// Closed forms as in Hairer, Wanner, Solving Ordinary Differential Equations II, sec. IV.5.
TEST(ImplicitTableaux, EqualTheirClosedForms) {
  const double r3 = std::sqrt(3.0), r6 = std::sqrt(6.0);
  expect_tableau(gauss_tableau(2), (Mat(2, 2) << 0.25, 0.25 - r3 / 6, 0.25 + r3 / 6, 0.25).finished(),
                 (Vec(2) << 0.5 - r3 / 6, 0.5 + r3 / 6).finished());
  expect_tableau(radau_iia_tableau(2), (Mat(2, 2) << 5.0 / 12, -1.0 / 12, 0.75, 0.25).finished(),
                 (Vec(2) << 1.0 / 3, 1).finished());
  expect_tableau(
      radau_iia_tableau(3),
      (Mat(3, 3) << (88 - 7 * r6) / 360, (296 - 169 * r6) / 1800, (-2 + 3 * r6) / 225, (296 + 169 * r6) / 1800,
       (88 + 7 * r6) / 360, (-2 - 3 * r6) / 225, (16 - r6) / 36, (16 + r6) / 36, 1.0 / 9)
          .finished(),
      (Vec(3) << (4 - r6) / 10, (4 + r6) / 10, 1).finished());
  expect_tableau(lobatto_iiia_tableau(3),
                 (Mat(3, 3) << 0, 0, 0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6).finished(),
                 (Vec(3) << 0, 0.5, 1).finished());
  expect_tableau(lobatto_iiib_tableau(3),
                 (Mat(3, 3) << 1.0 / 6, -1.0 / 6, 0, 1.0 / 6, 1.0 / 3, 0, 1.0 / 6, 5.0 / 6, 0).finished(),
                 (Vec(3) << 0, 0.5, 1).finished());
  expect_tableau(
      lobatto_iiic_tableau(3),
      (Mat(3, 3) << 1.0 / 6, -1.0 / 3, 1.0 / 6, 1.0 / 6, 5.0 / 12, -1.0 / 12, 1.0 / 6, 2.0 / 3, 1.0 / 6).finished(),
      (Vec(3) << 0, 0.5, 1).finished());
}

TEST(ImplicitTableaux, RefuseStagesThatAreNotThere) {
  EXPECT_THROW(gauss_tableau(0), UsageError);
  EXPECT_THROW(radau_iia_tableau(13), UsageError);
  EXPECT_THROW(lobatto_iiia_tableau(1), UsageError);
}
}  // namespace
}  // namespace trill
