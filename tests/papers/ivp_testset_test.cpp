// SPDX-License-Identifier: BSD-3-Clause
// The solutions of the problems of the test set, computed by a method that is not one of those judged in the table.
#include "papers/ivp_testset.hpp"

#include "papers/figure.hpp"
#include "trill/driver/plan.hpp"

#include <cstdlib>

namespace trill::test {
namespace {
using namespace papers::ivp;

const TestProblem& problem_called(const std::string& model) {
  for (const TestProblem& p : problems())
    if (p.model == model) return p;
  throw std::runtime_error("no problem " + model);
}

double digits_reached(const std::string& model, const std::string& method, double rtol) {
  RunPlan plan;
  plan.model = model;
  plan.method = method;
  plan.rtol = rtol;
  const Solution s = prepare(plan).run();
  return s.ok() ? digits_of(problem_called(model), s.y().col(s.rows() - 1)) : 0;
}

TEST(IvpTestSet, DigitsAreThoseOfTheLargestError) {
  const TestProblem p{.model = "two angles", .end = {10, 0}, .trials = {}, .first = 1, .stride = 2};
  Vec y{{7, 10, 7, 0, 7}};
  EXPECT_EQ(digits_of(p, y), 16);
  y(1) += 1e-4 * (10 + 1e-3);
  EXPECT_NEAR(digits_of(p, y), 4, 1e-9);
  y(3) = 1e-6;  // relative to 1e-3
  EXPECT_NEAR(digits_of(p, y), 3, 1e-9);
  y(3) = 5;
  EXPECT_EQ(digits_of(p, y), 0);
}

// The multistep methods of CVODE share neither formulas nor step control with the methods of the table.
TEST(IvpTestSet, MultistepMethodsEndAtTheSameSolutions) {
  if (!Catalogue::all().find_method("cvode_bdf")) GTEST_SKIP() << "without SUNDIALS";
  EXPECT_GT(digits_reached("pleiades", "cvode_adams", 1e-12), 7);
  EXPECT_GT(digits_reached("car_axis", "cvode_adams", 1e-12), 7);
  EXPECT_GT(digits_reached("squeezer", "cvode_adams", 1e-12), 7);
  EXPECT_GT(digits_reached("hires", "cvode_bdf", 1e-11), 7);
  EXPECT_GT(digits_reached("oregonator", "cvode_bdf", 1e-11), 7);
  EXPECT_GT(digits_reached("pollution", "cvode_bdf", 1e-11), 7);
  EXPECT_GT(digits_reached("e5", "cvode_bdf", 1e-11), 7);
}

// Every problem of the set has a row for each of the three methods, with a number of digits or with a reason.
TEST(IvpTestSet, EveryMethodIsTriedOrSaysWhyNot) {
  EXPECT_EQ(problems().size(), 11u);
  for (const TestProblem& p : problems()) {
    ASSERT_EQ(p.trials.size(), 3u) << p.model;
    for (const Trial& t : p.trials) EXPECT_NE(t.other.empty(), t.reason.empty()) << p.model << ", " << t.method;
  }
}
}  // namespace
}  // namespace trill::test
